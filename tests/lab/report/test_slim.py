"""Pictures stay small, and look the same."""

import re
from pathlib import Path

import pandas as pd
import pytest

from psvr.lab.report.figures import draw_all
from psvr.lab.report.inline import inlined
from psvr.lab.report.slim import rounded

CLOUD = """
from matplotlib.figure import Figure
def draw(measures):
    figure = Figure()
    axes = figure.subplots()
    n = {n}
    axes.{shape}
    return {{"cloud": figure}}
"""


def size_of(shape: str, n: int, folder: Path) -> tuple[int, str]:
    """The size of a picture with a shape of n points, and its text."""
    folder.mkdir()
    (folder / "figure.py").write_text(CLOUD.format(n=n, shape=shape))
    [drawn] = draw_all(folder, "mine", pd.DataFrame(), folder)
    return drawn.svg.stat().st_size, drawn.svg.read_text()


@pytest.mark.parametrize(
    "shape", ["scatter(range(n), range(n))", "plot(range(n), [i % 97 for i in range(n)], '.')"], ids=["marks", "line"]
)
def test_very_many_points_become_pixels_and_few_do_not(shape: str, tmp_path: Path) -> None:
    many, text = size_of(shape, 50_000, tmp_path / "many")
    assert many < 200_000 and text.count("<image") == 1
    assert "<image" not in size_of(shape, 500, tmp_path / "few")[1]
    assert 'href="data:image/png' in inlined(tmp_path / "many" / "mine-cloud.svg", "x", "A cloud.")  # on the page, too


def test_coordinates_get_no_needless_digits_and_nothing_else_changes() -> None:
    svg = b'<path d="M 1.23456 -7.999 L 3 4.5" style="stroke-width: 1.23456"/><g transform="scale(0.015625)"/>'
    assert rounded(svg) == svg.replace(b"1.23456 -7.999", b"1.23 -8.00")


def test_rounding_moves_nothing_that_can_be_seen(tmp_path: Path) -> None:
    _, text = size_of("plot([0.123456, 0.7654321], [1 / 3, 2 / 3])", 0, tmp_path / "line")
    numbers = [n for path in re.findall(r' d="([^"]*)"', text) for n in re.findall(r"\d+\.(\d+)", path)]
    assert numbers and max(map(len, numbers)) <= 2
