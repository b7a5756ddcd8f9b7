"""How much hosts of a simulation can hold and remember, within bounds.

In small networks tables are as long as hosts could ever need; in large ones a host that has no slot left lets its
neighbours try again.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Handed, Held

ROOMY = 4                   # places for each name that is needed: so that few buckets are full
LEAST, USUAL, MOST = 64, 2048, 1 << 16      # names of a host; as many as usual …
USUAL_BYTES = 1 << 24       # … as far as this goes
BYTES = 1 << 28             # of the names of all hosts, at most
SLOTS_LEAST, SLOTS_MOST = 32, 2048      # of a host; few are ever in use …
SLOTS_BYTES = 1 << 26       # … and where they lie far apart, the system gives memory for all


def rooms(n: int, sources: NDArray[Any]) -> tuple[int, int]:
    """Slots and places for names that each of n hosts has; names for what the scenario's sources publish."""
    item = dtype(Handed, Capacity()).itemsize
    usual = size(n, USUAL, LEAST, item, USUAL_BYTES)
    names = ROOMY * k.REPEAT_LIFE * float((1 / np.maximum(sources["period"], 1)).sum())
    return (size(n, SLOTS_MOST, min(SLOTS_LEAST, SLOTS_MOST), dtype(Held, Capacity()).itemsize, SLOTS_BYTES),
            size(n, min(names, MOST), usual, item, BYTES))


def size(n: int, wanted: float, least: int, item: int, most: int) -> int:
    """The next power of two, as far as there is room for n times as many."""
    found = least
    while found < wanted and 2 * found * n * item <= most:
        found *= 2
    return found


def in_use(held: NDArray[Any], hosts: NDArray[Any]) -> NDArray[Any]:
    """The slots up to the last that any host uses: nobody should look at all that might be used."""
    top = int(np.clip(hosts["top"], 0, held.shape[1]).max(initial=0))
    return held[:, :max(top, min(SLOTS_LEAST, held.shape[1]))]
