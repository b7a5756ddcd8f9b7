"""Which of many places in the unit square are close to each other."""

import numpy as np

from psvr.jit import jit

from .csr import Floats, Longs


@jit
def squares(places: Floats, side: int) -> tuple[Longs, Longs]:
    """The places sorted into side × side squares: where each square begins, and the places in that order."""
    n = places.shape[0]
    start = np.zeros(side * side + 1, dtype=np.int64)
    square = np.empty(n, dtype=np.int64)
    for i in range(n):
        column = min(int(places[i, 0] * side), side - 1)
        row = min(int(places[i, 1] * side), side - 1)
        square[i] = row * side + column
        start[square[i] + 1] += 1
    for k in range(side * side):
        start[k + 1] += start[k]
    fill = start[:-1].copy()
    member = np.empty(n, dtype=np.int64)
    for i in range(n):
        member[fill[square[i]]] = i
        fill[square[i]] += 1
    return start, member


@jit
def close_ones(places: Floats, reach: float, side: int, start: Longs, member: Longs, found: Longs) -> int:
    """Write as many close pairs as `found` can take; returns how many there are."""
    count = 0
    for i in range(places.shape[0]):
        column = min(int(places[i, 0] * side), side - 1)
        row = min(int(places[i, 1] * side), side - 1)
        for r in range(max(row - 1, 0), min(row + 2, side)):
            for k in range(start[r * side + max(column - 1, 0)], start[r * side + min(column + 2, side)]):
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
    """All pairs of places at most `reach` apart.  Squares are at least that wide, so neighbouring ones suffice."""
    n = len(places)
    side = max(1, min(int(1 / reach) if reach > 0 else n, int(n**0.5)))
    start, member = squares(places, side)
    count = close_ones(places, reach, side, start, member, np.empty((0, 2), dtype=np.int64))
    found = np.empty((count, 2), dtype=np.int64)
    close_ones(places, reach, side, start, member, found)
    return found
