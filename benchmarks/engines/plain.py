"""The same rules in ordinary Python, with all draws made beforehand.

A hash is cheap in compiled code and expensive in Python, where one would use a generator of the library instead.  To be
fair to Python, who receives which frame and when beacons come is looked up in lists.
"""

from typing import Any

import numpy as np
from psvr.compiled.numbers import mix

from psvr.graphs.graph import Graph
from psvr.jit import jit_no_alloc
from psvr.sim.engine.medium import lost

from . import workload as k
from .rules import (
    BONUS,
    NO_OFFER,
    NOBODY,
    PLACE_BITS,
    PLACES,
    QUALITY_EVICT,
    QUALITY_NEW,
    QUALITY_ONE,
    RANK_BITS,
    RANK_MOST,
    STALE,
    WEIGHT,
)


class Beacon:
    __slots__ = ("dist", "parent", "quality", "root", "seq", "size", "src")

    def __init__(self, me: "Node") -> None:
        self.src, self.seq, self.root, self.dist = me.id, me.seq, me.root, me.dist
        self.parent, self.size = me.parent, me.size
        self.quality = {entry.id: entry.quality >> 8 for entry in me.table.values()}


class Flood:
    __slots__ = ("number", "origin", "parent", "src")

    def __init__(self, me: "Node") -> None:
        self.src, self.parent, self.origin, self.number = me.id, me.parent, me.origin, me.flood


class Neighbour:
    __slots__ = ("below", "heard", "id", "offer", "place", "quality", "seq")

    below: int  # this and the others here are of its latest beacon
    heard: float
    offer: int
    seq: int

    def __init__(self, id: int, place: int) -> None:
        self.id, self.place, self.quality = id, place, QUALITY_NEW


class Node:
    def __init__(self, id: int, n: int) -> None:
        self.id = self.root = self.parent = id
        self.n, self.seq, self.dist, self.size, self.changes, self.flood, self.origin = n, 0, 0, 1, 0, 0, 0
        self.table: dict[int, Neighbour] = {}
        self.alone = id << (16 + RANK_BITS + PLACE_BITS)

    def take_in(self, id: int) -> Neighbour | None:
        """Add a neighbour in the first free place, or replace the worst one if it is bad enough."""
        place = min(set(range(PLACES)) - {entry.place for entry in self.table.values()}, default=NOBODY)
        if place == NOBODY:
            worst = min(self.table.values(), key=lambda entry: (entry.quality, entry.place))
            if worst.quality >= QUALITY_EVICT:
                return None
            del self.table[worst.id]
            place = worst.place
        self.table[id] = entry = Neighbour(id, place)
        return entry

    def on_beacon(self, now: float, beacon: Beacon) -> None:
        entry = self.table.get(beacon.src)
        if entry is None:
            entry = self.take_in(beacon.src)
            if entry is None:
                return
        else:
            quality = entry.quality
            for _ in range(beacon.seq - entry.seq - 1):
                quality -= quality * WEIGHT >> 16
            entry.quality = quality + ((QUALITY_ONE - quality) * WEIGHT >> 16)
        entry.heard, entry.seq = now, beacon.seq
        entry.below = beacon.size if beacon.parent == self.id else 0
        entry.offer = self.offer_of(beacon, entry)
        self.tree_rule()

    def offer_of(self, beacon: Beacon, entry: Neighbour) -> int:
        if beacon.dist + 1 >= self.n:
            return NO_OFFER
        rank = RANK_MOST - entry.quality * beacon.quality.get(self.id, 0)
        return (((((beacon.root << 16) + beacon.dist + 1) << RANK_BITS) + rank) << PLACE_BITS) + entry.place

    def tree_rule(self) -> None:
        best, parent, size, mine = self.alone, self.id, 1, self.parent
        for entry in self.table.values():
            offer = entry.offer - (BONUS << PLACE_BITS) if entry.id == mine else entry.offer
            if offer < best:
                best, parent = offer, entry.id
            size += entry.below
        place = best >> (RANK_BITS + PLACE_BITS)
        self.root, self.dist, self.size = place >> 16, place & 0xFFFF, min(size, self.n)
        if parent != mine:
            self.changes += 1
            self.parent = parent

    def on_timer(self, now: float) -> Beacon:
        for entry in [entry for entry in self.table.values() if now - entry.heard > STALE]:
            del self.table[entry.id]
        self.tree_rule()
        self.seq += 1
        return Beacon(self)

    def on_flood(self, flood: Flood) -> bool:
        if flood.number <= self.flood or (flood.src != self.parent and flood.parent != self.id):
            return False
        self.flood, self.origin = flood.number, flood.origin
        return True

    def shot(self) -> k.Shot:
        by_place = {entry.place: entry for entry in self.table.values()}
        rows = [(e.id, e.seq, e.quality) if (e := by_place.get(i)) else (NOBODY, 0, 0) for i in range(PLACES)]
        ids, seqs, quality = map(list, zip(*rows))
        return k.Shot(
            self.seq, self.root, self.dist, self.parent, self.size, self.changes, self.flood, ids, seqs, quality
        )


@jit_no_alloc
def draw(first: Any, near: Any, heard: Any, periods: Any) -> None:
    n = len(first) - 1
    for v in range(n):
        for frame in range(heard.shape[0]):
            periods[v, frame] = k.PERIOD_LEAST + mix(mix(k.PERIOD_KEY, v), frame) % k.PERIOD_SPREAD
            for e in range(first[v], first[v + 1]):
                heard[frame, e] = not lost(k.LOSS_KEY, frame * n + v, near[e], k.LOSS)
        periods[v, 0] = mix(mix(k.PERIOD_KEY, v), 0) % k.FIRST_SPREAD


class Draws:
    """`receivers[v][i]` hear the i-th frame of v; `periods[v][i]` is the time before its beacon i + 1."""

    def __init__(self, graph: Graph, seconds: int) -> None:
        frames = 10 + seconds * k.SECOND // k.PERIOD_LEAST + seconds * k.SECOND // k.FLOOD_EVERY
        heard = np.zeros((frames, len(graph.near)), bool)
        periods = np.zeros((graph.n, frames), np.int64)
        draw(graph.start, graph.near, heard, periods)
        self.periods: list[list[int]] = periods.tolist()
        self.receivers = [
            self.rows(heard[:, graph.start[v] : graph.start[v + 1]], graph.neighbours(v)) for v in range(graph.n)
        ]

    @staticmethod
    def rows(heard: Any, near: Any) -> list[list[int]]:
        return [near[row].tolist() for row in heard]


def pause(v: int, number: int) -> int:
    """The pause before v passes the message on."""
    return int(mix(mix(k.FORWARD_KEY, number), v)) % k.FORWARD_SPREAD


def origin_of(number: int, n: int) -> int:
    return int(mix(k.ORIGIN_KEY, number)) % n
