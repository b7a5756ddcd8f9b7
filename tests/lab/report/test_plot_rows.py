"""Which rows of the measures a plot is drawn from."""

import math
from typing import Any

import pandas as pd
import pytest

from psvr.lab.plots.rows import choose, levels, nearest, profile_of, spread, systems_of, versus


def measures(*rows: dict[str, Any]) -> pd.DataFrame:
    common = {
        "grid": "g",
        "system": "psvr/all",
        "against": None,
        "measure": "messages",
        "value": 1.0,
        "low": 0,
        "high": 2,
    }
    return pd.DataFrame([{**common, **row} for row in rows])


def test_rows_are_chosen_by_measure_and_by_values_of_columns() -> None:
    table = measures({"n": 10}, {"n": 20}, {"n": 30}, {"n": 10, "measure": "hops"}, {"n": 10, "grid": "other"})
    assert choose(table, "messages")["n"].tolist() == [10, 20, 30, 10]
    assert choose(table, "messages", grid="g", n=20)["n"].tolist() == [20]
    assert choose(table, "messages", grid="g", n={10, 30, 99})["n"].tolist() == [10, 30]


def test_rows_without_a_value_are_not_drawn() -> None:
    assert choose(measures({"n": 1, "value": math.nan}, {"n": 2}), "messages")["n"].tolist() == [2]


def test_a_column_that_is_missing_means_no_rows_but_the_column() -> None:
    """A study of one cell has no such parameter; its plot is then empty, not an error."""
    found = choose(measures({"n": 1}), "messages", degree=8)
    assert found.empty and "degree" in found.columns


def test_comparisons_are_within_one_profile() -> None:
    table = measures(
        {"system": "psvr/all/paper", "against": "shen/paper"},
        {"system": "psvr/all/paper", "against": "shen"},
        {"system": "psvr/all", "against": "shen"},
        {"system": "psvr/all", "against": "shen/paper"},
        {"system": "psvr/all", "against": "td"},
        {"system": "psvr/all", "against": None},
    )
    found = versus(table, "messages", "shen")
    assert list(zip(found["system"], found["against"])) == [("psvr/all/paper", "shen/paper"), ("psvr/all", "shen")]
    assert versus(table.iloc[:0], "messages", "shen").empty


@pytest.mark.parametrize(
    ("system", "profile"), [("psvr/all", ""), ("psvr/all/paper", "/paper"), ("shen", ""), ("shen/paper", "/paper")]
)
def test_profile_in_the_name_of_a_system(system: str, profile: str) -> None:
    assert profile_of(system) == profile


def test_values_of_a_column_in_order() -> None:
    table = measures({"n": 30}, {"n": 10}, {"n": 30}, {"n": None})
    assert levels(table, "n") == [10, 30]
    assert levels(table, "absent") == []


def test_systems_are_in_the_order_of_the_legend_whatever_the_order_of_rows() -> None:
    names = ["shen", "psvr/all", "td"]
    there = systems_of(measures(*({"system": name} for name in names)))
    assert there == systems_of(measures(*({"system": name} for name in reversed(names))))
    assert sorted(there) == sorted(names) and there[0] == "psvr/all"


def test_the_nearest_value_and_the_smaller_of_two() -> None:
    assert nearest([5, 10, 20], 12) == 10
    assert nearest([5, 15], 10) == 5
    assert nearest([15, 5], 10) == 5


@pytest.mark.parametrize(
    ("values", "limit", "kept"),
    [
        ([1, 2, 3], 3, [1, 2, 3]),
        ([1, 2, 3], 5, [1, 2, 3]),
        ([1, 2, 3, 4, 5], 3, [1, 3, 5]),
        (list(range(10)), 2, [0, 9]),
        ([], 4, []),
    ],
)
def test_some_of_many_values_with_the_first_and_the_last(values: list[int], limit: int, kept: list[int]) -> None:
    assert spread(values, limit) == kept
