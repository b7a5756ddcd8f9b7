"""Pairs of places in the plane that are close to each other, and the distance that gives a certain degree."""

import math

import numpy as np

from psvr.jit import jit

from .csr import Floats, Longs

SLICES = 4096  # of an integral over a width: the degree is accurate to a hundredth of a per cent


@jit
def squares(places: Floats, cell: float, columns: int, rows: int) -> tuple[Longs, Longs]:
    """The places sorted into rows × columns squares: where each square begins, and the places in that order."""
    n = places.shape[0]
    start = np.zeros(rows * columns + 1, dtype=np.int64)
    square = np.empty(n, dtype=np.int64)
    for i in range(n):
        square[i] = int(places[i, 1] / cell) * columns + int(places[i, 0] / cell)
        start[square[i] + 1] += 1
    for k in range(rows * columns):
        start[k + 1] += start[k]
    fill = start[:-1].copy()
    member = np.empty(n, dtype=np.int64)
    for i in range(n):
        member[fill[square[i]]] = i
        fill[square[i]] += 1
    return start, member


@jit
def close_pairs(
    places: Floats, reach: float, cell: float, columns: int, rows: int, start: Longs, member: Longs, found: Longs
) -> int:
    """Write as many close pairs as `found` can take; returns how many there are."""
    count = 0
    for i in range(places.shape[0]):
        column, row = int(places[i, 0] / cell), int(places[i, 1] / cell)
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for k in range(start[r * columns + max(column - 1, 0)], start[r * columns + min(column + 2, columns)]):
                j = member[k]
                if j <= i:
                    continue
                dx, dy = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1]
                if dx * dx + dy * dy <= reach * reach:
                    if count < found.shape[0]:
                        found[count, 0] = i
                        found[count, 1] = j
                    count += 1
    return count


def near_pairs(places: Floats, reach: float) -> Longs:
    """All pairs of places at most `reach` apart; no coordinate may be negative.

    Squares are wider than that, so it is enough to search neighbouring ones, and there are not many more squares than
    places.
    """
    n = len(places)
    width, height = (float(x) for x in places.max(axis=0))
    cell = 1.000001 * max(reach, math.sqrt(width * height / n), max(width, height) / n) or 1.0
    grid = cell, int(width / cell) + 1, int(height / cell) + 1
    start, member = squares(places, *grid)
    count = close_pairs(places, reach, *grid, start, member, np.empty((0, 2), dtype=np.int64))
    found = np.empty((count, 2), dtype=np.int64)
    close_pairs(places, reach, *grid, start, member, found)
    return found


def share_within(reach: float, width: float, height: float) -> float:
    """The probability that two random places in a rectangle are at most `reach` apart, with the borders accounted for.

    Distances along a side of length a have the density 2(a − x)/a².
    """
    widest = min(reach, width)
    x = (np.arange(SLICES) + 0.5) * widest / SLICES
    y = np.minimum(np.sqrt(reach * reach - x * x), height)
    part = 2 * (width - x) / width**2 * (2 * height * y - y * y) / height**2
    return float(part.sum() * widest / SLICES)


def reach_for(share: float, width: float, height: float) -> float:
    """The distance within which two random places in a rectangle lie with this probability."""
    low, high = 0.0, math.hypot(width, height)
    if share >= 1:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        if share_within(middle, width, height) < share:
            low = middle
        else:
            high = middle
    return high
