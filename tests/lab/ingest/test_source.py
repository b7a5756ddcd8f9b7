"""The data source in real Spark: batch and stream give the same rows, whatever happens to files in between."""

import json
import os
import shutil
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from psvr.errors import BadInput
from psvr.lab.ingest.source import PsvrSource, Settings
from psvr.lab.ingest.tables import FLAT
from psvr.trace import read
from tests.support.lab.traces import START, add, line, lines, simulated


@pytest.fixture(scope="module")
def source(spark: SparkSession) -> SparkSession:
    spark.dataSource.register(PsvrSource)
    return spark


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trace").mkdir()
    return tmp_path / "trace"


def batch(spark: SparkSession, folder: Path, **options: str) -> DataFrame:
    return spark.read.format("psvr").options(**options).load(str(folder))


def stream(spark: SparkSession, folder: Path, **options: str) -> dict[str, int]:
    """Read what is new, as a query that is started again each time; returns what it says was lost."""
    frame = spark.readStream.format("psvr").options(**options).load(str(folder))
    writer = frame.writeStream.format("parquet").option("path", str(folder.parent / "rows"))
    query = writer.option("checkpointLocation", str(folder.parent / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    progress = query.lastProgress
    return json.loads(str(progress["sources"][0]["endOffset"]))["lost"] if progress else {}


def times(spark: SparkSession, folder: Path) -> list[int]:
    return sorted(row.time for row in spark.read.parquet(str(folder.parent / "rows")).collect())


def test_the_schema_is_that_of_traces_nulls_included(source: SparkSession, folder: Path) -> None:
    simulated(folder, "sim", 3)
    frame = batch(source, folder)
    assert to_arrow_schema(frame.schema, timezone="UTC").equals(FLAT)
    assert [field.name for field in frame.schema if not field.nullable] == ["run", "time", "clock", "node", "event"]


def test_a_batch_gives_what_psvr_trace_reads(source: SparkSession, folder: Path) -> None:
    simulated(folder, "sim", 1000)
    add(folder / "node-1-000001.jsonl", lines(0, 500) + line(500, channel="näme", hops=3) + '{"run"')
    add(folder / "node-2-000001.jsonl", lines(0, 300, node=2))
    plain = sorted(map(str, read(folder).to_pylist()))
    assert sorted(str(row.asDict()) for row in batch(source, folder).collect()) == plain
    shutil.copy(folder / "node-2-000001.jsonl", folder / "copy.jsonl")
    assert batch(source, folder, tasks="3").count() == len(plain)


def test_a_stream_reads_each_row_once_over_restarts(source: SparkSession, folder: Path) -> None:
    one, two = folder / "node-1-000001.jsonl", folder / "node-2-000001.jsonl"
    half = line(10)
    add(one, lines(0, 10) + half[:20])
    stream(source, folder)
    assert times(source, folder) == [START + i for i in range(10)]
    add(one, half[20:])
    add(two, lines(11, 15, node=2))
    two.rename(folder / "late.jsonl")
    shutil.copy(one, folder / "copy.jsonl")
    os.replace(one, folder / "node.jsonl.1")
    add(one, lines(15, 30))
    simulated(folder, "sim", 40)
    lost = stream(source, folder, maxBytesPerTrigger="500")
    assert times(source, folder) == [*range(40), *(START + i for i in range(30))]
    assert batch(source, folder).count() == 70 and lost == {"gaps": 0, "bytes": 0}


def test_nothing_goes_missing_without_a_word(source: SparkSession, folder: Path) -> None:
    file = folder / "node-1-000001.jsonl"
    add(file, lines(0, 5) + "what\n" + lines(5, 9))
    with pytest.raises(PySparkException, match=f"jsonl, byte {len(lines(0, 5))}: .*leaves it out"):
        batch(source, folder).count()
    assert batch(source, folder, failOnDataLoss="false").count() == 9
    add(folder / "other.jsonl", lines(0, 1) + lines(20, 25))
    add(folder / "another.jsonl", lines(0, 1) + lines(20, 26)[:-1] + " \n")
    with pytest.raises(PySparkException, match=r"other\.jsonl: begins like another file"):
        batch(source, folder).count()


def test_a_stream_ends_where_something_was_lost_unless_told_otherwise(source: SparkSession, folder: Path) -> None:
    add(folder / "node-1-000001.jsonl", lines(0, 5))
    stream(source, folder)
    add(folder / "node-1-000002.jsonl", lines(9, 12))
    (folder / "node-1-000001.jsonl").unlink()
    (folder / "node-1.removed").write_text(json.dumps({"files": {"1": len(lines(0, 9))}}))
    with pytest.raises(PySparkException, match=r"node-1-000001\.jsonl: removed before it was read"):
        stream(source, folder)
    assert stream(source, folder, failOnDataLoss="false") == {"gaps": 1, "bytes": len(lines(5, 9))}
    assert times(source, folder) == [START + i for i in (*range(5), *range(9, 12))]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"colour": "1"}, "option colour: must be one of"),
        ({"maxBytesPerTrigger": "0"}, "must be a positive whole number, not 0"),
        ({"failOnDataLoss": "perhaps"}, "must be true or false, not perhaps"),
    ],
)
def test_options_are_checked(options: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Settings({"path": "traces", **options})


def test_a_folder_that_is_not_there(source: SparkSession, folder: Path) -> None:
    with pytest.raises(PySparkException, match="must be a folder with a trace: No such file"):
        batch(source, folder / "nowhere").count()
    with pytest.raises(PySparkException, match="option colour: must be one of"):
        batch(source, folder, colour="1").count()
