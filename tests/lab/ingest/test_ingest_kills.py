"""`psvr lab ingest --follow`, killed at random moments while files grow, rotate, and are copied; each row arrives once.

Three times here; `make kill-test` does it twenty times.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from psvr.node.daemon.tracing import Tracing
from psvr.trace import json_line
from tests.support.lab.lab_process import start
from tests.support.lab.traces import START, add, ingested

TIMEOUT = 240.0
NODES = 3


class Writer(threading.Thread):
    """Nodes that write a trace, and people who copy, rename and bring files."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(daemon=True)
        self.folder, self.random, self.done = folder, random.Random(seed), threading.Event()
        self.rows = Counter[tuple[int, int]]()
        self.bad = self.files = 0
        self.problems = list[str]()
        self.time = 0

    def run(self) -> None:
        traces = [
            Tracing(self.folder, "field", self.problems.append, max_bytes=30_000, max_files=10_000)
            for _ in range(NODES)
        ]
        for node, trace in enumerate(traces):
            trace.begin(f"node-{node}")
        while not self.done.wait(0.1):
            for node, trace in enumerate(traces):
                for _ in range(self.random.randrange(30)):
                    trace(self.row(node))
            if self.random.random() < 0.2:
                self.random.choice([self.copy, self.bring, self.spoil, self.rename])()

    def row(self, node: int) -> dict[str, int | str]:
        self.time += 1
        self.rows[node, START + self.time] += 1
        return {"time": START + self.time, "clock": "unix", "node": node, "event": "sent"}

    def next_name(self) -> Path:
        self.files += 1
        return self.folder / f"other-{self.files}.jsonl"

    def copy(self) -> None:
        shutil.copy(self.random.choice(sorted(self.folder.glob("*.jsonl"))), self.next_name())

    def bring(self) -> None:
        outside, count = self.folder.parent / "outside", self.random.randrange(1, 400)
        text = "".join(json_line({"run": "late", **self.row(99)}) for _ in range(count))
        outside.write_text(text + text[:20])
        outside.rename(self.next_name())

    def spoil(self) -> None:
        self.bad += 1
        add(self.next_name(), f"this is no row, number {self.bad}\n")

    def rename(self) -> None:
        with contextlib.suppress(IndexError):
            self.random.choice(sorted(self.folder.glob("other-*.jsonl"))).rename(self.next_name())

    def end(self) -> None:
        self.done.set()
        self.join()
        assert self.problems == []


@pytest.fixture
def writer(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Writer]:
    (tmp_path / "trace").mkdir()
    writer = Writer(tmp_path / "trace", 7)
    writer.start()
    yield writer
    writer.done.set()


def follow(folder: Path, out: Path) -> subprocess.Popen[str]:
    return start("ingest", folder, "--to", out, "--follow", "--every", "0.3", "--master", "local[2]", "--batch", "1")


def committed(out: Path) -> int:
    """The last batch of which a file is in sight."""
    return max((int(file.name.partition("-")[0]) for file in out.rglob("*-*.parquet")), default=0)


def wait_for_batches(out: Path, more: int, process: subprocess.Popen[str]) -> None:
    deadline, before = time.monotonic() + TIMEOUT, committed(out)
    while committed(out) < before + more:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def workers(process: int) -> list[int]:
    """The Python processes in which tasks run: below the Java process of this one."""
    parents = dict[int, int]()
    daemons = set[int]()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            pid = int(entry.name)
            parents[pid] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if b"pyspark.daemon" in (entry / "cmdline").read_bytes():
                daemons.add(pid)

    def below(pid: int) -> bool:
        return pid == process or (pid in parents and below(parents[pid]))

    return [pid for pid in daemons if parents[pid] in daemons and below(pid)]


def test_each_row_arrives_once_whoever_is_killed(
    writer: Writer, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    chance, out = random.Random(5), tmp_path / "out"
    for _ in range(request.config.getoption("--kills")):
        process = follow(writer.folder, out)
        wait_for_batches(out, chance.randrange(3), process)
        time.sleep(chance.uniform(0, 1))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        rows = Counter(zip(*(ingested(out)[name].to_pylist() for name in ("node", "time")))) if committed(out) else {}
        assert all(count == 1 for count in rows.values()), "doubled, though nothing has been tidied up yet"
    process = follow(writer.folder, out)
    killed = 0
    while killed < 1:
        wait_for_batches(out, 1, process)
        time.sleep(chance.uniform(0, 0.3))
        for pid in workers(process.pid)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
    writer.end()
    complete(out, writer, process)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0 and "Traceback" not in errors, errors
    table = ingested(out)
    assert Counter(zip(table["node"].to_pylist(), table["time"].to_pylist())) == writer.rows
    bad = ingested(out, "bad") if writer.bad else None
    assert (bad.num_rows if bad else 0) == writer.bad and not (out / "gaps").exists()
    assert said == f"{writer.rows.total():,} rows, {writer.bad:,} bad lines, 0 gaps\n"


def complete(out: Path, writer: Writer, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while ingested(out).num_rows < writer.rows.total():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.3)
