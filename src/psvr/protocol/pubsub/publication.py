"""What all publish/subscribe layers share: a PUB comes in, is handed to the application, and is sent on.

The systems differ in how they send it on; this is the one place that knows all of them.
"""

from .. import constants as k
from ..form import rule
from ..links import sender
from ..numbers import LOW32, clip, elapsed
from ..positions import NONE
from ..psvr import detour as detour_psvr
from ..psvr import forward as forward_psvr
from ..records import Node, Outcome, Pub, Seen, Send
from ..ring import has_ring, index_of
from ..table import find_row, next_subscriber, wants
from ..tree import is_tree
from . import custom, subscription
from .around import detour as detour_around
from .around import forward_ring, forward_vr2015
from .shen import forward as forward_shen


@rule
def uses_ring(me: Node) -> bool:
    return me.settings.system == k.PSVR or me.settings.system == k.VR2015 or me.settings.system == k.RING


@rule
def is_new(me: Node, now: int, pub: Pub) -> bool:
    """Return whether (origin, boot, number) was not in the window, and put it there.

    The window is for a PUB that passes me at several positions, or is flooded.  Hosts remember for longer what they
    have handed to the application, and do not hand over again what an origin repeats.
    """
    for i in range(len(me.seen)):
        s = me.seen[i]
        if s.origin == pub.origin and s.boot == pub.boot and s.number == pub.number:
            if elapsed(now, s.at) <= k.NAME_LIFE:
                return False
    place = clip(me.seen_next, 0, len(me.seen) - 1)
    s = me.seen[place]
    s.origin, s.boot, s.number, s.at = pub.origin, pub.boot, pub.number, now
    me.seen_next = (place + 1) % len(me.seen)
    return True


@rule
def tidy(me: Node, now: int) -> None:
    """Forget what cannot have been seen, or was seen long ago; a false window then suppresses nothing for long."""
    for i in range(len(me.seen)):
        s = me.seen[i]
        if s.origin == k.NOBODY and s.boot | s.number | s.at == 0:
            continue
        if s.origin < 0 or s.boot < 0 or s.number < 0 or elapsed(now, s.at) > k.NAME_LIFE:
            forget(s)
    me.seen_next = clip(me.seen_next, 0, max(len(me.seen) - 1, 0))


@rule
def forget(s: Seen) -> None:
    s.origin, s.boot, s.number, s.at = k.NOBODY, 0, 0, 0


@rule
def start(me: Node, channel: int, boot: int, number: int, load: int, out: Pub) -> None:
    """Begin a publication of my own."""
    out.origin, out.boot, out.number, out.again = me.id, boot, number, 0
    out.channel, out.load = channel, load
    set_out(me, out)


@rule
def set_out(me: Node, out: Pub) -> None:
    """Let it begin here, on the ring or the tree as they are now."""
    out.src, out.hops, out.age = me.id, 0, 0
    if uses_ring(me) and has_ring(me):
        out.ring, out.cur, out.ep = me.ring, me.position[0], me.position[0]
    else:
        out.ring, out.cur, out.ep = clip(me.ring, -1, LOW32), NONE, NONE


@rule
def start_over(me: Node, out: Pub) -> None:
    """Restart another node's publication as if it began here, on my ring, marked as one that may be a repetition."""
    out.src, out.hops, out.again = me.id, 0, clip(out.again + 1, 1, k.MAX_AGAIN)
    out.ring, out.cur, out.ep = clip(me.ring, -1, LOW32), me.position[0], me.position[0]


@rule
def may_repeat(me: Node) -> bool:
    """Return whether what is lost with a tree can be published again; a flood reaches whoever is there, or nobody.

    A ring stands for the whole tree, so it tells `shen`, too, that the tree has changed somewhere.
    """
    return me.settings.system != k.FLOOD


@rule
def should_wait(me: Node) -> bool:
    """Return whether my publication would be lost: the ring is being laid, or so new that tables are nearly empty."""
    ring = has_ring(me)
    if (ring and me.bursts == 0) or not may_repeat(me):
        return False
    if not ring:
        return not is_alone(me)
    return subscription.announces(me) and me.bursts >= max(me.settings.bursts - 1, 1)


@rule
def is_alone(me: Node) -> bool:
    """Return whether the node is a root without children."""
    return me.root == me.id and me.size == 1


@rule
def is_filling(me: Node) -> bool:
    """Return whether tables are being filled: SUBs are still being repeated on a new ring."""
    return me.bursts > 0 and may_repeat(me) and subscription.announces(me)


@rule
def in_doubt(me: Node, channel: int) -> bool:
    """Return whether a publication may not reach everybody: tables are being filled, or I know no subscriber yet."""
    return may_repeat(me) and (is_filling(me) or knows_no_subscriber(me, channel))


@rule
def knows_no_subscriber(me: Node, channel: int) -> bool:
    """Return whether there are tables, and mine names no subscriber."""
    if not subscription.announces(me):
        return False
    return (find_row(me, channel) if me.settings.system == k.SHEN else next_subscriber(me, channel, 0)) == NONE


