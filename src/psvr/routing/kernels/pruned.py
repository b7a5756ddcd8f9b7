"""Messages along breadth-first trees of the publisher, pruned to the branches that lead to a subscriber."""

import numpy as np

from psvr.graphs.csr import Ints, Longs, Marks, search
from psvr.jit import jit


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
