"""Two schemes that send one message around the whole ring.

`vr2015` is PSVR's predecessor: next subscriber by next subscriber, with shortcuts, until the next hop would reach or
pass the position from which the message started; where no next subscriber is known, the plain ring.
`ring` is the trivial scheme: position by position, back to where it started.
In both, a PUB's end point is where it started.
"""

from . import constants as k
from .form import rule
from .positions import NONE, inside
from .psvr import furthest, send
from .records import Node, Outcome, Pub
from .ring import index_of
from .table import next_subscriber


@rule
def forward_vr2015(me: Node, pub: Pub, out: Outcome) -> None:
    s = next_subscriber(me, pub.channel, index_of(me, pub.cur))
    if s == NONE:
        s = (pub.cur + 1) % me.length
    i, goal = furthest(me, pub.cur, s, k.NOBODY)
    if i == NONE or inside(goal, pub.cur, pub.ep, me.length):
        send(me, pub.cur, s, pub.ep, k.NOBODY, out)


@rule
def forward_ring(me: Node, pub: Pub, out: Outcome) -> None:
    if pub.hops == 0 or pub.cur != pub.ep:
        send(me, pub.cur, (pub.cur + 1) % me.length, pub.ep, k.NOBODY, out)
