"""Message counts of very many publications: all sets of subscribers and publishers of a network in one call.

Every function here is compiled as a whole, allocates its tables once, and may be called from compiled code.
`members[i, v]` is 1 if node v is in set i, `publishers[i]` are the publishers for that set, and
`counts[i, j]` becomes the number of messages of publishers[i, j].  T_D has its own module, `trees`.
"""

import numpy as np

from psvr.graphs.csr import Ints, Marks
from psvr.jit import jit

from .publish import best_origin, hops_of_2015, skips, spread
from .rings import next_subscribers
from .tables import Tables


@jit
def count_psvr(tables: Tables, members: Marks, publishers: Ints, counts: Ints) -> None:
    """PSVR, on a ring with at least two positions."""
    ns = np.empty(tables.ring.size, dtype=np.int32)
    source, goal, end = np.empty_like(ns), np.empty_like(ns), np.empty_like(ns)
    for i in range(publishers.shape[0]):
        next_subscribers(tables.ring, members[i], ns)
        for j in range(publishers.shape[1]):
            origin = tables.own[tables.first_own[publishers[i, j]]]
            counts[i, j] = spread(tables, origin, ns, source, goal, end)


@jit
def count_vr2015(tables: Tables, members: Marks, publishers: Ints, counts: Ints) -> None:
    """One message round the ring, on a ring with at least two positions."""
    ns = np.empty(tables.ring.size, dtype=np.int32)
    hop = np.empty_like(ns)
    depth = np.empty(2 * tables.ring.size + 1, dtype=np.int32)
    jump = np.empty_like(depth)
    for i in range(publishers.shape[0]):
        next_subscribers(tables.ring, members[i], ns)
        hops_of_2015(tables, ns, hop)
        skips(hop, depth, jump)
        for j in range(publishers.shape[1]):
            counts[i, j] = best_origin(publishers[i, j], hop, depth, jump, tables.first_own, tables.own)[1]


@jit
def subtree(parent: Ints, order: Ints, wanted: Marks, under: Ints, away: Ints) -> int:
    """The number of links of the smallest subtree with all subscribers; fills `away`, each node's distance from it.

    A link belongs to it if it has subscribers on both sides.  Its apex is the lowest node with all of them below;
    from there the distances grow up to the root and then down all other branches.
    """
    everyone = 0
    for v in range(parent.size):
        under[v] = wanted[v]
        everyone += wanted[v]
    for k in range(parent.size - 1, 0, -1):
        under[parent[order[k]]] += under[order[k]]
    if everyone == 0:
        away[:] = 0
        return 0
    links = 0
    apex = order[0]
    for k in range(1, parent.size):
        v = order[k]
        away[v] = 0
        if under[v] == everyone:
            apex = v
        elif under[v] > 0:
            links += 1
    distance = 0
    v = apex
    while v >= 0:
        away[v] = distance
        distance += 1
        v = parent[v]
    for k in range(1, parent.size):
        v = order[k]
        if under[v] == 0:
            away[v] = away[parent[v]] + 1
    return links


@jit
def count_tree(parent: Ints, order: Ints, members: Marks, publishers: Ints, counts: Ints) -> None:
    """Along one tree, the spanning tree (shen) or T_S; `order` lists every node after its parent."""
    under, away = np.empty_like(parent), np.empty_like(parent)
    for i in range(publishers.shape[0]):
        links = subtree(parent, order, members[i], under, away)
        for j in range(publishers.shape[1]):
            counts[i, j] = links + away[publishers[i, j]]
