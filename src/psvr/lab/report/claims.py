"""Checks the paper's claims: each is a query over the measures of a study, with conditions on its answer."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import StructType

from psvr.errors import BadInput
from psvr.lab.spark.errors import spark_errors

HOLDS, DIFFERS, UNDECIDED, NO_ROWS, MISSING = "holds", "differs", "undecided", "no rows", "missing"
ANSWER = ("value", "low", "high")
WANTED = "sql must be a query for value, low and high, holds and differs conditions on these"
# The SQL of a study is put in parentheses, so that it can only be a query, and reads FROM measures.
QUERY = """WITH measures AS (SELECT * FROM {view}) SELECT {answer} FROM (
{sql}
)"""
CHECKED_QUERY = """SELECT *, coalesce((
{holds}
), false) AS holds, coalesce((
{differs}
), false) AS differs FROM ({asked}) LIMIT 2"""


@dataclass(frozen=True)
class Claim:
    """What the paper says, and what we found."""

    id: str
    study: str
    text: str
    paper: str  # its value
    unit: str
    value: float | None  # ours, with its interval
    low: float | None
    high: float | None
    verdict: str
    why: str
    sql: str
    role: str = "paper"
    variant_of: str = ""  # the claim that it is a variant of


def validate(claims: Iterable[Mapping[str, str]], columns: StructType, spark: SparkSession, study: str) -> None:
    """Refuse claims that cannot be asked over measures with these columns, before anything is run for them."""
    view = f"measures_{uuid.uuid4().hex}"
    spark.createDataFrame([], columns).createTempView(view)
    try:
        for claim in claims:
            question(claim, spark, view, f"study {study}, claim {claim['id']}")
    finally:
        spark.catalog.dropTempView(view)


def question(claim: Mapping[str, str], spark: SparkSession, view: str, where: str) -> DataFrame:
    """Return the query of a claim, with the values of its conditions, as a frame that has not been computed."""
    asked = QUERY.format(
        view=view, sql=claim["sql"].rstrip("; \n"), answer=", ".join(f"double({name}) AS {name}" for name in ANSWER)
    )
    with spark_errors(where, WANTED):
        return spark.sql(CHECKED_QUERY.format(asked=asked, holds=claim["holds"], differs=claim["differs"]))


def check(claims: Iterable[Mapping[str, str]], measures: DataFrame, study: str) -> list[Claim]:
    """Return all claims of a study with their verdicts."""
    spark, view = measures.sparkSession, f"measures_{uuid.uuid4().hex}"
    listed = list(claims)
    if not listed:
        return []
    spark.createDataFrame(measures.toArrow()).createTempView(view)  # computed once, however many queries there are
    try:
        return [check_one(claim, spark, view, study) for claim in listed]
    finally:
        spark.catalog.dropTempView(view)


def missing(claims: Iterable[Mapping[str, str]], study: str) -> list[Claim]:
    """Return the claims of a study that needs a part which does not exist yet."""
    return [claim_result(claim, study, MISSING, None) for claim in claims]


def check_one(claim: Mapping[str, str], spark: SparkSession, view: str, study: str) -> Claim:
    row = answer(claim, spark, view, f"study {study}, claim {claim['id']}")
    if row is None:
        return claim_result(claim, study, NO_ROWS, None)
    return claim_result(claim, study, HOLDS if row["holds"] else DIFFERS if row["differs"] else UNDECIDED, row)


def answer(claim: Mapping[str, str], spark: SparkSession, view: str, where: str) -> Row | None:
    """Return the one row of a claim's query, with the values of its conditions; None if it has no values."""
    with spark_errors(where, WANTED):
        rows = question(claim, spark, view, where).collect()
    if len(rows) > 1:
        raise BadInput(f"{where}: sql must give one row, not several: add ORDER BY and LIMIT 1")
    if not rows or all(rows[0][name] is None for name in ANSWER):
        return None
    if rows[0]["holds"] and rows[0]["differs"]:
        raise BadInput(f"{where}: holds and differs are both true: let them exclude each other")
    return rows[0]


def claim_result(claim: Mapping[str, str], study: str, verdict: str, row: Row | None) -> Claim:
    value, low, high = (None if row is None else row[name] for name in ANSWER)
    return Claim(
        id=claim["id"],
        study=study,
        text=claim["text"],
        paper=claim["paper"],
        unit=claim.get("unit", ""),
        value=value,
        low=low,
        high=high,
        verdict=verdict,
        why=claim.get("why", ""),
        sql=claim["sql"],
        role=claim.get("role", "paper"),
        variant_of=claim.get("variant_of", ""),
    )
