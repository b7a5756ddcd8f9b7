"""What a node does around the four layers: it waits for a ring, keeps, repeats, takes care of what is stuck.

A driver (a simulator, a process with a socket, a test) hands in what happens, with the time: an application publishes,
a frame is heard, a frame was acknowledged or its link failed, time is due.  It then does what stands in the effects,
in their order, and calls `drained`.  Payloads travel beside the records: a handle is whatever the driver likes.

Who has acknowledged a publication is responsible for its part of the ring.  Where it cannot go on, it keeps that part
and tries again when its links, ring or table have changed (custody).  Its origin repeats only what custody cannot know:
what may have been in the hands of a node that is gone, or went out in doubt.  Every such policy is a setting.
"""

from collections.abc import Sequence
from typing import NamedTuple

from . import constants as k
from . import handed, node, publication, taken
from .form import bundle, rule
from .holding import (
    BEGUN,
    ENDED,
    FLYING,
    FREE,
    KEPT,
    RESTING,
    STUCK,
    WAITING,
    age,
    end,
    free,
    free_slots,
    is_in_range,
    lift,
    oldest_kept,
    put_down,
    recount,
    take,
    weighs,
)
from .numbers import clip, due, elapsed, spread
from .positions import NONE
from .records import Effects, Handed, Held, Hello, Host, Node, Outcome, Pub, Send, Sub
from .ring import has_ring
from .table import wants

SEND, DELIVER, DROPPED, AGAIN, FORGOTTEN, KNOWN = range(1, 7)       # kinds of effects
PARTS = 64                                                  # of all slots, one is emptied in one go
HEARD = -1                                                  # in place of a slot: the publication just heard
TAKEN, REFUSED, NO_SLOTS = 0, 1, 2                          # what becomes of a PUB that is heard


@bundle
class Body(NamedTuple):
    """A node, its host, and their tables: what a driver hands to every rule here."""

    me: Node
    host: Host
    held: Sequence[Held]
    names: Sequence[Handed]
    out: Effects
    outcome: Outcome


@rule
def start(b: Body, now: int, boot: int) -> None:
    """A host that holds nothing, with tables of zeros; `node.start` does the same for the node."""
    host = b.host
    host.born, host.boot, host.number, b.out.count = now, boot, 0, 0
    host.top = host.used = host.turn = host.seen = host.hopes = host.met = host.weight = 0
    host.next, host.look_at, host.ring, host.phase = NONE, k.FOREVER, b.me.ring, phase(b.me)
    host.later = k.FOREVER
    taken.clear(host)
    for i in range(len(b.names)):
        handed.clear(b.names[i])


# --- effects


@rule
def put(b: Body, kind: int, slot: int, reason: int) -> None:
    """One more thing for the driver to do; rules stop before there is no room for what they may put."""
    if b.out.count < len(b.out.effect):
        e = b.out.effect[b.out.count]
        e.kind, e.slot, e.reason = kind, slot, reason
        b.out.count += 1


@rule
def has_room(b: Body) -> bool:
    """All that one publication may bring about can still be put."""
    return b.out.count + 2 * len(b.outcome.send) + 4 <= len(b.out.effect)


@rule
def has_slots(b: Body) -> bool:
    """There are some for all frames of one publication."""
    return free_slots(b.host, b.held) > len(b.outcome.send)


@rule
def drained(b: Body) -> None:
    """The driver has done what it was told: slots that have ended are free again."""
    for i in range(b.out.count):
        e = b.out.effect[i]
        if e.kind != SEND and 0 <= e.slot < len(b.held) and b.held[e.slot].state == ENDED:
            free(b.host, b.held, e.slot)
    b.out.count = 0


# --- publications of my own


@rule
def publish(b: Body, now: int, channel: int, load: int, handle: int) -> int:
    """An application publishes: handed to applications of this node at once, then sent, or it waits for a ring.

    Returns its number.  Where there is no room for it, that is an effect.
    """
    slot = begin(b, now, channel, load, handle)
    if slot != NONE:
        go(b, now, slot)
    return b.host.number


