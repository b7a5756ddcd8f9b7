"""The faults of a scenario, one by one: when, of what kind, and which nodes or links."""

from dataclasses import dataclass

import numpy as np

from psvr.errors import BadInput
from psvr.graphs.csr import Floats, Ints, Longs, linked, search
from psvr.graphs.graph import Graph
from psvr.sim.scenario.defaults import micros
from psvr.sim.scenario.tables import Fault, Scenario
from psvr.sim.streams import stream

from .draws import chosen, poisson

ON_LINKS = ("cut", "heal")
LASTING = ("crash", "cut", "partition", "jam")  # kinds that a duration ends
NO_NODES, NO_LINKS = np.empty(0, dtype=np.int32), np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class FaultEvent:
    """One fault; times are in µs."""

    time: int
    kind: str
    nodes: Ints  # ascending; of a partition, one of the two sides
    links: Longs  # (m, 2) with u < v; of a partition, those between the two sides
    until: int  # when it is over; −1: never
    entry: int  # of [[fault]]
    memory: str = "any"  # of `corrupt`: what it writes


def fault_events(s: Scenario, graph: Graph, places: Floats | None) -> tuple[FaultEvent, ...]:
    """All faults by time; simultaneous ones in the order of their entries."""
    events = [event for i in range(len(s.fault)) for event in events_of(s, i, graph, places)]
    return tuple(sorted(events, key=lambda event: event.time))


def events_of(s: Scenario, i: int, graph: Graph, places: Floats | None) -> list[FaultEvent]:
    """The faults of an entry: all its targets once or, at a rate, one of them at a time until its duration is over."""
    f, rng = s.fault[i], stream(s.seed, f"fault/{i}")
    pool = struck_links(f, i, graph, rng) if f.kind in ON_LINKS else struck_nodes(f, i, graph, places, rng)
    begin, end = micros(f.at), micros(s.duration)
    until = -1
    if f.duration is not None:
        end = min(end, begin + micros(f.duration))
        until = begin + micros(f.duration) if f.kind in LASTING else -1
    if f.rate is None:
        return [event(f, i, begin, until, pool, graph)]
    times = poisson(f.rate, begin, end, rng)
    picks = stream(s.seed, f"fault/{i}/picks").integers(0, len(pool), times.size)
    return [
        event(f, i, time, until, pool[pick : pick + 1], graph) for time, pick in zip(times.tolist(), picks.tolist())
    ]


def event(f: Fault, i: int, time: int, until: int, struck: Ints | Longs, graph: Graph) -> FaultEvent:
    """The fault of entry i that strikes these nodes or links."""
    if f.kind in ON_LINKS:
        return FaultEvent(time, f.kind, NO_NODES, struck.astype(np.int64), until, i)
    nodes = struck.astype(np.int32)
    links = between(graph, nodes) if f.kind == "partition" else NO_LINKS
    return FaultEvent(time, f.kind, nodes, links, until, i, f.memory or "any")


def struck_nodes(f: Fault, i: int, graph: Graph, places: Floats | None, rng: np.random.Generator) -> Ints:
    """The nodes that an entry names or draws; at a rate, those of which each fault strikes one."""
    if f.area is not None and places is not None:
        x, y, radius = f.area
        inside = np.flatnonzero(np.hypot(places[:, 0] - x, places[:, 1] - y) <= radius).astype(np.int32)
        limit = graph.n - 1 if f.kind == "partition" else graph.n
        if not 1 <= inside.size <= limit:
            raise BadInput(f"fault.{i}.area: must hold from 1 to {limit} of the {graph.n} nodes, not {inside.size}")
        return inside
    if f.kind == "partition" and isinstance(f.nodes, int):
        return piece(graph, f.nodes, rng)
    return chosen("all" if f.nodes is None else f.nodes, graph.n, rng)


def piece(graph: Graph, count: int, rng: np.random.Generator) -> Ints:
    """This many connected nodes around a random one; if its component is too small, nodes of others too."""
    parent, order = np.empty(graph.n, dtype=np.int32), np.empty(graph.n, dtype=np.int32)
    found = search(graph.start, graph.near, int(rng.integers(graph.n)), parent, order)
    others = np.setdiff1d(np.arange(graph.n, dtype=np.int32), order[:found])
    return np.sort(np.concatenate((order[:found], others))[:count])


def struck_links(f: Fault, i: int, graph: Graph, rng: np.random.Generator) -> Longs:
    """The links that an entry names or draws; at a rate, those of which each fault strikes one."""
    links: Longs = graph.edges().astype(np.int64)
    if isinstance(f.links, tuple):
        for j, (u, v) in enumerate(f.links):
            if not linked(graph.start, graph.near, u, v):
                raise BadInput(f"fault.{i}.links[{j}]: must be a link of the network, but {u} and {v} are not linked")
        return np.sort(np.array(f.links, dtype=np.int64), axis=1)
    if not len(links):
        raise BadInput(f"fault.{i}.kind: must be one for nodes, not {f.kind}, because the network has no links")
    count = f.links if isinstance(f.links, int) else len(links)
    if count > len(links):
        raise BadInput(f"fault.{i}.links: must be at most {len(links)}, the number of links, not {count}")
    return links[np.sort(rng.permutation(len(links))[:count])]


def between(graph: Graph, nodes: Ints) -> Longs:
    """The links between these nodes and all others."""
    inside = np.zeros(graph.n, dtype=bool)
    inside[nodes] = True
    source = np.repeat(nodes, np.diff(graph.start)[nodes]).astype(np.int64)
    target = np.concatenate([graph.neighbours(v) for v in nodes]).astype(np.int64)
    links = np.sort(np.stack((source, target), axis=1)[~inside[target]], axis=1)
    return np.unique(links, axis=0)
