"""Spanning trees: breadth first from a root; and the centre of a network, from which they are shallowest."""

from typing import Any

import numpy as np

from psvr.errors import BadInput
from psvr.fields.checks import whole
from psvr.graphs.csr import UNREACHED, Ints, Longs, linked, search
from psvr.graphs.graph import Graph, is_connected
from psvr.jit import jit
from psvr.routing.kernels.centre import eccentricities, narrowed_centre

LARGE = 4096  # nodes: above this it is faster to rule nodes out than to search from each


def bfs_tree(graph: Graph, root: int) -> Ints:
    """The parent of every node: neighbours are visited in ascending id, and the first to find a node is its parent."""
    root = whole(root, "root", 0, graph.n - 1)
    parent = np.empty(graph.n, dtype=np.int32)
    search(graph.start, graph.near, root, parent, np.empty(graph.n, dtype=np.int32))
    lost = np.flatnonzero(parent == UNREACHED)
    if lost.size:
        raise BadInput(f"graph: must be connected, but node {lost[0]} cannot be reached from {root}")
    return parent


def centre(graph: Graph) -> int:
    """The node of least eccentricity, of several the one with the least id."""
    if not is_connected(graph):
        raise BadInput("graph: must be connected to have a centre")
    if graph.n <= LARGE:
        return int(np.argmin(eccentricities(graph.start, graph.near)))
    return narrowed_centre(graph.start, graph.near)


@jit
def first_unlinked(start: Longs, near: Ints, parent: Ints) -> int:
    """The first node whose parent is not a neighbour; −1 if there is none."""
    for v in range(parent.size):
        if parent[v] >= 0 and not linked(start, near, v, parent[v]):
            return v
    return -1


@jit
def first_rootless(parent: Ints) -> int:
    """The first node from which the parents form a cycle; −1 if there is none."""
    n = parent.size
    visit = np.full(n, -1, dtype=np.int32)
    for v in range(n):
        w = v
        while w >= 0 and visit[w] < 0:
            visit[w] = v
            w = parent[w]
        if w >= 0 and visit[w] == v:
            return v
    return -1


def check_tree(graph: Graph, root: int, parent: Any) -> Ints:
    """The parents as an array; BadInput unless they form a spanning tree of the graph."""
    root = whole(root, "root", 0, graph.n - 1)
    given = np.asarray(parent)
    if given.shape != (graph.n,) or given.dtype.kind not in "iu":
        raise BadInput(f"parent: must be a list of {graph.n} node ids, one per node and -1 for the root")
    outside = np.flatnonzero((given < -1) | (given >= graph.n) | ((given == -1) != (np.arange(graph.n) == root)))
    if outside.size:
        v = int(outside[0])
        allowed = "-1, because it is the root" if v == root else f"a node from 0 to {graph.n - 1}"
        raise BadInput(f"parent[{v}]: must be {allowed}, not {given[v]}")
    array = np.ascontiguousarray(given, dtype=np.int32)
    v = first_unlinked(graph.start, graph.near, array)
    if v >= 0:
        raise BadInput(f"parent[{v}]: must be a neighbour of {v}, which {array[v]} is not")
    v = first_rootless(array)
    if v >= 0:
        raise BadInput(f"parent[{v}]: must lead to the root {root}, but leads round in a circle")
    return array
