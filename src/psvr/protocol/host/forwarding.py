"""Where a publication goes next: to neighbours, to applications, or into custody where it is stuck."""

from .. import constants as k
from ..form import rule
from ..numbers import clip, elapsed
from ..positions import NONE
from ..pubsub import publication
from ..records import Held, Node, Pub, Send
from ..ring import has_ring
from . import handed
from .body import AGAIN, DELIVER, DROPPED, FORGOTTEN, HEARD, KNOWN, SEND, Body, emit, has_few_slots, scan_by
from .holding import BEGUN, IN_FLIGHT, KEPT, STUCK, WAITING, age, end, free, hold, release, take


@rule
def go(b: Body, now: int, slot: int) -> None:
    """The second half of `publish`: send it, or let it wait for a ring."""
    if not 0 <= slot < len(b.held) or b.held[slot].state != BEGUN:
        return
    h = b.held[slot]
    h.state, h.made = WAITING, now
    if b.me.settings.wait > 0 and publication.should_wait(b.me):
        scan_by(b.host, now + b.me.settings.wait)
    else:
        send_out(b, now, slot)


@rule
def send_out(b: Body, now: int, slot: int) -> None:
    """Send a publication of mine, for the first time or again."""
    h, me = b.held[slot], b.me
    first = h.state == WAITING
    publication.set_out(me, h.pub)
    h.pub.again = 0 if first else clip(h.pub.again + 1, 1, k.MAX_AGAIN)
    h.since, h.length = now, me.length
    publication.handle(me, now, h.pub, b.outcome)
    h.sent = 1 if b.outcome.sends > 0 else 0
    h.doubted = 1 if is_doubtful(b, h.pub.channel) else 0
    h.early = 1 if h.doubted == 1 and publication.is_filling(me) else 0
    if not first and h.sent == 1:
        emit(b, AGAIN, slot, k.FINE)
    if publication.is_alone(me) and (b.host.met == 1 or h.here == 0):
        b.outcome.reason = k.ALONE
    carry_out(b, now, h.pub, h.made, h.handle, slot)
    left = me.settings.repeat - age(h, now)
    if left > 0 and publication.may_repeat(me):
        h.state = KEPT
        b.host.hopes = 1 if h.doubted == 1 else b.host.hopes
        scan_by(b.host, now + max(left, k.KEPT_PAUSE))
    else:
        end(b.host, h)
        emit(b, FORGOTTEN, slot, k.FINE)


@rule
def is_doubtful(b: Body, channel: int) -> bool:
    """Return whether what has just been routed may not reach everybody: tables are being filled, or name nobody."""
    me, out = b.me, b.outcome
    if me.settings.doubt == 0 or not publication.may_repeat(me):
        return False
    return publication.is_filling(me) or (out.sends + out.stuck == 0 and publication.knows_no_subscriber(me, channel))


@rule
def forget(b: Body, slot: int, is_named: bool) -> None:
    """Give up a kept publication, which is not sent again.  Its slot is free at once, unless effects name it."""
    h = b.held[slot]
    if is_lost(b.me, h):
        end(b.host, h)
        emit(b, DROPPED, slot, k.NOT_FILLED)
    elif is_named:
        end(b.host, h)
        emit(b, FORGOTTEN, slot, k.FINE)
    else:
        free(b.host, b.held, slot)


@rule
def is_lost(me: Node, h: Held) -> bool:
    """Return whether it is lost because it never left this node; on a settled ring without subscribers, it is not."""
    if h.early == 0 or h.sent == 1:
        return False
    settled = h.pub.ring == me.ring and has_ring(me) and not publication.is_filling(me)
    return not (settled and publication.in_doubt(me, h.pub.channel))


