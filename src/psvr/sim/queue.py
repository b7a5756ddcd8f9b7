"""The event queue: a heap of records, earliest first, ties broken by the serial number of the event.

Every event has four behind it instead of two: half as many steps to the bottom, and four lie side by side in memory.
"""

import numpy as np
from numpy.typing import NDArray

from psvr.jit import in_place

from .lines import zeros

EVENT = np.dtype([("time", "i8"), ("order", "i8"), ("kind", "i4"), ("node", "i4"), ("ref", "i8")])
COUNTER = np.dtype([("queued", "i8"), ("order", "i8")])

Heap = NDArray[np.void]
Counter = NDArray[np.void]


@in_place
def before(a, b):  # type: ignore[no-untyped-def]
    return a.time < b.time or (a.time == b.time and a.order < b.order)


@in_place
def push(heap: Heap, counter: Counter, time: int, kind: int, node: int, ref: int) -> None:
    """Schedule an event.  The caller sees to it that there is room."""
    c = counter[0]
    i = c.queued
    c.queued += 1
    c.order += 1
    while i > 0 and time < heap[(i - 1) >> 2].time:
        heap[i] = heap[(i - 1) >> 2]
        i = (i - 1) >> 2
    e = heap[i]
    e.time, e.order, e.kind, e.node, e.ref = time, c.order, kind, node, ref


@in_place
def earlier(heap: Heap, i: int, j: int) -> int:
    """Which of two places has the earlier event.  Ties are rare: the branch costs less than what it saves."""
    a, b = heap[i], heap[j]
    if a.time == b.time:
        return i if a.order < b.order else j
    return i if a.time < b.time else j


@in_place
def pop(heap: Heap, counter: Counter) -> tuple[int, int, int, int]:
    """Take the earliest event off: (time, kind, node, ref).

    The gap it leaves sinks to the bottom along the earlier children, and the last event rises from there.  It came from
    the bottom and hardly ever rises far: a third faster than to ask on each step down whether it belongs there.
    """
    c, first = counter[0], heap[0]
    time, kind, node, ref = first.time, first.kind, first.node, first.ref
    c.queued -= 1
    n = c.queued
    i, child = 0, 1
    while child + 3 < n:
        child = earlier(heap, earlier(heap, child, child + 1), earlier(heap, child + 2, child + 3))
        heap[i] = heap[child]
        i, child = child, 4 * child + 1
    if child < n:
        for other in range(child + 1, n):
            child = earlier(heap, child, other)
        heap[i] = heap[child]
        i = child
    last = heap[n]
    while i > 0 and before(last, heap[(i - 1) >> 2]):
        heap[i] = heap[(i - 1) >> 2]
        i = (i - 1) >> 2
    heap[i] = last
    return time, kind, node, ref


def new_heap(capacity: int) -> Heap:
    """The four behind an event fill two lines of the cache, where they would else lie in three."""
    return zeros(capacity, EVENT, -EVENT.itemsize)


def larger(heap: Heap) -> Heap:
    """Twice as long, with the same events."""
    found = new_heap(2 * len(heap))
    found[:len(heap)] = heap
    return found


def new_queue(capacity: int) -> tuple[Heap, Counter]:
    return new_heap(capacity), np.zeros(1, COUNTER)
