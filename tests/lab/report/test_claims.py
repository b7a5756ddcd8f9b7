"""Verdicts follow from rows, and what is wrong with a claim is said in one line."""

import threading
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from psvr.errors import BadInput
from psvr.lab.measure.measures import columns_of_measures, measure
from psvr.lab.report.claims import Claim, ask_numbers, check, missing, validate

CLAIM = {
    "id": "gain-td",
    "text": "below 8 %",
    "paper": "< 8 %",
    "unit": "%",
    "why": "because",
    "sql": "SELECT value, low, high FROM measures WHERE measure = 'gain' AND against = 'td'",
    "holds": "high < 8",
    "differs": "low >= 8",
}
SCHEMA = (
    "trial string, grid string, kind string, repetition bigint, seed bigint, n bigint, system string, "
    "messages bigint, published bigint"
)


def rows_with(spark: SparkSession, *percent: int) -> DataFrame:
    """Trials in which PSVR needs this many percent more messages than T_D."""
    return spark.createDataFrame(
        [
            (f"t{i}", "main", "settled", i, i, 50, system, messages, 1)
            for i, p in enumerate(percent)
            for system, messages in (("psvr/all", 100 + p), ("td", 100))
        ],
        SCHEMA,
    )


def verdict(spark: SparkSession, *percent: int) -> Claim:
    return check([CLAIM], measure(rows_with(spark, *percent)), "gain")[0]


def test_altered_rows_flip_the_verdict(spark: SparkSession) -> None:
    claim = verdict(spark, 4, 5, 6)
    assert claim.verdict == "holds" and claim.value == pytest.approx(5)
    assert claim.low is not None and claim.high is not None and claim.low < 5 < claim.high < 8
    assert (claim.id, claim.study, claim.text, claim.paper, claim.unit, claim.why, claim.sql) == (
        "gain-td",
        "gain",
        "below 8 %",
        "< 8 %",
        "%",
        "because",
        CLAIM["sql"],
    )
    assert verdict(spark, 14, 15, 16).verdict == "differs"
    assert verdict(spark, 1, 5, 9).verdict == "undecided"
    one = verdict(spark, 5)  # a single trial has no interval
    assert (one.verdict, one.low, one.high) == ("undecided", None, None) and one.value == pytest.approx(5)
    none = verdict(spark)
    assert (none.verdict, none.value, none.low, none.high) == ("no rows", None, None, None)


def test_each_claim_has_its_own_verdict(measures: DataFrame) -> None:
    """Though the conditions of all claims are one query, one of them may have no rows, and one may be wrong."""
    wanted: dict[str, dict[str, str]] = {"holds": {}}
    wanted |= {"no rows": {"sql": "SELECT 1 AS value, 1 AS low, 1 AS high FROM measures WHERE n > 99"}}
    wanted |= {"differs": {"holds": "low > 8", "differs": "value < 8"}, "undecided": {"holds": "value IS NULL"}}
    listed = [{**CLAIM, "id": id, **changes} for id, changes in wanted.items()]
    assert [(c.id, c.verdict) for c in check(listed, measures, "gain")] == [(id, id) for id in wanted]
    wrong = {**CLAIM, "id": "wrong", "holds": "value / (value - value) > 1"}
    with pytest.raises(BadInput, match=r"^study gain, claim wrong: .*zero"):
        check([*listed, wrong], measures, "gain")


def test_a_part_that_does_not_exist_yet() -> None:
    claim = missing([CLAIM], "testbed")[0]
    assert (claim.verdict, claim.study, claim.value) == ("missing", "testbed", None)


@pytest.fixture(scope="module")
def measures(spark: SparkSession) -> DataFrame:
    return measure(rows_with(spark, 4, 5, 6)).localCheckpoint()


def asked(measures: DataFrame, **changes: str) -> Claim:
    return check([{**CLAIM, **changes}], measures, "gain")[0]


