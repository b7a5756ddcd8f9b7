"""How much hosts of a simulation can hold and remember: as much as the scenario's sources ask for, within bounds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Handed, Held

ROOMY = 4                   # places for each name that is needed: so that few buckets are full
LEAST, MOST = 64, 1 << 16   # names of a host
SLOTS_LEAST, SLOTS_MOST = 64, 4096
BYTES = 1 << 28             # of all hosts, at most, for each of the two; memory is taken only as it is used


def rooms(n: int, sources: NDArray[Any]) -> tuple[int, int]:
    """Slots and places for names that each of n hosts has."""
    rates = 1 / np.maximum(sources["period"], 1)
    own = np.bincount(sources["node"], rates, minlength=1).max(initial=0.0)
    names = ROOMY * k.REPEAT_LIFE * float(rates.sum())
    slots = SLOTS_LEAST + 2 * k.KEEP * float(own)
    return (size(n, slots, SLOTS_LEAST, SLOTS_MOST, dtype(Held, Capacity()).itemsize),
            size(n, names, LEAST, MOST, dtype(Handed, Capacity()).itemsize))


def size(n: int, wanted: float, least: int, most: int, item: int) -> int:
    """The next power of two, as far as there is room for n times as many."""
    found = least
    while found < min(wanted, most) and 2 * found * n * item <= BYTES:
        found *= 2
    return found
