"""Signals on the air: they add up at each receiver, and a frame survives them or not.

A receiver locks on to the first frame that is strong enough, and stays with it.  The chance of that frame is a product
over stretches of constant interference; everything else on the air interferes.  A node that sends hears nothing.
"""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import jit_inlined, jit_no_alloc

from .air import NOBODY, Air
from .errors import BITS_PER_US, log_bit_ok
from .fading import fade_on, strength

LOCK = 0.5  # −3 dB relative to noise and interference: the start of a weaker frame is not noticed
LOW31 = (1 << 31) - 1


@jit_no_alloc
def update_reception(log_ok: Any, r: Any, now: int) -> None:
    """Account for the bits that r has received since its interference last changed, which is changing now."""
    if r.locked != NOBODY and now > r.since:
        ratio = r.signal / (r.noise + max(0.0, r.incident - r.signal))
        r.log_ok += (now - r.since) * BITS_PER_US * log_bit_ok(log_ok, ratio)
        r.since = now


@jit_no_alloc
def release(r: Any, now: int) -> None:
    """Free the receiver."""
    if r.locked != NOBODY:
        r.locked = NOBODY
        r.received_us += now - r.locked_at


@jit_no_alloc
def begin(air: Air, cut: Any, v: int, now: int) -> None:
    """v starts to send."""
    s, me = air.setting[0], air.radios[v]
    release(me, now)
    me.sending = 1
    fade_on(air, cut, v, now)
    least = s.sensitivity if v < s.nodes else math.inf  # nobody understands an interferer
    for e in range(air.first[v], air.first[v + 1]):
        r = air.radios[air.near[e]]
        update_reception(air.log_ok, r, now)
        power = strength(air, e, now) if v >= s.nodes or cut[e] == 0 else 0.0
        if power >= least and is_free(r) and power >= LOCK * (r.noise + r.incident):
            r.locked, r.signal, r.log_ok, r.since, r.locked_at = v, power, 0.0, now, now
        rise(r, power)
        air.powers[e] = power


@jit_no_alloc
def is_free(r: Any) -> bool:
    """Whether the radio would notice a frame."""
    return r.locked == NOBODY and r.sending == 0 and r.on != 0


@jit_no_alloc
def rise(r: Any, power: float) -> None:
    """Add a signal at r."""
    r.incident += power
    r.in_air += 1


@jit_no_alloc
def fall(r: Any, power: float) -> None:
    """Remove a signal at r; after the last one nothing is left, not even a rounding error."""
    left = r.incident - power
    r.in_air -= 1
    r.incident = left if r.in_air > 0 else 0.0


@jit_inlined
def end(air: Air, e: int, v: int, now: int) -> bool:
    """End what v sends at the receiver of way e; returns whether that received it."""
    r = air.radios[air.near[e]]
    update_reception(air.log_ok, r, now)
    fall(r, air.powers[e])
    if r.locked != v:
        return False
    release(r, now)
    return air.radios[v].broken == 0 and survives(air.setting[0], air.near[e], r.log_ok)


@jit_inlined
def next_received(air: Air, e: int, v: int, now: int) -> int:
    """End what v sends on its ways from e on, up to the first that received it; returns that way, or the end of all."""
    while e < air.first[v + 1] and not end(air, e, v, now):
        e += 1
    return e


@jit_no_alloc
def survives(s: Any, u: int, log_ok: float) -> bool:
    """Whether a frame that u received to its end has no wrong bit."""
    if log_ok == 0.0:  # nothing can have gone wrong, so nothing is drawn
        return True
    return (mix(mix(s.key, s.serial), u) & LOW31) < math.exp(log_ok) * (1 << 31)
