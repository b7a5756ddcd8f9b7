"""Interference from others: sources that are on for a while, then off, and send nothing that a node can receive."""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import jit_no_alloc
from psvr.sim.engine.events import BURST, QUIET
from psvr.sim.engine.queue import push

from .air import Air
from .signal import LOW31, begin, next_received


@jit_no_alloc
def burst(air: Air, cut: Any, heap: Any, counter: Any, v: int, now: int) -> None:
    """Begin a burst."""
    begin(air, cut, v, now)
    push(heap, counter, now + air.bursts[v - air.setting[0].nodes].length, QUIET, v, 0)


@jit_no_alloc
def quiet(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """End a burst, and schedule the next one at a random time."""
    air.radios[v].sending = 0
    next_received(air, air.first[v], v, now)  # nobody did
    next_burst(air, heap, counter, v, now)


@jit_no_alloc
def next_burst(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Schedule the next burst after a random gap, unless it would begin too late."""
    b = air.bursts[v - air.setting[0].nodes]
    b.step += 1
    draw = ((mix(b.name, b.step) & LOW31) + 0.5) / (LOW31 + 1.0)
    begins = now + 1 + int(-math.log(draw) * b.gap)
    if begins < b.stop:
        push(heap, counter, begins, BURST, v, 0)
