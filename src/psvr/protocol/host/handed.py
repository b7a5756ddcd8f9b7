"""What a host has handed to its applications, so that nothing is handed over twice.

A name is looked up in a few places, and known for `NAME_LIFE`.  While those places are full of names that are younger
than a repetition can be, no repetition is let through: better none than one that was here before.
"""

from collections.abc import Sequence

from .. import constants as k
from ..form import rule
from ..numbers import clip, elapsed, fold
from ..records import Handed, Pub

BUCKET = 8  # places that names with the same hash share
TURNS, PART = 32, 16  # `forget` scans all places in at most this many turns, at least this many in each


@rule
def clear(h: Handed) -> None:
    h.origin, h.boot, h.number, h.at = k.NOBODY, 0, 0, 0


@rule
def bucket(size: int, origin: int, boot: int, number: int) -> int:
    """Return the first of the places for a name, given how many places a host has."""
    return (fold(origin, boot) + number) % (size // BUCKET) * BUCKET


@rule
def admit(names: Sequence[Handed], now: int, pub: Pub) -> int:
    """Record it and return FINE if it was not handed over yet; else return REPEATED, or CROWDED if it is unknown."""
    first = bucket(len(names), pub.origin, pub.boot, pub.number)
    if is_among(names, first, now, pub):
        return k.REPEATED
    place = oldest(names, first, now)
    h = names[place]
    if pub.again != 0 and h.origin >= 0 and elapsed(now, h.at) < k.REPEAT_LIFE:
        return k.CROWDED
    h.origin, h.boot, h.number, h.at = pub.origin, pub.boot, pub.number, now
    return k.FINE


@rule
def is_known(names: Sequence[Handed], now: int, pub: Pub) -> bool:
    """Return whether it has been handed over."""
    return is_among(names, bucket(len(names), pub.origin, pub.boot, pub.number), now, pub)


@rule
def is_among(names: Sequence[Handed], first: int, now: int, pub: Pub) -> bool:
    """Return whether its name is in a bucket."""
    number = pub.number
    for i in range(first, first + BUCKET):
        if names[i].number == number:
            h = names[i]
            if h.origin == pub.origin and h.boot == pub.boot and elapsed(now, h.at) <= k.NAME_LIFE:
                return True
    return False


@rule
def oldest(names: Sequence[Handed], first: int, now: int) -> int:
    """Return the first empty place in a bucket, or the one whose name has been there longest."""
    place, earliest = first, k.FOREVER
    for i in range(first, first + BUCKET):
        at = names[i].at
        if names[i].origin < 0 or at > now:
            return i
        if at < earliest:
            place, earliest = i, at
    return place


@rule
def turn_of(size: int, turn: int) -> tuple[int, int]:
    """Return the places that are scanned in a turn: the first, and the one after the last."""
    part = min(max(size // TURNS, PART), size)
    first = clip(turn, 0, k.FOREVER) % (size // part) * part
    return first, first + part


@rule
def forget(names: Sequence[Handed], now: int, turn: int) -> None:
    """Clear names in the places of a turn that have a time in the future.  Old ones do no harm."""
    first, last = turn_of(len(names), turn)
    for i in range(first, last):
        if names[i].at > now:
            clear(names[i])


@rule
def is_crowded(names: Sequence[Handed], now: int, pub: Pub) -> bool:
    """Return whether all places for its name are taken by names that are younger than a repetition can be."""
    first = bucket(len(names), pub.origin, pub.boot, pub.number)
    for i in range(first, first + BUCKET):
        if names[i].origin < 0 or elapsed(now, names[i].at) >= k.REPEAT_LIFE:
            return False
    return True


@rule
def restore(names: Sequence[Handed], origin: int, boot: int, number: int, at: int) -> None:
    """Put back a name that was known before the table grew."""
    first = bucket(len(names), origin, boot, number)
    place = first
    for i in range(first, first + BUCKET):
        if names[i].origin < 0 or names[i].at < names[place].at:
            place = i
    h = names[place]
    if h.origin < 0 or h.at < at:
        h.origin, h.boot, h.number, h.at = origin, boot, number, at
