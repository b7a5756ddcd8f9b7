"""Slow fading: how the strength with which nodes hear each other changes over time.

It is an AR(1) process in dB, the same in both directions of a pair.  It advances when a frame is sent, and is then held
for a fiftieth of its time constant, during which it need not be read.  Ways too weak ever to carry a frame do not fade.
"""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import jit_no_alloc

from .air import Air
from .errors import NORMALS

MILLIWATTS = math.log(10.0) / 10.0


@jit_no_alloc
def milliwatts(dbm: float) -> float:
    return math.exp(MILLIWATTS * dbm)


@jit_no_alloc
def fade_on(air: Air, cut: Any, v: int, now: int) -> None:
    """v starts to send: advance the fading on its ways, except those that are cut."""
    if due(air, v, now) > 0:
        for e in range(air.first[v], air.first[v + 1]):
            if v >= air.setting[0].nodes or cut[e] == 0:
                level(air, e, now)


@jit_no_alloc
def due(air: Air, v: int, now: int) -> int:
    """The number of v's ways whose fading is due to advance.

    Fades are scattered in memory.  Nothing here depends on their values, so the processor can fetch many at a time.
    """
    found, hold = 0, air.setting[0].hold
    for e in range(air.first[v], air.first[v + 1]):
        if now >= air.ways[e].until:
            found += now - air.fades[air.ways[e].fade].when >= hold
    return found


@jit_no_alloc
def level(air: Air, e: int, now: int) -> float:
    """The power in mW at which a way's receiver hears its sender now."""
    if now >= air.ways[e].until:
        move_on(air, air.fades[air.ways[e].fade], now)
    return strength(air, e, now)


@jit_no_alloc
def move_on(air: Air, fade: Any, now: int) -> None:
    """Advance the fading of a pair, unless that just happened when the other of the two sent."""
    s = air.setting[0]
    if now - fade.when >= s.hold:
        a = math.exp((fade.when - now) / s.tau)
        fade.step += 1
        draw = air.normal[mix(fade.name, fade.step) & (NORMALS - 1)]
        fade.decibels = a * fade.decibels + math.sqrt(1.0 - a * a) * s.sigma * draw
        fade.when = now


@jit_no_alloc
def strength(air: Air, e: int, now: int) -> float:
    """Like `level`, without advancing the fading."""
    way = air.ways[e]
    if now >= way.until:
        fade = air.fades[way.fade]
        way.level, way.until = milliwatts(way.mean + fade.decibels), fade.when + air.setting[0].hold
    return way.level
