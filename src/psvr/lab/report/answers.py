"""Answers to claims: what the query of a claim gives, made into one value with its bounds.

The query gives one row; or a row for each cell, of which the claim wants the extreme, or what a line through all says.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from psvr.errors import BadInput
from psvr.lab.measure.extremes import Cell, extreme
from psvr.lab.measure.fits import Point, fit
from psvr.lab.spark.errors import spark_errors

ANSWER = ("value", "low", "high")
TRIALS = "trials"  # what a query for cells has besides: how many trials their intervals are from
X = "x"  # what a query for the points of a line has besides: where they are
CELLS = "cells"  # how many of them there are, for texts
WANTED = "sql must be a query for {columns}, holds and differs conditions on value, low, high"
# The SQL of a study is put in parentheses, so that it can only be a query, and reads FROM measures.
QUERY = """WITH measures AS (SELECT * FROM {view}) SELECT * FROM (
{sql}
)"""


def wanted(claim: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that the query of a claim must have."""
    return (*ANSWER, TRIALS) if claim.get("extreme") else (*ANSWER, X) if claim.get("fit") else ANSWER


def place_of(claim: Mapping[str, str], study: str) -> str:
    return f"study {study}, claim {claim['id']}"


def question(claim: Mapping[str, str], spark: SparkSession, view: str, where: str) -> DataFrame:
    """Return the query of a claim as a frame that has not been computed: its answer, and whatever else it gives."""
    needed = wanted(claim)
    with spark_errors(where, WANTED.format(columns=", ".join(needed))):
        found = spark.sql(QUERY.format(view=view, sql=claim["sql"].rstrip("; \n")))
        others = [f"`{name}`" for name in found.columns if name not in needed]
        return found.selectExpr(*(f"double({name}) AS {name}" for name in needed), *others)


def names(claim: Mapping[str, str], asked: DataFrame) -> list[str]:
    """Return what texts may name besides the numbers of the study: columns, but of a line only what it says."""
    if claim.get("fit"):
        return [*ANSWER, CELLS]
    return [*asked.columns, CELLS] if claim.get("extreme") else asked.columns


def answer(claim: Mapping[str, str], spark: SparkSession, view: str, where: str) -> dict[str, Any] | None:
    """Return value and bounds of a claim, with what else its row says; None if there are no values."""
    with spark_errors(where, WANTED.format(columns=", ".join(wanted(claim)))):
        rows = question(claim, spark, view, where).collect()  # of cells, all; otherwise there should be one
    if claim.get("extreme"):
        return extreme_row(with_values(rows), claim["extreme"])
    if claim.get("fit"):
        return fit_row(with_values(rows), claim["fit"], where)
    if len(rows) > 1:
        raise BadInput(f"{where}: sql must give one row, not several: say extreme or fit, or add LIMIT 1")
    return None if not rows or all(rows[0][name] is None for name in ANSWER) else rows[0].asDict()


def with_values(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["value"] is not None]


def extreme_row(rows: Sequence[Row], which: str) -> dict[str, Any] | None:
    """Return the row of the extreme cell, with bounds that hold for all cells together."""
    if not rows:
        return None
    trials = [None if row[TRIALS] is None else int(row[TRIALS]) for row in rows]
    found = extreme([Cell(row["value"], row["low"], row["high"], t) for row, t in zip(rows, trials)], which)
    bounds = {"value": found.value, "low": found.low, "high": found.high}
    return {**rows[found.place].asDict(), **bounds, CELLS: len(rows)}


def fit_row(rows: Sequence[Row], form: str, where: str) -> dict[str, Any] | None:
    """Return what a line through all cells says; None if they are at fewer than two places."""
    points = [Point(row[X], row["value"], row["low"], row["high"]) for row in rows if row[X] is not None]
    try:
        found = fit(points, form)
    except ValueError as error:
        raise BadInput(f"{where}: fit: {error}") from None
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high, CELLS: len(points)}
