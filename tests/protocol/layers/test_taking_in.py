"""Which nodes are proposed to, which are accepted, and which make room for them in a full table."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import links
from psvr.protocol.layout import Capacity
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node
from tests.support.protocol.hand_made import GOOD, NOW, add_candidate, add_link, follow, ids, started

PERIOD = k.HELLO_PERIOD


def test_one_node_is_taken_in_per_period_and_one_that_keeps_me_first() -> None:
    me = started()
    add_candidate(me, 0, 20, q_in=k.QUALITY_ONE, q_out=k.QUALITY_ONE)
    add_candidate(me, 1, 21, keeps_me=1, q_in=k.QUALITY_ADMIT, q_out=k.QUALITY_ADMIT)
    links.each_period(me, NOW)
    assert ids(me.link) == [21] and ids(me.candidate) == [20]
    links.each_period(me, NOW)
    assert ids(me.link) == [21, 20] and ids(me.candidate) == []


def test_a_period_begins_by_removing_what_is_gone() -> None:
    me = started()
    add_link(me, 0, 5, heard=NOW - 9 * PERIOD)
    add_candidate(me, 1, 20, heard=NOW - 65 * PERIOD)
    links.each_period(me, NOW)
    assert ids(me.link) == [] and ids(me.candidate) == [5]


def test_links_that_are_answered_are_no_proposals() -> None:
    me = started()
    for i in range(3):
        add_link(me, i, 5 + i)
    add_candidate(me, 0, 20)
    links.each_period(me, NOW)
    assert links.half_open(me) == 1 and ids(me.link) == [5, 6, 7, 20]


def test_a_node_that_cannot_be_accepted_does_not_prevent_a_proposal() -> None:
    me = full()
    me.root = 2
    add_candidate(me, 0, 30, root=2, keeps_me=1)  # of my own tree, and all links are good
    add_candidate(me, 1, 31, root=1)
    links.each_period(me, NOW)
    assert 31 in ids(me.link) and 30 in ids(me.candidate)


def test_two_proposals_at_a_time_and_no_limit_to_answers() -> None:
    me = started(capacity=Capacity(links=8, candidates=8))
    add_link(me, 0, 5, keeps_me=0, since=NOW)
    for j in range(3):
        add_candidate(me, j, 20 + j)
    links.each_period(me, NOW)
    links.each_period(me, NOW)
    assert ids(me.link) == [5, 20] and links.half_open(me) == 2
    add_candidate(me, 3, 30, keeps_me=1)
    links.each_period(me, NOW)
    assert ids(me.link) == [5, 20, 30]


@pytest.mark.parametrize(
    "said, taken",
    [
        ({}, True),
        ({"q_in": k.QUALITY_ADMIT}, True),
        ({"q_in": k.QUALITY_ADMIT - 1}, False),
        ({"q_out": k.QUALITY_ADMIT - 1}, False),
        ({"q_in": k.QUALITY_JOIN, "root": 3}, True),
        ({"q_in": k.QUALITY_JOIN - 1, "root": 3}, False),
        ({"heard": NOW - 8 * PERIOD}, True),
        ({"heard": NOW - 8 * PERIOD - 1}, False),
        ({"shun": NOW + PERIOD}, False),
        ({"shun": NOW + PERIOD, "evicted": 1}, False),
        ({"free": 0}, False),
        ({"free": 0, "root": 12}, False),  # it has the larger root: it asks
        ({"free": 0, "root": 3}, True),
        ({"free": 0, "root": 0}, True),  # it makes room for the smaller root
        ({"free": 0, "root": k.NOBODY}, False),
    ],
)
@pytest.mark.parametrize("keeps_me", [0, 1])
def test_which_nodes_are_proposed_to_and_which_are_accepted(said: dict[str, int], taken: bool, keeps_me: int) -> None:
    """A node that keeps me is accepted with or without free places, and in a pause, but not if it had to make room."""
    me = started()
    add_candidate(me, 1, 5, keeps_me=keeps_me, **said)
    links.each_period(me, NOW)
    waived = keeps_me == 1 and ("free" in said or ("shun" in said and "evicted" not in said))
    assert (ids(me.link) == [5]) == (taken or waived)


@pytest.mark.parametrize(
    "a, b, first",
    [
        ({"q_in": 50_000}, {"q_in": 50_001}, "b"),
        ({"q_in": 50_001}, {"q_in": 50_000}, "a"),
        ({}, {}, "a"),  # the smaller id
        ({"q_in": 65_535, "q_out": 65_535}, {"q_in": 37_000, "root": 3}, "b"),  # of another tree
    ],
)
def test_the_best_is_taken_first(a: dict[str, int], b: dict[str, int], first: str) -> None:
    for places in ((0, 1), (1, 0)):
        me = started()
        add_candidate(me, places[0], 20, **a)
        add_candidate(me, places[1], 21, **b)
        assert me.candidate[links.best_candidate(me, NOW, False)].id == (20 if first == "a" else 21)


def test_a_node_taken_in_keeps_what_is_known_about_it_but_is_a_new_link() -> None:
    me = started()
    me.link[0].root = me.link[0].parent = me.link[0].size = 4  # remains of someone else
    add_candidate(me, 0, 20, heard=NOW - 5, number=31, samples=7, q_in=51_000, q_out=52_000, keeps_me=1, free=2)
    links.each_period(me, NOW)
    x = me.link[0]
    assert (x.id, x.heard, x.number, x.samples, x.q_in, x.q_out) == (20, NOW - 5, 31, 7, 51_000, 52_000)
    assert (x.keeps_me, x.free, x.since, x.root, x.parent, x.size) == (1, 2, NOW, k.NOBODY, k.NOBODY, 0)


def full() -> Node:
    """A node in the tree of 0 with a parent, a child and two other links."""
    me = started()
    follow(me, parent=1)
    for i, (id, parent, dist) in enumerate([(1, 0, 0), (20, 9, 2), (21, 0, 1), (22, 0, 1)]):
        add_link(me, i, id, root=0, parent=parent, dist=dist)
    return me


STRANGER = {"root": 3, "keeps_me": 1}


@pytest.mark.parametrize(
    "said, candidate, evicted",
    [
        ({}, STRANGER, 21),  # one that is not in the tree, the first of equals
        ({22: {"q_in": GOOD - 1}}, STRANGER, 22),  # the worst of them
        ({1: {"q_in": 30_000}, 20: {"q_in": 30_000}}, STRANGER, 21),  # never the tree, however bad
        ({22: {"keeps_me": 0, "since": NOW}, 21: {"q_in": 30_000}}, STRANGER, 22),  # half-open ones before all
        ({21: {"parent": 9}, 22: {"parent": 9}}, STRANGER, None),
        ({21: {"parent": 9}, 22: {"parent": 9, "alt": 1}}, STRANGER, 22),  # a child that has another parent to go to
        ({1: {"alt": 1}, 21: {"parent": 9}, 22: {"parent": 9}}, STRANGER, None),  # not my parent
        ({20: {"alt": 1}}, STRANGER, 21),  # after those beside the tree
        ({22: {"keeps_me": 0, "since": NOW}}, {"root": 0, "keeps_me": 1}, None),  # only for another tree …
        ({20: {"alt": 1}}, {"root": 0, "keeps_me": 1}, None),
        ({}, {"root": 3, "keeps_me": 0}, None),  # a larger root, and it does not keep me
        ({}, {"root": 0, "keeps_me": 1}, None),  # of my own tree, and all links are good
        ({22: {"q_in": k.QUALITY_ADMIT - 1}}, {"root": 0, "keeps_me": 1}, 22),
        ({22: {"q_in": k.QUALITY_ADMIT}}, {"root": 0, "keeps_me": 1}, None),
        ({22: {"q_in": k.QUALITY_ADMIT - 1}}, {"root": 0, "keeps_me": 0}, None),
        ({22: {"q_in": 45_000}}, {"root": 0, "keeps_me": 1, "q_in": 45_000 + k.QUALITY_BETTER}, 22),
        ({22: {"q_in": 45_000}}, {"root": 0, "keeps_me": 1, "q_in": 44_999 + k.QUALITY_BETTER}, None),
        ({20: {"q_in": 30_000}}, {"root": 0, "keeps_me": 1}, None),  # a child stays, bad or not
        ({1: {"q_in": 30_000}}, {"root": 0, "keeps_me": 1}, None),
    ],
)
def test_which_link_makes_room_in_a_full_table(
    said: dict[int, dict[str, int]], candidate: dict[str, int], evicted: int | None
) -> None:
    me = full()
    for link in me.link:
        for name, value in said.get(link.id, {}).items():
            setattr(link, name, value)
    add_candidate(me, 0, 30, **candidate)
    links.each_period(me, NOW)
    assert sorted(ids(me.link)) == sorted({1, 20, 21, 22, 30} - {evicted or 30})
    assert evicted is None or (me.candidate[0].id, me.candidate[0].evicted) == (evicted, 1)


def test_the_smaller_root_is_worth_a_place_even_if_it_does_not_keep_me() -> None:
    me = full()
    me.root = 2
    c = add_candidate(me, 0, 30, root=0)
    assert links.to_evict(me, c) != NONE
    c.root = 5
    assert links.to_evict(me, c) == NONE


def test_a_node_that_made_room_is_left_alone_for_5_to_15_periods() -> None:
    pauses = set()
    for when in range(300):
        me = full()
        add_candidate(me, 0, 30, **STRANGER)
        links.each_period(me, NOW + when)
        pauses.add((me.candidate[0].shun - NOW - when) / PERIOD)
    assert pauses == set(range(5, 16))


@pytest.mark.parametrize(
    "said, places, number",
    [
        ([STRANGER], 4, 1),
        ([{"root": 3}, {"root": 4}], 4, 2),
        ([{}], 4, 0),
        ([{"root": 3, "q_in": 0}], 4, 0),
        ([{"root": 3}], 5, 0),  # there is a place
    ],
)
def test_good_nodes_of_other_trees_without_a_place_are_counted(
    said: list[dict[str, int]], places: int, number: int
) -> None:
    me = started(capacity=Capacity(links=places, candidates=4))
    follow(me, parent=20)
    for i in range(4):
        add_link(me, i, 20 + i, parent=me.id, root=0)
    for j, x in enumerate(said):
        add_candidate(me, j, 30 + j, **x)
    assert links.count_turned_away(me, NOW) == number


def test_a_node_that_is_a_candidate_twice_leaves_both_places() -> None:
    me = started()
    add_candidate(me, 0, 20)
    add_candidate(me, 2, 20, q_in=k.QUALITY_ONE, q_out=k.QUALITY_ONE)
    add_candidate(me, 3, 21, heard=NOW - k.SILENCE * PERIOD - 1)
    links.each_period(me, NOW)
    assert ids(me.link) == [20] and ids(me.candidate) == [21]
