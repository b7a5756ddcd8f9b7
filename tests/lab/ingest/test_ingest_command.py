"""`psvr lab ingest`: what it refuses, before Spark starts, and what its folder looks like to readers."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from psvr.cli import main
from psvr.errors import BadInput
from psvr.lab.ingest import ingested
from psvr.lab.ingest.output import opened
from psvr.lab.ingest.running import Pace, ingest
from psvr.lab.measure.traces import read_trace
from tests.support.lab.traces import add, line, lines, simulated


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trace").mkdir()
    add(tmp_path / "trace" / "a.jsonl", lines(0, 5))
    return tmp_path / "trace"


REFUSED = {
    ("NOWHERE", "--to", "OUT"): "must be a folder with a trace: No such file or directory",
    ("EMPTY", "--to", "OUT"): "must be a folder with a trace, but no finished file of one is in it",
    ("FILE", "--to", "OUT"): "must be a folder with a trace: Not a directory",
    ("TRACE", "--to", "TRACE"): "has other files in it",
    ("TRACE", "--to", "FILE"): "must be a folder",
    ("TRACE", "--to", "OUT", "--every", "0"): "--every: must be from 0.05 to 86400 seconds",
    ("TRACE", "--to", "OUT", "--every", "nan"): "--every: must be from 0.05 to 86400 seconds",
    ("TRACE", "--to", "OUT", "--batch", "0"): "--batch: must be at least 1",
    ("TRACE", "--to", "OUT", "--master", "moon"): "--master moon: must be",
    ("TRACE", "--to", "OUT", "--conf", "x"): "--conf x: must be KEY=VALUE",
}


@pytest.mark.parametrize("arguments, said", REFUSED.items(), ids=[" ".join(words) for words in REFUSED])
def test_what_cannot_be_is_refused_in_one_line(
    arguments: tuple[str, ...], said: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    places = {name: str(tmp_path / name.lower()) for name in ("NOWHERE", "EMPTY", "OUT", "FILE")} | {
        "TRACE": str(folder)
    }
    assert main(["lab", "ingest", *(places.get(word, word) for word in arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and said in printed.err and len(printed.err.splitlines()) == 1


def test_no_right_to_write(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "ingest", str(folder), "--to", "/proc/new"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_readers_find_the_columns_of_a_trace_and_more(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    add(folder / "b.jsonl", line(7, run="007", hops=3) + "bad\n" + line(9, run="a[b]{c} ü/%"))
    simulated(folder, "sim", 20)
    out = tmp_path / "o[u]t"
    with opened(out, folder) as output:
        ingest(spark, output, Pace(), lambda _: None)
    rows = ingested(spark, out)
    assert {r.run for r in rows.select("run").distinct().collect()} == {"field", "007", "a[b]{c} ü/%", "sim"}
    assert rows.where("date = DATE '2023-11-14' AND run = '007'").first().hops == 3  # type: ignore[union-attr]
    assert rows.where(F.unix_micros("timestamp") != F.col("time")).count() == 0
    assert ingested(spark, out, "bad").first().line == b"bad"  # type: ignore[union-attr]
    assert ingested(spark, out, "gaps").count() == 0
    (folder / "b.jsonl").write_text(line(7, run="007", hops=3) + line(9, run="a[b]{c} ü/%"))
    plain = read_trace(spark, folder)
    columns = [f"`{name}`" for name in plain.columns]
    assert rows.select(*columns).exceptAll(plain).count() == plain.exceptAll(rows.select(*columns)).count() == 0
    with pytest.raises(BadInput, match="must be a folder that psvr lab ingest fills"):
        ingested(spark, folder)
    with pytest.raises(BadInput, match="must be one of trace, bad, gaps, not 'x'"):
        ingested(spark, out, "x")
