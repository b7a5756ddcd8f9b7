"""The paper's claims, checked: each is a query over the measures of a study, and conditions on its answer."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row, SparkSession

from psvr.errors import BadInput

from .complaints import in_words

HOLDS, DIFFERS, UNDECIDED, NO_ROWS, MISSING = "holds", "differs", "undecided", "no rows", "missing"
ANSWER = ("value", "low", "high")
# The text of a study stands in brackets, so that it can be a query only, and says FROM measures.
ASKED = """WITH measures AS (SELECT * FROM {view}) SELECT {answer} FROM (
{sql}
)"""
JUDGED = """SELECT *, coalesce((
{holds}
), false) AS holds, coalesce((
{differs}
), false) AS differs FROM ({asked}) LIMIT 2"""


@dataclass(frozen=True)
class Claim:
    """What the paper says, and what was found."""

    id: str
    study: str
    text: str
    paper: str                  # its value
    unit: str
    value: float | None         # ours, with its interval
    low: float | None
    high: float | None
    verdict: str
    why: str
    sql: str


def check(claims: Iterable[Mapping[str, str]], measures: DataFrame, study: str) -> list[Claim]:
    """The verdicts on all claims of a study."""
    spark, view = measures.sparkSession, f"measures_{uuid.uuid4().hex}"
    listed = list(claims)
    if not listed:
        return []
    spark.createDataFrame(measures.toArrow()).createTempView(view)      # computed once, however often it is asked
    try:
        return [judged(claim, spark, view, study) for claim in listed]
    finally:
        spark.catalog.dropTempView(view)


def missing(claims: Iterable[Mapping[str, str]], study: str) -> list[Claim]:
    """The claims of a study whose part does not exist yet."""
    return [told(claim, study, MISSING, None) for claim in claims]


def judged(claim: Mapping[str, str], spark: SparkSession, view: str, study: str) -> Claim:
    row = answer(claim, spark, view, f"study {study}, claim {claim['id']}")
    if row is None:
        return told(claim, study, NO_ROWS, None)
    return told(claim, study, HOLDS if row["holds"] else DIFFERS if row["differs"] else UNDECIDED, row)


def answer(claim: Mapping[str, str], spark: SparkSession, view: str, where: str) -> Row | None:
    """The one row of a claim's query, with what its conditions say; None if there is nothing in it."""
    asked = ASKED.format(view=view, sql=claim["sql"].rstrip("; \n"),
                         answer=", ".join(f"double({name}) AS {name}" for name in ANSWER))
    with in_words(where, "sql must be a query for value, low and high, holds and differs conditions on these"):
        rows = spark.sql(JUDGED.format(asked=asked, holds=claim["holds"], differs=claim["differs"])).collect()
    if len(rows) > 1:
        raise BadInput(f"{where}: sql must give one row, not several: add ORDER BY and LIMIT 1")
    if not rows or all(rows[0][name] is None for name in ANSWER):
        return None
    if rows[0]["holds"] and rows[0]["differs"]:
        raise BadInput(f"{where}: holds and differs are both true: let them exclude each other")
    return rows[0]


def told(claim: Mapping[str, str], study: str, verdict: str, row: Row | None) -> Claim:
    value, low, high = (None if row is None else row[name] for name in ANSWER)
    return Claim(id=claim["id"], study=study, text=claim["text"], paper=claim["paper"], unit=claim.get("unit", ""),
                 value=value, low=low, high=high, verdict=verdict, why=claim.get("why", ""), sql=claim["sql"])
