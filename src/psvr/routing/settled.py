"""A settled network: tree, ring and routing tables as the protocol leaves them once nothing changes any more."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from psvr.errors import BadInput, shown
from psvr.fields.checks import whole
from psvr.graphs.checks import nodes
from psvr.graphs.csr import Ints, Marks
from psvr.graphs.graph import Graph, from_edges
from psvr.routing.kernels.rings import following, lay_ring, next_subscribers
from psvr.routing.kernels.shortcuts import SETS, Shortcuts, light_limit, shortcut_table
from psvr.routing.kernels.tables import Tables

from .tree import bfs_tree, centre, check_tree


class Settled:
    """A network with its spanning tree and virtual ring.  Tables are built when they are first asked for."""

    graph: Graph
    root: int
    parent: Ints
    ring: Ints  # the node at each position
    first_own: Ints  # the positions of v are own[first_own[v]:first_own[v + 1]]
    own: Ints
    after: Ints  # for each position, the next one of the same node

    def __init__(self, graph: Graph, root: int, parent: Any, turn: Any = None) -> None:
        """`turn` lists all nodes: children of the same node come on the ring in this order, by default ascending."""
        self.graph = graph
        self.parent = check_tree(graph, root, parent)
        self.root = int(root)
        self.ring, self.first_own, self.own = lay_ring(self.root, self.parent, listed_once(turn, graph.n))
        self.after = following(self.first_own, self.own)
        self._shortcuts: dict[str, Shortcuts] = {}

    @property
    def length(self) -> int:
        """Positions on the ring: 2(n − 1)."""
        return self.ring.size

    def positions(self, v: int) -> Ints:
        """The positions of node v, in ascending order."""
        v = whole(v, "node", 0, self.graph.n - 1)
        return self.own[self.first_own[v] : self.first_own[v + 1]]

    def marks(self, subscribers: Iterable[int]) -> Marks:
        """An array with 1 for every subscriber and 0 for every other node."""
        wanted = np.zeros(self.graph.n, dtype=np.uint8)
        wanted[nodes(subscribers, "subscribers", self.graph.n)] = 1
        return wanted

    def next_subscriber(self, subscribers: Iterable[int]) -> Ints:
        """For each position, the ccw nearest position of a subscriber other than the position's own node, or −1 (⊥)."""
        ns = np.empty(self.length, dtype=np.int32)
        next_subscribers(self.ring, self.marks(subscribers), ns)
        return ns

    def shortcuts(self, name: str) -> Shortcuts:
        """The shortcut table for the set `all` or `nontree`."""
        if name not in SETS:
            raise BadInput(f"shortcuts: must be one of {', '.join(SETS)}, not {shown(name)}")
        if name not in self._shortcuts:
            start, near = self.graph.start, self.graph.near
            light = light_limit(start, self.first_own)
            self._shortcuts[name] = shortcut_table(
                start, near, self.parent, self.ring, self.first_own, name == "all", light
            )
        return self._shortcuts[name]

    def tables(self, shortcuts: str) -> Tables:
        """All of it as compiled code takes it, with this set of shortcuts."""
        return Tables(self.ring, self.after, *self.shortcuts(shortcuts).arrays, self.first_own, self.own)

    @cached_property
    def tree(self) -> Graph:
        """The spanning tree as a graph."""
        return tree_graph(self.parent)

    @cached_property
    def central_parent(self) -> Ints:
        """The parents of T_S, the breadth-first tree from the centre of the network."""
        return bfs_tree(self.graph, centre(self.graph))

    @cached_property
    def central_tree(self) -> Graph:
        """T_S as a graph."""
        return tree_graph(self.central_parent)


def listed_once(turn: Any, n: int) -> Ints:
    """All nodes in this order; BadInput unless each is listed once."""
    if turn is None:
        return np.arange(n, dtype=np.int32)
    given = np.asarray(turn)
    if given.shape != (n,) or given.dtype.kind not in "iu" or not np.array_equal(np.sort(given), np.arange(n)):
        raise BadInput(f"turn: must list each of the {n} nodes once")
    return np.ascontiguousarray(given, dtype=np.int32)


def tree_graph(parent: Ints) -> Graph:
    child = np.flatnonzero(parent >= 0)
    return from_edges(parent.size, np.stack((child, parent[child].astype(np.int64)), axis=1))
