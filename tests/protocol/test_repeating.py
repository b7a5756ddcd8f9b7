"""When publications wait, and when those that were sent are repeated."""

import pytest

from network import CHANNEL, Network
from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import blank
from psvr.protocol.records import Outcome, Pub

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
        assert not node.should_wait(me) and not node.should_repeat(me, pub, False)
    assert not node.in_doubt(net.node[0], CHANNEL)


def test_without_a_ring_publications_wait_unless_the_node_is_alone() -> None:
    net = settled()
    me = net.node[1]
    me.ring = -1
    assert node.should_wait(me)
    alone = Network([], 1).node[0]
    assert not node.should_wait(alone)


def test_what_went_out_on_a_ring_that_is_no_more_is_repeated_once_the_new_one_is_announced() -> None:
    net = settled()
    me, pub = net.node[0], published(net, 0)
    net.near[2].discard(3)
    net.near[3].discard(2)
    repeated = []
    for _ in range(400):                # twenty seconds
        net.step()
        if node.should_repeat(me, pub, False):
            assert me.ring != pub.ring and not node.should_wait(me)
            repeated.append(net.now)
            pub = published(net, 0)
    assert len(repeated) == 1


def test_what_was_sent_in_doubt_is_repeated_when_the_doubt_is_gone() -> None:
    """On a new ring SUBs are said three times; until then a table may have a gap."""
    net = settled()
    me = net.node[0]
    me.bursts = 1
    assert node.in_doubt(me, CHANNEL) and not node.should_wait(me)
    pub = published(net, 0)
    assert not node.should_repeat(me, pub, True)
    net.run(5)
    assert me.bursts == 0 and node.should_repeat(me, pub, True) and not node.should_repeat(me, pub, False)


def test_who_knows_of_no_subscriber_is_in_doubt() -> None:
    net = settled()
    me, other = net.node[0], CHANNEL + 1
    assert node.in_doubt(me, other)
    pub = blank(Pub, net.capacity)
    node.publish(me, net.now, other, 1, 8, 0, pub, blank(Outcome, net.capacity))
    assert not node.should_repeat(me, pub, True)
    net.subscribe(3, channel=other)
    net.run(5)
    assert node.should_repeat(me, pub, True)


@pytest.mark.parametrize("name", ["shen", "flood"])
def test_systems_without_a_ring_keep_nothing(name: str) -> None:
    me = settled(SYSTEMS[name]).node[0]
    me.ring = -1
    assert not node.may_repeat(me) and not node.should_wait(me)
