"""The ingestion in real Spark, in this process: files grow, rotate and arrive while it goes on."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from psvr.lab.ingest.offsets import plan
from psvr.lab.ingest.output import opened
from psvr.lab.ingest.running import Pace, ingest
from psvr.node.daemon.tracing import Tracing
from tests.support.lab.traces import START, add, ingested, line, lines, simulated, times

FOLLOW = Pace(follow=True, every=0.05, limit=10_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trace").mkdir()
    return tmp_path / "trace"


def once(spark: SparkSession, folder: Path, out: Path) -> str:
    said = list[str]()
    with opened(out, folder) as output:
        return ingest(spark, output, Pace(), said.append)


def follow(spark: SparkSession, folder: Path, out: Path, steps: Sequence[Callable[[], object]]) -> None:
    """Go on while something happens after each look; Ctrl-C when there is nothing more to happen."""
    left = list(steps)

    def wait(_: float) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    with opened(out, folder) as output, pytest.raises(KeyboardInterrupt):
        ingest(spark, output, FOLLOW, lambda _: None, wait)


def test_a_folder_is_read_once(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    simulated(folder, "sim", 300)
    add(folder / "node-1-000001.jsonl", lines(0, 200) + "nonsense\n" + line(200))
    add(folder / "node-2-000001.jsonl", lines(201, 300, node=2) + '{"run":')
    (folder / "broken.parquet").write_bytes(b"PAR1 this is no Parquet PAR1")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / os.fsdecode(b"\xff.jsonl")).write_bytes(b"bad\n")
    (folder / "half.parquet").write_bytes(b"PAR1 this has no end")
    shutil.copy(folder / "node-1-000001.jsonl", folder / "again.jsonl")
    said = once(spark, folder, tmp_path / "out")
    waiting = "27 bytes of incomplete lines and files wait"
    unreadable = "folder.jsonl cannot be read: it must be a file, pipe.jsonl cannot be read: it must be a file"
    assert said == f"600 rows, 3 bad lines, 0 gaps, {waiting}, {unreadable}"
    table = ingested(tmp_path / "out")
    assert sorted(table["run"].to_pylist()) == ["field"] * 300 + ["sim"] * 300
    assert {row["date"] for row in table.to_pylist() if row["run"] == "sim"} == {"1970-01-01"}
    bad = {row["file"]: row for row in ingested(tmp_path / "out", "bad").to_pylist()}
    name = next(name for name in bad if name in ("again.jsonl", "node-1-000001.jsonl"))
    assert (bad[name]["line"], bad[name]["offset"]) == (b"nonsense", len(lines(0, 200)))
    assert "must be a whole Parquet file" in bad["broken.parquet"]["reason"]
    assert once(spark, folder, tmp_path / "out") == said
    assert ingested(tmp_path / "out").num_rows == 600


def test_it_goes_on_while_files_grow_rotate_and_arrive(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    one, half = folder / "a.jsonl", line(20)
    add(one, lines(0, 10))

    def rotate() -> None:
        os.replace(one, folder / "a.jsonl.1")
        add(one, lines(21, 25))
        shutil.copy(folder / "a.jsonl.1", folder / "copy.jsonl")

    def cut() -> None:
        shutil.copy(one, folder / "a.jsonl.2")
        one.write_text(lines(25, 30))

    follow(
        spark,
        folder,
        tmp_path / "out",
        [
            lambda: add(one, lines(10, 20) + half[:9]),
            lambda: add(one, half[9:]),
            rotate,
            cut,
            lambda: None,
            lambda: add(folder / "late.jsonl", lines(30, 200)),
            lambda: add(one, lines(200, 205)),
        ],
    )
    once(spark, folder, tmp_path / "out")
    assert times(tmp_path / "out") == list(range(205))


def test_what_a_node_removed_before_it_was_read_is_counted(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    trace = Tracing(folder, "field", lambda _: None, max_bytes=1024, max_files=2)
    trace.begin("node-1")
    row = {"clock": "unix", "node": 1, "event": "sent"}
    written = 0

    def write(count: int) -> None:
        nonlocal written
        for i in range(written, written + count):
            trace({"time": START + i, **row})
        written += count

    write(100)  # much of it gone already
    follow(spark, folder, tmp_path / "out", [lambda: write(5), lambda: write(100), lambda: write(5)])
    trace.close()
    got, gaps = set(times(tmp_path / "out")), ingested(tmp_path / "out", "gaps").to_pylist()
    lost = [i for i in range(written) if i not in got]
    length = len(line(0, channel=None))
    assert 0 < len(lost) < 200 and sum(gap["bytes"] for gap in gaps) == length * len(lost)
    assert {gap["reason"] for gap in gaps} == {"removed before it was read"}
    assert f"of {length * len(lost):,} bytes" in once(spark, folder, tmp_path / "out")


def test_a_file_that_goes_while_tasks_read_is_counted(
    spark: SparkSession, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(folder / "a.jsonl", lines(0, 5))
    add(folder / "b.jsonl", lines(5, 9))
    add(folder / "c.jsonl", lines(9, 12))

    def and_then(*arguments: object) -> object:
        planned = plan(*arguments)  # type: ignore[arg-type]
        (folder / "a.jsonl").unlink(missing_ok=True)
        if (folder / "b.jsonl").exists():
            (folder / "b.jsonl").rename(folder / "b.jsonl.1")
        return planned

    monkeypatch.setattr("psvr.lab.ingest.running.plan", and_then)
    said = once(spark, folder, tmp_path / "out")
    assert times(tmp_path / "out") == list(range(5, 12))
    assert said == f"7 rows, 0 bad lines, 1 gaps of {len(lines(0, 5))} bytes"
    (gap,) = ingested(tmp_path / "out", "gaps").to_pylist()
    assert (gap["file"], gap["offset"], gap["reason"]) == ("a.jsonl", 0, "removed while it was being read")


def test_odd_files_are_said_and_said_once(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    add(folder / "a.jsonl", lines(0, 9))
    add(folder / "b.jsonl", lines(0, 1) + lines(20, 22))
    add(folder / "node-3-000004.jsonl", lines(50, 52, node=3))
    for _ in range(2):
        said = once(spark, folder, tmp_path / "out")
        assert said.startswith("11 rows, 0 bad lines, 1 gaps") and "3 files missing by their numbers" in said
    (gap,) = ingested(tmp_path / "out", "gaps").to_pylist()
    assert gap["file"] == "b.jsonl" and "goes on differently" in gap["reason"]


def test_the_state_stays_small_and_is_readable(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    add(folder / "a.jsonl", lines(0, 5000))
    once(spark, folder, tmp_path / "out")
    state = json.loads((tmp_path / "out" / "_psvr" / "state.json").read_text())
    assert state["format"] == "psvr ingest 1" and len(json.dumps(state)) < 1500
    assert [seen["at"] for seen in state["state"]["files"].values()] == [len(lines(0, 5000))]
