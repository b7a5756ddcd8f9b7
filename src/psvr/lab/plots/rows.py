"""Selection of rows of the measures."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from psvr.lab.kinds.names import without_profile

from .looks import in_order

ALWAYS = ("grid", "system", "against", "measure", "value", "low", "high")


def choose(measures: pd.DataFrame, measure: str, **wanted: Any) -> pd.DataFrame:
    """Return rows of a measure with these values in these columns (a set: any of them); none if a column is missing."""
    missing = [column for column in dict.fromkeys((*ALWAYS, *wanted)) if column not in measures.columns]
    if missing:
        return measures.iloc[:0].reindex(columns=[*measures.columns, *missing])
    kept = (measures["measure"] == measure) & measures["value"].notna()
    for column, value in wanted.items():
        kept &= measures[column].isin(list(value)) if isinstance(value, set) else measures[column] == value
    return measures[kept]


def versus(measures: pd.DataFrame, measure: str, other: str, **wanted: Any) -> pd.DataFrame:
    """Return rows of a measure that compares systems with this one, both under the same profile of hosts."""
    rows = choose(measures, measure, **wanted)
    same = [
        isinstance(against, str) and without_profile(against) == other and profile_of(against) == profile_of(system)
        for system, against in zip(rows["system"], rows["against"])
    ]
    return rows.loc[pd.Series(same, index=rows.index, dtype=bool)]


def profile_of(system: str) -> str:
    """Return the profile of hosts in the name of a system, which is empty if the name has none."""
    return system[len(without_profile(system)) :]


def levels(rows: pd.DataFrame, column: str) -> list[Any]:
    """Return the values that a column has, in ascending order."""
    return sorted(rows[column].dropna().unique()) if column in rows.columns else []


def systems_of(rows: pd.DataFrame) -> list[str]:
    return in_order(levels(rows, "system"))


def nearest(values: Sequence[Any], wanted: float) -> Any:
    return min(values, key=lambda value: (abs(float(value) - wanted), value))


def spread(values: Sequence[Any], limit: int) -> list[Any]:
    """Return at most this many of the values, evenly spaced, the first and the last among them."""
    if len(values) <= limit:
        return list(values)
    return [values[round(i * (len(values) - 1) / (limit - 1))] for i in range(limit)]
