"""Figures that simulator, swarm and lab compute in the same way."""

from typing import Any

import numpy as np

from psvr.trace.columns import FRAMES

from .deliveries import SECOND

TRANSMISSIONS = tuple(name.lower() for name in FRAMES)  # as results name what was sent
WINDOW = 25 * SECOND  # a publication has this long to arrive, including twenty seconds of waiting for a ring …
WINDOW_STEP = 20_000  # … and 20 ms more per position of the largest ring
PAPER = 8  # bytes of a table entry in the paper: two positions of 2, a time stamp of 4
PACKED = 12  # bytes of a table entry on a mote: two positions of 2, two time stamps of 4


def window(n: int) -> int:
    """The delivery window in a network of n nodes, in µs: how long a publication may take."""
    return WINDOW + 2 * n * WINDOW_STEP


def latency(seconds: Any) -> dict[str, float | None]:
    """The mean, the median and the 99th percentile."""
    if len(seconds) == 0:
        return {"mean": None, "p50": None, "p99": None}
    return {
        "mean": float(seconds.mean()),
        "p50": float(np.percentile(seconds, 50)),
        "p99": float(np.percentile(seconds, 99)),
    }
