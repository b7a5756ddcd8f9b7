"""A folder can be read at every moment, whatever happens to who writes it; and memory does not grow with the rows."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from psvr.trace import Writer, read, runs
from tests.support.trace import trace_process
from tests.support.trace.trace_samples import rows

FOREVER = 1 << 40


def start(folder: Path, rows_per_file: int, most: int = FOREVER) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", trace_process.__name__, str(folder), str(rows_per_file), str(most)],
        cwd=Path(__file__).parents[2],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for_parts(process: "subprocess.Popen[str]", folder: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(list(folder.glob("r-*.parquet"))) < count:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.005)


def rows_in_order(folder: Path) -> int:
    """How many rows there are: the first of those written, each once."""
    times = read(folder, ["time"])["time"].to_numpy()
    assert np.array_equal(times, np.arange(len(times)))
    return len(times)


@pytest.mark.parametrize("delay", [0, 0.013, 0.05])
def test_kill_in_the_middle(tmp_path: Path, delay: float) -> None:
    process = start(tmp_path, 20_000)
    wait_for_parts(process, tmp_path, 1)
    seen = [rows_in_order(tmp_path) for _ in range(10)]  # while it is written
    assert all(count > 0 and count % 20_000 == 0 for count in seen) and seen == sorted(seen)
    time.sleep(delay)
    process.kill()
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert rows_in_order(tmp_path) == 20_000 * len(list(tmp_path.glob("r-*.parquet"))) >= seen[-1]
    assert list(runs(tmp_path)) == ["r"]


def test_a_kill_before_the_first_part_leaves_the_run_to_be_started_again(tmp_path: Path) -> None:
    process = start(tmp_path, FOREVER)
    while not list(tmp_path.glob(".r-*.part")):
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=120)
    assert [file.name for file in tmp_path.iterdir()] == [".r-000000.parquet.part"]
    with Writer(tmp_path, "r") as writer:
        writer.write(rows(3))
    assert rows_in_order(tmp_path) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["r-000000.parquet"]


@pytest.mark.parametrize("delay", [0, 0.02, 0.05, 0.1])
def test_an_interrupt_ends_the_trace_properly(tmp_path: Path, delay: float) -> None:
    """Ctrl-C at any moment, also while a part is encoded, brought to the disk or renamed."""
    process = start(tmp_path, 300_000)
    wait_for_parts(process, tmp_path, 1)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert rows_in_order(tmp_path) >= 300_000
    assert not list(tmp_path.glob(".*"))


def test_rows_collected_before_an_interrupt_are_written(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Writer(tmp_path, "r", rows_per_file=10) as writer:
        writer.write(rows(17))
        raise KeyboardInterrupt
    assert rows_in_order(tmp_path) == 17


def test_an_interrupt_right_after_renaming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.replace

    def rename_and_stop(self: Path, target: Path) -> Path:
        monkeypatch.undo()
        rename(self, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", rename_and_stop)
    with pytest.raises(KeyboardInterrupt), Writer(tmp_path, "r", rows_per_file=10) as writer:
        writer.write(rows(17))
    assert rows_in_order(tmp_path) == 10
    assert [file.name for file in tmp_path.iterdir()] == ["r-000000.parquet"]


def test_memory_stays_flat(tmp_path: Path) -> None:
    process = start(tmp_path, 1_000_000, most=5_000_000)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    early, late = map(int, output.split())
    assert late - early < 100
    assert rows_in_order(tmp_path) == 5_000_000
