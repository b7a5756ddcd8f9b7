"""The virtual ring of a spanning tree, and the next subscriber of each of its positions.

A node starts where its parent puts it, and appears again after each child: no walk is needed to know its positions.
"""

import numpy as np

from psvr.graphs.csr import Ints, Marks
from psvr.jit import jit


@jit
def children_in_turn(parent: Ints, turn: Ints) -> tuple[Ints, Ints]:
    """Two arrays, first and child: the children of v are child[first[v]:first[v + 1]], in the order of `turn`.

    `turn` lists all nodes.
    """
    n = parent.size
    first = np.zeros(n + 1, dtype=np.int32)
    for v in range(n):
        if parent[v] >= 0:
            first[parent[v] + 1] += 1
    for v in range(n):
        first[v + 1] += first[v]
    fill = first[:n].copy()
    child = np.empty(n - 1, dtype=np.int32)
    for v in turn:
        if parent[v] >= 0:
            child[fill[parent[v]]] = v
            fill[parent[v]] += 1
    return first, child


@jit
def children(parent: Ints) -> tuple[Ints, Ints]:
    """The same, with the children of each node in ascending order."""
    return children_in_turn(parent, np.arange(parent.size, dtype=np.int32))


@jit
def top_down(root: int, first: Ints, child: Ints) -> Ints:
    """All nodes, each after its parent."""
    order = np.empty(first.size - 1, dtype=np.int32)
    order[0] = root
    found = 1
    for done in range(order.size):
        v = order[done]
        for k in range(first[v], first[v + 1]):
            order[found] = child[k]
            found += 1
    return order


@jit
def places(root: int, parent: Ints, first: Ints, child: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Where each node starts on the ring, and the size of its subtree."""
    n = parent.size
    size = np.ones(n, dtype=np.int32)
    for k in range(n - 1, 0, -1):
        size[parent[order[k]]] += size[order[k]]
    begin = np.zeros(n, dtype=np.int32)
    for i in range(n):
        at = begin[order[i]] + 1
        for k in range(first[order[i]], first[order[i] + 1]):
            begin[child[k]] = at
            at += 2 * size[child[k]]
    return begin, size


@jit
def lay_ring(root: int, parent: Ints, turn: Ints) -> tuple[Ints, Ints, Ints]:
    """The node at each position; and the positions of v, own[first_own[v]:first_own[v + 1]], ascending.

    Children of the same node come on the ring in the order in which `turn` lists all nodes.
    """
    n = parent.size
    first, child = children_in_turn(parent, turn)
    begin, size = places(root, parent, first, child, top_down(root, first, child))
    length = 2 * (n - 1)
    ring = np.empty(length, dtype=np.int32)
    own = np.empty(length, dtype=np.int32)
    first_own = np.empty(n + 1, dtype=np.int32)
    filled = 0
    for v in range(n):
        first_own[v] = filled
        ahead = begin[v]
        for k in range(first[v], first[v + 1] + 1):
            if ahead < length:  # the root does not appear again after its last child: that is position 0
                own[filled] = ahead
                ring[ahead] = v
                filled += 1
            if k < first[v + 1]:
                ahead = begin[child[k]] + 2 * size[child[k]] - 1
    first_own[n] = filled
    return ring, first_own, own


@jit
def following(first_own: Ints, own: Ints) -> Ints:
    """For each position, the next position ccw of the same node; itself if the node has no other."""
    after = np.empty(own.size, dtype=np.int32)
    for v in range(first_own.size - 1):
        low, high = first_own[v], first_own[v + 1]
        for k in range(low, high):
            after[own[k]] = own[k + 1] if k + 1 < high else own[low]
    return after


@jit
def next_subscribers(ring: Ints, wanted: Marks, ns: Ints) -> None:
    """Fill ns: for each position, the ccw nearest one of a subscriber other than the position's own node, else −1."""
    length = ring.size
    nearest, other = -1, -1  # other: the nearest position of a node other than nearest's
    for p in range(length):
        if wanted[ring[p]]:
            if nearest < 0:
                nearest = p
            elif ring[p] != ring[nearest]:
                other = p
                break
    for p in range(length - 1, -1, -1):
        v = ring[p]
        same = nearest >= 0 and ring[nearest] == v
        ns[p] = other if same else nearest
        if wanted[v]:
            if not same:
                other = nearest
            nearest = p
