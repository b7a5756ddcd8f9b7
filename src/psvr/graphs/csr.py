"""A network as two arrays: the neighbours of v are near[start[v]:start[v + 1]], ascending.

Everything here is linear in nodes and links, so that a million nodes take seconds.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from psvr.jit import jit

Ints: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Marks: TypeAlias = npt.NDArray[np.uint8]

UNREACHED = -2  # the parent of a node that a search did not reach; the root has −1


@jit
def first_bad(n: int, edges: Longs) -> int:
    """The index of the first pair that links a node to itself or has a node outside 0 … n−1; −1 if there is none."""
    for i in range(edges.shape[0]):
        u, v = edges[i, 0], edges[i, 1]
        if u == v or u < 0 or v < 0 or u >= n or v >= n:
            return i
    return -1


@jit
def first_repeat(start: Longs, near: Ints) -> int:
    """The lowest node that has the same neighbour twice; −1 if there is none."""
    for v in range(start.size - 1):
        for k in range(start[v] + 1, start[v + 1]):
            if near[k] == near[k - 1]:
                return v
    return -1


@jit
def transposed(start: Longs, near: Ints) -> Ints:
    """The same links, written in the order of their source: this sorts every row without any comparison."""
    n = start.size - 1
    fill = start[:n].copy()
    rows = np.empty(near.size, dtype=np.int32)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            v = near[k]
            rows[fill[v]] = u
            fill[v] += 1
    return rows


@jit
def rows_of(n: int, edges: Longs) -> tuple[Longs, Ints]:
    """The arrays start and near of a network given by its links, which have been checked."""
    start = np.zeros(n + 1, dtype=np.int64)
    for i in range(edges.shape[0]):
        start[edges[i, 0] + 1] += 1
        start[edges[i, 1] + 1] += 1
    for v in range(n):
        start[v + 1] += start[v]
    fill = start[:n].copy()
    loose = np.empty(2 * edges.shape[0], dtype=np.int32)
    for i in range(edges.shape[0]):
        u, v = edges[i, 0], edges[i, 1]
        loose[fill[u]] = v
        loose[fill[v]] = u
        fill[u] += 1
        fill[v] += 1
    return start, transposed(start, loose)


@jit
def search(start: Longs, near: Ints, root: int, parent: Ints, order: Ints) -> int:
    """Breadth-first search; fills parent, and order with the nodes as they are found.  Returns their number."""
    parent[:] = UNREACHED
    parent[root] = -1
    order[0] = root
    found = 1
    done = 0
    while done < found:
        v = order[done]
        done += 1
        for k in range(start[v], start[v + 1]):
            w = near[k]
            if parent[w] == UNREACHED:
                parent[w] = v
                order[found] = w
                found += 1
    return found


@jit
def components(start: Longs, near: Ints) -> Ints:
    """For every node, the lowest node of its component."""
    n = start.size - 1
    label = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    for root in range(n):
        if label[root] >= 0:
            continue
        label[root] = root
        queue[0] = root
        found, done = 1, 0
        while done < found:
            v = queue[done]
            done += 1
            for k in range(start[v], start[v + 1]):
                w = near[k]
                if label[w] < 0:
                    label[w] = root
                    queue[found] = w
                    found += 1
    return label


@jit
def link_to(start: Longs, near: Ints, u: int, v: int) -> int:
    """The index in near of v among the neighbours of u, or −1."""
    low, high = start[u], start[u + 1]
    while low < high:
        middle = (low + high) // 2
        if near[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low if low < start[u + 1] and near[low] == v else -1


@jit
def linked(start: Longs, near: Ints, u: int, v: int) -> bool:
    """Whether u and v are neighbours."""
    return link_to(start, near, u, v) >= 0
