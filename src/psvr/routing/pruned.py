"""Messages along trees: breadth first from the publisher, cut down to the branches that lead to a subscriber."""

import numpy as np

from psvr.graphs.csr import Ints, Longs, Marks, search
from psvr.jit import jit


@jit
def needed(publisher: int, parent: Ints, subscribers: Ints) -> Marks:
    """1 for every node on the way from the publisher to a subscriber, the publisher excepted."""
    keep = np.zeros(parent.size, dtype=np.uint8)
    for k in range(subscribers.size):
        v = subscribers[k]
        while v != publisher and keep[v] == 0:
            keep[v] = 1
            v = parent[v]
    return keep


@jit
def pruned(start: Longs, near: Ints, publisher: int, subscribers: Ints) -> tuple[Ints, Ints]:
    """Sender and receiver of every message, in the order in which they are sent."""
    n = start.size - 1
    parent = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    found = search(start, near, publisher, parent, order)
    keep = needed(publisher, parent, subscribers)
    receiver = order[:found][keep[order[:found]] == 1]
    return parent[receiver], receiver
