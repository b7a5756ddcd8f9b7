"""Networks: given by their links, or regular."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from psvr.errors import BadInput, shown
from psvr.fields.checks import whole

from .checks import MAX_NODES, pairs
from .csr import Ints, Longs, components, first_bad, first_repeat, rows_of


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected network of nodes 0 … n−1; the neighbours of v are near[start[v]:start[v + 1]], ascending."""

    start: Longs
    near: Ints

    @property
    def n(self) -> int:
        """The number of nodes."""
        return self.start.size - 1

    @property
    def m(self) -> int:
        """The number of links."""
        return self.near.size // 2

    def neighbours(self, v: int) -> Ints:
        """The neighbours of a node, ascending."""
        return self.near[self.start[v] : self.start[v + 1]]

    def edges(self) -> Ints:
        """Every link once, as (u, v) with u < v, in ascending order."""
        source = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.start))
        once = source < self.near
        return np.stack((source[once], self.near[once]), axis=1)


def from_edges(n: int, edges: Any) -> Graph:
    """The network of n nodes with these links, a list of pairs or an array (m, 2)."""
    n = whole(n, "n", 1, MAX_NODES)
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
    """The message about the link of v that is listed twice."""
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
    rows = whole(rows, "rows", 1, MAX_NODES)
    columns = whole(columns, "columns", 1, MAX_NODES // rows)
    number = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)
    across = np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1)
    down = np.stack((number[:-1].ravel(), number[1:].ravel()), axis=1)
    return from_edges(rows * columns, np.concatenate((across, down)))


def line(n: int) -> Graph:
    """Nodes in a row, each linked to the next."""
    return grid(1, whole(n, "n", 1, MAX_NODES))


def ring(n: int) -> Graph:
    """n nodes in a circle; two nodes make no circle."""
    node = np.arange(whole(n, "n", 3, MAX_NODES), dtype=np.int64)
    return from_edges(n, np.stack((node, (node + 1) % n), axis=1))
