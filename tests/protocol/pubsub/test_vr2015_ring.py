"""SUBs around the ring, at a node with the positions 4 and 10 of a ring of 20: what it sends, learns and passes on."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE
from psvr.protocol.psvr import start_sub
from psvr.protocol.records import Node, Sub
from psvr.protocol.table import make_row, next_subscriber
from psvr.related.vr2015 import hear_sub, write_sub
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, LONG_AGO, NOW, OTHER, PARENT, SMALL, assign, inner

SECOND_CHANNEL = 4712


def member(*channels: int, **settings: Any) -> Node:
    """Node 9, whose application subscribes to these channels."""
    me = inner(system=k.VR2015, **settings)
    me.wants[: len(channels)] = channels
    return me


def written(me: Node) -> list[Sub]:
    """Return the SUBs that are sent when SUBs are due."""
    found, part = [], 0
    while True:
        out = blank(Sub, SMALL)
        start_sub(me, out)
        part = write_sub(me, NOW, part, out)
        if out.channels or out.to != k.NOBODY:
            found.append(out)
        if part == 0:
            return found


def sub_of(src: int, *positions: int, **said: Any) -> Sub:
    """A SUB of a node with these positions, from a neighbour to node 9."""
    sub = blank(Sub, SMALL)
    sub.src, sub.to, sub.ring, sub.limit, sub.channels, sub.channel[0] = src, 9, 77, 12, 1, CHANNEL
    sub.position[:] = [*positions, *[NONE] * (len(sub.position) - len(positions))]
    assign(sub, said)
    return sub


def heard(me: Node, sub: Sub) -> tuple[int, Sub | None]:
    """Return the reason, and what node 9 passes on."""
    out = blank(Sub, SMALL)
    start_sub(me, out)
    reason = hear_sub(me, NOW, sub, out)
    return reason, out if out.channels else None


def known(me: Node) -> list[int]:
    return [next_subscriber(me, CHANNEL, j) for j in range(2)]


def test_a_subscriber_sends_one_sub_per_channel_to_the_position_after_its_first() -> None:
    subs = written(member(CHANNEL, k.NO_CHANNEL, SECOND_CHANNEL))
    assert [(s.to, s.channels, s.channel[0], s.limit, s.ring) for s in subs] == [
        (CHILD, 1, CHANNEL, 20, 77),
        (CHILD, 1, SECOND_CHANNEL, 20, 77),
    ]
    assert all(s.position == [4, 10, NONE, NONE] for s in subs)


def test_without_subscriptions_or_a_way_around_the_ring_nothing_is_sent() -> None:
    assert written(member()) == []
    off_ring, cut = member(CHANNEL), member(CHANNEL, SECOND_CHANNEL)
    off_ring.ring = -1
    cut.link[1].ring = 78
    assert written(off_ring) == written(cut) == []


@pytest.mark.parametrize("mine", [False, True])
@pytest.mark.parametrize("src, to", [(PARENT, CHILD), (CHILD, PARENT)])
def test_a_sub_goes_on_to_the_next_position_also_from_subscribers(src: int, to: int, mine: bool) -> None:
    """From 3 it has come to 4 and goes on to 5, from 9 to 10 and on to 11."""
    me = member(*[CHANNEL] * mine)
    reason, out = heard(me, sub_of(src, 14, 16))
    assert reason == k.FINE and known(me) == [14, 14] and out is not None
    assert (out.src, out.to, out.limit, out.ring, out.channels, out.channel[0]) == (9, to, 11, 77, 1, CHANNEL)
    assert out.position == [14, 16, NONE, NONE]


def test_it_renews_what_is_known_at_every_visit() -> None:
    me = member()
    row = me.row[make_row(me, CHANNEL)]
    for src in (PARENT, CHILD):
        for entry in row.entry[:2]:
            entry.ns, entry.since = 14, LONG_AGO
        heard(me, sub_of(src, 14))
        assert [(entry.ns, entry.since) for entry in row.entry[:2]] == [(14, NOW)] * 2


def test_a_sub_ends_where_it_began_and_passes_the_other_positions_of_its_subscriber() -> None:
    me = member(CHANNEL)
    reason, out = heard(me, sub_of(CHILD, 4, 10))
    assert reason == k.FINE and out is not None and out.to == PARENT
    reason, out = heard(me, sub_of(PARENT, 4, 10))
    assert (reason, out, known(me)) == (k.FINE, None, [NONE, NONE])


def test_the_last_position_of_a_ring_is_followed_by_its_first() -> None:
    me = member()
    me.position[0], me.link[0].position[0] = 0, 19
    reason, out = heard(me, sub_of(PARENT, 14, limit=20))
    assert (reason, out) == (k.NO_WAY, None)  # nobody is at 1
    me.link[1].position[0] = 1
    reason, out = heard(me, sub_of(PARENT, 14, limit=20))
    assert reason == k.FINE and out is not None and out.to == CHILD


@pytest.mark.parametrize(
    "src, said, reason",
    [
        (PARENT, {"to": CHILD}, k.NOT_MY_POSITION),  # as all in reach hear it
        (PARENT, {"to": k.NOBODY}, k.NOT_MY_POSITION),
        (OTHER, {}, k.NOT_MY_POSITION),  # none of its positions is before one of mine
        (33, {}, k.NOT_A_LINK),
        (PARENT, {"ring": 78}, k.OTHER_RING),
        (PARENT, {"limit": 0}, k.TOO_MANY_HOPS),
    ],
)
def test_what_is_not_for_this_position_teaches_nothing(src: int, said: dict[str, Any], reason: int) -> None:
    me = member()
    assert heard(me, sub_of(src, 14, 16, **said)) == (reason, None)
    assert known(me) == [NONE, NONE]


def test_without_a_ring_nothing_is_learnt() -> None:
    me = member()
    me.position[0] = NONE
    assert heard(me, sub_of(PARENT, 14)) == (k.NO_RING, None)


def test_the_last_hop_teaches_but_is_not_passed_on() -> None:
    me = member()
    assert heard(me, sub_of(PARENT, 14, limit=1)) == (k.FINE, None)
    assert known(me) == [14, 14]


def test_without_a_link_to_the_next_position_it_says_so() -> None:
    me = member()
    me.link[1].ring = 78
    assert heard(me, sub_of(PARENT, 14)) == (k.NO_WAY, None)
    assert known(me) == [14, 14]


def test_what_a_fault_made_of_a_sub_is_brought_into_range() -> None:
    for said in ({"channels": 99}, {"channels": 99, "limit": 1 << 20}):
        _, out = heard(member(), sub_of(PARENT, 14, 1 << 20, -7, **said))
        assert out is not None and out.channels == 1 and out.limit <= 19
        assert out.position == [14, 19, NONE, NONE]
    assert heard(member(), sub_of(PARENT, 14, channel=[k.NO_CHANNEL] * 4))[1] is None
    assert heard(member(), sub_of(PARENT, 14, channels=-3)) == (k.FINE, None)
