"""Which offer a node follows, which parent it keeps, and from whom it takes which numbers of the root."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import tree
from tests.support.protocol.hand_made import NOW, add_link, follow, offered, started

PERIOD = k.HELLO_PERIOD


@pytest.mark.parametrize(
    "a, b, chosen",
    [
        ({"root": 1, "dist": 5}, {"root": 2, "dist": 1}, 20),
        ({"root": 2, "dist": 1}, {"root": 1, "dist": 5}, 21),
        ({"dist": 1}, {"dist": 3}, 20),
        ({"dist": 3}, {"dist": 1}, 21),
        ({}, {}, 20),  # the smaller id
        ({"since": NOW - 16 * PERIOD + 1}, {"since": NOW - 16 * PERIOD}, 21),  # who has lasted longer
        ({"dist": 1, "since": NOW}, {"dist": 2}, 21),  # even if it is a step further
        ({"dist": 1, "since": NOW}, {"dist": 3}, 20),  # but not two
        ({"root": 1, "since": NOW}, {"root": 2}, 20),  # and not under another root
        ({"since": NOW, "keeps_me": 0}, {"since": NOW}, 21),
    ],
)
def test_the_first_parent(a: dict[str, int], b: dict[str, int], chosen: int) -> None:
    """The smallest root; then the nearest link, or one a step further away that has lasted longer."""
    for places in ((0, 1), (1, 0), (0, 3), (3, 0)):
        me = started()
        for i, id, said in zip(places, (20, 21), (a, b)):
            add_link(me, i, id, **{"root": 1, "dist": 2, "parent": 3, **said})
        tree.derive(me, NOW)
        assert me.parent == chosen
        link = me.link[places[chosen - 20]]
        assert (me.root, me.dist, me.seq) == (link.root, link.dist + 1, link.seq)


@pytest.mark.parametrize(
    "said, stays",
    [
        ({}, True),
        ({"dist": 3}, True),
        ({"dist": 4}, False),
        ({"root": 2}, False),
        ({"keeps_me": 0}, False),
        ({"parent": 9}, False),
    ],
)
def test_a_young_parent_stays_while_it_is_one_step_further(said: dict[str, int], stays: bool) -> None:
    me = started()
    add_link(me, 0, 20, root=1, dist=2, parent=3, since=NOW)
    add_link(me, 1, 21, **{"root": 1, "dist": 2, "parent": 3, "since": NOW, **said})
    follow(me, parent=21, root=1, dist=3)
    tree.derive(me, NOW)
    assert me.parent == (21 if stays else 20)


@pytest.mark.parametrize(
    "periods, steps", [(0, 1), (15, 1), (31, 1), (32, 2), (127, 2), (128, 3), (512, 4), (90_000, 5)]
)
def test_an_old_parent_is_worth_more_steps(periods: int, steps: int) -> None:
    """It stays while it is as many steps longer; one more, and the nearer one is taken."""
    for far in (steps, steps + 1):
        me = started()
        add_link(me, 0, 5, root=0, parent=4, dist=1 + far, since=NOW - periods * PERIOD)
        add_link(me, 1, 6, root=0, parent=4, dist=1, since=NOW)
        follow(me, parent=5, dist=2 + far)
        tree.derive(me, NOW)
        assert me.parent == (5 if far <= steps else 6)


@pytest.mark.parametrize(
    "periods, doublings", [(0, 0), (15, 0), (16, 1), (31, 1), (32, 2), (63, 2), (64, 3), (16 * 128, 8), (16 * 1000, 8)]
)
def test_the_age_of_a_link_is_counted_in_doublings(periods: int, doublings: int) -> None:
    for period in (PERIOD, 3 * PERIOD):
        me = started(hello=period)
        assert tree.age(me, NOW, add_link(me, 0, 20, since=NOW - periods * period)) == doublings


# Numbers of the root.


@pytest.mark.parametrize(
    "said, seq",
    [
        ({"seq": 60}, 60),
        ({"seq": 40}, 50),
        ({"seq": 60, "root": 3}, 50),
        ({"seq": 60, "keeps_me": 0}, 50),
        ({"seq": 60, "parent": 9}, 50),
    ],
)
def test_the_number_is_the_newest_that_any_offer_of_that_root_has(said: dict[str, int], seq: int) -> None:
    me = offered(seq=50)
    add_link(me, 1, 6, **{"root": 2, "dist": 3, "parent": 4, **said})
    tree.derive(me, NOW)
    assert (me.parent, me.seq) == (5, seq)


@pytest.mark.parametrize(
    "root, seq, fresh",
    [
        (2, 50, NOW - PERIOD),  # nothing new: the time-out goes on
        (2, 51, NOW - PERIOD),
        (2, 49, NOW),
        (3, 50, NOW),
        (3, 90, NOW),
    ],
)
def test_only_newer_numbers_renew_the_root_s_life(root: int, seq: int, fresh: int) -> None:
    me = offered(seq=50)
    follow(me, parent=5, root=root)
    me.seq, me.fresh = seq, NOW - PERIOD
    tree.derive(me, NOW)
    assert (me.root, me.seq, me.fresh) == (2, 50, fresh)


@pytest.mark.parametrize(
    "root, seq, ago, late",
    [(2, 49, 2 * PERIOD + 1, True), (2, 49, 2 * PERIOD, False), (2, 50, 3 * PERIOD, False), (3, 49, 3 * PERIOD, False)],
)
def test_a_number_after_more_than_two_periods_is_late(root: int, seq: int, ago: int, late: bool) -> None:
    me = offered(seq=50)
    follow(me, parent=5, root=root)
    me.seq, me.fresh = seq, NOW - ago
    assert tree.derive(me, NOW) == late
