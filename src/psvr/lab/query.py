"""Queries over results: rows, measures, claims and traces as tables of Spark SQL."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from psvr.lab import strict_json
from psvr.lab.measure.traces import read_trace
from psvr.lab.run import store
from psvr.lab.run.folder import Request
from psvr.lab.run.reading import readable
from psvr.lab.spark.errors import spark_errors
from psvr.lab.spark.paths import spark_path
from psvr.lab.study.study import Study

from .pipeline import prepare, rows_of

MAX_WIDTH = 60
DAMAGED = "is damaged; psvr lab report makes it again"


def register(spark: SparkSession, studies: Sequence[tuple[Study, Request]], out: Path, trace: str | None) -> None:
    """Register the tables: the rows of each study under its name, and its measures under the name and `_measures`.

    If trials could not be run, they are in a table with `_failures` in its name.
    """
    for study, request in studies:
        if study.needs is None:
            prepared = prepare(study, request, out)
            state = store.opened(prepared.rows, prepared.cells)
            rows_of(spark, prepared, state).createOrReplaceTempView(study.name)
            failed = store.failures(prepared.rows, state, prepared.cells)
            if len(failed):
                spark.createDataFrame(failed).createOrReplaceTempView(f"{study.name}_failures")
        file = out / study.name / "measures.parquet"
        if file.is_file():
            with readable(file, DAMAGED):
                pq.read_table(file, page_checksum_verification=True)
            spark.read.parquet(spark_path(file)).createOrReplaceTempView(f"{study.name}_measures")
    file = out / "report.json"
    if file.is_file():
        with readable(file, DAMAGED):
            claims = json.loads(file.read_text("utf-8"))["claims"]
        if claims:
            spark.createDataFrame(claims, CLAIMS).createOrReplaceTempView("claims")
    if trace is not None:
        read_trace(spark, trace).createOrReplaceTempView("trace")


CLAIMS = (
    "id string, study string, text string, paper string, value double, low double, high double, unit string, "
    "verdict string, why string, role string, variant_of string"
)


def tables(spark: SparkSession) -> str:
    """Return the tables and their columns, one table per line."""
    lines = []
    for table in spark.catalog.listTables():
        columns = spark.catalog.listColumns(table.name)
        lines.append(f"{table.name}: " + ", ".join(f"{c.name} {c.dataType}" for c in columns))
    return "\n".join(lines) + "\n"


def answer(spark: SparkSession, query: str, form: str) -> str:
    """Return the answer to a query as text."""
    with spark_errors("query"):
        return FORMS[form](spark.sql(query))


def cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def as_table(found: DataFrame) -> str:
    rows = [[cell(v)[:MAX_WIDTH] for v in row] for row in found.collect()]
    numbers = [
        kind in ("bigint", "int", "double", "float", "smallint") or kind.startswith("decimal")
        for _, kind in found.dtypes
    ]
    widths = [max(map(len, column)) for column in zip(found.columns, *rows)]

    def line(words: Sequence[str]) -> str:
        return "  ".join(w.rjust(n) if right else w.ljust(n) for w, n, right in zip(words, widths, numbers)).rstrip()

    return "\n".join([line(found.columns), line(["─" * n for n in widths]), *map(line, rows), ""])


def as_csv(found: DataFrame) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows(
        [strict_json.dumps(v, ascii=True) if isinstance(v, list) else v for v in row] for row in found.collect()
    )
    return text.getvalue()


def as_json(found: DataFrame) -> str:
    return "".join(strict_json.dumps(row.asDict(recursive=True), ascii=True) + "\n" for row in found.collect())


FORMS = {"table": as_table, "csv": as_csv, "json": as_json}
