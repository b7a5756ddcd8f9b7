"""PSVR's SUBs, at a node with the positions 4 and 10 of a ring of 20: what it learns, relays and says itself."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import psvr
from psvr.protocol.layout import blank, outside
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Sub
from psvr.protocol.table import find_row, next_subscriber
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, SMALL, inner


def heard(**said: Any) -> Sub:
    """A SUB of the child, for a subscriber at 7."""
    sub = blank(Sub, SMALL)
    sub.src, sub.to, sub.back, sub.limit, sub.ring, sub.channels = CHILD, k.NOBODY, k.NOBODY, 12, 77, 1
    sub.position, sub.channel = [7, NONE, NONE, NONE], [CHANNEL, 0, 0, 0]
    for name, value in said.items():
        setattr(sub, name, value)
    return sub


def table(me: Node, channel: int = CHANNEL) -> list[int]:
    return [next_subscriber(me, channel, j) for j in range(2)]


@pytest.mark.parametrize(
    "said, reason",
    [
        ({}, k.FINE),
        ({"back": 9}, k.ECHO),
        ({"back": PARENT}, k.FINE),
        ({"src": 99}, k.NOT_A_LINK),
        ({"src": OTHER}, k.NOT_IN_TREE),
        ({"src": PARENT}, k.FINE),
        ({"ring": 78}, k.OTHER_RING),
        ({"ring": -1}, k.OTHER_RING),
        ({"limit": 0}, k.TOO_MANY_HOPS),
        ({"limit": -1}, k.TOO_MANY_HOPS),
        ({"limit": 1}, k.FINE),
    ],
)
def test_which_subs_are_heard(said: dict[str, Any], reason: int) -> None:
    """What is not heard teaches nothing and goes nowhere."""
    me, out = inner(), blank(Sub, SMALL)
    out.channels = 3
    assert psvr.hear_sub(me, NOW, heard(**said), out) == reason
    assert (table(me) == [7, 7]) == (reason == k.FINE)
    assert out.channels == (1 if reason == k.FINE and said.get("limit") != 1 else 0)


def test_without_a_ring_or_from_one_side_only_no_sub_is_heard() -> None:
    me = inner()
    me.ring = -1
    assert psvr.hear_sub(me, NOW, heard(ring=-1), blank(Sub, SMALL)) == k.NO_RING
    me = inner()
    me.link[1].keeps_me = 0
    assert psvr.hear_sub(me, NOW, heard(), blank(Sub, SMALL)) == k.NOT_A_LINK


def test_a_sub_teaches_every_own_position_the_next_of_all_it_names() -> None:
    me = inner()
    psvr.hear_sub(me, NOW, heard(position=[2, 6, 8, 15], channel=[CHANNEL, 5, 0, 0], channels=2), blank(Sub, SMALL))
    assert table(me) == table(me, 5) == [6, 15]
    assert [entry.ns for entry in me.row[find_row(me, CHANNEL)].entry] == [6, 15, NONE, NONE]
    assert psvr.hear_sub(me, NOW, heard(channels=1, channel=[6, 8, 0, 0]), blank(Sub, SMALL)) == k.FINE
    assert table(me, 6) == [7, 7] and table(me, 8) == [NONE, NONE]  # beyond what it counts


def test_a_sub_is_relayed_with_one_hop_less_and_the_node_it_came_from() -> None:
    me, out = inner(), blank(Sub, SMALL)
    out.channel = [1, 2, 3, 4]  # remains of the last one
    psvr.hear_sub(me, NOW, heard(position=[7, 8, 19, NONE], channel=[CHANNEL, 5, 6, 0], channels=3), out)
    assert (out.src, out.to, out.back, out.limit, out.ring, out.last) == (9, k.NOBODY, CHILD, 11, 77, 1)
    assert (out.position, out.channels, out.channel) == ([7, 8, 19, NONE], 3, [CHANNEL, 5, 6, 0])


@pytest.mark.parametrize("limit, left", [(2, 1), (20, 19), (21, 19), (60_000, 19)])
def test_no_sub_goes_further_than_once_around_the_ring(limit: int, left: int) -> None:
    me, out = inner(), blank(Sub, SMALL)
    psvr.hear_sub(me, NOW, heard(limit=limit), out)
    assert (out.channels, out.limit) == (1, left)


def test_what_a_node_wants_itself_it_learns_and_does_not_relay() -> None:
    me, out = inner(), blank(Sub, SMALL)
    me.wants[5 % 4] = 5
    psvr.hear_sub(me, NOW, heard(channel=[CHANNEL, 5, 6, 0], channels=3), out)
    assert (out.channels, out.channel) == (2, [CHANNEL, 6, 0, 0]) and table(me, 5) == [7, 7]
    for _ in range(2):
        assert psvr.hear_sub(me, NOW, heard(channel=[5, 0, 0, 0]), out) == k.FINE and out.channels == 0


def test_a_leaf_relays_nothing() -> None:
    me, out = inner(), blank(Sub, SMALL)
    me.link[1].parent = 4
    assert psvr.hear_sub(me, NOW, heard(src=PARENT), out) == k.FINE
    assert out.channels == 0 and table(me) == [7, 7]


def test_a_channel_without_a_row_is_relayed_nevertheless() -> None:
    me, out = inner(), blank(Sub, SMALL)
    me.channel = [1, 2, 3, 4]
    assert psvr.hear_sub(me, NOW, heard(), out) == k.NO_ROOM and out.channels == 1 and me.overflow == 1
    assert psvr.hear_sub(me, NOW, heard(), out) == k.NO_ROOM and out.channels == 0  # and not twice
    assert {entry.ns for row in me.row for entry in row.entry} == {NONE}


@pytest.mark.parametrize("channels, named", [(99, [5, 6, 7, 8]), (-1, []), (2, [5, 6])])
def test_a_sub_that_counts_wrongly_is_read_as_far_as_it_goes(channels: int, named: list[int]) -> None:
    me, out = inner(), blank(Sub, SMALL)
    psvr.hear_sub(me, NOW, heard(channel=[5, 6, 7, 8], channels=channels), out)
    assert out.channel[: out.channels] == named and sorted(c for c in me.channel if c) == named


def test_a_sub_longer_than_a_node_has_room_for_is_relayed_as_far_as_there_is() -> None:
    me, out = inner(), blank(Sub, SMALL)
    psvr.hear_sub(me, NOW, heard(channel=[5, 6, 7, 8, 9, 10], channels=6), out)
    assert out.channel == [5, 6, 7, 8] and out.channels == 4


def test_what_is_no_position_or_no_channel_is_not_relayed_as_one() -> None:
    me, out = inner(), blank(Sub, SMALL)
    psvr.hear_sub(me, NOW, heard(position=[7, 99, -7, NONE], channel=[5, 0, 6, 0], channels=3), out)
    assert (out.position, out.channel, out.channels) == ([7, 19, NONE, NONE], [5, 6, 0, 0], 2)


# --- not twice within a second


@pytest.mark.parametrize(
    "said, after, again",
    [
        ({}, k.SECOND - 1, False),
        ({}, k.SECOND, True),
        ({"position": [7, 8, NONE, NONE]}, 0, False),  # P_s[0] names the subscriber
        ({"position": [8, NONE, NONE, NONE]}, 0, True),
        ({"channel": [6, 0, 0, 0]}, 0, True),
        ({"channel": [CHANNEL, 6, 0, 0], "channels": 2}, 0, True),
        ({"channel": [CHANNEL, 6, 0, 0]}, 0, False),
    ],
)
def test_the_same_sub_is_relayed_once_in_a_second(said: dict[str, Any], after: int, again: bool) -> None:
    me, out = inner(), blank(Sub, SMALL)
    assert psvr.hear_sub(me, NOW, heard(), out) == k.FINE and out.channels == 1
    reason = psvr.hear_sub(me, NOW + after, heard(**said), out)
    assert (reason, out.channels > 0) == ((k.FINE, True) if again else (k.REPEATED, False))


def test_the_same_sub_on_a_new_ring_is_another() -> None:
    me, out = inner(), blank(Sub, SMALL)
    psvr.hear_sub(me, NOW, heard(), out)
    me.ring = 78
    assert psvr.hear_sub(me, NOW, heard(ring=78), out) == k.FINE and out.channels == 1


def test_what_was_relayed_first_is_forgotten_first() -> None:
    me = inner()

    def relays(channel: int, tenths: int) -> bool:
        return psvr.is_new_sub(me, NOW + tenths * k.SECOND // 10, heard(channel=[channel, 0, 0, 0]))

    assert [relays(100, 0), relays(101, 5), relays(102, 6), relays(100, 10)] == [True] * 4
    assert relays(103, 11)  # in the place of 101
    assert [relays(c, 12) for c in (100, 102, 103)] == [False] * 3 and relays(101, 12)


def test_a_relay_in_the_future_is_a_fault_and_suppresses_nothing() -> None:
    me = inner()
    psvr.is_new_sub(me, NOW + 5, heard())
    assert psvr.is_new_sub(me, NOW, heard())


# --- SUBs of my own


def test_a_sub_of_mine_names_my_positions_and_channels() -> None:
    me, out = inner(), blank(Sub, SMALL)
    out.channels, out.channel = 3, [1, 2, 3, 4]
    me.wants = [0, 5, 0, 6]
    assert psvr.write_sub(me, 0, out) == 0
    assert (out.src, out.to, out.back, out.ring, out.limit, out.last) == (9, k.NOBODY, k.NOBODY, 77, 20, 1)
    assert (out.position, out.channels, out.channel) == ([4, 10, NONE, NONE], 2, [5, 6, 0, 0])


@pytest.mark.parametrize("value", [-9, 1 << 40])
def test_whatever_a_node_remembers_its_subs_are_in_range(value: int) -> None:
    me, out = inner(), blank(Sub, SMALL)
    me.ring = me.length = me.position[0] = value
    psvr.start_sub(me, out)
    assert not outside(out, Sub) and out.limit == (0 if value < 0 else k.MAX_HOPS)


def test_without_a_ring_nothing_is_announced() -> None:
    me, out = inner(), blank(Sub, SMALL)
    me.wants, me.ring = [5, 6, 0, 0], -1
    assert psvr.write_sub(me, 0, out) == 0 and out.channels == 0


@pytest.mark.parametrize(
    "wants, part, named, following",
    [
        ([5, 6, 7, 8], 0, [5, 6], 2),
        ([5, 6, 7, 8], 2, [7, 8], 0),
        ([5, 6, 0, 0], 0, [5, 6], 0),
        ([5, 0, 6, 7], 0, [5, 6], 3),
        ([5, 6, 0, 7], 0, [5, 6], 3),
        ([0, 0, 0, 0], 0, [], 0),
    ],
)
def test_what_does_not_fit_one_sub_is_in_the_next(
    wants: list[int], part: int, named: list[int], following: int
) -> None:
    me, out = inner(frame=2 + 3 * 2 + 2 + 4 + 2 + 2 * 2 + 2 * 8 + 7), blank(Sub, SMALL)
    me.wants = wants
    assert psvr.write_sub(me, part, out) == following and out.channel[: out.channels] == named