@pytest.mark.parametrize(
    "sql, verdict, value",
    [
        ("SELECT max(value) AS value, null AS low, null AS high FROM measures WHERE n > 99", "no rows", None),
        ("SELECT 1 AS value, null AS low, 2.5 AS high;", "holds", 1.0),
        ("WITH own AS (SELECT * FROM measures) SELECT value, low, high FROM own WHERE measure = 'gain'", "holds", 5.0),
        (
            "SELECT m.value, m.low, g.high -- {braces} are fine\nFROM measures m JOIN measures g USING (measure)\n"
            "WHERE measure = 'gain' -- a last word",
            "holds",
            5.0,
        ),
    ],
)
def test_queries(measures: DataFrame, sql: str, verdict: str, value: float | None) -> None:
    claim = asked(measures, sql=sql)
    assert claim.verdict == verdict and claim.value == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    "changes, part",
    [
        ({"sql": "SELEC value FROM measures"}, "Syntax error"),
        ({"sql": "SELECT valeu AS value, low, high FROM measures"}, "`valeu`"),
        ({"sql": "SELECT value, low FROM measures LIMIT 1"}, "`high`"),
        ({"sql": "SELECT value, low, high FROM nowhere"}, "`nowhere`"),
        ({"sql": "SELECT measure AS value, low, high FROM measures LIMIT 1"}, "cannot be cast"),
        ({"sql": "SELECT value / 0 AS value, low, high FROM measures LIMIT 1"}, "zero"),
        ({"sql": "SELECT value, low, high FROM measures"}, "must give one row, not several"),
        ({"sql": "DROP VIEW measures"}, "Syntax error"),
        ({"holds": "hihg < 8"}, "`hihg`"),
        ({"differs": "low"}, "BOOLEAN"),
        ({"differs": "low > 0"}, "holds and differs are both true"),
    ],
)
def test_bad_claims(measures: DataFrame, capfd: pytest.CaptureFixture[str], changes: dict[str, str], part: str) -> None:
    with pytest.raises(BadInput) as caught:
        asked(measures, **changes)
    text = str(caught.value)
    assert text.startswith("study gain, claim gain-td: ") and part in text, text
    assert len(text.splitlines()) == 1 and len(text) < 500
    assert capfd.readouterr() == ("", "")


def test_studies_can_be_checked_at_the_same_time(spark: SparkSession) -> None:
    frames = [measure(rows_with(spark, 5 * i, 5 * i)).localCheckpoint() for i in range(4)]
    found: dict[int, Any] = {}
    threads = [
        threading.Thread(target=lambda i=i, f=f: found.update({i: check([CLAIM] * 3, f, f"s{i}")}))
        for i, f in enumerate(frames)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {i: [c.verdict for c in claims] for i, claims in found.items()} == {
        0: ["holds"] * 3,
        1: ["holds"] * 3,
        2: ["differs"] * 3,
        3: ["differs"] * 3,
    }
    assert [t.name for t in spark.catalog.listTables() if t.name.startswith("measures_")] == []


def test_the_columns_of_measures_are_known_before_there_are_any(spark: SparkSession) -> None:
    rows = rows_with(spark, 4, 5)
    schema = pa.schema([(name, pa.string() if kind == "string" else pa.int64()) for name, kind in rows.dtypes])
    expected = columns_of_measures(schema)
    found = measure(rows).schema
    assert [(f.name, f.dataType) for f in expected] == [(f.name, f.dataType) for f in found]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"sql": "SELECT value, low, high FROM measures WHERE loss = 0.1"}, "loss"),
        ({"sql": "SELECT value, low, hihg AS high FROM measures"}, "hihg"),
        ({"holds": "height < 8"}, "height"),
        ({"sql": "no query at all"}, "sql must be a query"),
        ({"why": "at {m} nodes"}, "why: {m}: unknown"),
        ({"text": "in {cells} cells"}, "text: {cells}: unknown"),
        ({"extreme": "highest", "sql": "SELECT value, low, high FROM measures"}, "trials"),
        ({"fit": "line", "sql": "SELECT value, low, high FROM measures"}, "value, low, high, x,"),
        ({"fit": "line", "sql": "SELECT n AS x, * FROM measures", "why": "at {n}"}, "why: {n}: unknown"),
    ],
)
def test_claims_that_cannot_be_asked_are_refused_before_there_are_rows(
    spark: SparkSession, change: dict[str, str], part: str
) -> None:
    columns = measure(rows_with(spark, 4)).schema
    validate([CLAIM], columns, spark, "gain")
    with pytest.raises(BadInput) as caught:
        validate([CLAIM, {**CLAIM, "id": "bad", **change}], columns, spark, "gain")
    said = str(caught.value)
    assert said.startswith("study gain, claim bad: ") and part in said.lower() and "\n" not in said
    assert not [t for t in spark.catalog.listTables() if t.name.startswith("measures_")]


