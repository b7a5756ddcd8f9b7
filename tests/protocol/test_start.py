"""How a node starts, and what its application asks of it."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import blank, fields, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Settings
from psvr.protocol.table import make_row
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import NOW, SMALL, add_candidate, inner, started

LATER = NOW + 300


def test_a_node_starts_alone_and_knows_nobody() -> None:
    me: Any = inner()
    add_candidate(me, 0, 30)
    make_row(me, CHANNEL)
    me.wants[1] = 5
    for name in ("number", "turn", "turned_away", "own", "seen_next", "bursts", "overflow", "dead_seq", "dead_at"):
        setattr(me, name, 3)
    me.dead_root = me.trigger_at = me.said_at = me.relayed[0].key = me.relayed[0].at = 3
    me.seen[0].origin = me.seen[0].boot = me.seen[0].number = 3
    settings = snapshot(me.settings, type(me.settings))
    node.start(me, 8, NOW)
    fresh = started(id=8)
    fresh.wants[1] = 5
    assert snapshot(me, Node) == snapshot(fresh, Node) and snapshot(me.settings, type(me.settings)) == settings
    assert (me.root, me.parent, me.dist, me.seq, me.size, me.fresh) == (8, k.NOBODY, 0, 0, 1, NOW)
    assert (me.ring, me.length, me.position) == (-1, 0, [NONE] * 4)
    assert (me.dead_root, me.dead_seq, me.dead_at, me.number, me.own, me.trigger_at, me.said_at) == (
        k.NOBODY,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    assert (me.sub_at, me.clean_at) == (NOW, NOW) and {x.id for x in (*me.link, *me.candidate)} == {k.NOBODY}
    assert {(s.origin, s.boot, s.number) for s in me.seen} == {(k.NOBODY, 0, 0)}
    assert {(r.key, r.at) for r in me.relayed} == {(0, 0)}


def test_first_hellos_are_spread_over_a_period() -> None:
    pauses = {(started(id=id).hello_at - NOW) * 10 // k.HELLO_PERIOD for id in range(500)}
    assert pauses >= set(range(10)) and max(pauses) <= 10


def test_default_settings() -> None:
    s: Any = blank(Settings, SMALL)
    for f in fields(Settings):
        setattr(s, f.name, 3)
    node.default_settings(s)
    assert (s.hello, s.lease, s.links, s.depth, s.frame) == (k.HELLO_PERIOD, 0, 8, 64, 116)
    assert (s.id_bytes, s.position_bytes, s.system, s.custom, s.shortcuts) == (2, 2, k.PSVR, 0, k.ALL)


def subscribed_later(**settings: int) -> Node:
    me = inner(**settings)
    me.sub_at = LATER
    return me


def test_a_subscription_is_announced_at_once_and_only_once() -> None:
    me = subscribed_later()
    assert node.subscribe(me, NOW, CHANNEL) and me.sub_at == NOW and CHANNEL in me.wants
    assert node.subscribe(me, NOW, CHANNEL) and me.wants.count(CHANNEL) == 1


def test_subscriptions_that_find_no_room_are_refused() -> None:
    me = started()
    assert [node.subscribe(me, NOW, c) for c in (11, 12, 13, 14, 15, 12)] == [True] * 4 + [False, True]
    assert not node.subscribe(me, NOW, k.NO_CHANNEL) and sorted(me.wants) == [11, 12, 13, 14]


@pytest.mark.parametrize("system", [k.PSVR, k.SHEN])
def test_an_unsubscription_is_announced_if_the_system_can_do_so(system: int) -> None:
    me = subscribed_later(system=system)
    me.wants[1] = 5
    node.unsubscribe(me, NOW, 6)
    node.unsubscribe(me, NOW, k.NO_CHANNEL)
    assert 5 in me.wants and me.sub_at == LATER
    node.unsubscribe(me, NOW, 5)
    assert 5 not in me.wants and me.sub_at == (NOW if system == k.SHEN else LATER)
