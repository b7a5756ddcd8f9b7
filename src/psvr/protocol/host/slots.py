"""Room for what comes next: a host has many slots, but not an unlimited number."""

from .. import constants as k
from ..form import rule
from ..positions import NONE
from ..pubsub import publication
from .body import DROPPED, EVICTION_SHARE, Body, emit, has_room, has_slots, slots_needed
from .forwarding import forget, send_out
from .holding import end, free_slots, oldest_kept, recount
from .repeating import others_are_responsible, should_repeat, was_under_way


@rule
def keep_room(b: Body, now: int) -> bool:
    """If slots or bytes run short for what one publication may need, give up some that are merely kept.

    Return whether there are slots for all of its frames then.
    """
    found, needed = free_slots(b.host, b.held), slots_needed(b)
    if found >= needed and b.host.weight <= k.MAX_HELD_BYTES:
        return True
    if not 0 <= b.host.used <= b.host.top:  # no rule would have counted like this
        recount(b.host, b.held)
        found = free_slots(b.host, b.held)
    while found < needed and has_room(b) and make_room(b, now, found <= len(b.outcome.send)):
        found += 1
    while b.host.weight > k.MAX_HELD_BYTES and has_room(b) and make_room(b, now, True):
        pass
    make_more_room(b)
    return has_slots(b)


@rule
def make_room(b: Body, now: int, at_any_cost: bool) -> bool:
    """Give up a publication that is merely kept, after repeating it if necessary; return False if there is none.

    It is lost if its ring is gone, or tables were being filled when it was sent, and it has not been repeated since.
    """
    slot = oldest_kept(b.host, b.held)
    if slot == NONE:
        return False
    h, me = b.held[slot], b.me
    repeated = should_repeat(b, h)
    if repeated:
        send_out(b, now, slot)
    gone = h.pub.ring != me.ring or h.pub.ring == NONE
    gone = gone and (was_under_way(b, h) or not others_are_responsible(b, h))
    if (not gone and (h.doubted == 0 or not publication.is_filling(me))) or publication.is_alone(me):
        forget(b, slot, repeated)
    elif at_any_cost:
        end(b.host, h)
        emit(b, DROPPED, slot, k.NOT_KEPT)
    else:
        return False
    b.host.turn = slot + 1
    return True


@rule
def make_more_room(b: Body) -> None:
    """Among many slots, free several that need no repetition at a time, which costs less than one by one."""
    for _ in range(len(b.held) // EVICTION_SHARE):
        slot = oldest_kept(b.host, b.held)
        if slot == NONE:
            return
        ring = b.held[slot].pub.ring
        if ring == NONE or ring != b.me.ring or b.held[slot].doubted == 1:
            return
        forget(b, slot, False)
        b.host.turn = slot + 1
