"""Measures of several tables of rows at once: to plan them takes Spark longer than to compute them."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from psvr.lab.kinds import kind
from psvr.lab.measure.measures import measure
from psvr.lab.study import Study

CASE = "of_case"  # a parameter more, so that cases have nothing to do with each other


def measured(spark: SparkSession, studies: Iterable[Study], rows: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the measures of these rows, each table a case of its own; they are of one study, at several scales."""
    own = [name for study in studies for g in study.grids for name in kind(g.kind, study.files).RESULTS.names]
    marked = [table.append_column(CASE, pa.array([case] * len(table))) for case, table in rows.items()]
    found: Any = measure(spark.createDataFrame(pa.concat_tables(marked, promote_options="permissive")), own).toArrow()
    return {case: found.filter(pc.equal(found[CASE], case)).drop_columns(CASE) for case in rows}
