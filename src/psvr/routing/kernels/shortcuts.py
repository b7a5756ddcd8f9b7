"""Shortcut tables: the positions of a node's neighbours, sorted, and the furthest of them before a subscriber.

The ring successor of p belongs to a neighbour, so with `all` the last neighbour position up to s, going back from s,
never lies behind p: one search that does not depend on p.  With `nontree` the successor is handled separately.

A hub's many positions would have to be listed in the rows of all its neighbours.  Where that would make the tables
large, they are looked up in the hub's own row instead.
"""

from dataclasses import dataclass

import numpy as np

from psvr.graphs.csr import Ints, Longs
from psvr.jit import jit

SETS = ("all", "nontree")  # every neighbour, as the paper's definition; or no tree neighbours, as in its figures
FULL = 1 << 22  # tables up to this many entries hold every position
LIGHT = 64  # in larger tables, nodes with more positions than this are looked up


@dataclass(frozen=True, eq=False)
class Shortcuts:
    """The positions of v's neighbours are near[start[v]:start[v + 1]], its hubs hub[first_hub[v]:first_hub[v + 1]]."""

    start: Longs
    near: Ints
    first_hub: Longs
    hub: Ints

    @property
    def arrays(self) -> tuple[Longs, Ints, Longs, Ints]:
        """The arrays in the order in which compiled functions take them."""
        return self.start, self.near, self.first_hub, self.hub


@jit
def usable(u: int, v: int, parent: Ints, every: bool) -> bool:
    return bool(every or (parent[u] != v and parent[v] != u))


@jit
def full_size(start: Longs, first_own: Ints) -> int:
    """The number of entries of a table that holds every position of every neighbour."""
    entries = 0
    for v in range(start.size - 1):
        entries += (start[v + 1] - start[v]) * (first_own[v + 1] - first_own[v])
    return int(entries)


@jit
def row_starts(start: Longs, near: Ints, parent: Ints, first_own: Ints, every: bool, light: int) -> tuple[Longs, Longs]:
    n = parent.size
    rows = np.zeros(n + 1, dtype=np.int64)
    hubs = np.zeros(n + 1, dtype=np.int64)
    for v in range(n):
        entries, heavy = 0, 0
        for k in range(start[v], start[v + 1]):
            u = near[k]
            if usable(u, v, parent, every):
                own = first_own[u + 1] - first_own[u]
                if own <= light:
                    entries += own
                else:
                    heavy += 1
        rows[v + 1] = rows[v] + entries
        hubs[v + 1] = hubs[v] + heavy
    return rows, hubs


@jit
def fill_rows(
    start: Longs, near: Ints, parent: Ints, ring: Ints, first_own: Ints, every: bool, light: int, rows: Longs
) -> Ints:
    """The table; positions are entered in ascending order, so every row comes out sorted."""
    table = np.empty(rows[-1], dtype=np.int32)
    fill = rows[:-1].copy()
    for p in range(ring.size):
        u = ring[p]
        if first_own[u + 1] - first_own[u] <= light:
            for k in range(start[u], start[u + 1]):
                v = near[k]
                if usable(u, v, parent, every):
                    table[fill[v]] = p
                    fill[v] += 1
    return table


@jit
def fill_hubs(start: Longs, near: Ints, parent: Ints, first_own: Ints, every: bool, light: int, hubs: Longs) -> Ints:
    table = np.empty(hubs[-1], dtype=np.int32)
    filled = 0
    for v in range(parent.size):
        for k in range(start[v], start[v + 1]):
            u = near[k]
            if first_own[u + 1] - first_own[u] > light and usable(u, v, parent, every):
                table[filled] = u
                filled += 1
    return table


def light_limit(start: Longs, first_own: Ints) -> int:
    """The most positions that a node may have to be listed in its neighbours' rows."""
    return int(first_own[-1] if full_size(start, first_own) <= FULL else LIGHT)


def shortcut_table(
    start: Longs, near: Ints, parent: Ints, ring: Ints, first_own: Ints, every: bool, light: int
) -> Shortcuts:
    """The table of set `all` (every) or `nontree`; nodes with more positions than `light` are hubs."""
    rows, hubs = row_starts(start, near, parent, first_own, every, light)
    table = fill_rows(start, near, parent, ring, first_own, every, light, rows)
    hub = fill_hubs(start, near, parent, first_own, every, light, hubs)
    return Shortcuts(rows, table, hubs, hub)


@jit
def back_from(s: int, row: Ints, low: int, high: int) -> int:
    """The first position in the sorted row[low:high] that is met going clockwise from s, s included."""
    base = low
    left = high - low
    while left > 1:
        half = left >> 1
        base = base + half if row[base + half] <= s else base  # as an expression it compiles to no jump
        left -= half
    return int(row[base]) if row[base] <= s else int(row[high - 1])


@jit
def furthest(p: int, s: int, length: int, row: Ints, low: int, high: int) -> int:
    """The furthest position in (p, s] among the successor of p and row[low:high], none of which p's own node has."""
    best = p + 1 if p + 1 < length else 0
    if low < high:
        x = back_from(s, row, low, high)
        if (s - x if s >= x else s - x + length) < (s - best if s >= best else s - best + length):
            best = x
    return best


@jit
def beyond(best: int, s: int, v: int, length: int, first_hub: Longs, hub: Ints, first_own: Ints, own: Ints) -> int:
    """The furthest position up to s of one of v's hubs, or `best` if none is further."""
    back = s - best if s >= best else s - best + length
    for k in range(first_hub[v], first_hub[v + 1]):
        x = back_from(s, own, first_own[hub[k]], first_own[hub[k] + 1])
        gap = s - x if s >= x else s - x + length
        if gap < back:
            best, back = x, gap
    return best
