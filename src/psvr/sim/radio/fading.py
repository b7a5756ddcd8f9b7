"""Slow fading: how strongly a way's receiver hears its sender, as time goes by.

It is an AR(1) process in dB, the same in both directions of a pair.  It moves on when a frame is sent, and is held for
a fiftieth of its time constant; so long a way need not look at it.  Ways too weak ever to carry a frame do not fade.
"""

import math
from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import in_place

from .air import Air
from .errors import NORMALS

MILLIWATTS = math.log(10.0) / 10.0


@in_place
def milliwatts(dbm: float) -> float:
    return math.exp(MILLIWATTS * dbm)


@in_place
def fade_on(air: Air, cut: Any, v: int, now: int) -> None:
    """v starts to send: what fades on its ways moves on, but for those that are cut."""
    if due(air, v, now) > 0:
        for e in range(air.first[v], air.first[v + 1]):
            if v >= air.setting[0].nodes or cut[e] == 0:
                level(air, e, now)


@in_place
def due(air: Air, v: int, now: int) -> int:
    """How many of v's ways are to fade on.

    Fades lie anywhere in memory.  Nothing here depends on what they say, so that the processor fetches many at a time.
    """
    found, hold = 0, air.setting[0].hold
    for e in range(air.first[v], air.first[v + 1]):
        if now >= air.ways[e].until:
            found += now - air.fades[air.ways[e].fade].when >= hold
    return found


@in_place
def level(air: Air, e: int, now: int) -> float:
    """How strongly a way's receiver hears its sender now, in mW."""
    if now >= air.ways[e].until:
        move_on(air, air.fades[air.ways[e].fade], now)
    return strength(air, e, now)


@in_place
def move_on(air: Air, fade: Any, now: int) -> None:
    """The fading of a pair moves on, unless it just did when the other of the two sent."""
    s = air.setting[0]
    if now - fade.when >= s.hold:
        a = math.exp((fade.when - now) / s.tau)
        fade.step += 1
        draw = air.normal[mix(fade.name, fade.step) & (NORMALS - 1)]
        fade.decibels = a * fade.decibels + math.sqrt(1.0 - a * a) * s.sigma * draw
        fade.when = now


@in_place
def strength(air: Air, e: int, now: int) -> float:
    """As `level`, with the fading as it last was."""
    way = air.ways[e]
    if now >= way.until:
        fade = air.fades[way.fade]
        way.level, way.until = milliwatts(way.mean + fade.decibels), fade.when + air.setting[0].hold
    return way.level