@rule
def should_repeat(me: Node, pub: Pub, doubted: bool) -> bool:
    """Return whether my publication was sent on a ring that is gone, or in doubt that is gone."""
    if not may_repeat(me) or not has_ring(me) or should_wait(me):
        return False
    return pub.ring != me.ring or (doubted and not in_doubt(me, pub.channel))


@rule
def reason_to_stop(me: Node, pub: Pub) -> int:
    """Return why a PUB is not to be handled here, or FINE if it is."""
    if pub.hops > 0 and me.settings.system != k.FLOOD and sender(me, pub.src) == NONE:
        return k.NOT_A_LINK
    if pub.hops < 0 or pub.origin < 0 or pub.boot < 0 or pub.number < 0:
        return k.OUT_OF_RANGE
    if pub.hops >= k.MAX_HOPS:
        return k.TOO_MANY_HOPS
    if not uses_ring(me):
        return k.FINE
    if not has_ring(me):
        return k.NO_RING
    if pub.ring != me.ring:
        return k.OTHER_RING
    if index_of(me, pub.cur) == NONE or not 0 <= pub.ep < me.length:
        return k.NOT_MY_POSITION
    if pub.hops > me.length:
        return k.TOO_MANY_HOPS
    return k.FINE


@rule
def handle(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    """Deliver a PUB, heard or my own, and list what to send.  A repeated one is sent on, but not delivered."""
    out.deliver, out.sends, out.stuck, out.reason = 0, 0, 0, reason_to_stop(me, pub)
    mine_without_ring = pub.hops == 0 and out.reason == k.NO_RING
    if out.reason != k.FINE and not mine_without_ring:
        return
    system = me.settings.system
    wanted = wants(me, pub.channel)
    new = (wanted or system == k.FLOOD) and is_new(me, now, pub)
    out.deliver = 1 if wanted and new else 0
    if mine_without_ring:
        if is_alone(me):
            out.reason = k.FINE  # there is nobody else to reach
    elif system == k.FLOOD and not new:
        out.reason = k.REPEATED
    elif custom.replaces(me, custom.FORWARD):
        custom.forward(me, now, pub, out)
    elif system == k.PSVR:
        forward_psvr(me, pub, out)
    elif system == k.VR2015:
        forward_vr2015(me, pub, out)
    elif system == k.RING:
        forward_ring(me, pub, out)
    elif system == k.SHEN:
        forward_shen(me, now, pub, out)
    elif system == k.FLOOD:
        flood(out)


@rule
def flood(out: Outcome) -> None:
    """Repeat what is new, once, as today's radio meshes do."""
    x = out.send[0]
    x.to, x.at, x.goal, x.ep = k.NOBODY, NONE, NONE, NONE
    out.sends = 1


@rule
def detour(me: Node, now: int, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
    """Find a way on from my position `at`, without the neighbour to `avoid`, if there is one."""
    out.deliver, out.reason, out.sends, out.stuck = 0, k.FINE, 0, 0
    if custom.replaces(me, custom.DETOUR):
        custom.detour(me, now, pub, at, avoid, out)
    elif me.settings.system == k.PSVR and not custom.replaces(me, custom.FORWARD):
        detour_psvr(me, pub.channel, at, pub.ep, avoid, out)
    elif uses_ring(me) and not custom.replaces(me, custom.FORWARD):
        detour_around(me, pub, at, avoid, out)


@rule
def is_of_another_ring(me: Node, pub: Pub) -> bool:
    """Return whether it belongs to another ring, so that its positions mean nothing here and now."""
    return uses_ring(me) and pub.ring != me.ring


@rule
def still_leads_there(me: Node, to: int) -> bool:
    """Where positions play no part, return whether the neighbour that was to get a PUB is still one of the tree."""
    i = sender(me, to)
    return not uses_ring(me) and i != NONE and is_tree(me, me.link[i])


@rule
def copy(pub: Pub, out: Pub) -> None:
    out.src, out.origin, out.boot, out.number = pub.src, pub.origin, pub.boot, pub.number
    out.channel, out.again, out.load, out.age, out.ring = pub.channel, pub.again, pub.load, pub.age, pub.ring
    out.cur, out.ep, out.hops = pub.cur, pub.ep, pub.hops


@rule
def redirect(me: Node, send: Send, out: Pub) -> None:
    """Let a PUB go to the goal of another send."""
    out.ring, out.cur, out.ep = clip(me.ring, -1, LOW32), send.goal, send.ep


@rule
def carry(me: Node, pub: Pub, send: Send, out: Pub) -> None:
    """Write the PUB that goes out for one send of an outcome."""
    out.src, out.origin, out.boot, out.number = me.id, pub.origin, pub.boot, pub.number
    out.channel, out.again, out.load, out.age = pub.channel, pub.again, pub.load, pub.age
    out.ring, out.cur, out.ep = clip(me.ring, -1, LOW32), send.goal, send.ep
    out.hops = clip(pub.hops, 0, k.MAX_HOPS - 1) + 1
