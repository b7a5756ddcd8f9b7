"""`psvr sim` as a process: stopped by Ctrl-C, by a full disk, by a reader that goes away; on a terminal and off it."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from psvr.trace import read, runs
from tests.support.sim.sim_running import CALM, LONG, Printed, agree, psvr_sim, refused, rows, start

pytestmark = pytest.mark.usefixtures("compiled")
PART = 1_000_000  # rows


@pytest.fixture
def long(tmp_path: Path) -> Path:
    file = tmp_path / "long.toml"
    file.write_text(LONG)
    return file


def finish(process: "subprocess.Popen[str]") -> Printed:
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return Printed(process.returncode, out or "", err or "")


def wait_until(ready: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 60
    while not ready():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.005)


def size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def hidden(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if file.name.startswith(".")]


def test_a_process_of_its_own_does_the_same(calm: Path) -> None:
    with calm.open() as text:
        done = finish(start("-", "--json", stdin=text))
    assert done.json["fingerprint"] == psvr_sim(calm, "--json").json["fingerprint"]


@pytest.mark.parametrize("delay", [0, 0.07, 0.4])
def test_ctrl_c_leaves_a_summary_and_the_trace_so_far(long: Path, tmp_path: Path, delay: float) -> None:
    folder = tmp_path / "t"
    process = start(long, "--json", "--trace", folder, "--trace-level", "all")
    wait_until(lambda: size(folder / ".long-1-000000.parquet.part") > 1000, process)  # with rows in it
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert (done.status, done.err) == (130, "")
    figures = json.loads(done.out)
    assert 5 < figures["simulated_s"] < 1e6 and figures["delivered"] > 0
    agree(rows(folder), figures, "all")
    assert list(runs(folder)) == ["long-1"] and not hidden(folder)


def test_ctrl_c_in_words(long: Path, tmp_path: Path) -> None:
    process = start(long, "--trace", tmp_path / "t", "--trace-level", "control")
    wait_until(lambda: size(tmp_path / "t" / ".long-1-000000.parquet.part") > 1000, process)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert (done.status, done.err) == (130, "")
    assert done.out.startswith("long-1: psvr, 60 nodes, ") and "\n  fingerprint " in done.out


def test_a_disk_that_becomes_full(long: Path, calm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    assert psvr_sim(calm, "--trace", folder).status == 0
    before = rows(folder)
    process = start(long, "--trace", folder, "--trace-level", "all")
    wait_until(lambda: (folder / "long-1-000000.parquet").exists(), process)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    refused(finish(process), f"--trace: {folder}: the trace cannot be written: File too large")
    found = read(folder, ["run", "time"])
    names = found["run"].to_pylist()
    assert names.count("calm-1") == len(before) and names.count("long-1") % PART == 0 < names.count("long-1")
    assert set(runs(folder)) == {"calm-1", "long-1"} and not hidden(folder)


def test_a_disk_that_is_full(calm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    assert psvr_sim(calm, "--trace", folder).status == 0
    before = rows(folder)
    (folder / ".next-000000.parquet.part").symlink_to("/dev/full")
    refused(psvr_sim(calm, "--trace", folder, "--run", "next"), "--trace: ", "No space left on device")
    assert rows(folder) == before and not hidden(folder)


def test_folders_that_cannot_be_written(calm: Path, tmp_path: Path) -> None:
    refused(psvr_sim(calm, "--trace", calm), f"--trace: {calm}: the trace cannot be written: File exists")
    refused(psvr_sim(calm, "--trace", calm / "t"), "the trace cannot be written: Not a directory")
    assert calm.read_text() == CALM


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_reader_that_goes_away(calm: Path, tmp_path: Path, arguments: list[str]) -> None:
    process = start(calm, "--trace", tmp_path / "t", *arguments)
    assert process.stdout is not None
    process.stdout.close()
    done = process.wait(60)
    assert process.stderr is not None
    assert (done, process.stderr.read()) == (141, "")
    assert sum(r["event"] == "published" for r in rows(tmp_path / "t")) == 45


def test_characters_that_the_output_does_not_have(calm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = finish(start(calm))
    assert (done.status, done.err) == (0, "") and re.search(r"hops +1 \?+ \d+\n", done.out)


def on_a_terminal(*arguments: str | Path) -> Printed:
    """Standard error is a terminal, standard output is not."""
    ours, theirs = pty.openpty()
    process = start(*arguments, stderr=theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so when the other side is closed
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    done = finish(process)
    return Printed(done.status, done.out, shown.decode())


def test_progress_on_a_terminal(calm: Path) -> None:
    done = on_a_terminal(calm, "--json", "--set", "duration=6000", "--set", "traffic.0.stop=")
    assert done.status == 0 and json.loads(done.out)["simulated_s"] >= 6_000
    steps = re.findall(r"\r(█*)(░*) ([\d,]+) of 6,000 s simulated, ([\d,]+) events/s ", done.err)
    assert len(steps) > 2 and {len(full) + len(empty) for full, empty, _, _ in steps} == {30}
    times = [int(seconds.replace(",", "")) for _, _, seconds, _ in steps]
    assert times == sorted(set(times)) and int(steps[-1][3].replace(",", "")) > 1000
    assert done.err.endswith("\r\033[K") and "\n" not in done.err


def test_no_progress_where_it_is_not_wanted(calm: Path) -> None:
    done = on_a_terminal(calm, "--json", "--quiet")
    assert (done.status, done.err) == (0, "")
