"""Frames that come a moment too early: a SUB is not accepted, and comes again; a PUB is accepted, and waits here."""

import pytest

from psvr.node.core.host import ID_BYTES, POSITION_BYTES
from psvr.node.core.naming import pack
from psvr.node.core.peer import EARLY, TAKEN
from psvr.protocol import constants as k
from psvr.protocol import table
from psvr.protocol.host.holding import STUCK
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Pub, Sub
from psvr.protocol.wire import messages
from psvr.protocol.wire.names import channel_hash
from tests.support.node.virtual import Virtual

CHANNEL = channel_hash("c")


def line() -> Virtual:
    net = Virtual([(0, 1), (1, 2)], 3)
    net.run(8)
    return net


def sub(net: Virtual, sender: int, ring: int) -> bytes:
    made = blank(Sub, Capacity())
    made.src, made.to, made.back, made.ring, made.limit = sender, k.NOBODY, k.NOBODY, ring, 4
    made.channels, made.channel[0], made.position[0] = 1, CHANNEL, net.hosts[2].me.position[0]
    return messages.encode_sub(made, ID_BYTES, POSITION_BYTES)


def pub(net: Virtual, sender: int, ring: int, cur: int) -> bytes:
    made, data = blank(Pub, Capacity()), pack("c", b"x")
    made.src, made.ring, made.cur, made.ep, made.hops = sender, ring, cur, cur, 1
    made.origin, made.boot, made.number, made.channel, made.load = sender, 1, 1, CHANNEL, 1
    return messages.encode_pub(made, data, ID_BYTES, POSITION_BYTES)


def taken_care_of(net: Virtual, frame: bytes) -> None:
    """Node 1 accepts a PUB, and keeps it until it fits."""
    assert net.hosts[1].take(2, frame, net.now) == TAKEN
    assert net.hosts[1].count_in_state(STUCK) == 1 and not net.hosts[1].losses.noted


def test_a_pub_that_came_before_its_ring_is_handed_over_when_that_is_there() -> None:
    net = line()
    host, me = net.hosts[1], net.hosts[1].me
    host.subscribe("c", net.now)
    ring, me.ring = me.ring, -1
    taken_care_of(net, pub(net, 2, ring, me.position[0]))
    assert net.got[1] == []
    net.run(1)
    assert me.ring == ring and [data for _, data, _ in net.got[1]] == [b"x"] and host.count_in_state(STUCK) == 0


def test_without_custody_a_pub_that_comes_too_early_is_lost() -> None:
    net = Virtual([(0, 1), (1, 2)], 3, options={"host": {"profile": "paper"}})
    net.run(8)
    host, me = net.hosts[1], net.hosts[1].me
    assert host.take(2, pub(net, 2, me.ring + 1, me.position[0]), net.now) == TAKEN
    assert host.count_in_state(STUCK) == 0 and host.losses.reasons() == {k.REASONS[k.OTHER_RING]: 1}


def test_what_fits_is_taken_over() -> None:
    net = line()
    me = net.hosts[1].me
    assert net.hosts[1].take(2, sub(net, 2, me.ring), net.now) == TAKEN
    assert table.find_row(me, CHANNEL) >= 0
    assert net.hosts[1].take(2, pub(net, 2, me.ring, me.position[0]), net.now) == TAKEN
    assert [row["pub"].number for v, event, row in net.rows if v == 1 and event == "received"] == [1]


def test_what_is_for_another_ring_may_fit_a_moment_later() -> None:
    net = line()
    me = net.hosts[1].me
    assert net.hosts[1].take(2, sub(net, 2, me.ring + 1), net.now) == EARLY
    assert table.find_row(me, CHANNEL) < 0
    taken_care_of(net, pub(net, 2, me.ring + 1, me.position[0]))


def test_a_position_of_somebody_else_may_soon_be_its_own() -> None:
    net = line()
    me = net.hosts[1].me
    taken_care_of(net, pub(net, 2, me.ring, net.hosts[2].me.position[0]))


def test_before_there_is_a_ring_all_is_early() -> None:
    net = line()
    ring, net.hosts[1].me.ring = net.hosts[1].me.ring, -1
    assert net.hosts[1].take(2, sub(net, 2, ring), net.now) == EARLY
    taken_care_of(net, pub(net, 2, ring, 0))


def test_before_it_is_a_neighbour_all_is_early() -> None:
    net = Virtual([(0, 1), (1, 2), (0, 3)], 4)
    net.run(8)
    assert net.hosts[1].take(3, sub(net, 3, net.hosts[1].me.ring), net.now) == EARLY


@pytest.mark.parametrize("frame", [b"", b"junk"])
def test_what_is_of_no_use_need_not_come_again(frame: bytes) -> None:
    net = line()
    assert net.hosts[1].take(2, frame, net.now) == TAKEN
    for made in (sub(net, 0, net.hosts[1].me.ring), pub(net, 0, net.hosts[1].me.ring, 0)):
        assert net.hosts[1].take(2, made, net.now) == TAKEN, "somebody speaks in the name of another"
    assert table.find_row(net.hosts[1].me, CHANNEL) < 0
