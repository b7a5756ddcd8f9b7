"""A SUB or PUB that comes a moment too early is not taken over: its sender keeps it, and it comes again."""

import pytest
from virtual import Virtual

from psvr.node.host import ID_BYTES, POSITION_BYTES
from psvr.node.naming import pack
from psvr.node.peer import EARLY, TAKEN
from psvr.protocol import constants as k
from psvr.protocol import table, wire
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.names import channel_hash
from psvr.protocol.records import Pub, Sub

CHANNEL = channel_hash("c")


def line() -> Virtual:
    net = Virtual([(0, 1), (1, 2)], 3)
    net.run(8)
    return net


def sub(net: Virtual, sender: int, ring: int) -> bytes:
    made = blank(Sub, Capacity())
    made.src, made.to, made.back, made.ring, made.limit = sender, k.NOBODY, k.NOBODY, ring, 4
    made.channels, made.channel[0], made.position[0] = 1, CHANNEL, net.hosts[2].me.position[0]
    return wire.encode_sub(made, ID_BYTES, POSITION_BYTES)


def pub(net: Virtual, sender: int, ring: int, cur: int) -> bytes:
    made, data = blank(Pub, Capacity()), pack("c", b"x")
    made.src, made.ring, made.cur, made.ep, made.hops = sender, ring, cur, cur, 1
    made.origin, made.boot, made.number, made.channel, made.load = sender, 1, 1, CHANNEL, 1
    return wire.encode_pub(made, data, ID_BYTES, POSITION_BYTES)


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
    assert net.hosts[1].take(2, pub(net, 2, me.ring + 1, me.position[0]), net.now) == EARLY
    assert table.find_row(me, CHANNEL) < 0 and "received" not in {event for _, event, _ in net.rows}


def test_a_position_of_somebody_else_may_soon_be_its_own() -> None:
    net = line()
    me = net.hosts[1].me
    assert net.hosts[1].take(2, pub(net, 2, me.ring, net.hosts[2].me.position[0]), net.now) == EARLY


def test_before_there_is_a_ring_all_is_early() -> None:
    net = line()
    ring, net.hosts[1].me.ring = net.hosts[1].me.ring, -1
    assert net.hosts[1].take(2, sub(net, 2, ring), net.now) == EARLY
    assert net.hosts[1].take(2, pub(net, 2, ring, 0), net.now) == EARLY


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
