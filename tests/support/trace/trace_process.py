"""A process that writes a trace until it is stopped, or so many rows; the tests of interruptions start it."""

import signal
import sys
from pathlib import Path

import numpy as np

from psvr.trace import Writer
from tests.support.trace.trace_samples import rows


def peak() -> int:
    """MB of memory at most so far; unlike `getrusage`, without that of the process that started this one."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


def main(folder: str, rows_per_file: int, most: int) -> None:
    rng = np.random.default_rng(1)
    made = rows(5_000, event=1, peer=rng.integers(0, 10_000, 5_000), detail=rng.integers(0, 1 << 40, 5_000))
    with Writer(folder, "r", rows_per_file=rows_per_file) as writer:
        for count in range(5_000, most + 1, 5_000):
            writer.write(made)
            made["time"] += 5_000
            if count in (500_000, most):
                print(peak(), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background, it is ignored
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
