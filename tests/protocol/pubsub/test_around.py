"""The two schemes that send one message around the ring, at a node with the positions 4 and 10 of a ring of 20."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub.around import forward_ring, forward_vr2015
from psvr.protocol.records import Outcome, Pub
from psvr.protocol.table import make_row
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, SMALL, inner


@pytest.mark.parametrize(
    "cur, ep, ns, to, goal",
    [
        (4, 4, (8, 15), CHILD, 7),
        (10, 10, (8, 15), OTHER, 14),  # towards the next subscriber of that position
        (4, 15, (8, 8), CHILD, 7),
        (4, 8, (8, 8), CHILD, 7),
        (4, 7, (8, 8), None, None),
        (4, 6, (8, 8), None, None),  # it would reach or pass where it started
        (4, 4, (NONE, NONE), CHILD, 5),
        (10, 4, (NONE, NONE), PARENT, 11),  # nobody is known: the plain ring
        (10, 17, (8, 15), OTHER, 14),
        (10, 14, (8, 15), None, None),
        (10, 4, (8, 8), None, None),
    ],
)
def test_vr2015(cur: int, ep: int, ns: tuple[int, int], to: int | None, goal: int | None) -> None:
    me, pub, out = inner(system=k.VR2015), blank(Pub, SMALL), blank(Outcome, SMALL)
    for entry, s in zip(me.row[make_row(me, CHANNEL)].entry, ns):
        entry.ns, entry.since = s, NOW
    pub.cur, pub.ep, pub.channel = cur, ep, CHANNEL
    forward_vr2015(me, pub, out)
    sent = [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]]
    assert sent == ([] if to is None else [(to, cur, goal, ep)]) and out.reason == k.FINE


def test_vr2015_without_a_way_says_so() -> None:
    me, pub, out = inner(system=k.VR2015), blank(Pub, SMALL), blank(Outcome, SMALL)
    for link in me.link:
        link.ring = 78
    for ep in (4, 10):
        pub.cur, pub.ep, pub.channel, out.reason = 4, ep, CHANNEL, k.FINE
        forward_vr2015(me, pub, out)
        assert (out.sends, out.reason) == (0, k.NO_WAY)


@pytest.mark.parametrize(
    "cur, ep, hops, sent",
    [
        (4, 4, 0, [(CHILD, 4, 5, 4)]),
        (4, 4, 7, []),  # it starts; it is back
        (4, 12, 7, [(CHILD, 4, 5, 12)]),
        (10, 4, 7, [(PARENT, 10, 11, 4)]),
    ],
)
def test_ring(cur: int, ep: int, hops: int, sent: list[tuple[int, int, int, int]]) -> None:
    me, pub, out = inner(system=k.RING), blank(Pub, SMALL), blank(Outcome, SMALL)
    pub.cur, pub.ep, pub.hops = cur, ep, hops
    forward_ring(me, pub, out)
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == sent


def test_the_last_position_of_a_ring_is_followed_by_its_first() -> None:
    for system, forward in ((k.RING, forward_ring), (k.VR2015, forward_vr2015)):
        me, pub, out = inner(system=system), blank(Pub, SMALL), blank(Outcome, SMALL)
        me.position[1], me.link[0].position[1] = 19, 0
        pub.cur, pub.ep, pub.channel = 19, 4, CHANNEL
        forward(me, pub, out)
        assert [(x.at, x.goal) for x in out.send[: out.sends]] == [(19, 0)]
