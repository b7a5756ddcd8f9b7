"""What happens to a host: somebody publishes, a frame is heard, acknowledged or lost, a time is due, it stops."""

from .. import constants as k
from .. import node
from ..form import rule
from ..numbers import clip, due, elapsed
from ..positions import NONE
from ..pubsub import publication
from ..records import Held, Hello, Node, Pub, Sub
from ..table import wants
from . import handed, taken
from .body import (
    DROPPED,
    FORGOTTEN,
    HEARD,
    NO_SLOTS,
    REFUSED,
    TAKEN,
    Body,
    emit,
    has_room,
    is_early,
    phase,
    scan_all_now,
    scan_by,
)
from .forwarding import carry_out, forget, go, hand_over, hold_stuck, keep_whole, send_held
from .holding import BEGUN, ENDED, FREE, IN_FLIGHT, KEPT, RETRYING, STUCK, WAITING, end, free, hold, take
from .scanning import scan
from .slots import keep_room


@rule
def publish(b: Body, now: int, channel: int, load: int, handle: int) -> int:
    """An application publishes: hand it to applications on this node at once, then send it or let it wait for a ring.

    Return its number.  If there is no room for it, an effect says so.
    """
    slot = begin(b, now, channel, load, handle)
    if slot != NONE:
        go(b, now, slot)
    return b.host.number


@rule
def begin(b: Body, now: int, channel: int, load: int, handle: int) -> int:
    """The first half of `publish`, for drivers that let applications wait before the second; return a slot or NONE."""
    b.host.number = b.host.number + 1 if 0 <= b.host.number < k.SEQ_LIMIT else 1
    keep_room(b, now)
    slot = take(b.host, b.held)
    if slot == NONE:
        emit(b, DROPPED, HEARD, k.NOT_HELD)
        return NONE
    h = b.held[slot]
    h.handle, h.made, h.since = handle, now, now
    publication.start(b.me, channel, b.host.boot, b.host.number, load, h.pub)
    hold(b.host, h, BEGUN)
    if wants(b.me, channel):
        h.here = 1
        hand_over(b, now, h.pub, now, slot)
    return slot


@rule
def hear_hello(b: Body, now: int, hello: Hello) -> bool:
    """Hear a HELLO; return False if it says nothing new: then nothing is due earlier than before."""
    new = node.hear_hello(b.me, now, hello)
    if new:
        note_changes(b, now)
    return new


@rule
def hear_sub(b: Body, now: int, sub: Sub, out: Sub) -> int:
    """Hear a SUB and return a reason; if `out.channels` is not 0 afterwards, `out` is for the other tree neighbours."""
    reason = node.hear_sub(b.me, now, sub, out)
    note_table_change(b, now)
    return reason


@rule
def note_table_change(b: Body, now: int) -> None:
    """The table may have changed: scan what waits for that, but only once for many SUBs that arrive together."""
    if b.host.hopes != 0:
        scan_by(b.host, now + k.LEARNT_PAUSE)


@rule
def hear_pub(b: Body, now: int, pub: Pub, handle: int) -> int:
    """Hear a PUB.  If TAKEN, this host is responsible for it from now on; if REFUSED or NO_SLOTS, it may come again."""
    me, out, remembers, place = b.me, b.outcome, remembers_taken(b.me), taken.place(b.host, pub)
    if remembers and taken.was_taken(place, now, pub):
        out.deliver = out.sends = out.stuck = 0
        out.reason = k.REPEATED
        return TAKEN
    if not keep_room(b, now):
        return have_no_slots(b, now, pub)
    node.hear_pub(me, now, pub, out)
    if out.reason == k.NOT_A_LINK:
        return REFUSED
    if remembers:
        taken.remember(place, now, pub)
        if pub.again > 0 and out.reason == k.FINE:
            leave_to_others(b, pub)
    made = now - clip(pub.age, 0, k.MAX_AGE) * k.MILLISECOND
    if out.reason != k.FINE and is_early(out.reason) and elapsed(now, made) < me.settings.custody:
        keep_whole(b, now, pub, made, handle, out.reason)
        return TAKEN
    if out.deliver == 1:
        hand_over(b, now, pub, made, HEARD)
    carry_out(b, now, pub, made, handle, HEARD)
    return TAKEN


@rule
def remembers_taken(me: Node) -> bool:
    """Return whether to remember PUBs: only a host that is responsible for what it takes may acknowledge it again."""
    return me.settings.custody > 0 and me.settings.system != k.FLOOD


@rule
def leave_to_others(b: Body, pub: Pub) -> None:
    """A publication was sent anew on this ring: parts of it that got stuck on another one need not start over."""
    for i in range(clip(b.host.top, 0, len(b.held))):
        h = b.held[i]
        if (
            h.state == STUCK
            and h.pub.number == pub.number
            and h.pub.origin == pub.origin
            and h.pub.boot == pub.boot
            and h.pub.again < pub.again
            and h.pub.ring != b.me.ring
            and has_room(b)
        ):
            end(b.host, h)
            emit(b, FORGOTTEN, i, k.FINE)


