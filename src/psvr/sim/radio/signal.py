"""What is on the air: signals rise and fall at each receiver, and a frame survives them or not.

A receiver takes the first frame that is strong enough and stays with it.  Its chance is the product over stretches of
constant interference; everything else on the air interferes.  A node that sends hears nothing.
"""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import in_place

from .air import NOBODY, Air
from .errors import BITS_PER_US, NORMALS, log_bit_ok

LOCK = 0.5                              # −3 dB over noise and interference: below it a frame's start goes unnoticed
MILLIWATTS = math.log(10.0) / 10.0
LOW31 = (1 << 31) - 1


@in_place
def milliwatts(dbm: float) -> float:
    return math.exp(MILLIWATTS * dbm)


@in_place
def level(air: Air, e: int, now: int) -> float:
    """How strongly a way's receiver hears its sender now, in mW.

    Slow fading is an AR(1) process in dB, the same in both directions.  It moves on when a frame is sent, and is held
    for a fiftieth of its time constant.  Ways too weak ever to carry a frame do not fade.
    """
    if air.ways[e].fade >= 0:
        fade, s = air.fades[air.ways[e].fade], air.setting[0]
        if now - fade.when >= s.hold:
            a = math.exp((fade.when - now) / s.tau)
            fade.step += 1
            draw = air.normal[mix(fade.name, fade.step) & (NORMALS - 1)]
            fade.decibels = a * fade.decibels + math.sqrt(1.0 - a * a) * s.sigma * draw
            fade.when = now
    return strength(air, e)


@in_place
def strength(air: Air, e: int) -> float:
    """The same with the fading as it last was."""
    way = air.ways[e]
    if way.fade >= 0 and way.step != air.fades[way.fade].step:
        way.level, way.step = milliwatts(way.mean + air.fades[way.fade].decibels), air.fades[way.fade].step
    return way.level


@in_place
def reckon(air: Air, r: Any, now: int) -> None:
    """The interference at r changes now: account for the bits received since it last did."""
    if r.locked != NOBODY and now > r.since:
        ratio = r.signal / (r.noise + max(0.0, r.incident - r.signal))
        r.log_ok += (now - r.since) * BITS_PER_US * log_bit_ok(air.log_ok, ratio)
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
    for e in range(air.first[v], air.first[v + 1]):
        way, r = air.ways[e], air.radios[air.near[e]]
        reckon(air, r, now)
        way.power = level(air, e, now) if v >= s.nodes or cut[e] == 0 else 0.0
        free = r.locked == NOBODY and r.sending == 0 and r.on != 0 and v < s.nodes
        if free and way.power >= s.sensitivity and way.power >= LOCK * (r.noise + r.incident):
            r.locked, r.signal, r.log_ok, r.since, r.locked_at = v, way.power, 0.0, now, now
        r.incident += way.power
        r.in_air += 1


@in_place
def end(air: Air, e: int, v: int, now: int) -> bool:
    """What v sends ends at the receiver of its e-th way; whether that received it."""
    s, way, u = air.setting[0], air.ways[e], air.near[e]
    r = air.radios[u]
    reckon(air, r, now)
    r.in_air -= 1
    r.incident = r.incident - way.power if r.in_air > 0 else 0.0
    if r.locked != v:
        return False
    let_go(r, now)
    if air.radios[v].broken != 0:
        return False
    if r.log_ok == 0.0:         # nothing can have gone wrong, and nothing need be drawn
        return True
    return (mix(mix(s.key, s.serial), u) & LOW31) < math.exp(r.log_ok) * (1 << 31)
