"""What a host holds: a table of publications, each in a slot from when it comes into the host's hands until it leaves.

There are no chains and no counts that a fault could break: a slot says by itself what it is.
"""

from collections.abc import Sequence

from . import constants as k
from .form import rule
from .numbers import clip, elapsed
from .positions import NONE
from .records import Held, Host, Node

FREE, BEGUN, WAITING, KEPT, FLYING, RESTING, STUCK, ENDED = range(8)
# BEGUN: mine, has a number, and is not let go yet.  WAITING: mine, for a ring.  KEPT: mine, sent, may be repeated.
# FLYING: a frame, until it is acknowledged.  RESTING: one that failed, until it is tried again.  STUCK: a part of the
# ring that I am responsible for.  ENDED: until the driver has seen it.


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
    return h.state == BEGUN or h.state == WAITING or h.state == KEPT or h.state == STUCK


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
    clear(held[slot])
    host.next = min(host.next, slot)


@rule
def take(host: Host, held: Sequence[Held]) -> int:
    """The first free slot, or NONE.  Above `top` nothing is held, whatever stands there."""
    host.top = clip(host.top, 0, len(held))
    for i in range(clip(host.next, 0, host.top), host.top):
        if held[i].state == FREE:
            host.next = i + 1
            return i
    host.next = host.top
    if host.top == len(held):
        return NONE
    clear(held[host.top])
    host.top = host.next = host.top + 1
    return host.top - 1


@rule
def free_slots(host: Host, held: Sequence[Held], most: int) -> int:
    """How many there are, or `most`, if there are no fewer."""
    top = clip(host.top, 0, len(held))
    found = len(held) - top
    for i in range(clip(host.next, 0, top), top):
        if found >= most:
            return most
        if held[i].state == FREE:
            found += 1
    return min(found, most)


@rule
def oldest_kept(host: Host, held: Sequence[Held]) -> int:
    """Who has to make room: slots are given up in turn, so it has been kept for longer than most."""
    size = len(held)
    first = clip(host.turn, 0, size)
    for i in range(size):
        at = (first + i) % size
        if held[at].state == KEPT:
            return at
    return NONE


@rule
def is_in_range(me: Node, now: int, h: Held) -> bool:
    """Nothing here that no rule would have written; a fault that is not seen passes with the age of what it wrote."""
    if h.state == FREE:
        return True
    if not BEGUN <= h.state <= STUCK or elapsed(now, h.made) > k.HELD_MOST:
        return False
    if h.pub.origin < 0 or h.pub.boot < 0 or h.pub.number < 0 or h.pub.load < 0 or h.pub.hops < 0:
        return False
    mine = h.state <= KEPT
    return (h.pub.origin == me.id if mine else h.due <= now + k.HELD_MOST) and h.to >= k.NOBODY and h.start >= NONE