@rule
def have_no_slots(b: Body, now: int, pub: Pub) -> int:
    """Nothing can be sent on or kept.  What is flooded does not come again."""
    if b.me.settings.system == k.FLOOD:
        emit(b, DROPPED, HEARD, k.NOT_HELD)
    else:
        hand_over_heard(b, now, pub)
    return NO_SLOTS


@rule
def hand_over_heard(b: Body, now: int, pub: Pub) -> None:
    """A PUB cannot be taken yet: applications on this node need not wait for that."""
    if (
        wants(b.me, pub.channel)
        and publication.reason_to_stop(b.me, pub) == k.FINE
        and not handed.is_known(b.names, now, pub)
    ):
        hand_over(b, now, pub, now - clip(pub.age, 0, k.MAX_AGE) * k.MILLISECOND, HEARD)


@rule
def acknowledged(b: Body, now: int, slot: int) -> None:
    """A frame has been taken over by its receiver, so its slot is free at once."""
    if 0 <= slot < len(b.held) and b.held[slot].state == IN_FLIGHT:
        free(b.host, b.held, slot)


@rule
def failed(b: Body, now: int, slot: int) -> None:
    """All attempts to send a frame have failed: try another way, once; then the same after a pause; then custody."""
    if not 0 <= slot < len(b.held) or b.held[slot].state != IN_FLIGHT:
        return
    h, me = b.held[slot], b.me
    if publication.is_of_another_ring(me, h.pub) and me.settings.custody > 0:
        hold_stuck(b, now, slot, k.OTHER_RING)
    elif publication.is_of_another_ring(me, h.pub):
        end(b.host, h)
        emit(b, DROPPED, slot, k.OTHER_RING)
    elif me.settings.detour == 1 and h.detoured == 0 and take_detour(b, now, slot):
        h.detoured = 1
        send_held(b, now, slot)
    elif h.rounds < me.settings.rounds and h.to != k.NOBODY:
        h.state, h.rounds, h.due = RETRYING, h.rounds + 1, now + k.ROUND_PAUSE
        scan_by(b.host, h.due)
    elif me.settings.custody > 0 and h.to != k.NOBODY:
        hold_stuck(b, now, slot, k.LINK_FAILED)
    else:
        end(b.host, h)
        emit(b, DROPPED, slot, k.LINK_FAILED)


@rule
def take_detour(b: Body, now: int, slot: int) -> bool:
    """Redirect it to the second best of the neighbours that lead there; return whether there is one."""
    h = b.held[slot]
    publication.detour(b.me, now, h.pub, h.start, h.to, b.outcome)
    if b.outcome.sends == 0:
        return False
    publication.redirect(b.me, b.outcome.send[0], h.pub)
    h.to = b.outcome.send[0].to
    return True


@rule
def note_changes(b: Body, now: int) -> None:
    """After a HELLO, or when time has passed, scan what is held now if the ring or its phase has changed."""
    host, me = b.host, b.me
    if me.ring != host.ring:
        host.ring = me.ring
        for i in range(clip(host.top, 0, len(b.held))):
            if b.held[i].state == KEPT:
                lose_ring(b, now, b.held[i])
        scan_all_now(host, now)
    if phase(me) != host.phase:
        host.phase = phase(me)
        scan_all_now(host, now)
    if host.met != 1:
        host.met = 1 if me.root != me.id or me.size > 1 else 0


@rule
def lose_ring(b: Body, now: int, h: Held) -> None:
    """The ring on which it was sent is gone.  A later one may have the same name, which only says who is where."""
    if h.pub.ring != NONE:
        h.pub.ring, h.due = NONE, now


@rule
def scan_is_due(b: Body, now: int) -> bool:
    return due(now, b.host.look_at, k.MAX_HELD) and b.host.look_at != k.FOREVER


@rule
def next_due(b: Body, now: int) -> int:
    """Return when to call `wake` next."""
    when = node.next_due(b.me, now)
    return now if scan_is_due(b, now) else min(when, b.host.look_at)


@rule
def wake(b: Body, now: int, out: Hello) -> int:
    """Do what is due; return SAY_HELLO to broadcast `out`, SAY_SUB to ask `node.write_sub` for SUBs."""
    said = node.wake(b.me, now, out)
    if said & node.SAY_HELLO:
        handed.forget(b.names, now, b.me.number)
        if b.me.number % k.HELD_CHECK == 0:
            b.host.look_at = now
    note_changes(b, now)
    if scan_is_due(b, now):
        scan(b, now)
    return said


@rule
def stop(b: Body, now: int) -> bool:
    """The node stops: drop what it alone has.  Return True if there is more than effects have room for."""
    for slot in range(clip(b.host.top, 0, len(b.held))):
        h = b.held[slot]
        if h.state == FREE or h.state == ENDED:
            continue
        if not has_room(b):
            return True
        if h.state == KEPT:
            forget(b, slot, False)
        else:
            reason = k.NO_RING if h.state == BEGUN or h.state == WAITING else k.LINK_FAILED
            end(b.host, h)
            emit(b, DROPPED, slot, reason)
    return False
