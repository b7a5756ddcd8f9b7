"""What a host scans when time has passed or something has changed: what waits, what it keeps, what is stuck."""

from .. import constants as k
from .. import node
from ..form import rule
from ..numbers import clip, elapsed, spread
from ..positions import NONE
from ..pubsub import publication
from ..ring import has_ring
from .body import AGAIN, DROPPED, FORGOTTEN, Body, emit, has_room, has_slots, is_early, scan_by, weigh
from .forwarding import carry_out, forget, hand_over, hold_stuck, send_held, send_out
from .holding import FREE, KEPT, RETRYING, STUCK, WAITING, age, end, free, is_in_range, recount
from .repeating import should_repeat


@rule
def scan(b: Body, now: int) -> None:
    """Scan what is held; if that is a lot, only a part of it, and the rest a little later."""
    host, last = b.host, clip(b.host.top, 0, len(b.held))
    if not 0 < host.seen < last:
        host.seen, host.hopes, host.later = 0, 0, k.FOREVER
    end = min(last, host.seen + k.SCAN_SLOTS)
    while host.seen < last:
        if host.seen == end or not has_room(b):
            host.look_at = now + k.SCAN_PAUSE
            return
        host.seen += 1
        scan_slot(b, now, host.seen - 1)
    host.seen, host.look_at = 0, host.later
    host.weight = weigh(b)
    host.top = clip(host.top, 0, len(b.held))
    while host.top > 0 and b.held[host.top - 1].state == FREE:
        host.top -= 1
    recount(host, b.held)


@rule
def scan_slot(b: Body, now: int, slot: int) -> None:
    h = b.held[slot]
    if not is_in_range(b.me, now, h):
        free(b.host, b.held, slot)
    elif h.state == WAITING:
        scan_waiting(b, now, slot)
    elif h.state == KEPT:
        scan_kept(b, now, slot)
    elif h.state == RETRYING:
        if now >= h.due:
            send_held(b, now, slot)
        else:
            scan_by(b.host, h.due)
    elif h.state == STUCK:
        scan_stuck(b, now, slot)


@rule
def scan_waiting(b: Body, now: int, slot: int) -> None:
    """Send it if there is a ring now, or it is too late to wait."""
    left = b.me.settings.wait - age(b.held[slot], now)
    if left <= 0 or (not publication.should_wait(b.me) and has_slots(b)):
        send_out(b, now, slot)
    else:
        scan_by(b.host, now + (left if publication.should_wait(b.me) else k.SCAN_PAUSE))


@rule
def scan_kept(b: Body, now: int, slot: int) -> None:
    """Send it again if it may have been lost with a ring, or not have reached everybody, until it is too old."""
    h = b.held[slot]
    left = b.me.settings.repeat - age(h, now)
    if left <= 0:
        forget(b, slot, False)
    elif should_repeat(b, h):
        if has_slots(b):
            send_out(b, now, slot)
        else:
            scan_by(b.host, now + k.SCAN_PAUSE)
    else:
        b.host.hopes = 1 if h.doubted == 1 else b.host.hopes
        scan_by(b.host, now + max(left, k.KEPT_PAUSE))


@rule
def scan_stuck(b: Body, now: int, slot: int) -> None:
    """Send it if there is a way now."""
    h = b.held[slot]
    unknown, moved = h.reason == k.NO_SUBSCRIBER, publication.is_of_another_ring(b.me, h.pub)
    if age(h, now) >= b.me.settings.custody and not (moved and may_start_over(b, h.pub.channel)):
        end(b.host, h)
        emit(b, FORGOTTEN if unknown else DROPPED, slot, k.FINE if unknown else h.reason)
    elif h.start == NONE and h.to == k.NOBODY:
        hear_again(b, now, slot)
    elif moved:
        start_over(b, now, slot)
    elif try_again(b, now, slot):
        send_held(b, now, slot)
    elif publication.uses_ring(b.me) and b.outcome.reason == k.FINE:
        hold_stuck(b, now, slot, k.NO_SUBSCRIBER)  # its subscriber has left, or was forgotten
    else:
        hold_stuck(b, now, slot, h.reason)


@rule
def start_over(b: Body, now: int, slot: int) -> None:
    """Its ring is gone, and with it the part for which I am responsible: serve all of the new one.

    Others may be responsible for other parts of it, so they should start one by one: the first may serve for all.
    """
    h, me = b.held[slot], b.me
    early = publication.is_filling(me) or spread(me.id, now, slot, 1, k.START_OVER) > 1
    if not may_start_over(b, h.pub.channel) or (early and age(h, now) < me.settings.custody):
        hold_stuck(b, now, slot, h.reason)
        return
    publication.start_over(me, h.pub)
    publication.handle(me, now, h.pub, b.outcome)
    emit(b, AGAIN, slot, k.FINE)
    if b.outcome.deliver == 1:
        hand_over(b, now, h.pub, h.made, slot)
    carry_out(b, now, h.pub, h.made, h.handle, slot)
    end(b.host, h)
    emit(b, FORGOTTEN, slot, k.FINE)


@rule
def may_start_over(b: Body, channel: int) -> bool:
    """Return whether it may start over, as a publication of mine may, and there are subscribers and room for it."""
    me = b.me
    return (
        has_ring(me)
        and not publication.should_wait(me)
        and not publication.knows_no_subscriber(me, channel)
        and has_slots(b)
    )


@rule
def try_again(b: Body, now: int, slot: int) -> bool:
    """Look for a way for a stuck PUB from the same position of mine; return whether there is one."""
    h = b.held[slot]
    publication.detour(b.me, now, h.pub, h.start, k.NOBODY, b.outcome)
    if b.outcome.sends > 0:
        publication.redirect(b.me, b.outcome.send[0], h.pub)
        h.to, h.detoured, h.rounds = b.outcome.send[0].to, 0, 0
        return True
    return h.to != k.NOBODY and publication.still_leads_there(b.me, h.to)


@rule
def hear_again(b: Body, now: int, slot: int) -> None:
    """Hear a PUB again that came too early."""
    h, out = b.held[slot], b.outcome
    if not has_slots(b):
        hold_stuck(b, now, slot, h.reason)
        return
    node.hear_pub(b.me, now, h.pub, out)
    if is_early(out.reason) or out.reason == k.NOT_A_LINK:
        if elapsed(now, h.since) > k.MAX_EARLY and h.pub.ring != b.me.ring:
            start_over(b, now, slot)
        else:
            hold_stuck(b, now, slot, h.reason)
        return
    if out.deliver == 1:
        hand_over(b, now, h.pub, h.made, slot)
    carry_out(b, now, h.pub, h.made, h.handle, slot)
    end(b.host, h)
    emit(b, FORGOTTEN, slot, k.FINE)
