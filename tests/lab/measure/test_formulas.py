"""Measures as the documentation has them, and how wide an interval is: without Spark."""

import math
import re
from pathlib import Path

import pytest

from psvr.lab.measure.formulas import (
    DIFFERENCE,
    GAIN,
    OVER_TIME,
    PAIRS,
    RATIO,
    RESULTS,
    ROUTES,
    SHARES,
    SINGLE,
    SUBSCRIPTIONS,
)
from psvr.lab.measure.student import central_probability, exact_quantile, expansion_terms

PAGE = (Path(__file__).parents[3] / "docs" / "measures.md").read_text()
FACTORS = {
    "s": 1e-6,
    "ms": 1e-3,
    "J": 1e-6,
    "bytes per node and second": 1e6,
    "per node and hour": 3.6e9,
    "mW per node": 1e3,
}  # trials count in µs and µJ


def documented() -> dict[str, tuple[str, str]]:
    """Formula and unit of every measure on the page."""
    found: dict[str, tuple[str, str]] = {}
    for line in PAGE.split("## Single measures")[1].split("## The interval")[0].splitlines():
        if line.startswith("| `"):
            names, formula, unit = (cell.strip() for cell in line.strip("|").split("|"))
            for name in names.replace(", bin h", "").replace(", bin b", "").split(", "):
                found[name.strip("`")] = (formula, unit)
    return found


def test_measures_are_those_of_the_page() -> None:
    on_page = documented()
    every = [*SINGLE, *PAIRS, ROUTES, OVER_TIME, SUBSCRIPTIONS]
    assert {f.measure: f.unit for f in every} == {name: unit for name, (_, unit) in on_page.items()}
    for f in (*SINGLE, ROUTES, OVER_TIME):
        factor = re.match(r"([0-9]+) · ", on_page[f.measure][0])
        assert f.factor == (float(factor[1]) if factor else FACTORS.get(f.unit, 1)), f.measure
        assert f.form == RATIO and set(f.needs) <= RESULTS
    assert [(f.measure, f.form) for f in (*PAIRS, SUBSCRIPTIONS) if f.form == GAIN] == [
        ("gain", GAIN),
        ("subscription_gain", GAIN),
    ]
    assert {f.form for f in PAIRS} == {GAIN, DIFFERENCE}
    assert {f.measure for f in every if f.unit == "%" and f.form == RATIO} - {"duplicates"} == set(SHARES)


@pytest.mark.parametrize(
    "df, t",
    [
        (1, 12.706204736),
        (2, 4.302652730),
        (3, 3.182446305),
        (4, 2.776445105),
        (5, 2.570581836),
        (10, 2.228138852),
        (30, 2.042272456),
        (100, 1.983971519),
    ],
)
def test_quantiles_are_those_of_printed_tables(df: int, t: float) -> None:
    assert exact_quantile(df) == pytest.approx(t, abs=1e-9) and central_probability(
        exact_quantile(df), df
    ) == pytest.approx(0.95, abs=1e-9)
    assert central_probability(0.0, df) == 0.0 and central_probability(1e9, df) == pytest.approx(1.0)


def test_the_expansion_goes_on_where_the_list_ends() -> None:
    for df in (60, 100):
        assert sum(term / df**i for i, term in enumerate(expansion_terms())) == pytest.approx(
            exact_quantile(df), abs=1e-8
        )
    assert expansion_terms()[0] == pytest.approx(1.959963985, abs=1e-9) and math.isfinite(sum(expansion_terms()))
