"""vr2015-ring: PSVR's predecessor with its own subscriptions, after Siegemund, Turau and Maâmra.

A subscriber sends one SUB for each of its channels every δ_S.  A SUB goes once around the ring, from each position to
the one that follows it, past all other subscribers, until it is back at the position where it began.  Every node that
it visits renews the leases of its table, again at each of its positions.  Publications, and the table with leases but
without spares, are those of `vr2015`, which learns as PSVR does instead.

A SUB does not say at which position it is.  It need not: the ring passes each link of the tree once in each direction,
so the sender tells where it has arrived.
"""

from psvr.protocol import constants as k
from psvr.protocol.links import sender
from psvr.protocol.numbers import clip
from psvr.protocol.positions import NONE
from psvr.protocol.psvr import furthest, learn
from psvr.protocol.records import Link, Node, Sub
from psvr.protocol.ring import has_ring
from psvr.protocol.systems import custom_rule
from psvr.routing.systems import Message, Publication, Settled, system, vr2015


@system("vr2015-ring", positions=True, text="as vr2015; the two differ in how their nodes learn who subscribes")
def messages(settled: Settled, publication: Publication) -> list[Message]:
    return vr2015(settled, publication)


@custom_rule("vr2015-ring", like="vr2015")
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """Write the SUB of one channel, the first from the `part`-th place on; return the next part, 0 after the last."""
    at = next_wanted(me, part)
    if not has_ring(me) or at >= len(me.wants):
        return 0
    out.channel[0], out.channels = me.wants[at], 1
    hand_on(me, me.position[0], out)
    at = next_wanted(me, at + 1)
    return at if at < len(me.wants) else 0


def next_wanted(me: Node, at: int) -> int:
    """Return the first place from `at` on where my application's subscriptions name a channel."""
    while at < len(me.wants) and me.wants[at] == k.NO_CHANNEL:
        at += 1
    return at


def hand_on(me: Node, p: int, out: Sub) -> bool:
    """Address a SUB to the node at the position after p; without a link to it, send nothing and return False."""
    i, _ = furthest(me, p, (p + 1) % me.length, k.NOBODY)
    if i == NONE:
        out.channels = 0
        return False
    out.to = me.link[i].id
    return True


@custom_rule("vr2015-ring", like="vr2015")
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """Learn from a SUB that is addressed to me, and leave it in `out` for the next position; return a reason."""
    i = sender(me, sub.src)
    if i == NONE:
        return k.NOT_A_LINK
    if not has_ring(me):
        return k.NO_RING
    if sub.ring != me.ring:
        return k.OTHER_RING
    p = arrival(me, me.link[i])
    if sub.to != me.id or p == NONE:
        return k.NOT_MY_POSITION
    if sub.limit <= 0:
        return k.TOO_MANY_HOPS
    if p == sub.position[0]:
        return k.FINE  # it is back where it began
    reason = learn(me, now, sub)
    copy(me, sub, out)
    if out.limit > 0 and not hand_on(me, p, out):
        return k.NO_WAY
    return reason


def arrival(me: Node, link: Link) -> int:
    """Return the position of mine that follows one of this neighbour's, or NONE."""
    for j in range(len(me.position)):
        before = (me.position[j] - 1) % me.length
        for other in range(len(link.position)):
            if me.position[j] != NONE and link.position[other] == before:
                return me.position[j]
    return NONE


def copy(me: Node, sub: Sub, out: Sub) -> None:
    """Write a SUB that is passed on: of one channel, whether I subscribe to it or not."""
    out.limit = clip(sub.limit, 1, min(me.length, k.MAX_HOPS)) - 1
    out.channels = 1 if out.limit > 0 and sub.channels > 0 and sub.channel[0] != k.NO_CHANNEL else 0
    out.channel[0] = sub.channel[0]
    for j in range(len(out.position)):
        out.position[j] = clip(sub.position[j], NONE, me.length - 1)
