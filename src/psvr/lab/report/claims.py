"""Checks the paper's claims: each is a query over the measures of a study, with conditions on its answer.

Texts may name what an answer has, see `answers`, and numbers of the study, which are queries, too.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import StructType

from psvr.errors import BadInput
from psvr.lab.spark.errors import spark_errors
from psvr.lab.study import texts

from .answers import ANSWER, QUERY, WANTED, answer, names, place_of, question

HOLDS, DIFFERS, UNDECIDED, NO_ROWS, MISSING = "holds", "differs", "undecided", "no rows", "missing"
TEXTS = ("text", "why")  # of a claim, that may have numbers in them
NUMBER_WANTED = "must be a query for one value"
CONDITIONS = """SELECT {place} AS place, coalesce((
{holds}
), false) AS holds, coalesce((
{differs}
), false) AS differs FROM (SELECT {answer})"""
Asked = tuple[Mapping[str, str], Mapping[str, Any]]  # a claim and its answer


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


@contextmanager
def measures_as_view(measures: DataFrame) -> Iterator[str]:
    """Name these measures for queries, under a name of their own."""
    view = f"measures_{uuid.uuid4().hex}"
    measures.createTempView(view)
    try:
        yield view
    finally:
        measures.sparkSession.catalog.dropTempView(view)


def validate(
    claims: Iterable[Mapping[str, str]],
    columns: StructType,
    spark: SparkSession,
    study: str,
    numbers: Mapping[str, str] | None = None,
) -> None:
    """Refuse claims and numbers that cannot be asked over measures with these columns, before anything is run."""
    known, listed = numbers or {}, list(claims)
    with measures_as_view(spark.createDataFrame([], columns)) as view:
        for name, sql in known.items():
            asked_number(name, sql, spark, view, study)
        for claim in listed:
            where = place_of(claim, study)
            there = [*known, *names(claim, question(claim, spark, view, where))]
            for text in TEXTS:
                texts.check(claim.get(text, ""), there, f"{where}: {text}")
    all_conditions([(claim, dict.fromkeys(ANSWER)) for claim in listed], spark, study)


def conditions(asked: Sequence[Asked], spark: SparkSession, where: str) -> list[Row]:
    """Return whether the conditions of claims are met by their answers, by a single query."""
    queries = (
        CONDITIONS.format(
            place=place,
            holds=claim["holds"],
            differs=claim["differs"],
            answer=", ".join(f"{literal(answer[name])} AS {name}" for name in ANSWER),
        )
        for place, (claim, answer) in enumerate(asked)
    )
    with spark_errors(where, WANTED.format(columns=", ".join(ANSWER))):
        return sorted(spark.sql("\nUNION ALL\n".join(queries)).collect(), key=lambda row: row["place"])


def literal(value: float | None) -> str:
    return "double(NULL)" if value is None else f"double('{float(value)!r}')"


def asked_number(name: str, sql: str, spark: SparkSession, view: str, study: str) -> DataFrame:
    """Return the query for a number of a study as a frame that has not been computed."""
    where = f"study {study}, number {name}"
    with spark_errors(where, NUMBER_WANTED):
        asked = spark.sql(QUERY.format(view=view, sql=sql.rstrip("; \n")))
        several = len(asked.columns) != 1
    if several:
        raise BadInput(f"{where}: {NUMBER_WANTED}, not several")
    return asked


def number(name: str, sql: str, spark: SparkSession, view: str, study: str) -> Any:
    """Return a number of a study, or a text; None where there are no rows."""
    where = f"study {study}, number {name}"
    asked = asked_number(name, sql, spark, view, study)
    with spark_errors(where, NUMBER_WANTED):
        rows = asked.limit(2).collect()
    if len(rows) > 1:
        raise BadInput(f"{where}: {NUMBER_WANTED}, not several")
    return rows[0][0] if rows else None


def check(
    claims: Iterable[Mapping[str, str]], measures: DataFrame, study: str, numbers: Mapping[str, Any] | None = None
) -> list[Claim]:
    """Return all claims of a study with their verdicts; `numbers` are what `ask_numbers` has found."""
    listed = list(claims)
    if not listed:
        return []
    spark = measures.sparkSession
    computed = spark.createDataFrame(measures.toArrow())  # once, however many queries there are
    with measures_as_view(computed) as view:
        rows = [answer(claim, spark, view, place_of(claim, study)) for claim in listed]
    answered = [(claim, row) for claim, row in zip(listed, rows) if row is not None]
    met = iter(all_conditions(answered, spark, study))
    return [
        claim_result(claim, study, NO_ROWS, numbers or {})
        if row is None
        else claim_result(claim, study, verdict(next(met), place_of(claim, study)), {**(numbers or {}), **row}, row)
        for claim, row in zip(listed, rows)
    ]


def all_conditions(asked: Sequence[Asked], spark: SparkSession, study: str) -> list[Row]:
    """Return whether the conditions of all these claims are met; if one cannot be computed, the error names it."""
    if not asked:
        return []
    try:
        return conditions(asked, spark, f"study {study}")
    except BadInput:
        return [conditions([one], spark, place_of(one[0], study))[0] for one in asked]


def verdict(met: Row, where: str) -> str:
    if met["holds"] and met["differs"]:
        raise BadInput(f"{where}: holds and differs are both true: let them exclude each other")
    return HOLDS if met["holds"] else DIFFERS if met["differs"] else UNDECIDED


def ask_numbers(numbers: Mapping[str, str], measures: DataFrame, study: str) -> dict[str, Any]:
    """Return the numbers that the texts of a study name."""
    if not numbers:
        return {}
    spark = measures.sparkSession
    with measures_as_view(spark.createDataFrame(measures.toArrow())) as view:
        return {name: number(name, sql, spark, view, study) for name, sql in numbers.items()}


def missing(claims: Iterable[Mapping[str, str]], study: str) -> list[Claim]:
    """Return the claims of a study that needs a part which does not exist yet."""
    return [claim_result(claim, study, MISSING, {}) for claim in claims]


def claim_result(
    claim: Mapping[str, str],
    study: str,
    verdict: str,
    values: Mapping[str, Any],
    row: Mapping[str, Any] | None = None,
) -> Claim:
    """Return a claim with its texts filled with these values."""
    value, low, high = (None if row is None else row[name] for name in ANSWER)
    return Claim(
        id=claim["id"],
        study=study,
        text=texts.filled(claim["text"], values),
        paper=claim["paper"],
        unit=claim.get("unit", ""),
        value=value,
        low=low,
        high=high,
        verdict=verdict,
        why=texts.filled(claim.get("why", ""), values),
        sql=claim["sql"],
        role=claim.get("role", "paper"),
        variant_of=claim.get("variant_of", ""),
    )
