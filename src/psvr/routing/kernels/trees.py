"""Breadth-first trees of publishers: the messages along one, and how many of their links each publication needs.

In small or dense networks a search looks at 64 possible neighbours at a time: with a row of bits per node, one word
says which neighbours are new.  In large sparse networks such rows would be longer than lists of neighbours.
"""

import numpy as np

from psvr.graphs.csr import Ints, Longs, Marks, search
from psvr.jit import jit

WORD = 64
ROOM = 1 << 24  # entries, of four bytes, of the trees that are kept
BRUIJN = 0x03F79D71B4CB0A89  # multiplied by a single bit, its top six bits differ for each of the 64
PLACE = np.zeros(WORD, dtype=np.int64)
for bit in range(WORD):
    PLACE[BRUIJN << bit >> 58 & 63] = bit


@jit
def bit_rows(start: Longs, near: Ints) -> Longs:
    """A row of bits per node: bit w % 64 of rows[v, w // 64] says whether v and w are neighbours."""
    n = start.size - 1
    rows = np.zeros((n, (n + WORD - 1) // WORD), dtype=np.int64)
    for v in range(n):
        for k in range(start[v], start[v + 1]):
            rows[v, near[k] >> 6] |= 1 << (near[k] & 63)
    return rows


@jit
def bit_search(rows: Longs, root: int, todo: Longs, parent: Ints, order: Ints) -> int:
    """Like `search`, for a connected network given by bit rows; `todo` has room for one row."""
    n, words = rows.shape
    todo[:] = -1
    todo[root >> 6] ^= 1 << (root & 63)
    parent[root] = -1
    order[0] = root
    found, done = 1, 0
    while found < n:
        v = order[done]
        done += 1
        for j in range(words):
            new = rows[v, j] & todo[j]
            todo[j] ^= new
            while new != 0:
                low = new & -new
                new ^= low
                w = 64 * j + PLACE[(low * BRUIJN >> 58) & 63]
                parent[w] = v
                order[found] = w
                found += 1
    return found


@jit
def climb(root: int, parent: Ints, targets: Ints, target_count: int, seen: Longs, stamp: int) -> int:
    """The number of links on the paths from the root to the first targets; stamps the nodes that it counts."""
    count = 0
    seen[root] = stamp
    for k in range(target_count):
        v = targets[k]
        while seen[v] != stamp:
            seen[v] = stamp
            count += 1
            v = parent[v]
    return count


@jit
def listed(wanted: Marks, targets: Ints) -> int:
    """Write the marked nodes to targets; returns how many there are."""
    target_count = 0
    for v in range(wanted.size):
        if wanted[v]:
            targets[target_count] = v
            target_count += 1
    return target_count


@jit
def count_td(start: Longs, near: Ints, members: Marks, publishers: Ints, counts: Ints) -> None:
    """T_D in a connected network, see `batch`.  As many trees as fit are kept for the next set."""
    n = start.size - 1
    room = max(1, min(n, ROOM // n))
    parents = np.empty((room, n), dtype=np.int32)
    root_of = np.full(room, -1, dtype=np.int32)
    dense = n * n <= WORD * near.size
    rows = bit_rows(start, near) if dense else np.empty((0, 0), dtype=np.int64)
    todo = np.empty(rows.shape[1], dtype=np.int64)
    targets = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    seen = np.full(n, -1, dtype=np.int64)
    for i in range(publishers.shape[0]):
        target_count = listed(members[i], targets)
        for j in range(publishers.shape[1]):
            root = publishers[i, j]
            k = root % room
            if root_of[k] != root:
                root_of[k] = root
                if dense:
                    bit_search(rows, root, todo, parents[k], order)
                else:
                    search(start, near, root, parents[k], order)
            counts[i, j] = climb(root, parents[k], targets, target_count, seen, i * publishers.shape[1] + j)


@jit
def needed(publisher: int, parent: Ints, subscribers: Ints) -> Marks:
    """1 for every node on the path from the publisher to a subscriber, except the publisher itself."""
    keep = np.zeros(parent.size, dtype=np.uint8)
    for k in range(subscribers.size):
        v = subscribers[k]
        while v != publisher and keep[v] == 0:
            keep[v] = 1
            v = parent[v]
    return keep


@jit
def pruned(start: Longs, near: Ints, publisher: int, subscribers: Ints) -> tuple[Ints, Ints]:
    """The senders and receivers of all messages, in the order in which they are sent."""
    n = start.size - 1
    parent = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    found = search(start, near, publisher, parent, order)
    keep = needed(publisher, parent, subscribers)
    receiver = order[:found][keep[order[:found]] == 1]
    return parent[receiver], receiver
