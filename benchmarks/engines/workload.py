"""The workload that all engines are given: a network, beacons, a tree, floods; and what is counted.

Nodes beacon about once a second, keep a table of neighbours with qualities, join the tree of the smallest id, and
every 20 s one of them floods a message along the tree.  Times are whole microseconds, and every draw is a hash of the
node and of how often it has drawn, so that all engines see the same draws in whatever order they ask.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from psvr.graphs.drawn import geometric
from psvr.graphs.graph import Graph
from psvr.protocol.numbers import mix

N, DEGREE, SEED = 100, 10, 1
SECONDS = 1000  # simulated, by every engine

SECOND = 1_000_000
PERIOD_LEAST, PERIOD_SPREAD = 900_000, 200_001
FIRST_SPREAD = SECOND  # a node's first beacon comes within the first second
AIRTIME = 1_000
FLOOD_EVERY = 20 * SECOND
FORWARD_SPREAD = 10_000
LOSS = round(0.05 * (1 << 31))  # of 2³¹: the share of receptions that fail

LOSS_KEY, PERIOD_KEY, FORWARD_KEY, ORIGIN_KEY = 1, 2, 3, 4


@dataclass(frozen=True)
class Counts:
    """The counts of a run, and its final state; equal for all engines."""

    beacons: int
    floods: int
    forwards: int
    receptions: int
    delivered: int
    state: int

    @property
    def sends(self) -> int:
        return self.beacons + self.forwards

    @property
    def events(self) -> int:
        return self.sends + self.receptions


class Shot(NamedTuple):
    """A node's memory at the end; the last three fields are by place in its table."""

    seq: int
    root: int
    dist: int
    parent: int
    size: int
    changes: int
    flood: int
    ids: list[int]
    seqs: list[int]
    quality: list[int]


def state_of(shots: Iterable[Shot]) -> int:
    """A hash of the memory of all nodes."""
    h = 0
    for shot in shots:
        for x in shot[:-3]:
            h = mix(h, x)
        for id, seq, quality in zip(shot.ids, shot.seqs, shot.quality):
            h = mix(h, id)
            if id >= 0:
                h = mix(mix(h, seq), quality)
    return h


def network() -> Graph:
    graph, _ = geometric(N, SEED, degree=DEGREE)
    return graph


def write(graph: Graph, file: Path) -> None:
    """Write the number of nodes, then a row per node: how many are in reach, and which."""
    rows = [graph.neighbours(v).tolist() for v in range(graph.n)]
    lines = [str(graph.n), *(" ".join(map(str, [len(row), *row])) for row in rows)]
    file.write_text("\n".join(lines) + "\n")
