"""Spanning trees and roots other than the usual ones, to see how much depends on them.

The usual tree is `tree.bfs_tree` from `tree.centre`.
"""

from collections.abc import Callable

import numpy as np

from psvr.errors import BadInput, shown
from psvr.fields.checks import whole
from psvr.graphs.csr import UNREACHED, Ints
from psvr.graphs.graph import Graph, is_connected

from .kernels.centre import eccentricities
from .kernels.rings import children, places, top_down
from .kernels.ties import TIES, tied_search
from .tree import centre


def outermost(graph: Graph) -> int:
    """The node of greatest eccentricity, of several the one with the least id."""
    return int(np.argmax(eccentricities(graph.start, graph.near)))


def hub(graph: Graph) -> int:
    """The node with most neighbours, of several the one with the least id."""
    return int(np.argmax(np.diff(graph.start)))


ROOTS: dict[str, Callable[[Graph], int]] = {
    "centre": centre,
    "least": lambda graph: 0,
    "outermost": outermost,
    "hub": hub,
}


def tie_number(ties: str) -> int:
    if ties not in TIES:
        raise BadInput(f"ties: must be one of {', '.join(TIES)}, not {shown(ties)}")
    return TIES.index(ties)


def shortest_tree(graph: Graph, root: int, ties: str = "first", seed: int = 0) -> Ints:
    """The parents of a tree of shortest ways to the root; where several are equally short, `ties` says which parent.

    `first` is the first found by a breadth-first search that visits neighbours in ascending id, as in `bfs_tree`;
    `least` the one of least id; `random` any, drawn by every node for itself; `neighbours` the one with most
    neighbours.  With `children` few nodes become parents: on each level the one that can have most children takes
    them, then the one that can have most of the rest, and so on.
    """
    root = checked_root(graph, root)
    parent, order = np.empty((2, graph.n), dtype=np.int32)
    tied_search(graph.start, graph.near, root, tie_number(ties), seed, parent, order)
    return parent


def depth_first_tree(graph: Graph, root: int) -> Ints:
    """The parents of the tree of a depth-first search that visits neighbours in ascending id."""
    root = checked_root(graph, root)
    parent = np.full(graph.n, UNREACHED, dtype=np.int32)
    parent[root] = -1
    ways = [(root, iter(graph.neighbours(root).tolist()))]
    while ways:
        v, left = ways[-1]
        following = next((w for w in left if parent[w] == UNREACHED), None)
        if following is None:
            ways.pop()
        else:
            parent[following] = v
            ways.append((following, iter(graph.neighbours(following).tolist())))
    return parent


def random_tree(graph: Graph, root: int, rng: np.random.Generator) -> Ints:
    """The parents of a spanning tree, all spanning trees being equally likely (Wilson).

    From every node that has no parent yet, a random walk goes on until it meets the tree.  The last step from each of
    its nodes stays.
    """
    root = checked_root(graph, root)
    parent = np.full(graph.n, UNREACHED, dtype=np.int32)
    parent[root] = -1
    settled = np.zeros(graph.n, dtype=bool)
    settled[root] = True
    for begin in range(graph.n):
        v = begin
        while not settled[v]:
            ways = graph.neighbours(v)
            parent[v] = ways[int(rng.integers(ways.size))]
            v = int(parent[v])
        v = begin
        while not settled[v]:
            settled[v] = True
            v = int(parent[v])
    return parent


def checked_root(graph: Graph, root: int) -> int:
    if not is_connected(graph):
        raise BadInput("graph: must be connected to have a spanning tree")
    return whole(root, "root", 0, graph.n - 1)


def subtree_sizes(root: int, parent: Ints) -> Ints:
    """The number of nodes of the subtree of every node, itself included."""
    first, child = children(parent)
    return places(root, parent, first, child, top_down(root, first, child))[1]
