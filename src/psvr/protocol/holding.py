"""What a host holds: a table of publications, each in a slot from when it comes into the host's hands until it leaves.

There are no chains and no counts that a fault could break: a slot says by itself what it is.
"""

from collections.abc import Sequence

from . import constants as k
from .form import rule
from .numbers import clip, elapsed
from .positions import NONE
from .records import Held, Host, Node

FREE, WAITING, KEPT, FLYING, RESTING, STUCK, ENDED = range(7)
# WAITING: mine, for a ring.  KEPT: mine, sent, may have to be repeated.  FLYING: a frame, until it is acknowledged.
# RESTING: a frame that failed, until it is tried again.  STUCK: a part of the ring that I am responsible for.
# ENDED: until the driver has seen it.


@rule
def clear(h: Held) -> None:
    h.state, h.handle, h.made, h.due, h.to, h.at = FREE, 0, 0, 0, k.NOBODY, NONE
    h.rounds = h.detoured = h.doubted = h.reason = 0


@rule
def end(h: Held) -> None:
    h.state = ENDED


@rule
def age(h: Held, now: int) -> int:
    """How long ago it was published, as far as is known here."""
    return elapsed(now, h.made)


@rule
def take(host: Host, held: Sequence[Held]) -> int:
    """A free slot; if there is none near by, that of a publication that was sent without doubt and is merely kept.

    Slots are taken in turn, so what stands there has been kept for longer than most.
    """
    size = len(held)
    first = clip(host.next, 0, size - 1)
    for i in range(size):
        at = (first + i) % size
        if held[at].state == FREE or (i >= k.FREE_NEAR and held[at].state == KEPT and held[at].doubted == 0):
            clear(held[at])
            host.next = (at + 1) % size
            return at
    return NONE


@rule
def is_in_range(me: Node, now: int, h: Held) -> bool:
    """Nothing here that no rule would have written; a fault that is not seen passes with the age of what it wrote."""
    if h.state == FREE or h.state == FLYING or h.state == ENDED:
        return 0 <= h.state <= ENDED
    if not WAITING <= h.state <= STUCK or elapsed(now, h.made) > k.LOOK_MOST:
        return False
    if h.pub.origin < 0 or h.pub.boot < 0 or h.pub.number < 0 or h.pub.load < 0 or h.pub.hops < 0:
        return False
    mine = h.state == WAITING or h.state == KEPT
    return (h.pub.origin == me.id if mine else h.due <= now + k.LOOK_MOST) and h.to >= k.NOBODY and h.at >= NONE
