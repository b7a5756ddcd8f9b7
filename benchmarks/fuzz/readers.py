"""Every target in turn, each in its own process: how many inputs, how fast, how much memory, the slowest."""

import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import table
from tests.support.fuzz.mutation import loop
from tests.support.fuzz.seeds import seeds_of
from tests.support.fuzz.targets import SHARES, TARGETS

MAX_INPUT = 1300  # bytes of an input: more than a datagram usually has
PATIENCE = 10  # seconds for one input
MEMORY = 1024  # MB
HEADS = ["target", "inputs", "per second", "slowest, s", "memory, MB", "code reached", "result"]


def report(runs: int) -> str:
    guided = importlib.util.find_spec("atheris") is not None
    how = "guided by coverage (atheris)" if guided else "mutations only; for coverage: pip install atheris"
    rows = [(with_atheris if guided else alone)(name, max(runs * share // 1000, 1)) for name, share in SHARES.items()]
    return f"Inputs against everything that reads datagrams, {how}.\n\n{table(HEADS, rows)}\n"


def with_atheris(name: str, runs: int) -> list[str]:
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for i, seed in enumerate(seeds_of(name)):
            Path(folder, f"seed-{i}").write_bytes(seed)
        options = [
            f"-runs={runs}",
            f"-max_len={MAX_INPUT}",
            f"-timeout={PATIENCE}",
            f"-rss_limit_mb={MEMORY}",
            "-seed=1",
            "-print_final_stats=1",
            f"-artifact_prefix={folder}/",
        ]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.fuzz.guided", name, folder, *options],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    return row(name, time.monotonic() - begin, done)


def row(name: str, seconds: float, done: "subprocess.CompletedProcess[str]") -> list[str]:
    stats = dict(re.findall(r"stat::(\w+):\s*(\d+)", done.stderr))
    reached = re.findall(r"cov: (\d+)", done.stderr)
    numbers = [stats.get(key, "?") for key in ("number_of_executed_units", "slowest_unit_time_sec", "peak_rss_mb")]
    numbers.insert(1, f"{int(stats.get('number_of_executed_units', 0)) / seconds:.0f}")
    return [name, *numbers, reached[-1] if reached else "?", "fine" if done.returncode == 0 else wrong(done)]


def wrong(done: "subprocess.CompletedProcess[str]") -> str:
    """The exception, or the error of libFuzzer; all output goes to standard error."""
    print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
    said = re.findall(
        r"^(?:==\d+== ?ERROR: .*|[\w.]+(?:Error|Exception|Grown|Changed): .*)$", done.stdout + done.stderr, re.MULTILINE
    )
    return f"FAILED: {said[0] if said else done.returncode}"


def alone(name: str, runs: int) -> list[str]:
    done = loop(TARGETS[name](), seeds_of(name), runs)
    return [name, str(done.runs), f"{done.runs / done.seconds:.0f}", f"{done.slowest:.3f}", "?", "?", "fine"]
