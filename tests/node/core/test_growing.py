"""A node knows as many channels as it may, however its tables are made, and not one more."""

from dataclasses import replace

import pytest

from psvr.node.core.growing import PLACES, grow, hear_sub
from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import table
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Node, Sub
from psvr.protocol.wire.names import channel_hash
from tests.support.node.virtual import Virtual

CAPACITY = Capacity(links=8, window=1)
BATCH = CAPACITY.batch


def known(me: Node) -> int:
    return len(me.channel) - me.channel.count(k.NO_CHANNEL)


class Middle:
    """The second of three nodes with a ring, which hears SUBs of the last one."""

    def __init__(self) -> None:
        self.net = Virtual([(0, 1), (1, 2)], 3)
        self.net.run(8)
        self.me, self.out = self.net.hosts[1].me, blank(Sub, CAPACITY)

    def hear(self, channels: list[int], most: int) -> int:
        sub = blank(Sub, CAPACITY)
        sub.src, sub.to, sub.back, sub.ring, sub.limit = 2, k.NOBODY, k.NOBODY, self.me.ring, 4
        sub.channels, sub.channel[: len(channels)] = len(channels), channels
        sub.position[0] = self.net.hosts[2].me.position[0]
        return hear_sub(self.me, self.net.now, sub, self.out, CAPACITY, most)


@pytest.mark.parametrize("most", [1, 5, 16, 20, 100, 1000, 5000])
def test_rows_up_to_the_bound(most: int) -> None:
    middle = Middle()
    channels = [channel_hash(f"channel {i}") for i in range(most + 40)]
    for i in range(0, len(channels), BATCH):
        batch = channels[i : i + BATCH]
        reason = middle.hear(batch, most)
        assert reason == (k.FINE if i + len(batch) <= most else k.NO_ROOM)
        assert middle.out.channel[: middle.out.channels] == batch, "it is passed on in any case"
        assert known(middle.me) == min(i + len(batch), most)
    assert middle.me.overflow == 40, "each that was refused is counted, once"
    assert len(middle.me.channel) <= max(CAPACITY.channels, PLACES * most)


def test_a_channel_that_is_named_twice_is_counted_once() -> None:
    middle = Middle()
    assert middle.hear([1, 2, 3, 3, 3], 2) == k.NO_ROOM
    assert known(middle.me) == 2 and middle.me.overflow == 1


def test_known_channels_are_renewed_at_the_bound() -> None:
    middle = Middle()
    assert middle.hear([1, 2, 3], 3) == k.FINE
    middle.net.now += 2 * k.RELAY_PAUSE
    assert middle.hear([1, 2, 3], 3) == k.FINE and middle.me.overflow == 0
    assert middle.me.row[middle.me.channel.index(2)].entry[0].since == middle.net.now


def test_places_for_all_subscriptions_that_are_allowed() -> None:
    most, me = 65_536, blank(Node, CAPACITY)
    rules.start(me, 1, 0)
    for i in range(most):
        while not rules.subscribe(me, 0, channel_hash(f"channel {i}")):
            assert grow(me, CAPACITY, most), f"refused at {i:,}"
    assert len(me.wants) == PLACES * most


@pytest.mark.parametrize("most", [1, 5, 70, 2000])
def test_subscriptions_up_to_the_bound(most: int) -> None:
    net = Virtual([(0, 1)], 2)
    net.options = replace(net.options, channels=most)
    net.hosts[1] = host = net.boot(1)
    names = [f"channel {i}" for i in range(most + 3)]
    assert [host.subscribe(name, net.now) for name in names] == [True] * most + [False] * 3
    assert host.subscribe(names[0], net.now)
    host.unsubscribe(names[0], net.now)
    assert host.subscribe(names[-1], net.now) and not host.subscribe(names[0], net.now)


def entries(me: Node) -> dict[int, list[tuple[int, int]]]:
    """What the table says of each channel: next subscribers, and since when."""
    return {
        channel: [(e.ns, e.since) for e in row.entry]
        for channel, row in zip(me.channel, me.row)
        if channel != k.NO_CHANNEL
    }


def test_a_larger_table_says_of_every_channel_what_the_smaller_one_said() -> None:
    middle, known_so_far = Middle(), dict[int, list[tuple[int, int]]]()
    for i in range(0, 400, BATCH):
        middle.net.now += 1000  # so that each has a different time
        assert middle.hear([channel_hash(f"channel {j}") for j in range(i, i + BATCH)], 1000) == k.FINE
        now = entries(middle.me)
        assert {channel: now.get(channel) for channel in known_so_far} == known_so_far
        assert all(entry[0][0] >= 0 for entry in now.values()), "each has a next subscriber"
        known_so_far = now
    assert len(known_so_far) == 400 and len(middle.me.channel) > CAPACITY.channels


def test_a_table_with_room_stays_as_large_as_it_is() -> None:
    middle = Middle()
    assert middle.hear(list(range(1, 13)), 1000) == k.FINE
    assert len(middle.me.channel) == CAPACITY.channels and middle.me.overflow == 0


def test_all_subscriptions_outlive_that_a_table_grows() -> None:
    me, wanted = blank(Node, CAPACITY), [channel_hash(f"channel {i}") for i in range(300)]
    rules.start(me, 1, 0)
    for i, channel in enumerate(wanted):
        while not rules.subscribe(me, 0, channel):
            assert grow(me, CAPACITY, 1000)
        assert all(table.wants(me, one) for one in wanted[: i + 1])


def test_a_table_does_not_grow_where_a_subscription_would_be_lost() -> None:
    """In the larger table the same few places are looked at for more of these than there are places."""
    me, most = blank(Node, CAPACITY), 1000
    rules.start(me, 1, 0)
    size = len(me.wants)
    side_by_side = [2 * size * i for i in range(1, k.PROBES + 2)]  # the same home in both
    me.wants[: len(side_by_side)] = side_by_side
    me.channel[:size] = range(1, size + 1)
    before = (list(me.channel), list(me.wants), list(me.row))
    assert not grow(me, CAPACITY, most)
    assert (me.channel, me.wants, me.row) == before
