"""A folder that an ingestion fills, as tables of Spark."""

from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from psvr.errors import BadInput
from psvr.lab.spark.paths import spark_path

from .writing import BAD, GAPS, TRACE

PLACE = [pa.field("run", pa.string()), pa.field("date", pa.date32())]
TABLES = {"trace": pa.schema([*TRACE, *PLACE]), "bad": BAD, "gaps": GAPS}


def ingested(spark: SparkSession, folder: str | Path, table: str = "trace") -> DataFrame:
    """Return the rows of a folder, its bad lines (`bad`) or what was lost (`gaps`), read by Spark itself.

    The types are given: Spark would take a run that is called 007 for the number 7.
    """
    if table not in TABLES:
        raise BadInput(f"table: must be one of {', '.join(TABLES)}, not {table!r}")
    place = Path(folder).resolve()
    if not (place / "_psvr" / "state.json").is_file():
        raise BadInput(f"{folder}: must be a folder that psvr lab ingest fills")
    schema = from_arrow_schema(TABLES[table])
    if not any((place / table).rglob("*.parquet")):
        return spark.createDataFrame([], schema)
    return spark.read.schema(schema).parquet(spark_path(place / table))
