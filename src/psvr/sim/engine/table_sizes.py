"""The sizes of hosts' tables in a simulation: how much they can hold and remember.

In small networks tables are as long as hosts could ever need; in large ones a host without a free slot makes its
neighbours try again.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Handed, Held

ROOMY = 4  # places per name that is needed, so that few buckets are full
MIN_NAMES, USUAL_NAMES, MAX_NAMES = 64, 2048, 1 << 16  # names of a host; the usual number …
USUAL_BYTES = 1 << 24  # … as long as all names fit into this
MAX_NAMES_BYTES = 1 << 28  # the most for the names of all hosts
MIN_SLOTS, MAX_SLOTS = 32, 2048  # of a host; few are ever in use …
MAX_SLOTS_BYTES = 1 << 26  # the most for the slots of all hosts


def rooms(n: int, sources: NDArray[Any]) -> tuple[int, int]:
    """The slots, and the places for names, of each of n hosts; enough names for what the sources publish."""
    item = dtype(Handed, Capacity()).itemsize
    usual = size(n, USUAL_NAMES, MIN_NAMES, item, USUAL_BYTES)
    names = ROOMY * k.REPEAT_LIFE * float((1 / np.maximum(sources["period"], 1)).sum())
    return (
        size(n, MAX_SLOTS, min(MIN_SLOTS, MAX_SLOTS), dtype(Held, Capacity()).itemsize, MAX_SLOTS_BYTES),
        size(n, min(names, MAX_NAMES), usual, item, MAX_NAMES_BYTES),
    )


def size(n: int, wanted: float, minimum: int, item: int, max_bytes: int) -> int:
    """The next power of two that is enough, or the largest of which n tables fit."""
    found = minimum
    while found < wanted and 2 * found * n * item <= max_bytes:
        found *= 2
    return found


def in_use(held: NDArray[Any], hosts: NDArray[Any]) -> NDArray[Any]:
    """The slots up to the last one that any host uses: much less memory than all of them."""
    top = int(np.clip(hosts["top"], 0, held.shape[1]).max(initial=0))
    return held[:, : max(top, min(MIN_SLOTS, held.shape[1]))]
