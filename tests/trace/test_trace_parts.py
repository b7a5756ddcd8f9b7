"""Files of a trace one by one: their names, what is on the disk before they appear, and which are left alone."""

import fcntl
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from psvr.trace import COLUMNS, EVENTS, TraceError, Writer, json_line, read, runs
from psvr.trace.files import stem
from psvr.trace.part import Part
from tests.support.trace.trace_samples import rows

ROW: dict[str, int | str | None] = {"run": "r", "time": 5, "clock": "unix", "node": 6, "event": "sent"}


@pytest.mark.parametrize(
    "run, name",
    [
        ("field-1", "field-1"),
        ("a.b_c", "a.b_c"),
        ("two words", "two_words-"),
        ("../../etc", "etc-"),
        (".hidden", "hidden-"),
        ("größe", "gr__e-"),
        ("…", "run-"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 100 + "-"),
    ],
)
def test_names_of_runs_in_names_of_files(run: str, name: str, tmp_path: Path) -> None:
    """Cut or changed, a name ends with a digest, so that two runs never share a file."""
    made = stem(run)
    assert made == name if name == run else re.fullmatch(re.escape(name) + "[0-9a-f]{8}", made)
    with Writer(tmp_path / "t", run) as writer:
        writer.write(rows(3))
    assert list(runs(tmp_path / "t")) == [run] and os.listdir(tmp_path / "t") == [f"{made}-000000.parquet"]


def test_names_that_look_alike_are_told_apart() -> None:
    names = ["a b", "a_b", "a/b", "a\tb", "ä b", "x" * 101, "x" * 102]
    assert len({stem(name) for name in names}) == len(names)


def test_a_part_is_on_the_disk_before_it_appears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def fsync(handle: int) -> None:
        done.append(f"{os.fstat(handle).st_size} bytes of {len(list(tmp_path.glob('*.parquet')))}")
        real_sync(handle)

    def replace(path: Path, to: Path) -> Path:
        done.append(f"{path.stat().st_size} bytes appear")
        return real_replace(path, to)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    with Writer(tmp_path, "r", rows_per_file=10) as writer:
        writer.write(rows(20))
    size = (tmp_path / "r-000000.parquet").stat().st_size
    assert done == [f"{size} bytes of 0", f"{size} bytes appear", f"{size} bytes of 1", f"{size} bytes appear"]


def test_what_is_hidden_is_nobody_s_trace(tmp_path: Path) -> None:
    """Arrow and Spark leave such names alone, too; a live node's half of a line is another matter."""
    with Writer(tmp_path, "r") as writer:
        writer.write(rows(3))
    for name in (".r-000001.parquet", "_r-000001.parquet", ".n.jsonl", "_n.jsonl"):
        (tmp_path / name).write_bytes(b"half of something")
    (tmp_path / "notes.txt").write_text("mine")
    assert read(tmp_path).num_rows == 3 and list(runs(tmp_path)) == ["r"]


def test_parts_are_read_in_their_order(tmp_path: Path) -> None:
    with Writer(tmp_path, "r", rows_per_file=2) as writer:
        writer.write(rows(25, time=np.arange(25)))
    assert len(os.listdir(tmp_path)) == 13
    assert read(tmp_path, ["time"])["time"].to_pylist() == list(range(25))


def test_a_run_that_was_finished_in_the_last_moment_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has the lock, finishes its part and lets go, just before we get it."""
    with Writer(tmp_path / "other", "r") as writer:
        writer.write(rows(7))
    (tmp_path / "t").mkdir()
    real = fcntl.flock

    def flock(handle: object, how: int) -> None:
        shutil.copy(tmp_path / "other" / "r-000000.parquet", tmp_path / "t")
        real(handle, how)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(TraceError, match=r"run: must be new to the folder, but .* is there already"):
        Writer(tmp_path / "t", "r")
    assert read(tmp_path / "t").num_rows == 7


def test_no_handle_stays_open_whatever_happens(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Writer(tmp_path, "r", channels=["a"]) as writer:
        writer.write(rows(3))
    for _ in range(3):
        with pytest.raises(TraceError):
            Writer(tmp_path, "r")
    failing = Writer(tmp_path, "s", channels=["a"])
    failing.write(rows(1, channel=5))
    with pytest.raises(TraceError):
        failing.close()
    with Writer(tmp_path, "q"), pytest.raises(TraceError):
        Writer(tmp_path, "q")
    assert len(os.listdir("/proc/self/fd")) == before


def test_who_fails_gives_the_room_back(tmp_path: Path) -> None:
    part = Part(tmp_path / "r-000000.parquet", Writer(tmp_path / "t", "r").schema)
    part.abandon()
    assert [file.name for file in tmp_path.iterdir()] == ["t"]


@pytest.mark.parametrize("name", [name for name, kind in COLUMNS.items() if kind != "string"])
def test_numbers_are_as_large_as_their_columns(name: str) -> None:
    bits = int(COLUMNS[name].removeprefix("int")) - 1
    for value in (-(2**bits), 0, 2**bits - 1):
        assert f'"{name}":{value}' in json_line({**ROW, name: value})
    for value in (-(2**bits) - 1, 2**bits):
        with pytest.raises(TraceError, match=f"^{name}: must be a whole number of {bits + 1} bits, not {value}$"):
            json_line({**ROW, name: value})


@pytest.mark.parametrize("name", ROW)
def test_no_line_is_without_what_every_row_has(name: str) -> None:
    with pytest.raises(TraceError, match=f"^{name}: must be .*, not None$"):
        json_line({key: value for key, value in ROW.items() if key != name})


@pytest.mark.parametrize(
    "text, good",
    [
        ("", True),
        ("\ud7ff\ue000", True),
        ("\U0001f600", True),
        ("a\ud800", False),
        ("\udfffb", False),
        ("a\udc80b", False),
    ],
)
def test_text_is_unicode(text: str, good: bool) -> None:
    if good:
        assert json_line({**ROW, "detail": text})
    else:
        with pytest.raises(TraceError, match=r"^detail: must be Unicode text"):
            json_line({**ROW, "detail": text})


def test_a_reason_without_names_is_its_number(tmp_path: Path) -> None:
    with Writer(tmp_path, "r", details=["cut", "jam"]) as writer:
        writer.write(rows(3, reason=[4, -1, 12], detail=[1, 7, -1], event=[EVENTS.index("fault"), 1, 2]))
        writer.write(rows(2, reason=[-1, -1], detail=[-1, 1], event=[EVENTS.index("fault"), 1]))
    table = read(tmp_path, ["reason", "detail"])
    assert table["reason"].to_pylist() == ["4", None, "12", None, None]
    assert table["detail"].to_pylist() == ["jam", "7", None, None, "1"]
