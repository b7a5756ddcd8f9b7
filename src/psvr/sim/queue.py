"""The event queue: a binary heap of records, earliest first, ties broken by the serial number of the event."""

import numpy as np
from numpy.typing import NDArray

from psvr.jit import in_place

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
    while i > 0 and time < heap[(i - 1) >> 1].time:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    e = heap[i]
    e.time, e.order, e.kind, e.node, e.ref = time, c.order, kind, node, ref


@in_place
def earlier_child(heap: Heap, right: int) -> int:
    """The earlier of the children at right − 1 and right.  Ties are rare: the branch costs less than what it saves."""
    a, b = heap[right - 1], heap[right]
    if a.time == b.time:
        return right - (a.order < b.order)
    return right - (a.time < b.time)


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
    i, child = 0, 2
    while child < n:
        child = earlier_child(heap, child)
        heap[i] = heap[child]
        i, child = child, 2 * child + 2
    if child == n:
        heap[i] = heap[n - 1]
        i = n - 1
    last = heap[n]
    while i > 0 and before(last, heap[(i - 1) >> 1]):
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = last
    return time, kind, node, ref


def new_queue(capacity: int) -> tuple[Heap, Counter]:
    return np.zeros(capacity, EVENT), np.zeros(1, COUNTER)