@rule
def carry_out(b: Body, now: int, pub: Pub, made: int, handle: int, slot: int) -> None:
    """Do what the outcome of a PUB says: send, and look after the parts that lead nowhere."""
    out = b.outcome
    for s in range(out.sends):
        send(b, now, pub, out.send[s], made, handle, slot)
    if out.reason == k.FINE or (out.reason == k.NO_SUBSCRIBER and not may_wait_for_subscriber(b)):
        return
    if b.me.settings.custody == 0:
        emit(b, DROPPED, slot, out.reason)
        return
    for s in range(out.stuck):
        keep_part(b, now, pub, out.left[s], made, handle, slot)
    if out.stuck == 0:
        emit(b, DROPPED, slot, out.reason)


@rule
def may_wait_for_subscriber(b: Body) -> bool:
    """Return whether to keep a PUB that was led here, where no subscriber is known: mostly, it is one that has left."""
    return b.me.settings.custody > 0 and not has_few_slots(b)


@rule
def send(b: Body, now: int, pub: Pub, send: Send, made: int, handle: int, source: int) -> None:
    """Send one frame of a publication, which has its own slot until it is acknowledged."""
    slot = slot_for_part(b, now, pub, send, made, handle, source)
    if slot != NONE:
        put_in_flight(b, now, slot)


@rule
def keep_part(b: Body, now: int, pub: Pub, part: Send, made: int, handle: int, source: int) -> None:
    """Keep a part of the ring to which no neighbour leads: it is mine until one does."""
    slot = slot_for_part(b, now, pub, part, made, handle, source)
    if slot != NONE:
        hold_stuck(b, now, slot, b.outcome.reason)


@rule
def slot_for_part(b: Body, now: int, pub: Pub, part: Send, made: int, handle: int, source: int) -> int:
    """Return a new slot with the PUB of one part in it, or NONE: if no slot is free, an effect says so."""
    slot = take(b.host, b.held)
    if slot == NONE:
        emit(b, DROPPED, source, k.NOT_HELD)
        return NONE
    h = b.held[slot]
    publication.carry(b.me, pub, part, h.pub)
    h.to, h.start, h.made, h.since, h.handle = part.to, part.at, made, now, handle
    return slot


@rule
def send_held(b: Body, now: int, slot: int) -> None:
    """Send what was held."""
    release(b.host, b.held[slot])
    put_in_flight(b, now, slot)


@rule
def put_in_flight(b: Body, now: int, slot: int) -> None:
    h = b.held[slot]
    h.state, h.pub.age = IN_FLIGHT, min(elapsed(now, h.made) // k.MILLISECOND, k.MAX_AGE)
    emit(b, SEND, slot, k.FINE)


@rule
def hold_stuck(b: Body, now: int, slot: int, reason: int) -> None:
    """Hold it as stuck until there is a way, or drop it if it is too old or there is too much of it."""
    h = b.held[slot]
    hold(b.host, h, STUCK)
    if age(h, now) >= b.me.settings.custody or b.host.weight > k.MAX_HELD_BYTES:
        end(b.host, h)
        emit(b, DROPPED, slot, reason)
        return
    h.reason, h.due, b.host.hopes = reason, now + k.STUCK_PAUSE, 1
    scan_by(b.host, h.due)


@rule
def keep_whole(b: Body, now: int, pub: Pub, made: int, handle: int, reason: int) -> None:
    """Keep a PUB that came before its ring: it is heard again when the ring is here."""
    slot = take(b.host, b.held)
    if slot == NONE:
        emit(b, DROPPED, HEARD, reason)
        return
    h = b.held[slot]
    publication.copy(pub, h.pub)
    h.to, h.start, h.made, h.since, h.handle = k.NOBODY, NONE, made, now, handle
    hold_stuck(b, now, slot, reason)


@rule
def hand_over(b: Body, now: int, pub: Pub, made: int, slot: int) -> None:
    """Hand it to applications, once; what was published before this start may have been handed over already."""
    verdict = handed.admit(b.names, now, pub) if b.me.settings.memory == 1 else k.FINE
    if made < b.host.born or verdict == k.REPEATED:
        emit(b, KNOWN, slot, k.FINE)
    elif verdict == k.CROWDED:
        emit(b, DROPPED, slot, k.CROWDED)
    else:
        emit(b, DELIVER, slot, k.FINE)
