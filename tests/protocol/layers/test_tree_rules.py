"""The rules of the tree one by one, on a node made by hand: offers, numbers, time-outs, which nodes belong to it."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import tree
from psvr.protocol.layout import blank
from psvr.protocol.records import Hello
from tests.support.protocol.hand_made import NOW, SMALL, add_link, follow, hello, offered, started

PERIOD = k.HELLO_PERIOD


@pytest.mark.parametrize(
    "said, refused",
    [
        ({}, False),
        ({"keeps_me": 0}, True),
        ({"root": 8}, False),
        ({"root": 9}, True),
        ({"root": 10}, True),
        ({"root": k.NOBODY}, True),
        ({"parent": 9}, True),
        ({"parent": k.NOBODY}, False),
        ({"dist": 9}, False),
        ({"dist": 10}, True),  # D_max is 10
        ({"seq": 0}, False),
        ({"seq": -1}, True),
        ({"seq": k.SEQ_LIMIT - 1}, False),
        ({"seq": k.SEQ_LIMIT}, True),
        ({"dist": 0}, True),
        ({"root": 5}, True),
        ({"root": 5, "dist": 0}, False),  # only a root is at distance 0
    ],
)
def test_which_offers_are_refused(said: dict[str, int], refused: bool) -> None:
    me = offered(**said)
    assert tree.refused(me, NOW, me.link[0]) == refused
    tree.derive(me, NOW)
    assert (me.root == me.id) == refused


def test_distances_that_a_hello_cannot_say_are_refused_whatever_d_max_is() -> None:
    me = offered(dist=k.MAX_DISTANCE - 1)
    me.settings.depth = 1 << 20
    assert not tree.refused(me, NOW, me.link[0])
    me.link[0].dist = k.MAX_DISTANCE
    assert tree.refused(me, NOW, me.link[0])


@pytest.mark.parametrize(
    "seq, root, ago, refused",
    [
        (49, 2, 0, True),
        (50, 2, 0, True),
        (51, 2, 0, False),  # only a number newer than its last proves that it lives
        (50, 3, 0, False),
        (50, 2, 24 * PERIOD, True),
        (50, 2, 24 * PERIOD + 1, False),
        (50, 2, -1, False),
    ],
)
def test_a_dead_root_s_old_numbers_are_refused_for_a_while(seq: int, root: int, ago: int, refused: bool) -> None:
    me = offered(seq=seq, root=root)
    me.settings.depth = 64
    me.dead_root, me.dead_seq, me.dead_at = 2, 50, NOW - ago
    assert tree.refused(me, NOW, me.link[0]) == refused


def test_the_record_of_a_dead_root_expires() -> None:
    me = started()
    me.dead_root, me.dead_seq, me.dead_at = 2, 50, NOW
    tree.derive(me, NOW + 24 * PERIOD)
    assert (me.dead_root, me.dead_seq, me.dead_at) == (2, 50, NOW)
    tree.derive(me, NOW + 24 * PERIOD + 1)
    assert (me.dead_root, me.dead_seq, me.dead_at) == (k.NOBODY, 0, 0)


@pytest.mark.parametrize("depth", [1, 10, 64, 200, 1000])
def test_a_dead_root_is_refused_for_longer_than_anybody_may_keep_it(depth: int) -> None:
    """Otherwise a node that gave it up early hears of it again from nodes that believe they are further away."""
    me = started(depth=depth)
    me.dist, me.fresh = depth, NOW
    last = next(NOW + i * PERIOD // 8 for i in range(9000) if tree.root_is_dead(me, NOW + i * PERIOD // 8))
    assert tree.dead_life(me) >= last - NOW + 7 * PERIOD


@pytest.mark.parametrize("period", [PERIOD, 5 * PERIOD])
@pytest.mark.parametrize("dist, eighths", [(0, 64), (1, 65), (8, 72), (60, 124), (-5, 64)])
def test_a_root_without_newer_numbers_is_given_up_after_8_periods_and_one_more_per_8_steps(
    dist: int, eighths: int, period: int
) -> None:
    me = started(hello=period)
    me.dist, me.fresh = dist, NOW
    life = eighths * period // 8
    assert not tree.root_is_dead(me, NOW + life) and tree.root_is_dead(me, NOW + life + 1)
    me.fresh = NOW + 1
    assert tree.root_is_dead(me, NOW)  # a time in the future is a fault


def test_a_root_given_up_is_remembered_as_dead_and_not_taken_again() -> None:
    me = offered(seq=50)
    follow(me, parent=5, root=2, dist=4)
    me.seq, me.fresh = 50, NOW - 100 * PERIOD
    tree.derive(me, NOW)
    assert (me.dead_root, me.dead_seq, me.dead_at) == (2, 50, NOW)
    assert (me.root, me.parent, me.dist, me.seq, me.fresh) == (9, k.NOBODY, 0, me.own, NOW)
    me.link[0].seq = 51
    tree.derive(me, NOW)
    assert (me.root, me.parent) == (2, 5)


def test_a_node_that_is_root_gives_nobody_up() -> None:
    me = started()
    me.fresh = 0
    assert not tree.derive(me, NOW)
    assert (me.root, me.dead_root) == (9, k.NOBODY)


def test_a_node_left_without_offers_is_its_own_root_at_once() -> None:
    me = offered()
    follow(me, parent=5, root=2, dist=4)
    me.link[0].keeps_me, me.own = 0, 17
    assert not tree.derive(me, NOW)
    assert (me.root, me.parent, me.dist, me.seq, me.fresh, me.dead_root) == (9, k.NOBODY, 0, 17, NOW, k.NOBODY)


def test_after_a_root_was_given_up_the_old_parent_is_one_among_others() -> None:
    me = started()
    add_link(me, 0, 5, root=3, dist=5, parent=4, since=NOW)
    add_link(me, 1, 6, root=3, dist=4, parent=4, since=NOW)
    follow(me, parent=5, root=2, dist=6)
    me.fresh = NOW - 100 * PERIOD
    tree.derive(me, NOW)
    assert (me.root, me.parent, me.dead_root) == (3, 6, 2)


@pytest.mark.parametrize("seq, recorded", [(-5, 0), (0, 0), (2**31 - 1, k.SEQ_LIMIT)])
def test_what_is_recorded_of_a_dead_root_is_in_range(seq: int, recorded: int) -> None:
    me = started()
    follow(me, parent=5, root=2)
    me.seq, me.fresh = seq, 0
    tree.derive(me, NOW)
    assert (me.dead_root, me.dead_seq) == (2, recorded)


# My own number.


MOST = k.SEQ_TRUSTED + 2 * (NOW // PERIOD)  # that I can have counted to


@pytest.mark.parametrize(
    "own, following",
    [(0, 1), (41, 42), (MOST - 1, MOST), (MOST, 0), (MOST + 1, 0), (k.SEQ_LIMIT - 30, 0), (k.SEQ_LIMIT, 0), (-1, 0)],
)
def test_the_number_of_a_root_grows_by_one_and_starts_again_at_its_limit(own: int, following: int) -> None:
    me = started()
    me.own = own
    tree.beat(me, NOW)
    assert (me.own, me.seq) == (following, following)


@pytest.mark.parametrize("own, following", [(k.SEQ_LIMIT - 2, k.SEQ_LIMIT - 1), (k.SEQ_LIMIT - 1, 0), (k.SEQ_LIMIT, 0)])
def test_however_long_the_clock_runs_there_is_a_last_number(own: int, following: int) -> None:
    me = started()
    me.own = own
    tree.beat(me, k.FOREVER)
    assert (me.own, me.seq) == (following, following)


@pytest.mark.parametrize("own", [MOST, MOST - 20, k.SEQ_TRUSTED, k.SEQ_LIMIT - 30])
def test_a_number_that_is_too_large_is_given_up_at_once_or_never(own: int) -> None:
    """Within a few periods, that is; once everything is settled, it would cost the network its root."""
    me, now = started(), NOW
    me.own = own
    tree.derive(me, now)
    for i in range(300):
        before, now = me.own, now + PERIOD * (100 - k.JITTER_PERCENT) // 100
        tree.beat(me, now)
        assert me.own == before + 1 or i < 8


def test_the_root_s_number_is_not_touched_by_others() -> None:
    me = started()
    follow(me, parent=5, root=2)
    me.seq, me.own = 50, 7
    tree.beat(me, NOW)
    assert (me.own, me.seq) == (8, 50)


@pytest.mark.parametrize(
    "said, own",
    [
        ({"seq": 70}, 70),
        ({"seq": 30}, 40),
        ({"seq": 70, "root": 2}, 40),
        ({"seq": 70, "keeps_me": 0}, 40),
        ({"seq": k.SEQ_TRUSTED - 1}, k.SEQ_TRUSTED - 1),
        ({"seq": k.SEQ_TRUSTED}, 40),
        ({"seq": k.SEQ_LIMIT - 1}, 40),
    ],
)
def test_an_old_number_of_mine_is_overtaken_if_it_leaves_room_to_count(said: dict[str, int], own: int) -> None:
    me = started()
    add_link(me, 0, 20, **{"root": 9, "parent": 9, "dist": 1, **said})
    me.own = 40
    tree.catch_up(me, NOW)
    assert me.own == own


@pytest.mark.parametrize("own", [-1, MOST + 1, k.SEQ_LIMIT])
def test_a_number_that_cannot_be_starts_again(own: int) -> None:
    me = started()
    me.own = own
    tree.derive(me, NOW)
    assert (me.own, me.seq) == (0, 0)


# Who belongs to the tree, and what is said of it.


@pytest.mark.parametrize(
    "said, child",
    [({}, True), ({"keeps_me": 0}, False), ({"parent": 8}, False), ({"root": 3}, False), ({"id": 5}, False)],
)
def test_a_child_names_me_as_its_parent_under_the_same_root(said: dict[str, int], child: bool) -> None:
    me = started()
    follow(me, parent=5, root=2)
    link = add_link(me, 0, 20, **{"root": 2, "parent": 9, "dist": 2, **said})
    assert tree.is_child(me, link) == child
    assert tree.is_tree(me, link) == (child or link.id == 5)


def test_tree_links_are_counted() -> None:
    me = offered()
    follow(me, parent=5, root=2)
    add_link(me, 1, 20, root=2, parent=9)
    add_link(me, 2, 21, root=2, parent=8)
    assert tree.tree_degree(me) == 2
    me.link[0].keeps_me = 0
    assert tree.tree_degree(me) == 1


@pytest.mark.parametrize(
    "said, alternative",
    [
        ({}, True),
        ({"dist": 4}, True),
        ({"dist": 5}, False),
        ({"keeps_me": 0}, False),
        ({"parent": 9}, False),
        ({"root": 3}, False),
        ({"dist": -1}, False),
        ({"id": 2, "dist": 0}, True),
    ],
)
def test_another_way_to_the_root_is_a_neighbour_as_near_as_me_that_is_not_my_child(
    said: dict[str, int], alternative: bool
) -> None:
    me = offered()
    follow(me, parent=5, root=2, dist=4)
    assert not tree.has_alternative(me)  # the parent itself is none
    add_link(me, 1, 20, **{"root": 2, "dist": 3, "parent": 4, **said})
    assert tree.has_alternative(me) == alternative
    out = blank(Hello, SMALL)
    tree.write(me, out)
    assert (out.root, out.parent, out.dist, out.seq, out.alt) == (2, 5, 4, 5, int(alternative))
    me.parent = 77  # not even a link: then there is nothing to be other than
    tree.write(me, out)
    assert out.alt == 0


@pytest.mark.parametrize(
    "said, kept",
    [
        ({"root": 2, "parent": 4, "dist": 3, "seq": 50}, (2, 4, 3, 50)),
        ({"root": -7, "parent": -9, "dist": -1, "seq": -1}, (k.NOBODY, k.NOBODY, 0, 0)),
        ({"root": 2, "parent": 4, "dist": 70_000, "seq": 2**31 - 1}, (2, 4, k.MAX_DISTANCE, k.SEQ_LIMIT)),
    ],
)
def test_what_a_link_says_is_recorded_within_its_range(said: dict[str, Any], kept: tuple[int, ...]) -> None:
    me = started()
    link = add_link(me, 0, 5)
    tree.hear(me, link, hello(5, **said))
    assert (link.root, link.parent, link.dist, link.seq) == kept
