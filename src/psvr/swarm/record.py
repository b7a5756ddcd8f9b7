"""The record of a swarm's run: what applications received, who was alive and linked, what nodes counted."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from psvr.protocol.invariants import Ground, components, ground_of
from psvr.results.deliveries import OPEN, Epoch, History, Subscription

Pair = tuple[int, int]


class Delivery(NamedTuple):
    """A message that an application received."""

    time: int  # µs since the beginning
    node: int
    origin: int  # id
    boot: int
    sequence: int
    hops: int


@dataclass
class Places:
    """Where the files of a run are."""

    folder: Path  # of the nodes, for the duration of the run
    trace: Path
    run: str  # its name in the trace


class Record:
    """Times are µs since `begin`; nodes are numbers from 0 to n − 1."""

    def __init__(self, n: int, links: Iterable[Pair]) -> None:
        self.n, self.links = n, list(links)
        self.cut: set[Pair] = set()
        self.alive = [False] * n
        self.history = History()
        self.deliveries: list[Delivery] = []
        self.counts: dict[Pair, dict[str, Any]] = {}  # last status, without memory, by node and boot
        self.started = 0  # µs since 1970
        self.ended: int | None = None
        self.changes = 0  # how often nodes or links have changed

    def begin(self) -> None:
        self.started = time.time_ns() // 1000
        self.note_change()

    def end(self) -> None:
        self.ended = self.now

    @property
    def now(self) -> int:
        """µs since `begin`; the clock stands still before it, and after `end`."""
        if self.ended is not None:
            return self.ended
        return time.time_ns() // 1000 - self.started if self.started else 0

    def received(self, v: int, message: dict[str, Any]) -> None:
        m = message
        self.deliveries.append(Delivery(self.now, v, m["origin"], m["boot"], m["sequence"], m["hops"]))

    # --- who could hear whom

    def open_links(self) -> list[Pair]:
        return [link for link in self.links if link not in self.cut]

    def set_cut(self, links: Iterable[Pair], cut: bool) -> None:
        pairs = {(min(u, v), max(u, v)) for u, v in links}
        self.cut = self.cut | pairs if cut else self.cut - pairs
        self.note_change()

    def set_alive(self, v: int, alive: bool) -> None:
        if self.alive[v] != alive:
            self.alive[v] = alive
            self.note_change()

    def note_change(self) -> None:
        """Count a change, and record who is connected from now on."""
        self.changes += 1
        if self.started:
            among = [(u, v) for u, v in self.open_links() if self.alive[u] and self.alive[v]]
            part = np.where(self.alive, np.array(components(self.n, among)), -1)
            self.history.epochs.append(Epoch(self.now, part.astype(np.int64)))

    def ground_truth(self) -> tuple[list[int], Ground]:
        """The living nodes, and the ground truth for them."""
        living = [v for v in range(self.n) if self.alive[v]]
        place = {v: i for i, v in enumerate(living)}
        among = [(place[u], place[v]) for u, v in self.open_links() if u in place and v in place]
        return living, ground_of(len(living), among)

    # --- who wanted what

    def subscribed(self, v: int, channel: int) -> None:
        self.history.subscriptions.append(Subscription(v, channel, self.now, OPEN))

    def unsubscribed(self, v: int, channel: int) -> None:
        for s in self.history.subscriptions:
            if (s.node, s.channel, s.end) == (v, channel, OPEN):
                s.end = self.now

    # --- what nodes counted

    def count(self, v: int, status: dict[str, Any]) -> None:
        self.counts[v, status["boot"]] = {name: held for name, held in status.items() if name != "memory"}

    def total(self, table: str) -> Counter[str]:
        """The sum of a table over all nodes and all their boots."""
        found: Counter[str] = Counter()
        for status in self.counts.values():
            found.update(status[table])
        return found
