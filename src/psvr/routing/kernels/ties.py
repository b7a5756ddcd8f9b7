"""Breadth-first trees that differ in the parent that a node takes where several ways are equally short.

A search goes through the network level by level.  In which order the nodes of a level adopt what is left of the next
one decides who becomes whose parent, except where every node draws its parent itself.
"""

import numpy as np

from psvr.compiled.numbers import mix
from psvr.graphs.csr import UNREACHED, Ints, Longs, Marks, search
from psvr.jit import jit

from .trees import ROOM, climb, listed

TIES = ("first", "least", "random", "children", "neighbours")
LEAST, RANDOM, CHILDREN, NEIGHBOURS = 1, 2, 3, 4


@jit
def adopt(start: Longs, near: Ints, v: int, parent: Ints, order: Ints, found: int) -> int:
    """Make v the parent of all its neighbours that have none; returns the number of nodes found by then."""
    for w in near[start[v] : start[v + 1]]:
        if parent[w] == UNREACHED:
            parent[w], order[found] = v, w
            found += 1
    return found


@jit
def orphans(start: Longs, near: Ints, v: int, parent: Ints) -> int:
    """The number of neighbours without a parent."""
    count = 0
    for k in range(start[v], start[v + 1]):
        if parent[near[k]] == UNREACHED:
            count += 1
    return count


@jit
def sort_level(start: Longs, order: Ints, low: int, high: int, by_neighbours: bool) -> None:
    """Sort order[low:high] by id, or those with most neighbours first and equal ones by id."""
    n = start.size - 1
    keys = np.empty(high - low, dtype=np.int64)
    for i in range(low, high):
        v = np.int64(order[i])
        keys[i - low] = v + (n * (n - (start[v + 1] - start[v])) if by_neighbours else 0)
    keys.sort()
    for i in range(low, high):
        order[i] = keys[i - low] % n


@jit
def adopt_most_first(start: Longs, near: Ints, parent: Ints, order: Ints, low: int, high: int) -> int:
    """Let the level order[low:high] adopt: next comes always who can adopt most, of equal ones the least id."""
    found = high
    for i in range(low, high):
        best, most = i, -1
        for j in range(i, high):
            count = orphans(start, near, order[j], parent)
            if count > most or (count == most and order[j] < order[best]):
                best, most = j, count
        order[i], order[best] = order[best], order[i]
        if most == 0:
            break
        found = adopt(start, near, order[i], parent, order, found)
    return found


@jit
def draw_parents(start: Longs, near: Ints, seed: int, parent: Ints, order: Ints, found: int) -> None:
    """Let every node draw one of its neighbours that are a step closer to the root, all of them equally likely."""
    depth = np.zeros(parent.size, dtype=np.int32)
    for i in range(1, found):
        depth[order[i]] = depth[parent[order[i]]] + 1
    closer = np.empty(parent.size, dtype=np.int32)
    for i in range(1, found):
        v = order[i]
        count = 0
        for k in range(start[v], start[v + 1]):
            if depth[near[k]] == depth[v] - 1:
                closer[count] = near[k]
                count += 1
        parent[v] = closer[mix(seed, np.int64(v)) % count]


@jit
def tied_search(start: Longs, near: Ints, root: int, ties: int, seed: int, parent: Ints, order: Ints) -> int:
    """Like `search`, with parents chosen by TIES[ties]; `order` lists every node after its parent."""
    if ties == RANDOM:
        found = search(start, near, root, parent, order)
        draw_parents(start, near, mix(seed, np.int64(root)), parent, order, found)
        return int(found)
    parent[:] = UNREACHED
    parent[root] = -1
    order[0] = root
    low, high = 0, 1
    while low < high:
        if ties == CHILDREN:
            found = adopt_most_first(start, near, parent, order, low, high)
        else:
            if ties in (LEAST, NEIGHBOURS):
                sort_level(start, order, low, high, ties == NEIGHBOURS)
            found = high
            for i in range(low, high):
                found = adopt(start, near, order[i], parent, order, found)
        low, high = high, found
    return high


@jit
def count_td_tied(
    start: Longs, near: Ints, ties: int, seed: int, members: Marks, publishers: Ints, counts: Ints
) -> None:
    """T_D in a connected network, see `batch`, with parents chosen by TIES[ties] in the tree of every publisher."""
    n = start.size - 1
    room = max(1, min(n, ROOM // n))
    parents = np.empty((room, n), dtype=np.int32)
    root_of = np.full(room, -1, dtype=np.int32)
    targets = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    seen = np.full(n, -1, dtype=np.int64)
    for i in range(publishers.shape[0]):
        target_count = listed(members[i], targets)
        for j, root in enumerate(publishers[i]):
            tree = parents[root % room]
            if root_of[root % room] != root:
                tied_search(start, near, root, ties, seed, tree, order)
                root_of[root % room] = root
            counts[i, j] = climb(root, tree, targets, target_count, seen, i * publishers.shape[1] + j)
