"""The event queue: a binary heap of records, earliest first, ties broken by the serial number of the event."""

import numpy as np
from numpy.typing import NDArray

from psvr.jit import jit

EVENT = np.dtype([("time", "i8"), ("order", "i8"), ("kind", "i4"), ("node", "i4"), ("ref", "i8")])
COUNTER = np.dtype([("queued", "i8"), ("order", "i8")])

Heap = NDArray[np.void]
Counter = NDArray[np.void]


@jit
def before(a, b):  # type: ignore[no-untyped-def]
    return a.time < b.time or (a.time == b.time and a.order < b.order)


@jit
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


@jit
def pop(heap: Heap, counter: Counter) -> tuple[int, int, int, int]:
    """Take the earliest event off: (time, kind, node, ref)."""
    c, first = counter[0], heap[0]
    time, kind, node, ref = first.time, first.kind, first.node, first.ref
    c.queued -= 1
    n = c.queued
    last = heap[n]
    i, child = 0, 1
    while child < n:
        if child + 1 < n and before(heap[child + 1], heap[child]):
            child += 1
        if not before(heap[child], last):
            break
        heap[i] = heap[child]
        i, child = child, 2 * child + 1
    heap[i] = last
    return time, kind, node, ref


def new_queue(capacity: int) -> tuple[Heap, Counter]:
    return np.zeros(capacity, EVENT), np.zeros(1, COUNTER)
