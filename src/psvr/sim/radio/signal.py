"""What is on the air: signals rise and fall at each receiver, and a frame survives them or not.

A receiver takes the first frame that is strong enough and stays with it.  Its chance is the product over stretches of
constant interference; everything else on the air interferes.  A node that sends hears nothing.
"""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import in_place, inlined

from .air import NOBODY, Air
from .errors import BITS_PER_US, log_bit_ok
from .fading import fade_on, strength

LOCK = 0.5                              # −3 dB over noise and interference: below it a frame's start goes unnoticed
LOW31 = (1 << 31) - 1


@in_place
def reckon(log_ok: Any, r: Any, now: int) -> None:
    """The interference at r changes now: account for the bits received since it last did."""
    if r.locked != NOBODY and now > r.since:
        ratio = r.signal / (r.noise + max(0.0, r.incident - r.signal))
        r.log_ok += (now - r.since) * BITS_PER_US * log_bit_ok(log_ok, ratio)
        r.since = now


@in_place
def let_go(r: Any, now: int) -> None:
    """The receiver is free again."""
    if r.locked != NOBODY:
        r.locked = NOBODY
        r.received_us += now - r.locked_at


@in_place
def begin(air: Air, cut: Any, v: int, now: int) -> None:
    """v starts to send."""
    s, me = air.setting[0], air.radios[v]
    let_go(me, now)
    me.sending = 1
    fade_on(air, cut, v, now)
    least = s.sensitivity if v < s.nodes else math.inf      # nobody understands an interferer
    for e in range(air.first[v], air.first[v + 1]):
        r = air.radios[air.near[e]]
        reckon(air.log_ok, r, now)
        power = strength(air, e, now) if v >= s.nodes or cut[e] == 0 else 0.0
        if power >= least and is_free(r) and power >= LOCK * (r.noise + r.incident):
            r.locked, r.signal, r.log_ok, r.since, r.locked_at = v, power, 0.0, now, now
        rise(r, power)
        air.powers[e] = power


@in_place
def is_free(r: Any) -> bool:
    """The radio would notice a frame."""
    return r.locked == NOBODY and r.sending == 0 and r.on != 0


@in_place
def rise(r: Any, power: float) -> None:
    """A signal more reaches r."""
    r.incident += power
    r.in_air += 1


@in_place
def fall(r: Any, power: float) -> None:
    """A signal less; after the last of them nothing is left, not even what rounding makes of it."""
    left = r.incident - power
    r.in_air -= 1
    r.incident = left if r.in_air > 0 else 0.0


@inlined
def end(air: Air, e: int, v: int, now: int) -> bool:
    """What v sends ends at the receiver of its e-th way; whether that received it."""
    r = air.radios[air.near[e]]
    reckon(air.log_ok, r, now)
    fall(r, air.powers[e])
    if r.locked != v:
        return False
    let_go(r, now)
    return air.radios[v].broken == 0 and survives(air.setting[0], air.near[e], r.log_ok)


@inlined
def next_received(air: Air, e: int, v: int, now: int) -> int:
    """What v sends ends on its ways from the e-th on, up to the first on which it was received: that, or their end."""
    while e < air.first[v + 1] and not end(air, e, v, now):
        e += 1
    return e


@in_place
def survives(s: Any, u: int, log_ok: float) -> bool:
    """A frame that u received to its end has no wrong bit."""
    if log_ok == 0.0:           # nothing can have gone wrong, and nothing need be drawn
        return True
    return (mix(mix(s.key, s.serial), u) & LOW31) < math.exp(log_ok) * (1 << 31)
