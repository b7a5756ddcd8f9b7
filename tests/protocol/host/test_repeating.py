"""When publications wait, and when those that were sent are repeated."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication
from psvr.protocol.records import Node, Outcome, Pub
from psvr.protocol.table import make_row
from tests.support.network import CHANNEL, Network
from tests.support.protocol.hand_made import NOW, SMALL, inner, started

LINE = [(0, 1), (1, 2), (2, 3)]
SYSTEMS = {"psvr": k.PSVR, "vr2015": k.VR2015, "ring": k.RING, "shen": k.SHEN, "flood": k.FLOOD}


def settled(system: int = k.PSVR) -> Network:
    net = Network(LINE, 4, settings={"system": system})
    net.run(20)
    net.subscribe(3)
    net.run(10)
    return net


def published(net: Network, v: int) -> Pub:
    pub = blank(Pub, net.capacity)
    node.publish(net.node[v], net.now, CHANNEL, 1, 7, 0, pub, blank(Outcome, net.capacity))
    return pub


@pytest.mark.parametrize("name", SYSTEMS)
def test_on_a_settled_network_nothing_waits_and_nothing_is_repeated(name: str) -> None:
    net = settled(SYSTEMS[name])
    for me in net.node:
        pub = published(net, me.id)
        assert not publication.should_wait(me) and not publication.should_repeat(me, pub, False)
    assert not publication.in_doubt(net.node[0], CHANNEL)


def test_without_a_ring_publications_wait_unless_the_node_is_alone() -> None:
    net = settled()
    me = net.node[1]
    me.ring = -1
    assert publication.should_wait(me)
    alone = Network([], 1).node[0]
    assert not publication.should_wait(alone)


def test_what_was_sent_on_a_lost_ring_is_repeated_once_the_new_one_is_announced() -> None:
    net = settled()
    me, pub = net.node[0], published(net, 0)
    net.near[2].discard(3)
    net.near[3].discard(2)
    repeated = []
    for _ in range(400):  # twenty seconds
        net.step()
        if publication.should_repeat(me, pub, False):
            assert me.ring != pub.ring and not publication.should_wait(me)
            repeated.append(net.now)
            pub = published(net, 0)
    assert len(repeated) == 1


def test_what_was_sent_in_doubt_is_repeated_when_the_doubt_is_gone() -> None:
    """On a new ring, SUBs are sent three times; until then, a table may have a gap."""
    net = settled()
    me = net.node[0]
    me.bursts = 1
    assert publication.in_doubt(me, CHANNEL) and not publication.should_wait(me)
    pub = published(net, 0)
    assert not publication.should_repeat(me, pub, True)
    net.run(5)
    assert me.bursts == 0 and publication.should_repeat(me, pub, True) and not publication.should_repeat(me, pub, False)


def test_a_node_that_knows_no_subscriber_is_in_doubt() -> None:
    net = settled()
    me, other = net.node[0], CHANNEL + 1
    assert publication.in_doubt(me, other)
    pub = blank(Pub, net.capacity)
    node.publish(me, net.now, other, 1, 8, 0, pub, blank(Outcome, net.capacity))
    assert not publication.should_repeat(me, pub, True)
    net.subscribe(3, channel=other)
    net.run(5)
    assert publication.should_repeat(me, pub, True)


@pytest.mark.parametrize("name", SYSTEMS)
def test_only_a_flood_needs_nothing_that_could_be_lost(name: str) -> None:
    """Under `shen` the ring's name stands for the tree."""
    me = settled(SYSTEMS[name]).node[0]
    me.ring = -1
    assert publication.may_repeat(me) == publication.should_wait(me) == (name != "flood")


def filling(bursts: int, system: int = k.PSVR, ns: int = 8) -> Node:
    me = inner(system=system)
    for entry, s in zip(me.row[make_row(me, CHANNEL)].entry, (ns, 15)):
        entry.ns, entry.since = s, NOW
    me.bursts = bursts
    return me


def sent(ring: int) -> Pub:
    pub = blank(Pub, SMALL)
    pub.ring, pub.channel = ring, CHANNEL
    return pub


@pytest.mark.parametrize(
    "bursts, waits, fills", [(0, False, False), (1, False, True), (2, True, True), (3, True, True)]
)
def test_publications_wait_until_a_new_ring_was_announced_twice(bursts: int, waits: bool, fills: bool) -> None:
    for system in (k.PSVR, k.SHEN):
        me = filling(bursts, system)
        assert (publication.should_wait(me), publication.is_filling(me)) == (waits, fills)
        assert publication.in_doubt(me, CHANNEL) == fills
    for system in (k.RING, k.FLOOD):
        me = filling(bursts, system)
        assert not publication.should_wait(me) and not publication.is_filling(me)
        assert not publication.in_doubt(me, CHANNEL)


def test_a_node_without_a_ring_waits_unless_it_is_alone() -> None:
    me = started()
    assert not publication.should_wait(me)
    me.size = 2
    assert publication.should_wait(me)
    me.size, me.root = 1, 3
    assert publication.should_wait(me)
    me.settings.system = k.RING
    assert publication.should_wait(me)
    me.settings.system = k.SHEN
    assert publication.should_wait(me)
    me.settings.system = k.FLOOD
    assert not publication.should_wait(me)


def test_doubt_is_about_the_first_position() -> None:
    assert publication.in_doubt(filling(0, ns=NONE), CHANNEL) and not publication.in_doubt(filling(0), CHANNEL)
    assert publication.in_doubt(filling(0), CHANNEL + 1)


@pytest.mark.parametrize(
    "ring, doubted, bursts, ns, again",
    [
        (77, False, 0, 8, False),
        (78, False, 0, 8, True),
        (77, True, 0, 8, True),
        (77, True, 1, 8, False),
        (77, True, 0, NONE, False),
        (78, True, 1, NONE, True),
        (78, False, 2, 8, False),
    ],
)
def test_what_is_repeated(ring: int, doubted: bool, bursts: int, ns: int, again: bool) -> None:
    """Sent on a lost ring, or in doubt when there is no doubt any more; but not while publications wait."""
    assert publication.should_repeat(filling(bursts, ns=ns), sent(ring), doubted) == again
    me = filling(bursts, system=k.FLOOD)
    assert not publication.should_repeat(me, sent(ring), doubted)
    me = filling(bursts)
    me.ring = -1
    assert not publication.should_repeat(me, sent(ring), doubted)


def test_a_node_that_is_alone_repeats_nothing() -> None:
    assert not publication.should_repeat(started(), sent(77), True)


def test_which_systems_may_have_to_repeat() -> None:
    assert [publication.may_repeat(inner(system=s)) for s in range(5)] == [True, True, True, True, False]
