"""What a host holds: a table of publications, each in a slot from when it comes into the host's hands until it leaves.

A slot says by itself what it is.  Free slots are chained, and those in use counted, so that a large table costs no more
than a small one.  Both are believed only so far: whether a slot is free is asked of itself, and every look at all that
is held makes chain and count anew.
"""

from collections.abc import Sequence

from . import constants as k
from .form import rule
from .numbers import clip, elapsed
from .positions import NONE
from .records import Held, Host, Node

FREE, BEGUN, WAITING, KEPT, STUCK, FLYING, RESTING, ENDED = range(8)
# BEGUN: mine, has a number, and is not let go yet.  WAITING: mine, for a ring.  KEPT: mine, sent, may be repeated.
# STUCK: a part of the ring that I am responsible for.  FLYING: a frame, until it is acknowledged.  RESTING: one that
# failed, until it is tried again.  ENDED: until the driver has seen it.


@rule
def clear(h: Held) -> None:
    h.state, h.handle, h.made, h.due, h.to, h.start = FREE, 0, 0, 0, k.NOBODY, NONE
    h.length = h.rounds = h.detoured = h.doubted = h.early = h.here = h.sent = h.reason = 0


@rule
def end(host: Host, h: Held) -> None:
    put_down(host, h)
    h.state = ENDED


@rule
def weighs(h: Held) -> bool:
    """Its payload is in hand for longer than a frame flies."""
    return BEGUN <= h.state <= STUCK


@rule
def lift(host: Host, h: Held, state: int) -> None:
    """From now on it is held in this state."""
    if not weighs(h):
        host.weight = clip(host.weight + h.pub.load, 0, k.FOREVER)
    h.state = state


@rule
def put_down(host: Host, h: Held) -> None:
    """From now on it is not: it flies, or has ended."""
    if weighs(h):
        host.weight = clip(host.weight - h.pub.load, 0, k.FOREVER)


@rule
def age(h: Held, now: int) -> int:
    """How long ago it was published, as far as is known here."""
    return elapsed(now, h.made)


@rule
def free(host: Host, held: Sequence[Held], slot: int) -> None:
    """The first that will be taken."""
    h = held[slot]
    put_down(host, h)
    clear(h)
    h.start, host.next = host.next, slot
    host.used = max(host.used - 1, 0)


@rule
def is_free(host: Host, held: Sequence[Held], slot: int) -> bool:
    """Above `top` nothing is held, whatever stands there; slots there are in no chain."""
    return 0 <= slot < host.top and slot < len(held) and held[slot].state == FREE


@rule
def take(host: Host, held: Sequence[Held]) -> int:
    """A free slot, or NONE."""
    if not is_free(host, held, host.next) and not find_free(host, held):
        return NONE
    slot = host.next
    host.next = held[slot].start
    held[slot].start = NONE
    host.used = clip(host.used + 1, 0, len(held))
    return slot


@rule
def find_free(host: Host, held: Sequence[Held]) -> bool:
    """Where the chain has ended: one more slot is in use from now on.  Where a fault has broken it, it is made anew."""
    host.top = clip(host.top, 0, len(held))
    if host.top < len(held):
        host.next = host.top
        clear(held[host.top])
        host.top += 1
        return True
    if host.used == host.top:
        return False
    recount(host, held)
    return host.next != NONE


@rule
def recount(host: Host, held: Sequence[Held]) -> None:
    """The chain of free slots, the lowest first, and how many are in use, whatever was believed."""
    host.top, host.next, host.used = clip(host.top, 0, len(held)), NONE, 0
    for i in range(host.top - 1, -1, -1):
        if held[i].state == FREE:
            held[i].start, host.next = host.next, i
        else:
            host.used += 1


@rule
def free_slots(host: Host, held: Sequence[Held]) -> int:
    """How many there are, as far as is known."""
    return len(held) - host.used


@rule
def oldest_kept(host: Host, held: Sequence[Held]) -> int:
    """Who has to make room: slots are given up in turn, so it has been kept for longer than most."""
    first = clip(host.turn, 0, len(held))
    for at in range(first, len(held)):
        if held[at].state == KEPT:
            return at
    for at in range(first):
        if held[at].state == KEPT:
            return at
    return NONE


@rule
def is_in_range(me: Node, now: int, h: Held) -> bool:
    """Nothing here that no rule would have written; a fault that is not seen passes with the age of what it wrote."""
    if h.state == FREE:
        return True
    if not BEGUN <= h.state <= RESTING or elapsed(now, h.made) > k.HELD_MOST:
        return False
    if h.pub.origin < 0 or h.pub.boot < 0 or h.pub.number < 0 or h.pub.load < 0 or h.pub.hops < 0:
        return False
    mine = h.state <= KEPT
    return (h.pub.origin == me.id if mine else h.due <= now + k.HELD_MOST) and h.to >= k.NOBODY and h.start >= NONE
