"""Interference by others: sources that are on for a while, then off, and say nothing that a node understands."""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import in_place

from ..queue import push
from .access import BURST, QUIET
from .air import Air
from .signal import LOW31, begin, next_received


@in_place
def burst(air: Air, cut: Any, heap: Any, counter: Any, v: int, now: int) -> None:
    """A burst begins."""
    begin(air, cut, v, now)
    push(heap, counter, now + air.bursts[v - air.setting[0].nodes].length, QUIET, v, 0)


@in_place
def quiet(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """A burst is over; the next one comes at random."""
    air.radios[v].sending = 0
    next_received(air, air.first[v], v, now)        # nobody did
    next_burst(air, heap, counter, v, now)


@in_place
def next_burst(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    b = air.bursts[v - air.setting[0].nodes]
    b.step += 1
    draw = ((mix(b.name, b.step) & LOW31) + 0.5) / (LOW31 + 1.0)
    begins = now + 1 + int(-math.log(draw) * b.gap)
    if begins < b.stop:
        push(heap, counter, begins, BURST, v, 0)
