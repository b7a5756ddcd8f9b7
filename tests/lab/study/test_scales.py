"""No claim, figure or number of a shipped study is without rows, at any scale: seen from its grids, without a run."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from pyspark.sql import SparkSession

from psvr.lab.report.claims import NO_ROWS, ask_numbers, check
from psvr.lab.report.figures import call_draw
from psvr.lab.study import BUILT_IN, SCALES, Study, available, load
from tests.support.lab.planned_rows import planned_rows
from tests.support.lab.together import measured

SHIPPED = [name for name in available() if name != "paper"]
TWICE = ["repetitions=2"]  # so that there are intervals


def without_rows(spark: SparkSession, name: str, scales: Sequence[str] = SCALES) -> list[str]:
    """Return the claims, numbers and figures of a study that its trials have nothing for, each with the scale."""
    found = []
    studies = {scale: load([name], scale, TWICE)[0] for scale in scales}
    rows = {scale: planned_rows(study) for scale, study in studies.items()}
    for scale, measures in measured(spark, studies.values(), rows).items():
        study, frame = studies[scale], spark.createDataFrame(measures)
        numbers = ask_numbers(study.numbers, frame, study.name)
        missing = [f"number {name}" for name, value in numbers.items() if value is None]
        missing += [f"claim {c.id}" for c in check(study.claims, frame, study.name, numbers) if c.verdict == NO_ROWS]
        found += [f"{scale}: {what}" for what in missing + empty_figures(study, measures)]
    return found


def empty_figures(study: Study, measures: pa.Table) -> list[str]:
    file = study.folder / "figure.py"
    figures = call_draw(file, study.name, measures.to_pandas()) if file.exists() else {}
    return [f"figure {name}" for name, figure in figures.items() if is_empty(figure)]


def is_empty(figure: Figure) -> bool:
    """Return whether a figure has no panels, or one in which nothing is drawn or written."""
    return not figure.axes or not all(axes.has_data() or axes.texts for axes in figure.axes)


@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_is_without_rows(spark: SparkSession, name: str) -> None:
    assert without_rows(spark, name) == []


@pytest.mark.parametrize(
    ("name", "before", "after", "missed"),
    [
        (
            "throughput",
            "loss = [0.0, 0.1, 0.2]\nduration",
            "loss = [0.0, 0.1]\nduration",
            "claim throughput-close-heavy",
        ),
        ("throughput", "[grid.wireless", "[grid.radio", "number psvr_wireless"),
        ("range", 's = [5, "all"]', "s = 5", "claim range-all-subscribe"),
        ("testbed", "[grid.long", "[grid.longest", "figure hours"),
        ("hops", "routes = true", "routes = false", "claim hops-mean-settled"),
    ],
)
def test_what_is_without_rows_is_found(
    spark: SparkSession, tmp_path: Path, name: str, before: str, after: str, missed: str
) -> None:
    folder = shutil.copytree(BUILT_IN / name, tmp_path / name)
    text = (folder / "study.toml").read_text("utf-8")
    assert before in text
    (folder / "study.toml").write_text(text.replace(before, after), "utf-8")
    assert f"quick: {missed}" in "\n".join(without_rows(spark, str(folder), ["quick"]))
