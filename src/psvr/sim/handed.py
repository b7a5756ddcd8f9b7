"""What each host has handed to its application, so that nothing is handed over twice.

A name is looked for in few places, and known for `NAME_LIFE`.  While those places are full of names that are younger
than a repetition can be, no repetition is let through: better none than one that was here before.

Times that are still to come can only be the work of a fault; `forget` finds them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.compiled import constants as k
from psvr.compiled.numbers import mix
from psvr.jit import in_place

HANDED = np.dtype([("origin", "i8"), ("boot", "i4"), ("number", "i4"), ("until", "i8")])     # when it may be replaced
BUCKET = 8                  # places for names that fall together
ROOMY = 4                   # places, for each name that is needed: so that few buckets are full
LEAST, MOST = 64, 1 << 16   # places of a host
BYTES = 1 << 28             # of all hosts, at most; memory is taken only as it is used
TURNS = 8                   # with one turn of `forget` at each HELLO, all places are looked at in so many


def places(n: int, periods: NDArray[Any]) -> int:
    """How many each of n hosts has, for sources with these µs between two publications."""
    wanted = ROOMY * k.REPEAT_LIFE * float((1 / np.maximum(periods, 1)).sum())
    size = LEAST
    while size < min(wanted, MOST) and 2 * size * n * HANDED.itemsize <= BYTES:
        size *= 2
    return size


@in_place
def bucket(size: int, origin: int, boot: int, number: int) -> int:
    """The first of the places for a name, of so many that a host has."""
    return int(mix(mix(mix(0, origin), boot), number)) % (size // BUCKET) * BUCKET


@in_place
def is_new(handed: Any, v: int, now: int, pub: Any) -> bool:
    """The host of v has not handed it over; now it has."""
    mine = handed[v]
    first = bucket(len(mine), pub.origin, pub.boot, pub.number)
    place, least = first, k.REPEAT_LIFE + 1
    for i in range(first, first + BUCKET):
        h = mine[i]
        known = now + k.REPEAT_LIFE - k.NAME_LIFE <= h.until <= now + k.REPEAT_LIFE
        if known and h.origin == pub.origin and h.boot == pub.boot and h.number == pub.number:
            return False
        left = h.until - now if now < h.until <= now + k.REPEAT_LIFE else 0
        if left < least:
            place, least = i, left
    if pub.again != 0 and least > 0:
        return False
    h = mine[place]
    h.origin, h.boot, h.number, h.until = pub.origin, pub.boot, pub.number, now + k.REPEAT_LIFE
    return True


@in_place
def forget(handed: Any, v: int, now: int, turn: int) -> None:
    """Empty the places of a turn whose names would be known at some later time."""
    mine = handed[v]
    part = len(mine) // TURNS
    for i in range(turn % TURNS * part, (turn % TURNS + 1) * part):
        h = mine[i]
        if h.until > now + k.REPEAT_LIFE:
            h.origin, h.until = -1, 0


@in_place
def knows(handed: Any, v: int, pub: Any) -> bool:
    """The host of v remembers that it has handed it over."""
    mine = handed[v]
    first = bucket(len(mine), pub.origin, pub.boot, pub.number)
    for i in range(first, first + BUCKET):
        h = mine[i]
        if h.origin == pub.origin and h.boot == pub.boot and h.number == pub.number:
            return True
    return False