CELLS = """
SELECT * FROM VALUES (20, 1.0D, 0.5D, 1.5D, 9), (50, 3.0D, 2.0D, 4.0D, 9), (100, NULL, NULL, NULL, 9)
AS t(n, value, low, high, trials)"""


def test_the_extreme_of_many_cells(measures: DataFrame) -> None:
    """Its bounds are wider than those of its cell, and texts may say which cell it is."""
    why = "of {cells} cells that of n = {n}, with {runs} runs: {value}"
    claim = {**CLAIM, "sql": CELLS, "extreme": "highest", "holds": "high < 4.1", "differs": "low > 3", "why": why}
    [found] = check([claim], measures, "gain", {"runs": 12, "n": 7})
    assert found.value == 3 and found.low is not None and found.high is not None
    assert found.low < 2 and found.high > 4.1 and found.verdict == "undecided"
    assert found.why == "of 2 cells that of n = 50, with 12 runs: 3"
    lowest = asked(measures, sql=CELLS, extreme="lowest", holds="high < 3")
    assert (lowest.value, lowest.verdict) == (1, "holds") and lowest.low is not None and lowest.low < 0.5
    none = asked(measures, sql=f"{CELLS} WHERE n > 50", extreme="lowest", why="at {n}")
    assert (none.verdict, none.why) == ("no rows", "at –")


POINTS = """
SELECT * FROM VALUES (20, 4.0D, 3.0D, 5.0D), (200, 8.0D, 7.0D, 9.0D), (2000, 16.0D, 15.0D, 17.0D), (7, NULL, NULL, NULL)
AS t(x, value, low, high)"""


def test_a_line_through_many_cells(measures: DataFrame) -> None:
    why = "{value} through {cells} cells, with {runs} runs"
    claim = {**CLAIM, "sql": POINTS, "fit": "tenfold", "holds": "high < 2.5", "differs": "low >= 2.5", "why": why}
    [found] = check([claim], measures, "gain", {"runs": 12, "cells": 7})
    assert found.value == pytest.approx(2) and found.low is not None and found.high is not None
    assert 1.7 < found.low < 2 < found.high < 2.5 and found.verdict == "holds"
    assert found.why == "2 through 3 cells, with 12 runs"
    line = asked(measures, sql=POINTS, fit="line", holds="low > 0")
    assert line.value is not None and 0 < line.value < 0.01 and line.verdict == "holds"
    none = asked(measures, sql=f"{POINTS} WHERE x < 200", fit="power", why="through {cells}")
    assert (none.verdict, none.why) == ("no rows", "through –")
    zero = POINTS.replace("4.0D", "0.0D")
    with pytest.raises(BadInput, match=r"^study gain, claim gain-td: fit: x and value must be above zero$"):
        asked(measures, sql=zero, fit="power")


def test_numbers_of_a_study(measures: DataFrame, spark: SparkSession) -> None:
    queries = {"runs": "SELECT max(trials) FROM measures;", "none": "SELECT value FROM measures WHERE n > 99"}
    numbers = ask_numbers(queries, measures, "gain")
    assert numbers == {"runs": 3, "none": None} and ask_numbers({}, measures, "gain") == {}
    [claim] = check([{**CLAIM, "text": "In {runs} runs and {none}."}], measures, "gain", numbers)
    assert claim.text == "In 3 runs and –."
    validate([{**CLAIM, "why": "in {runs} runs"}], measures.schema, spark, "gain", queries)


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("SELECT max(loss) FROM measures", "loss"),
        ("SELECT low, high FROM measures", "must be a query for one value, not several"),
        ("SELECT value FROM measures", "must be a query for one value, not several"),
    ],
)
def test_numbers_that_cannot_be_asked(measures: DataFrame, sql: str, part: str) -> None:
    with pytest.raises(BadInput, match=r"^study gain, number runs: ") as caught:
        ask_numbers({"runs": sql}, measures, "gain")
    assert part in str(caught.value)
