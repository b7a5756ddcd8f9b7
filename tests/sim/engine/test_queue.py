"""The queue against the library's heap."""

import heapq

from hypothesis import given
from hypothesis import strategies as st

from psvr.sim.engine.queue import new_queue, pop, push


@given(st.lists(st.integers(0, 20) | st.none(), max_size=120))
def test_order_is_by_time_then_by_serial_number(steps: list[int | None]) -> None:
    heap, counter = new_queue(200)
    expected: list[tuple[int, int]] = []
    for serial, time in enumerate(steps):
        if time is not None:
            push(heap, counter, time, 3, serial, -serial)
            heapq.heappush(expected, (time, serial))
        elif expected:
            at, kind, node, ref = pop(heap, counter)
            assert (at, node) == heapq.heappop(expected) and kind == 3 and ref == -node
    assert counter["queued"][0] == len(expected)