@rule
def begin(b: Body, now: int, channel: int, load: int, handle: int) -> int:
    """The first half of `publish`, for drivers that let applications wait before the second: its slot, or NONE."""
    b.host.number = b.host.number + 1 if 0 <= b.host.number < k.SEQ_LIMIT else 1
    keep_room(b, now)
    slot = take(b.host, b.held)
    if slot == NONE:
        put(b, DROPPED, HEARD, k.NOT_HELD)
        return NONE
    h = b.held[slot]
    h.handle, h.made, h.since = handle, now, now
    publication.start(b.me, channel, b.host.boot, b.host.number, load, h.pub)
    lift(b.host, h, BEGUN)
    if wants(b.me, channel):
        h.here = 1
        hand_over(b, now, h.pub, now, slot)
    return slot


@rule
def go(b: Body, now: int, slot: int) -> None:
    """The second half."""
    if not 0 <= slot < len(b.held) or b.held[slot].state != BEGUN:
        return
    h = b.held[slot]
    h.state, h.made = WAITING, now
    if b.me.settings.wait > 0 and publication.should_wait(b.me):
        look_soon(b.host, now + b.me.settings.wait)
    else:
        let_out(b, now, slot)


@rule
def let_out(b: Body, now: int, slot: int) -> None:
    """A publication of mine goes its way, the first time or once more."""
    h, me = b.held[slot], b.me
    first = h.state == WAITING
    publication.set_out(me, h.pub)
    h.pub.again = 0 if first else clip(h.pub.again + 1, 1, k.AGAIN_MOST)
    h.since, h.length = now, me.length
    publication.handle(me, now, h.pub, b.outcome)
    h.sent = 1 if b.outcome.sends > 0 else 0
    h.doubted = 1 if is_doubtful(b, h.pub.channel) else 0
    h.early = 1 if h.doubted == 1 and publication.is_filling(me) else 0
    if not first and h.sent == 1:
        put(b, AGAIN, slot, k.FINE)
    if publication.is_alone(me) and (b.host.met == 1 or h.here == 0):
        b.outcome.reason = k.ALONE
    go_on(b, now, h.pub, h.made, h.handle, slot)
    left = me.settings.repeat - age(h, now)
    if left > 0 and publication.may_repeat(me):
        h.state = KEPT
        b.host.hopes = 1 if h.doubted == 1 else b.host.hopes
        look_soon(b.host, now + max(left, k.KEPT_PAUSE))
    else:
        end(b.host, h)
        put(b, FORGOTTEN, slot, k.FINE)


@rule
def is_doubtful(b: Body, channel: int) -> bool:
    """What has just been routed may not reach all: tables are being filled, or nobody is known who wants it."""
    me, out = b.me, b.outcome
    if me.settings.doubt == 0 or not publication.may_repeat(me):
        return False
    return publication.is_filling(me) or (out.sends + out.stuck == 0 and publication.knows_nobody(me, channel))


@rule
def forget(b: Body, slot: int, is_named: bool) -> None:
    """It is not sent again.  Its slot is free at once, unless effects name it."""
    h = b.held[slot]
    if is_lost(b.me, h):
        end(b.host, h)
        put(b, DROPPED, slot, k.NOT_FILLED)
    elif is_named:
        end(b.host, h)
        put(b, FORGOTTEN, slot, k.FINE)
    else:
        free(b.host, b.held, slot)


@rule
def is_lost(me: Node, h: Held) -> bool:
    """It never left this node.  Where no subscriber is known on a settled ring, nothing is lost by that."""
    if h.early == 0 or h.sent == 1:
        return False
    settled = h.pub.ring == me.ring and has_ring(me) and not publication.is_filling(me)
    return not (settled and publication.in_doubt(me, h.pub.channel))


@rule
def go_on(b: Body, now: int, pub: Pub, made: int, handle: int, slot: int) -> None:
    """Do what the outcome of a PUB says: send, and take care of the parts that lead nowhere."""
    out = b.outcome
    for s in range(out.sends):
        send(b, now, pub, out.send[s], made, handle, slot)
    if out.reason == k.FINE or (out.reason == k.NO_SUBSCRIBER and not may_wait_for_subscriber(b)):
        return
    if b.me.settings.custody == 0:
        put(b, DROPPED, slot, out.reason)
        return
    for s in range(out.stuck):
        keep_part(b, now, pub, out.left[s], made, handle, slot)
    if out.stuck == 0:
        put(b, DROPPED, slot, out.reason)


