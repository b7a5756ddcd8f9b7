"""A folder that is filled: batches appear once, whenever the process dies; what is not ours is refused."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from psvr.errors import BadInput
from psvr.lab.ingest.contents import look_at_lines
from psvr.lab.ingest.contents import opened as opened_file
from psvr.lab.ingest.offsets import Plan, plan
from psvr.lab.ingest.output import Output, after, opened
from psvr.lab.ingest.writing import Report, write
from tests.support.lab.traces import add, ingested, line, lines, times

MUTATING = ("replace", "mkdir", "fsync", "unlink")


class Died(BaseException):
    """What a kill is to the code that runs."""


def batch(output: Output, source: Path) -> bool:
    """One step of an ingestion without Spark; False if there was nothing to do."""
    planned = next_step(output, source)
    if planned.ranges:
        report = write(source, planned.ranges, output.incoming)
        output.commit(after(output.progress, planned.state, {"rows": report.rows}), report.files)
    return bool(planned.ranges)


def next_step(output: Output, source: Path) -> Plan:
    state, looks = output.progress.state, []
    for file in sorted(source.iterdir()):
        with opened_file(file) as content:
            looks.append(look_at_lines(file.name, content, state.at, 1000))
    return plan(state, looks, {}, 1000)


def dying(monkeypatch: pytest.MonkeyPatch, moment: int) -> Callable[[], int]:
    """Let the process die at a call that changes the disk, before or after it."""
    calls = 0

    def wrap(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == moment:
                raise Died
            done = real(*arguments, **more)
            calls += 1
            if calls == moment:
                raise Died
            return done

        return call

    for name in MUTATING:
        monkeypatch.setattr(os, name, wrap(name, getattr(os, name)))
    return lambda: calls


def test_a_death_at_any_step_loses_and_doubles_nothing(tmp_path: Path) -> None:
    moment, finished = 0, False
    while not finished:
        moment += 1
        source, out = tmp_path / f"in-{moment}", tmp_path / f"out-{moment}"
        source.mkdir()
        add(source / "a.jsonl", lines(0, 30))
        add(source / "b.jsonl", lines(30, 60, run="other"))
        with pytest.MonkeyPatch.context() as patch:
            try:
                dying(patch, moment)
                with opened(out, source) as output:
                    while batch(output, source):
                        pass
                finished = True
            except Died:
                pass
        if out.exists() and list(out.rglob("date=*/*.parquet")):
            seen = times(out)
            assert len(seen) == len(set(seen)), f"doubled after step {moment}, before the next run"
        add(source / "first.jsonl", lines(60, 65, run="new"))  # so that the batches are others
        os.utime(source / "first.jsonl", (0, 0))
        with opened(out, source) as output:
            while batch(output, source):
                pass
        assert times(out) == list(range(65)), f"died at step {moment}"
        assert list((out / "_psvr" / "incoming").iterdir()) == [] and output.progress.totals["rows"] == 65
    assert moment > 40


def test_what_tasks_leave_behind_is_not_seen(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    add(source / "a.jsonl", lines(0, 5))
    with opened(tmp_path / "out", source) as output:
        for _ in range(2):  # a task that is run twice
            write(source, next_step(output, source).ranges, output.incoming)
        assert list((tmp_path / "out").rglob("*.parquet")) == []
        assert batch(output, source) and not batch(output, source)
    assert times(tmp_path / "out") == list(range(5))
    with opened(tmp_path / "out", source) as output:
        assert list(output.incoming.iterdir()) == []


def test_rows_are_parted_by_run_and_date_and_keep_what_they_say(tmp_path: Path) -> None:
    source, day = tmp_path / "in", 86_400_000_000
    source.mkdir()
    odd = "a/b=c %[x] ü"
    add(source / "a.jsonl", line(0, channel="näme", hops=3) + line(day, run=odd) + line(5) + line(day, run="007"))
    add(source / "a.jsonl", line(0).replace("1700000000000000", "-1"))
    with opened(tmp_path / "out", source) as output:
        assert batch(output, source)
    table = ingested(tmp_path / "out")
    rows = {(row["run"], row["date"], row["time"]): row for row in table.to_pylist()}
    start = 1_700_000_000_000_000
    assert set(rows) == {
        ("field", "2023-11-14", start),
        ("field", "2023-11-14", start + 5),
        (odd, "2023-11-15", start + day),
        ("007", "2023-11-15", start + day),
        ("field", "1969-12-31", -1),
    }
    first = rows["field", "2023-11-14", start]
    assert (first["channel"], first["hops"], first["peer"]) == ("näme", 3, None)
    assert first["timestamp"].isoformat() == "2023-11-14T22:13:20+00:00"
    assert table.schema.field("timestamp").type == pa.timestamp("us", "UTC")


def test_times_without_a_date_and_bad_lines_are_kept_apart(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    add(source / "a.jsonl", line(0) + line(1).replace("1700000000000001", str(2**63 - 1)) + "what\n" + line(2))
    add(source / "a.jsonl", line(3, run="x" * 300) + line(4, run=""))
    with opened(tmp_path / "out", source) as output:
        report = write(source, next_step(output, source).ranges, output.incoming)
        assert (report.rows, report.bad) == (2, 4) and Report.from_json(report.to_json()).rows == 2
        output.commit(after(output.progress, output.progress.state, {}), report.files)
    bad = sorted(ingested(tmp_path / "out", "bad").to_pylist(), key=lambda row: row["reason"])
    assert (bad[0]["file"], bad[0]["offset"], bad[0]["line"]) == ("a.jsonl", 2 * len(line(0)) + 3, b"what")
    assert [row["reason"] for row in bad[1:3]] == ["run: must be a name that can be that of a folder"] * 2
    assert bad[3]["reason"] == "time: must be in the years 1 to 9999"
    assert json.loads(bad[3]["line"])["time"] == 2**63 - 1


def test_folders_of_others_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()

    def refused(folder: Path, of: Path = source) -> str:
        with pytest.raises(BadInput) as error, opened(folder, of):
            pass
        return str(error.value)

    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("")
    assert "has other files in it" in refused(other)
    assert "must be a folder" in refused(other / "mine.txt")
    with opened(tmp_path / "out", source):
        assert "another psvr lab ingest fills it" in refused(tmp_path / "out")
    assert "is filled from" in refused(tmp_path / "out", other)
    (tmp_path / "out" / "_psvr" / "state.json").write_text("{")
    assert "is damaged, or of another version" in refused(tmp_path / "out")


def test_files_that_a_user_removed_or_merged_are_no_hindrance(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    add(source / "a.jsonl", lines(0, 5))
    with opened(tmp_path / "out", source) as output:
        batch(output, source)
    for file in (tmp_path / "out").rglob("*.parquet"):
        file.unlink()
    add(source / "a.jsonl", lines(5, 9))
    with opened(tmp_path / "out", source) as output:
        batch(output, source)
    assert times(tmp_path / "out") == list(range(5, 9))
