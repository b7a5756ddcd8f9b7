"""What a host holds: a table of publications, each in a slot from the time it arrives at the host until it leaves.

A slot says by itself what it is.  Free slots form a chain, and those in use are counted, so that a large table costs no
more than a small one.  Neither is trusted blindly: each slot says itself whether it is free, and every full scan
rebuilds chain and count.
"""

from collections.abc import Sequence

from .. import constants as k
from ..form import rule
from ..numbers import clip, elapsed
from ..positions import NONE
from ..records import Held, Host, Node

FREE, BEGUN, WAITING, KEPT, STUCK, IN_FLIGHT, RETRYING, ENDED = range(8)
# BEGUN: mine, numbered but not sent yet.  WAITING: mine, waiting for a ring.  KEPT: mine, sent, may be repeated.
# STUCK: a part of the ring that I am responsible for.  IN_FLIGHT: a frame that is not acknowledged yet.
# RETRYING: a frame that failed and will be tried again.  ENDED: done, once the driver has seen it.


@rule
def clear(h: Held) -> None:
    h.state, h.handle, h.made, h.due, h.to, h.start = FREE, 0, 0, 0, k.NOBODY, NONE
    h.length = h.rounds = h.detoured = h.doubted = h.early = h.here = h.sent = h.reason = 0


@rule
def end(host: Host, h: Held) -> None:
    """Nothing is left to do for it: its slot is freed when the driver has carried out the effects that name it."""
    release(host, h)
    h.state = ENDED


@rule
def weighs(h: Held) -> bool:
    """Return whether its payload is held for longer than a frame is in flight."""
    return BEGUN <= h.state <= STUCK


@rule
def hold(host: Host, h: Held, state: int) -> None:
    """Hold it in this state from now on, and count its bytes."""
    if not weighs(h):
        host.weight = clip(host.weight + h.pub.load, 0, k.FOREVER)
    h.state = state


@rule
def release(host: Host, h: Held) -> None:
    """Stop counting its bytes: it is in flight, or has ended."""
    if weighs(h):
        host.weight = clip(host.weight - h.pub.load, 0, k.FOREVER)


@rule
def age(h: Held, now: int) -> int:
    """Return how long ago it was published, as far as is known here."""
    return elapsed(now, h.made)


@rule
def free(host: Host, held: Sequence[Held], slot: int) -> None:
    """Free a slot; it will be the first to be taken."""
    h = held[slot]
    release(host, h)
    clear(h)
    h.start, host.next = host.next, slot
    host.used = max(host.used - 1, 0)


@rule
def is_free(host: Host, held: Sequence[Held], slot: int) -> bool:
    """Return whether a slot is free and may be in the chain; from `top` on, no slots are."""
    return 0 <= slot < host.top and slot < len(held) and held[slot].state == FREE


@rule
def take(host: Host, held: Sequence[Held]) -> int:
    """Take a free slot and return it, or NONE."""
    if not is_free(host, held, host.next) and not find_free(host, held):
        return NONE
    slot = host.next
    host.next = held[slot].start
    held[slot].start = NONE
    host.used = clip(host.used + 1, 0, len(held))
    return slot


@rule
def find_free(host: Host, held: Sequence[Held]) -> bool:
    """At the end of the chain, bring one more slot into use; rebuild a chain that a fault has broken."""
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
    """Rebuild the chain of free slots, lowest first, and the count of those in use, regardless of their state."""
    host.top, host.next, host.used = clip(host.top, 0, len(held)), NONE, 0
    for i in range(host.top - 1, -1, -1):
        if held[i].state == FREE:
            held[i].start, host.next = host.next, i
        else:
            host.used += 1


@rule
def free_slots(host: Host, held: Sequence[Held]) -> int:
    """Return how many free slots there are, as far as is known."""
    return len(held) - host.used


@rule
def oldest_kept(host: Host, held: Sequence[Held]) -> int:
    """Return which kept slot has to make room: they take turns, so it has been kept longer than most."""
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
    """Return whether rules can have written this; a fault that goes unnoticed ends with the age of what it wrote."""
    if h.state == FREE:
        return True
    if not BEGUN <= h.state <= RETRYING or elapsed(now, h.made) > k.MAX_HELD:
        return False
    if h.pub.origin < 0 or h.pub.boot < 0 or h.pub.number < 0 or h.pub.load < 0 or h.pub.hops < 0:
        return False
    mine = h.state <= KEPT
    return (h.pub.origin == me.id if mine else h.due <= now + k.MAX_HELD) and h.to >= k.NOBODY and h.start >= NONE
