"""Where PSVR sends a PUB, at a node with the positions 4 and 10 of a ring of 20."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import psvr
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication
from psvr.protocol.records import Node, Outcome, Pub
from psvr.protocol.table import find_row, make_row
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, SMALL, inner, put_on_ring, started


def set_table(me: Node, *ns: int) -> None:
    for entry, s in zip(me.row[make_row(me, CHANNEL)].entry, ns):
        entry.ns, entry.since = s, NOW


def detour(me: Node, at: int, ep: int, avoid: int, out: Outcome) -> None:
    pub = blank(Pub, SMALL)
    pub.channel, pub.ep = CHANNEL, ep
    publication.detour(me, NOW, pub, at, avoid, out)


@pytest.mark.parametrize(
    "p, s, link, goal",
    [
        (10, 19, 2, 16),
        (10, 16, 2, 16),
        (10, 15, 2, 14),
        (10, 13, 0, 11),
        (10, 3, 0, 3),
        (10, 2, 2, 16),
        (4, 5, 1, 5),
        (4, 8, 1, 7),
        (4, 9, 1, 9),
        (4, 3, 0, 3),
        (16, 2, NONE, NONE),
    ],
)
def test_the_furthest_position_of_a_link_up_to_the_subscriber(p: int, s: int, link: int, goal: int) -> None:
    assert psvr.furthest(inner(), p, s, k.NOBODY) == (link, goal)


@pytest.mark.parametrize("p, s, link, goal", [(10, 3, 2, 16), (10, 11, 0, 11), (4, 9, 1, 5), (4, 3, 2, 16)])
def test_with_nontree_a_tree_neighbour_is_used_as_the_successor_only(p: int, s: int, link: int, goal: int) -> None:
    assert psvr.furthest(inner(shortcuts=k.NONTREE), p, s, k.NOBODY) == (link, goal)


@pytest.mark.parametrize(
    "said, goal",
    [
        ({}, 16),
        ({"ring": 78}, 11),
        ({"length": 22}, 11),
        ({"keeps_me": 0}, 11),
        ({"id": 30}, 11),
        ({"position": [NONE, 16, NONE, NONE]}, 11),
        ({"position": [14, 36, NONE, NONE]}, 14),
    ],
)
def test_links_on_another_ring_or_avoided_are_of_no_use(said: dict[str, Any], goal: int) -> None:
    me = inner()
    for name, value in said.items():
        setattr(me.link[2], name, value)
    assert psvr.furthest(me, 10, 19, avoid=30)[1] == goal


def test_a_position_off_the_ring_is_not_sent_to() -> None:
    me = inner()
    me.link[2].position = [14, 20, NONE, NONE]
    assert psvr.furthest(me, 10, 1, k.NOBODY) == (2, 14)


def sends(out: Outcome) -> list[tuple[int, int, int, int]]:
    return [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]]


def forwarded(me: Node, cur: int, ep: int) -> Outcome:
    pub, out = blank(Pub, SMALL), blank(Outcome, SMALL)
    pub.cur, pub.ep, pub.channel = cur, ep, CHANNEL
    psvr.forward(me, pub, out)
    return out


@pytest.mark.parametrize(
    "cur, ep, ns, expected",
    [
        (4, 4, (8, 15), [(CHILD, 4, 7, 10), (OTHER, 10, 14, 4)]),  # all around: two parts
        (4, 10, (8, 15), [(CHILD, 4, 7, 10)]),  # only up to the end point
        (10, 4, (8, 15), [(OTHER, 10, 14, 4)]),
        (4, 16, (8, 15), [(CHILD, 4, 7, 10), (OTHER, 10, 14, 16)]),
        (4, 15, (8, 15), [(CHILD, 4, 7, 10)]),  # the subscriber is served by someone else
        (10, 10, (8, 15), [(CHILD, 4, 7, 10), (OTHER, 10, 14, 4)]),
        (4, 4, (15, 15), [(OTHER, 10, 14, 4)]),  # 10 is on the way and serves 15 itself
        (4, 4, (8, 8), [(CHILD, 4, 7, 10)]),  # from 10 on nobody, up to where 4 has served
        (4, 7, (8, 15), []),
        (4, 8, (8, 15), []),
        (4, 9, (8, 15), [(CHILD, 4, 7, 9)]),
        (4, 4, (NONE, NONE), []),
        (4, 4, (NONE, 15), [(OTHER, 10, 14, 4)]),
    ],
)
def test_each_own_position_serves_its_part_of_the_interval(
    cur: int, ep: int, ns: tuple[int, int], expected: list[tuple[int, int, int, int]]
) -> None:
    me = inner()
    set_table(me, *ns)
    out = forwarded(me, cur, ep)
    assert sends(out) == expected and out.reason == k.FINE


def test_entries_without_a_position_are_not_served() -> None:
    me = inner()
    set_table(me, 8, 15, 1, 1)
    out = forwarded(me, 4, 4)
    assert sends(out) == [(CHILD, 4, 7, 10), (OTHER, 10, 14, 4)] and out.reason == k.FINE


def test_a_part_to_which_no_link_leads_is_reported() -> None:
    me = inner()
    set_table(me, 8, 15)
    me.link[1].keeps_me = 0
    out = forwarded(me, 4, 4)
    assert sends(out) == [(OTHER, 10, 14, 4)] and out.reason == k.NO_WAY


@pytest.mark.parametrize(
    "j, ep, end", [(0, 4, 10), (0, 10, 10), (0, 8, 8), (0, 12, 10), (1, 4, 4), (1, 10, 4), (1, 2, 2), (1, 6, 4)]
)
def test_a_part_ends_at_the_next_own_position_or_before(j: int, ep: int, end: int) -> None:
    assert psvr.end_of_part(inner(), j, ep) == end


def test_a_table_full_of_positions_ends_at_its_first() -> None:
    me = started(capacity=Capacity(links=2))
    put_on_ring(me, 20, 4, 10)
    assert psvr.end_of_part(me, 1, 1) == 1 and psvr.end_of_part(me, 1, 10) == 4


# --- the second best


@pytest.mark.parametrize(
    "at, ep, ns, avoid, expected, reason",
    [
        (10, 4, 15, OTHER, [(PARENT, 10, 11, 4)], k.FINE),
        (10, 4, 15, PARENT, [(OTHER, 10, 14, 4)], k.FINE),
        (10, 0, 15, OTHER, [(PARENT, 10, 11, 0)], k.FINE),
        (4, 10, 8, CHILD, [], k.NO_WAY),
        (7, 4, 15, OTHER, [], k.NOT_MY_POSITION),
        (10, 20, 15, OTHER, [], k.NOT_MY_POSITION),
        (10, NONE, 15, OTHER, [], k.NOT_MY_POSITION),
        (10, 12, 15, OTHER, [], k.FINE),  # meanwhile, the subscriber is another's
        (10, 4, NONE, OTHER, [], k.FINE),  # or is no more
    ],
)
def test_a_detour_takes_another_link(
    at: int, ep: int, ns: int, avoid: int, expected: list[tuple[int, int, int, int]], reason: int
) -> None:
    me, out = inner(), blank(Outcome, SMALL)
    set_table(me, ns, ns)
    out.sends, out.deliver, out.reason = 3, 1, k.ECHO
    detour(me, at, ep, avoid, out)
    assert (sends(out), out.reason, out.deliver) == (expected, reason, 0)


def test_without_a_ring_there_is_no_detour() -> None:
    me, out = inner(), blank(Outcome, SMALL)
    set_table(me, 8, 15)
    me.ring = -1
    detour(me, 10, 4, OTHER, out)
    assert (out.sends, out.reason) == (0, k.NOT_MY_POSITION) and find_row(me, CHANNEL) != NONE
