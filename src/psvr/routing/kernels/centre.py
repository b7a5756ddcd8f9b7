"""Eccentricities: of all nodes at once, or of just enough of them to know the centre."""

import numpy as np

from psvr.graphs.csr import Ints, Longs, search
from psvr.jit import jit

WORD = 64  # searches that run in parallel, one bit of a word each


@jit
def eccentricities(start: Longs, near: Ints) -> Ints:
    """The distance of every node of a connected network to the node farthest from it."""
    n = start.size - 1
    result = np.zeros(n, dtype=np.int32)
    seen, fresh, found = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for first in range(0, n, WORD):
        seen[:] = 0
        for v in range(first, min(first + WORD, n)):
            seen[v] = 1 << (v - first)
        fresh[:] = seen
        active, level = -1, 0
        while active != 0:
            active = spread_words(start, near, seen, fresh, found)
            fresh, found = found, fresh
            level += 1
            for v in range(first, min(first + WORD, n)):
                if active >> (v - first) & 1:
                    result[v] = level
    return result


@jit
def spread_words(start: Longs, near: Ints, seen: Longs, fresh: Longs, found: Longs) -> int:
    """Advance up to WORD searches by one level; returns the bits of those that found anything."""
    active = 0
    for v in range(start.size - 1):
        word = 0
        for k in range(start[v], start[v + 1]):
            word |= fresh[near[k]]
        found[v] = word & ~seen[v]
        active |= found[v]
        seen[v] |= word
    return active


@jit
def distances(start: Longs, near: Ints, root: int, distance: Ints, parent: Ints, order: Ints) -> int:
    """Fill the distances from the root; returns the largest."""
    found = search(start, near, root, parent, order)
    distance[root] = 0
    for k in range(1, found):
        distance[order[k]] = distance[parent[order[k]]] + 1
    return int(distance[order[found - 1]])


@jit
def narrowed_centre(start: Longs, near: Ints) -> int:
    """The least id of least eccentricity in a connected network, by bounds (Takes and Kosters).

    A search from r with eccentricity e shows that the eccentricity of every node at distance d is at least
    max(d, e − d).  Searches start alternately at the most promising node left and at the node farthest from the last
    one, whose distances raise the bounds of the others.
    """
    n = start.size - 1
    least = np.zeros(n, dtype=np.int32)
    distance, parent, order = np.empty_like(least), np.empty_like(least), np.empty_like(least)
    done = np.zeros(n, dtype=np.uint8)
    best, fewest = n, n
    root = 0
    while root >= 0:
        for turn in range(2):
            far = distances(start, near, root, distance, parent, order)
            done[root] = 1
            if (far, root) < (fewest, best):
                fewest, best = far, root
            for v in range(n):
                least[v] = max(least[v], distance[v], far - distance[v])
            if turn == 0:
                root = int(order[n - 1])
        root = -1
        for v in range(n):
            if done[v] == 0 and (least[v], v) < (fewest, best) and (root < 0 or least[v] < least[root]):
                root = v
    return best
