"""Bits that arrive wrongly: O-QPSK as in IEEE 802.15.4 (2006, E.4.1.8), and tables of what is asked often."""

import math
from statistics import NormalDist

import numpy as np

from psvr.jit import in_place

BITS_PER_US = 0.25
LOWEST, STEP, STEPS = -12.0, 0.02, 1000     # dB of the table's first entry, between two, and how many
HIGHEST = 10.0 ** ((LOWEST + STEP * STEPS) / 10.0)       # the ratio at the table's end: no bit is wrong any more
NORMALS = 1024


def bit_error(ratio: float) -> float:
    """The share of wrong bits at a ratio of signal to noise and interference."""
    total = sum((-1.0) ** k * math.comb(16, k) * math.exp(20.0 * ratio * (1.0 / k - 1.0)) for k in range(2, 17))
    return min(0.5, max(0.0, 8.0 / 15.0 / 16.0 * total))


def ratio_of(decibels: float) -> float:
    return 10.0 ** (decibels / 10.0)


# log(1 − bit error): the sum costs 15 exponentials, and hosts ask for every stretch of every frame.
LOG_OK = np.array([math.log1p(-bit_error(ratio_of(LOWEST + STEP * i))) for i in range(STEPS)])
# A standard normal variable in 1024 equally likely values, with variance 1.
NORMAL = np.array([NormalDist().inv_cdf((i + 0.5) / NORMALS) for i in range(NORMALS)])
NORMAL /= math.sqrt(float((NORMAL * NORMAL).mean()))


@in_place
def log_bit_ok(table, ratio):  # type: ignore[no-untyped-def]
    """The logarithm of a bit's chance, from the table."""
    if ratio >= HIGHEST:
        return 0.0
    if ratio <= 0.0:
        return table[0]
    i = int((10.0 * math.log10(ratio) - LOWEST) / STEP)
    return table[min(max(i, 0), STEPS - 1)]


def frame_ok(decibels: float, length: int) -> float:
    """The chance of a frame of so many bytes at a constant ratio, without the table."""
    return float((1.0 - bit_error(ratio_of(decibels))) ** (8 * length))


def least_ratio(length: int, chance: float) -> float:
    """The dB at which a frame of so many bytes has this chance."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if frame_ok(middle, length) < chance:
            low = middle
        else:
            high = middle
    return high