@rule
def may_wait_for_subscriber(b: Body) -> bool:
    """A PUB led here, where no subscriber is known.  Mostly one has left; so it is kept only where there is room."""
    return b.me.settings.custody > 0 and not has_few_slots(b)


@rule
def send(b: Body, now: int, pub: Pub, send: Send, made: int, handle: int, source: int) -> None:
    """One frame of a publication, in a slot of its own until it is acknowledged."""
    slot = take(b.host, b.held)
    if slot == NONE:
        put(b, DROPPED, source, k.NOT_HELD)
        return
    h = b.held[slot]
    publication.carry(b.me, pub, send, h.pub)
    h.to, h.start, h.made, h.since, h.handle = send.to, send.at, made, now, handle
    take_off(b, now, slot)


@rule
def fly(b: Body, now: int, slot: int) -> None:
    """What was held goes its way."""
    put_down(b.host, b.held[slot])
    take_off(b, now, slot)


@rule
def take_off(b: Body, now: int, slot: int) -> None:
    h = b.held[slot]
    h.state, h.pub.age = FLYING, min(elapsed(now, h.made) // k.MILLISECOND, k.AGE_MOST)
    put(b, SEND, slot, k.FINE)


@rule
def keep_part(b: Body, now: int, pub: Pub, part: Send, made: int, handle: int, source: int) -> None:
    """A part of the ring that no neighbour leads to: mine until one does."""
    slot, reason = take(b.host, b.held), b.outcome.reason
    if slot == NONE:
        put(b, DROPPED, source, k.NOT_HELD)
        return
    h = b.held[slot]
    publication.carry(b.me, pub, part, h.pub)
    h.to, h.start, h.made, h.since, h.handle = k.NOBODY, part.at, made, now, handle
    be_stuck(b, now, slot, reason)


@rule
def be_stuck(b: Body, now: int, slot: int, reason: int) -> None:
    """It is mine until there is a way, it is too old, or there is too much of it."""
    h = b.held[slot]
    lift(b.host, h, STUCK)
    if age(h, now) >= b.me.settings.custody or b.host.weight > k.HELD_BYTES:
        end(b.host, h)
        put(b, DROPPED, slot, reason)
        return
    h.reason, h.due, b.host.hopes = reason, now + k.STUCK_PAUSE, 1
    look_soon(b.host, h.due)


# --- frames


@rule
def hear_hello(b: Body, now: int, hello: Hello) -> bool:
    """False if it says nothing new: then nothing is due earlier than before."""
    new = node.hear_hello(b.me, now, hello)
    if new:
        notice(b, now)
    return new


@rule
def hear_sub(b: Body, now: int, sub: Sub, out: Sub) -> int:
    """If `out.channels` is not 0, `out` goes on to the tree neighbours.  Returns a reason."""
    reason = node.hear_sub(b.me, now, sub, out)
    learnt(b, now)
    return reason


@rule
def learnt(b: Body, now: int) -> None:
    """The table may have changed: what waits for that is looked at, once for many SUBs that come together."""
    if b.host.hopes != 0:
        look_soon(b.host, now + k.LEARNT_PAUSE)


@rule
def is_early_sub(reason: int) -> bool:
    """Why a SUB was of no use: a moment later it may be, so it is not acknowledged."""
    return is_early(reason) or reason == k.NOT_A_LINK or reason == k.NOT_IN_TREE


@rule
def hear_pub(b: Body, now: int, pub: Pub, handle: int) -> int:
    """A PUB: TAKEN, and from now on this host is responsible for it; or REFUSED or NO_SLOTS, and it may come again."""
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
    made = now - clip(pub.age, 0, k.AGE_MOST) * k.MILLISECOND
    if out.reason != k.FINE and is_early(out.reason) and elapsed(now, made) < me.settings.custody:
        keep_whole(b, now, pub, made, handle, out.reason)
        return TAKEN
    if out.deliver == 1:
        hand_over(b, now, pub, made, HEARD)
    go_on(b, now, pub, made, handle, HEARD)
    return TAKEN


@rule
def remembers_taken(me: Node) -> bool:
    """Only who is responsible for what it takes may say that it sees to it already."""
    return me.settings.custody > 0 and me.settings.system != k.FLOOD


@rule
def leave_to_others(b: Body, pub: Pub) -> None:
    """A publication was sent anew on this ring: what of it was stuck on another one need not start over."""
    for i in range(clip(b.host.top, 0, len(b.held))):
        h = b.held[i]
        if (h.state == STUCK and h.pub.number == pub.number and h.pub.origin == pub.origin and h.pub.boot == pub.boot
                and h.pub.again < pub.again and h.pub.ring != b.me.ring and has_room(b)):
            end(b.host, h)
            put(b, FORGOTTEN, i, k.FINE)


@rule
def have_no_slots(b: Body, now: int, pub: Pub) -> int:
    """Nothing can be sent on, or kept.  What is flooded does not come again."""
    if b.me.settings.system == k.FLOOD:
        put(b, DROPPED, HEARD, k.NOT_HELD)
    else:
        hand_over_heard(b, now, pub)
    return NO_SLOTS


@rule
def hand_over_heard(b: Body, now: int, pub: Pub) -> None:
    """A PUB that cannot be taken yet: applications of this node need not wait for that."""
    if (wants(b.me, pub.channel) and publication.stopped(b.me, pub) == k.FINE
            and not handed.is_known(b.names, now, pub)):
        hand_over(b, now, pub, now - clip(pub.age, 0, k.AGE_MOST) * k.MILLISECOND, HEARD)


@rule
def is_early(reason: int) -> bool:
    """It may fit in a moment, when the ring is here on which it travels."""
    return reason == k.NO_RING or reason == k.OTHER_RING or reason == k.NOT_MY_POSITION


@rule
def keep_whole(b: Body, now: int, pub: Pub, made: int, handle: int, reason: int) -> None:
    """A PUB that came before its ring: it is heard again when that is here."""
    slot = take(b.host, b.held)
    if slot == NONE:
        put(b, DROPPED, HEARD, reason)
        return
    h = b.held[slot]
    publication.copy(pub, h.pub)
    h.to, h.start, h.made, h.since, h.handle = k.NOBODY, NONE, made, now, handle
    be_stuck(b, now, slot, reason)


@rule
def acknowledged(b: Body, now: int, slot: int) -> None:
    """A frame has been taken over: it is another's task now, and its slot is free at once."""
    if 0 <= slot < len(b.held) and b.held[slot].state == FLYING:
        free(b.host, b.held, slot)


@rule
def failed(b: Body, now: int, slot: int) -> None:
    """All tries of a frame have failed: another way, once; the same again after a pause; then custody."""
    if not 0 <= slot < len(b.held) or b.held[slot].state != FLYING:
        return
    h, me = b.held[slot], b.me
    if publication.is_of_another_ring(me, h.pub) and me.settings.custody > 0:
        be_stuck(b, now, slot, k.OTHER_RING)
    elif publication.is_of_another_ring(me, h.pub):
        end(b.host, h)
        put(b, DROPPED, slot, k.OTHER_RING)
    elif me.settings.detour == 1 and h.detoured == 0 and take_detour(b, now, slot):
        h.detoured = 1
        fly(b, now, slot)
    elif h.rounds < me.settings.rounds and h.to != k.NOBODY:
        h.state, h.rounds, h.due = RESTING, h.rounds + 1, now + k.ROUND_PAUSE
        look_soon(b.host, h.due)
    elif me.settings.custody > 0 and h.to != k.NOBODY:
        be_stuck(b, now, slot, k.LINK_FAILED)
    else:
        end(b.host, h)
        put(b, DROPPED, slot, k.LINK_FAILED)


@rule
def take_detour(b: Body, now: int, slot: int) -> bool:
    """Send it to the second best of the neighbours that lead there, if there is one."""
    h = b.held[slot]
    publication.detour(b.me, now, h.pub, h.start, h.to, b.outcome)
    if b.outcome.sends == 0:
        return False
    publication.redirect(b.me, b.outcome.send[0], h.pub)
    h.to = b.outcome.send[0].to
    return True


# --- time


@rule
def look_soon(host: Host, at: int) -> None:
    """No later than then; in the midst of a look, once that is over."""
    if host.seen > 0:
        host.later = min(host.later, at)
    elif at < host.look_at:
        host.look_at = at


@rule
def look_at_all(host: Host, now: int) -> None:
    """All that is held may go on now, also what a look has passed already."""
    host.look_at, host.seen = now, 0


@rule
def phase(me: Node) -> int:
    """How far a new ring is: what waits or is kept may go on when this changes."""
    return (1 if publication.should_wait(me) else 0) + (2 if publication.is_filling(me) else 0)


@rule
def notice(b: Body, now: int) -> None:
    """After a HELLO, a SUB or the passing of time: does anything that is held have to be looked at now?"""
    host, me = b.host, b.me
    if me.ring != host.ring:
        host.ring = me.ring
        for i in range(clip(host.top, 0, len(b.held))):
            if b.held[i].state == KEPT:
                lose_ring(b, now, b.held[i])
        look_at_all(host, now)
    if phase(me) != host.phase:
        host.phase = phase(me)
        look_at_all(host, now)
    if host.met != 1:
        host.met = 1 if me.root != me.id or me.size > 1 else 0


@rule
def lose_ring(b: Body, now: int, h: Held) -> None:
    """The ring on which it went out is gone.  Another may have the same name: that stands for who is where."""
    if h.pub.ring != NONE:
        h.pub.ring, h.due = NONE, now


@rule
def others_see_to_it(b: Body, h: Held) -> bool:
    """There was somebody to hand it to, who is responsible for it."""
    return b.me.settings.custody > 0 and publication.uses_ring(b.me) and h.sent == 1 and h.doubted == 0


@rule
def look_is_due(b: Body, now: int) -> bool:
    return due(now, b.host.look_at, k.HELD_MOST) and b.host.look_at != k.FOREVER


@rule
def next_due(b: Body, now: int) -> int:
    """When to call `wake` next."""
    when = node.next_due(b.me, now)
    return now if look_is_due(b, now) else min(when, b.host.look_at)


@rule
def wake(b: Body, now: int, out: Hello) -> int:
    """Do what is due: SAY_HELLO if `out` is to be broadcast, SAY_SUB if `node.write_sub` is to be asked for SUBs."""
    said = node.wake(b.me, now, out)
    if said & node.SAY_HELLO:
        handed.forget(b.names, now, b.me.number)
        if b.me.number % k.HELD_CHECK == 0:
            b.host.look_at = now
    notice(b, now)
    if look_is_due(b, now):
        look(b, now)
    return said


@rule
def look(b: Body, now: int) -> None:
    """At what is held, a part of it at a time where it is much; the rest has its turn a little later."""
    host, last = b.host, clip(b.host.top, 0, len(b.held))
    if not 0 < host.seen < last:
        host.seen, host.hopes, host.later = 0, 0, k.FOREVER
    end = min(last, host.seen + k.LOOKS)
    while host.seen < last:
        if host.seen == end or not has_room(b):
            host.look_at = now + k.NEXT_LOOK
            return
        host.seen += 1
        look_at(b, now, host.seen - 1)
    host.seen, host.look_at = 0, host.later
    host.weight = weigh(b)
    host.top = clip(host.top, 0, len(b.held))
    while host.top > 0 and b.held[host.top - 1].state == FREE:
        host.top -= 1
    recount(host, b.held)


@rule
def weigh(b: Body) -> int:
    """Bytes of payload in hand, whatever was believed."""
    found = 0
    for i in range(clip(b.host.top, 0, len(b.held))):
        if weighs(b.held[i]):
            found += b.held[i].pub.load
    return found


@rule
def look_at(b: Body, now: int, slot: int) -> None:
    h = b.held[slot]
    if not is_in_range(b.me, now, h):
        free(b.host, b.held, slot)
    elif h.state == WAITING:
        look_at_waiting(b, now, slot)
    elif h.state == KEPT:
        look_at_kept(b, now, slot)
    elif h.state == RESTING:
        if now >= h.due:
            fly(b, now, slot)
        else:
            look_soon(b.host, h.due)
    elif h.state == STUCK:
        look_at_stuck(b, now, slot)


@rule
def look_at_waiting(b: Body, now: int, slot: int) -> None:
    """There is a ring now, or it is too late."""
    left = b.me.settings.wait - age(b.held[slot], now)
    if left <= 0 or (not publication.should_wait(b.me) and has_slots(b)):
        let_out(b, now, slot)
    else:
        look_soon(b.host, now + (left if publication.should_wait(b.me) else k.NEXT_LOOK))


@rule
def look_at_kept(b: Body, now: int, slot: int) -> None:
    """It may have been lost with a ring, or not have reached all: once more, until it is too old."""
    h = b.held[slot]
    left = b.me.settings.repeat - age(h, now)
    if left <= 0:
        forget(b, slot, False)
    elif should_repeat(b, h):
        if has_slots(b):
            let_out(b, now, slot)
        else:
            look_soon(b.host, now + k.NEXT_LOOK)
    else:
        b.host.hopes = 1 if h.doubted == 1 else b.host.hopes
        look_soon(b.host, now + max(left, k.KEPT_PAUSE))


@rule
def should_repeat(b: Body, h: Held) -> bool:
    """It may have been lost, or there are nodes that it has not reached."""
    if h.pub.ring == b.me.ring and h.doubted == 0:
        return False                        # most are like this
    if not publication.should_repeat(b.me, h.pub, h.doubted == 1):
        return False
    if others_see_to_it(b, h) and not nodes_differ(b, h):
        h.pub.ring = b.me.ring
    return h.pub.ring != b.me.ring or h.doubted == 1


@rule
def nodes_differ(b: Body, h: Held) -> bool:
    """There are more nodes than when it was sent.  Or fewer: it may have been with one that is gone."""
    return b.me.length > h.length or (b.me.length < h.length and was_under_way(b, h))


@rule
def was_under_way(b: Body, h: Held) -> bool:
    """It may have been, when its ring was lost.  What is out for longer has arrived, or is with a node that lives."""
    return h.due < h.since or elapsed(h.due, h.since) <= k.FLIGHT * b.me.settings.hello


@rule
def look_at_stuck(b: Body, now: int, slot: int) -> None:
    """Is there a way now?"""
    h = b.held[slot]
    unknown, moved = h.reason == k.NO_SUBSCRIBER, publication.is_of_another_ring(b.me, h.pub)
    if age(h, now) >= b.me.settings.custody and not (moved and may_start_over(b, h.pub.channel)):
        end(b.host, h)
        put(b, FORGOTTEN if unknown else DROPPED, slot, k.FINE if unknown else h.reason)
    elif h.start == NONE and h.to == k.NOBODY:
        hear_again(b, now, slot)
    elif moved:
        start_over(b, now, slot)
    elif try_again(b, now, slot):
        fly(b, now, slot)
    elif publication.uses_ring(b.me) and b.outcome.reason == k.FINE:
        be_stuck(b, now, slot, k.NO_SUBSCRIBER)     # whom it was for has left, or was forgotten
    else:
        be_stuck(b, now, slot, h.reason)


@rule
def start_over(b: Body, now: int, slot: int) -> None:
    """Its ring is gone, and with it the part that I am responsible for: all of the new one is served.

    Others may be responsible for other parts of it, so one after the other should start: the first may do for all.
    """
    h, me = b.held[slot], b.me
    early = publication.is_filling(me) or spread(me.id, now, slot, 1, k.START_OVER) > 1
    if not may_start_over(b, h.pub.channel) or (early and age(h, now) < me.settings.custody):
        be_stuck(b, now, slot, h.reason)
        return
    publication.start_over(me, h.pub)
    publication.handle(me, now, h.pub, b.outcome)
    put(b, AGAIN, slot, k.FINE)
    if b.outcome.deliver == 1:
        hand_over(b, now, h.pub, h.made, slot)
    go_on(b, now, h.pub, h.made, h.handle, slot)
    end(b.host, h)
    put(b, FORGOTTEN, slot, k.FINE)


@rule
def may_start_over(b: Body, channel: int) -> bool:
    """As a publication of mine might, and there are subscribers, and room for it."""
    me = b.me
    return (has_ring(me) and not publication.should_wait(me) and not publication.knows_nobody(me, channel)
            and has_slots(b))


@rule
def try_again(b: Body, now: int, slot: int) -> bool:
    """The part of the ring that a stuck PUB was to serve, from the same position of mine."""
    h = b.held[slot]
    publication.detour(b.me, now, h.pub, h.start, k.NOBODY, b.outcome)
    if b.outcome.sends > 0:
        publication.redirect(b.me, b.outcome.send[0], h.pub)
        h.to, h.detoured, h.rounds = b.outcome.send[0].to, 0, 0
        return True
    return h.to != k.NOBODY and publication.still_leads_there(b.me, h.to)


@rule
def hear_again(b: Body, now: int, slot: int) -> None:
    """A PUB that came too early."""
    h, out = b.held[slot], b.outcome
    if not has_slots(b):
        be_stuck(b, now, slot, h.reason)
        return
    node.hear_pub(b.me, now, h.pub, out)
    if is_early(out.reason) or out.reason == k.NOT_A_LINK:
        if elapsed(now, h.since) > k.EARLY_MOST and h.pub.ring != b.me.ring:
            start_over(b, now, slot)
        else:
            be_stuck(b, now, slot, h.reason)
        return
    if out.deliver == 1:
        hand_over(b, now, h.pub, h.made, slot)
    go_on(b, now, h.pub, h.made, h.handle, slot)
    end(b.host, h)
    put(b, FORGOTTEN, slot, k.FINE)


@rule
def keep_room(b: Body, now: int) -> bool:
    """Where few slots are left for what one publication may need, or few bytes, some that are merely kept leave.

    Whether there are slots for all of its frames then.
    """
    found, needed = free_slots(b.host, b.held), slots_needed(b)
    if found >= needed and b.host.weight <= k.HELD_BYTES:
        return True
    if not 0 <= b.host.used <= b.host.top:      # no rule would have counted so
        recount(b.host, b.held)
        found = free_slots(b.host, b.held)
    while found < needed and has_room(b) and make_room(b, now, found <= len(b.outcome.send)):
        found += 1
    while b.host.weight > k.HELD_BYTES and has_room(b) and make_room(b, now, True):
        pass
    make_more_room(b)
    return has_slots(b)


@rule
def has_few_slots(b: Body) -> bool:
    """What is kept will have to make room, unless the table grows."""
    return free_slots(b.host, b.held) < slots_needed(b)


@rule
def slots_needed(b: Body) -> int:
    """By a publication and its frames, and by those of one that has to be repeated before it makes room."""
    return 2 * len(b.outcome.send) + 2


@rule
def make_room(b: Body, now: int, at_any_cost: bool) -> bool:
    """A publication that is merely kept leaves, if need be after it was repeated; False if there is none.

    It is lost if its ring is gone, or tables were being filled when it went out, and it was not repeated since.
    """
    slot = oldest_kept(b.host, b.held)
    if slot == NONE:
        return False
    h, me = b.held[slot], b.me
    repeated = should_repeat(b, h)
    if repeated:
        let_out(b, now, slot)
    gone = h.pub.ring != me.ring or h.pub.ring == NONE
    gone = gone and (was_under_way(b, h) or not others_see_to_it(b, h))
    if (not gone and (h.doubted == 0 or not publication.is_filling(me))) or publication.is_alone(me):
        forget(b, slot, repeated)
    elif at_any_cost:
        end(b.host, h)
        put(b, DROPPED, slot, k.NOT_KEPT)
    else:
        return False
    b.host.turn = slot + 1
    return True


@rule
def make_more_room(b: Body) -> None:
    """Where there are many slots, some that need not be repeated leave at a time, which costs less than one by one."""
    for _ in range(len(b.held) // PARTS):
        slot = oldest_kept(b.host, b.held)
        if slot == NONE:
            return
        ring = b.held[slot].pub.ring
        if ring == NONE or ring != b.me.ring or b.held[slot].doubted == 1:
            return
        forget(b, slot, False)
        b.host.turn = slot + 1


@rule
def stop(b: Body, now: int) -> bool:
    """The node stops: what it alone has is dropped.  True if there is more than effects have room for."""
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
            put(b, DROPPED, slot, reason)
    return False


@rule
def hand_over(b: Body, now: int, pub: Pub, made: int, slot: int) -> None:
    """To applications, once; what was published before this start may have been handed over before."""
    verdict = handed.judge(b.names, now, pub) if b.me.settings.memory == 1 else k.FINE
    if made < b.host.born or verdict == k.REPEATED:
        put(b, KNOWN, slot, k.FINE)
    elif verdict == k.CROWDED:
        put(b, DROPPED, slot, k.CROWDED)
    else:
        put(b, DELIVER, slot, k.FINE)
