"""Two schemes that send one message around the whole ring.

`vr2015` is PSVR's predecessor: from next subscriber to next subscriber, with shortcuts, until the next hop would reach
or pass the position where the message started; where no next subscriber is known, it follows the plain ring.
`ring` is the trivial scheme: from position to position, back to the start.
In both, the end point of a PUB is where it started.
"""

from .. import constants as k
from ..form import rule
from ..positions import NONE, inside
from ..psvr import furthest, send
from ..records import Node, Outcome, Pub
from ..ring import has_ring, index_of
from ..table import next_subscriber


@rule
def forward_vr2015(me: Node, pub: Pub, out: Outcome) -> None:
    send_on(me, pub, pub.cur, k.NOBODY, out)


@rule
def send_on(me: Node, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
    """Send on from my position `at` towards the next subscriber, unless that is past the start."""
    s = next_subscriber(me, pub.channel, index_of(me, at))
    if s == NONE:
        s = (at + 1) % me.length
    i, goal = furthest(me, at, s, avoid)
    if i == NONE or inside(goal, at, pub.ep, me.length):
        send(me, at, s, pub.ep, avoid, out)


@rule
def forward_ring(me: Node, pub: Pub, out: Outcome) -> None:
    if pub.hops == 0 or pub.cur != pub.ep:
        send(me, pub.cur, (pub.cur + 1) % me.length, pub.ep, k.NOBODY, out)


@rule
def detour(me: Node, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
    """Find a way on from my position `at`, without the neighbour to `avoid`."""
    if index_of(me, at) == NONE or not has_ring(me) or not 0 <= pub.ep < me.length:
        out.reason = k.NOT_MY_POSITION
    elif me.settings.system == k.RING:
        send(me, at, (at + 1) % me.length, pub.ep, avoid, out)
    else:
        send_on(me, pub, at, avoid, out)
