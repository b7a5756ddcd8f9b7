"""Texts with numbers in them: which places there are, and how numbers are written."""

import math
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.lab.study.texts import check, filled


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (20, "20"),
        (7.0, "7"),
        (0, "0"),
        (12345.0, "12,345"),
        (12345.6, "12,346"),
        (0.12, "0.12"),
        (7.4372, "7.44"),
        (99.96, "100"),
        (-0.031416, "−0.0314"),
        (-3, "−3"),
        ("random", "random"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_how_values_are_written(value: Any, text: str) -> None:
    assert filled("from {it} on", {"it": value}) == f"from {text} on"


def test_only_names_are_places() -> None:
    text = "{n} of {all_nodes}, but not {}, { n }, {0}, {n:g} or [0, l) in {a-b}"
    assert filled(text, {"n": 3, "all_nodes": 9}) == "3 of 9, but not {}, { n }, {0}, {n:g} or [0, l) in {a-b}"
    assert filled("{runs} runs", {}) == "– runs"


def test_unknown_places_are_refused() -> None:
    check("{runs} runs of {hours} hours", ["runs", "hours"], "here")
    with pytest.raises(BadInput, match=r"^here: \{run\}: unknown \(did you mean runs\?\); there are runs, hours$"):
        check("{hours} hours, {run} runs", ["runs", "hours"], "here")
    with pytest.raises(BadInput, match=r"there are none$"):
        check("{runs} runs", [], "here")
