"""Networks: what may be linked to what, and the random and regular ones that studies use."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from psvr.errors import BadInput

from .checks import MOST_NODES, pairs, real, shown, whole
from .csr import Floats, Ints, Longs, components, first_bad, first_repeat, rows_of
from .places import near_pairs

DRAWS = 1000            # attempts at a connected random network
HOPELESS = 30           # expected nodes without a link at which no attempt is made
CHUNK = 1 << 22         # pairs drawn at a time
PLACED = 10_000_000     # nodes placed in all, in attempts at a connected network in the plane


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected network of nodes 0 … n−1; the neighbours of v are near[start[v]:start[v + 1]], ascending."""

    start: Longs
    near: Ints

    @property
    def n(self) -> int:
        return self.start.size - 1

    @property
    def m(self) -> int:
        return self.near.size // 2

    def neighbours(self, v: int) -> Ints:
        return self.near[self.start[v]:self.start[v + 1]]

    def edges(self) -> Ints:
        """Every link once, as (u, v) with u < v, in ascending order."""
        source = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.start))
        once = source < self.near
        return np.stack((source[once], self.near[once]), axis=1)


def from_edges(n: int, edges: Any) -> Graph:
    """The network of n nodes with these links, a list of pairs or an array (m, 2)."""
    n = whole(n, "n", 1, MOST_NODES)
    links = pairs(edges)
    i = first_bad(n, links)
    if i >= 0:
        u, v = links[i].tolist()
        if u == v:
            raise BadInput(f"edges[{i}]: must link two different nodes, not {u} to itself")
        raise BadInput(f"edges[{i}]: must link nodes from 0 to {n - 1}, not {u} and {v}")
    start, near = rows_of(n, links)
    v = first_repeat(start, near)
    if v >= 0:
        raise BadInput(repeated(links, v))
    return Graph(start, near)


def repeated(links: Longs, v: int) -> str:
    """Which of the links of v stands there a second time."""
    seen: set[int] = set()
    for i in np.flatnonzero((links == v).any(axis=1)).tolist():
        other = int(links[i].sum()) - v
        if other in seen:
            return f"edges[{i}]: must list each link once, but {v} and {other} are linked before"
        seen.add(other)
    raise AssertionError("no link is repeated")


def from_networkx(g: Any) -> tuple[Graph, list[Any]]:
    """A network from an undirected networkx graph, and the label of each node; whole numbers keep their order."""
    if g.is_directed():
        raise BadInput("graph: must be undirected")
    if g.is_multigraph():
        raise BadInput("graph: must have at most one link between two nodes, not be a multigraph")
    labels = list(g.nodes)
    if all(isinstance(label, int) for label in labels):
        labels.sort()
    number = {label: v for v, label in enumerate(labels)}
    for u, v in g.edges:
        if u == v:
            raise BadInput(f"graph: must link different nodes, but {shown(u)} is linked to itself")
    return from_edges(len(labels), [(number[u], number[v]) for u, v in g.edges]), labels


def is_connected(graph: Graph) -> bool:
    return not components(graph.start, graph.near).any()


def grid(rows: int, columns: int) -> Graph:
    """rows × columns nodes, each linked to the next in its row and in its column."""
    rows = whole(rows, "rows", 1, MOST_NODES)
    columns = whole(columns, "columns", 1, MOST_NODES // rows)
    number = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)
    across = np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1)
    down = np.stack((number[:-1].ravel(), number[1:].ravel()), axis=1)
    return from_edges(rows * columns, np.concatenate((across, down)))


def line(n: int) -> Graph:
    return grid(1, whole(n, "n", 1, MOST_NODES))


def ring(n: int) -> Graph:
    """n nodes in a circle; two nodes make no circle."""
    node = np.arange(whole(n, "n", 3, MOST_NODES), dtype=np.int64)
    return from_edges(n, np.stack((node, (node + 1) % n), axis=1))


def gnp(n: int, p: float, seed: int) -> Graph:
    """A random network in which each pair is linked with probability p, drawn again until it is connected."""
    n = whole(n, "n", 1, MOST_NODES)
    p = real(p, "p", 0, 1)
    rng = np.random.default_rng(whole(seed, "seed", 0, 2**63 - 1))
    lonely = n * (1 - p) ** (n - 1) if n > 1 else 0         # nodes to expect without any link
    for _ in range(DRAWS if lonely < HOPELESS else 0):
        graph = Graph(*rows_of(n, random_pairs(n, p, rng)))
        if is_connected(graph):
            return graph
    likely = min(1, math.log(n) / n)
    raise BadInput(f"p: must be large enough to connect {n} nodes, about {likely:.2g} or more, not {p:g}")


def random_pairs(n: int, p: float, rng: np.random.Generator) -> Longs:
    """Pairs u < v, each with probability p, in ascending order.  Of the n·n cells only the hits are drawn."""
    found = [np.empty((0, 2), dtype=np.int64)]
    last = -1
    while p > 0 and last < n * n:
        expected = (n * n - last) * p
        gaps = rng.geometric(p, size=int(min(expected + 5 * math.sqrt(expected) + 10, CHUNK)))
        hits = last + np.cumsum(np.minimum(gaps, n * n + 1))
        last = int(hits[-1])
        u, v = np.divmod(hits, n)
        found.append(np.stack((u, v), axis=1)[u < v])      # beyond the last cell u ≥ n > v
    return np.concatenate(found)


def geometric(
    n: int, seed: int, degree: float | None = None, radius: float | None = None
) -> tuple[Graph, Floats]:
    """Nodes at random places of the unit square, linked up to a distance; returns their places too.

    The distance is `radius`, or such that a node far from the border has `degree` neighbours on average.  Nodes
    outside the largest component are placed again until there is one component.
    """
    n = whole(n, "n", 1, MOST_NODES)
    if (degree is None) == (radius is None):
        raise BadInput("degree, radius: exactly one of the two must be given")
    if degree is not None:
        area = real(degree, "degree", 0, MOST_NODES) / max(n - 1, 1)
        radius = min(math.sqrt(area / math.pi), math.sqrt(2))
    reach = real(radius, "radius", 0, math.sqrt(2))
    rng = np.random.default_rng(whole(seed, "seed", 0, 2**63 - 1))
    places = rng.random((n, 2))
    for _ in range(100 + PLACED // n if reach > 0 else 1):
        graph = Graph(*rows_of(n, near_pairs(places, reach)))
        label = components(graph.start, graph.near)
        lost = np.flatnonzero(label != np.bincount(label).argmax())
        if not lost.size:
            return graph, places
        places[lost] = rng.random((lost.size, 2))
    field = "radius" if degree is None else "degree"
    raise BadInput(f"{field}: must be large enough to connect {n} nodes")
