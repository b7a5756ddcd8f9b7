"""Bit errors: O-QPSK as in IEEE 802.15.4 (2006, E.4.1.8), and tables of values that are needed often."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.jit import jit_no_alloc

BITS_PER_US = 0.25
LOWEST, STEP, STEPS = -12.0, 0.02, 1000  # dB of the table's first entry, dB between entries, number of entries
HIGHEST = 10.0 ** ((LOWEST + STEP * STEPS) / 10.0)  # the ratio at the table's end: from here on no bit is wrong
NORMALS = 1024


def bit_error(ratio: float) -> float:
    """The bit error rate at a ratio of signal to noise and interference."""
    total = sum((-1.0) ** k * math.comb(16, k) * math.exp(20.0 * ratio * (1.0 / k - 1.0)) for k in range(2, 17))
    return min(0.5, max(0.0, 8.0 / 15.0 / 16.0 * total))


def ratio_of(decibels: float) -> float:
    return 10.0 ** (decibels / 10.0)


# log(1 − bit error): the sum takes 15 exponentials, and is needed for every stretch of every frame.
LOG_OK = np.array([math.log1p(-bit_error(ratio_of(LOWEST + STEP * i))) for i in range(STEPS)])
# A standard normal variable in 1024 equally likely values, with variance 1.
NORMAL = np.array([NormalDist().inv_cdf((i + 0.5) / NORMALS) for i in range(NORMALS)])
NORMAL /= math.sqrt(float((NORMAL * NORMAL).mean()))


def step_of(ratio: float) -> int:
    """The index of a ratio in the table; STEPS beyond its end."""
    if ratio >= HIGHEST:
        return STEPS
    return min(max(int((10.0 * math.log10(ratio) - LOWEST) / STEP), 0), STEPS - 1)


def edge_before(step: int) -> float:
    """The least ratio that belongs to a step."""
    edge = ratio_of(LOWEST + STEP * step)
    while step_of(edge) < step:
        edge = math.nextafter(edge, math.inf)
    while step_of(math.nextafter(edge, 0.0)) >= step:
        edge = math.nextafter(edge, 0.0)
    return edge


# Taking a logarithm for every stretch of every frame took a tenth of all the time.  So this is the table again, indexed
# by the leading bits of a ratio: its power of two, and which 256th of the interval to the next.  Such a cell is
# narrower than a step, so it contains at most one edge: it has the value below the edge and the one from there on.
CELL = np.dtype([("edge", "f8"), ("below", "f8"), ("above", "f8")])
CELL_BITS = 44
FIRST_CELL, LAST_CELL = (int(np.float64(ratio).view(np.int64)) >> CELL_BITS for ratio in (ratio_of(LOWEST), HIGHEST))


def cells() -> NDArray[Any]:
    """The table of `log_bit_ok`, computed from LOG_OK."""
    found = np.zeros(LAST_CELL - FIRST_CELL + 1, CELL)
    lowest = (np.arange(FIRST_CELL, LAST_CELL + 1) << CELL_BITS).view(np.float64)
    for i, step in enumerate(map(step_of, lowest.tolist())):
        found[i] = edge_before(step + 1), LOG_OK[step], LOG_OK[step + 1] if step + 1 < STEPS else 0.0
    return found


CELLS = cells()


@jit_no_alloc
def log_bit_ok(table, ratio):  # type: ignore[no-untyped-def]
    """The logarithm of the chance that a bit is right, from the cells."""
    i = (np.float64(ratio).view(np.int64) >> CELL_BITS) - FIRST_CELL
    cell = table[min(max(i, 0), len(table) - 1)]
    return cell.above if ratio >= cell.edge else cell.below


def frame_ok(decibels: float, length: int) -> float:
    """The chance that a frame of this many bytes survives at a constant ratio, computed without the table."""
    return float((1.0 - bit_error(ratio_of(decibels))) ** (8 * length))


def least_ratio(length: int, chance: float) -> float:
    """The ratio in dB at which a frame of this many bytes has this chance."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if frame_ok(middle, length) < chance:
            low = middle
        else:
            high = middle
    return high
