"""Which links stay in the table, and what is remembered about those that do not."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import links
from psvr.protocol.layout import blank, fields, outside, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.records import Candidate, Link, Node
from tests.support.protocol.hand_made import LONG_AGO, NOW, PARENT, SMALL, add_candidate, add_link, ids, started

PERIOD = k.HELLO_PERIOD


@pytest.mark.parametrize(
    "said, stays",
    [
        ({}, True),
        ({"id": 9}, False),  # that is me
        ({"heard": NOW - 8 * PERIOD}, True),
        ({"heard": NOW - 8 * PERIOD - 1}, False),  # silent
        ({"heard": NOW + 1}, False),  # a time that cannot be
        ({"q_in": k.QUALITY_DROP, "q_out": k.QUALITY_DROP}, True),
        ({"q_in": k.QUALITY_DROP - 1}, False),
        ({"q_out": k.QUALITY_DROP - 1}, False),
        ({"keeps_me": 0, "since": NOW - 5 * PERIOD}, True),
        ({"keeps_me": 0, "since": NOW - 5 * PERIOD - 1}, False),  # it does not answer
        ({"keeps_me": 1, "since": NOW - 500 * PERIOD}, True),
    ],
)
def test_a_link_stays_while_it_is_heard_good_and_answered(said: dict[str, int], stays: bool) -> None:
    me = started()
    add_link(me, 1, 5, **{"root": 9, **said})
    links.tidy(me, NOW)
    assert ids(me.link) == ([5] if stays else [])


@pytest.mark.parametrize(
    "said, least",
    [
        ({}, k.QUALITY_DROP),
        ({"parent": 9}, k.QUALITY_DROP_TREE),
        ({"id": 7}, k.QUALITY_DROP_TREE),
        ({"root": 3}, k.QUALITY_DROP_TREE),
        ({"root": 12}, k.QUALITY_DROP_TREE),
        ({"parent": 7}, k.QUALITY_DROP),
    ],
)
def test_links_that_hold_a_tree_together_or_join_two_may_be_worse(said: dict[str, int], least: int) -> None:
    for quality, stays in ((least, True), (least - 1, False)):
        me = started()
        me.root, me.parent = 1, 7
        add_link(me, 1, 5, **{"root": 1, "parent": 1, "q_in": quality, **said})
        links.tidy(me, NOW)
        assert (len(ids(me.link)) == 1) == stays


def test_times_of_links_are_in_periods() -> None:
    me = started(hello=10 * PERIOD)
    add_link(me, 0, 5, heard=NOW - 80 * PERIOD)
    add_link(me, 1, 6, keeps_me=0, since=NOW - 50 * PERIOD)
    links.tidy(me, NOW)
    assert ids(me.link) == [5, 6]
    links.tidy(me, NOW + 1)
    assert ids(me.link) == []


def test_a_node_listed_twice_keeps_only_its_first_place() -> None:
    me = started()
    add_link(me, 0, 5, q_in=50_000)
    add_link(me, 1, 6)
    add_link(me, 2, 5, q_in=55_000)
    links.tidy(me, NOW)
    assert [x.id for x in me.link] == [5, 6, k.NOBODY, k.NOBODY] and me.link[0].q_in == 50_000


def test_places_beyond_c_n_are_freed() -> None:
    me = started(links=2)
    for i in range(4):
        add_link(me, i, 20 + i)
    links.tidy(me, NOW)
    assert ids(me.link) == [20, 21]


def test_free_places_push_no_candidate_out() -> None:
    me = started()
    for j in range(4):
        add_candidate(me, j, 20 + j)
    links.tidy(me, NOW)
    assert ids(me.candidate) == [20, 21, 22, 23]


def test_qualities_and_answers_out_of_range_are_brought_back() -> None:
    me = started()
    x = add_link(me, 0, 5, q_in=1 << 30, q_out=1 << 30, keeps_me=7, since=NOW)
    links.tidy(me, NOW)
    assert (x.id, x.q_in, x.q_out, x.keeps_me) == (5, k.QUALITY_ONE, k.QUALITY_ONE, 0)


def test_what_is_no_number_of_a_field_is_brought_back_into_its_range() -> None:
    for low in (True, False):
        me = started()
        link = add_link(me, 0, 5)
        for f in fields(Link):
            if f.name not in ("id", "heard", "q_in", "q_out", "keeps_me", "position"):
                setattr(link, f.name, -(1 << 31) if low else (1 << 31) - 1)
        link.position[:] = [-5, 1 << 31 - 1, 3, NONE]
        links.tidy(me, NOW)
        assert me.link[0].id == 5 and not outside(me, Node)


def test_a_free_place_says_nothing() -> None:
    link, c = blank(Link, SMALL), blank(Candidate, SMALL)
    for record in (link, c):
        for f in fields(type(record)):
            setattr(record, f.name, [3] * 4 if f.name == "position" else 3)
    links.clear(link)
    links.forget_candidate(c)
    said = snapshot(link, Link)
    assert [name for name, value in said.items() if value == -1] == [
        "id",
        "root",
        "parent",
        "digest",
        "ring",
        "my_start",
        "my_digest",
    ]
    assert {name for name, value in said.items() if value not in (-1, 0)} == {"q_in", "position"}
    assert (link.q_in, link.position) == (k.QUALITY_START, [NONE] * 4)
    said = snapshot(c, Candidate)
    assert {name: value for name, value in said.items() if value} == {"id": -1, "root": -1, "q_in": k.QUALITY_START}


@pytest.mark.parametrize("keeps_me", [0, 1])
def test_a_demoted_link_is_remembered_as_it_was_heard(keeps_me: int) -> None:
    me = started()
    x = add_link(me, 2, 5, heard=NOW - 3, number=17, samples=4, q_in=40_000, q_out=41_000)
    x.keeps_me, x.free, x.root = keeps_me, 3, 2
    links.demote(me, NOW, 2, 7, 1)
    c = me.candidate[0]
    assert (c.id, c.heard, c.number, c.samples, c.q_in, c.q_out) == (5, NOW - 3, 17, 4, 40_000, 41_000)
    assert (c.keeps_me, c.free, c.root, c.evicted) == (keeps_me, 3, 2, 1) and me.link[2].id == k.NOBODY


@pytest.mark.parametrize("period", [PERIOD, 7 * PERIOD])
def test_a_demoted_link_is_left_alone_for_periods(period: int) -> None:
    me = started(hello=period)
    add_link(me, 0, 5)
    links.demote(me, NOW, 0, 6, 0)
    assert me.candidate[0].shun == NOW + 6 * period and me.candidate[0].evicted == 0


@pytest.mark.parametrize(
    "heard, replaced",
    [
        ([NOW, NOW - 2, NOW - 1, NOW - 3], 3),  # the one not heard for longest
        ([NOW - 9, NOW, NOW, NOW], 0),
        ([NOW, NOW, NOW + 5, NOW], 2),  # or at an impossible time
        ([NOW, NOW - 1, NOW, NOW], 1),
    ],
)
def test_a_demoted_link_takes_the_place_of_the_oldest_candidate(heard: list[int], replaced: int) -> None:
    me = started()
    for j, when in enumerate(heard):
        add_candidate(me, j, j, heard=when)  # also 0 is somebody
    add_link(me, 0, 5)
    links.demote(me, NOW, 0, 0, 0)
    assert [c.id for c in me.candidate] == [5 if j == replaced else j for j in range(4)]


def test_a_demoted_link_takes_a_free_place_or_its_own_first() -> None:
    me = started()
    for j in (0, 1, 3):
        add_candidate(me, j, 20 + j, heard=NOW - j)
    add_link(me, 0, 5)
    links.demote(me, NOW, 0, 0, 0)
    assert me.candidate[2].id == 5
    add_link(me, 0, 21)  # a link that is a candidate as well
    links.demote(me, NOW, 0, 0, 0)
    assert sorted(ids(me.candidate)) == [5, 20, 21, 23]


def test_a_node_that_did_not_answer_is_left_alone_for_3_to_12_periods() -> None:
    pauses = set()
    for id in range(200):
        me = started(id=1000 + id)
        add_link(me, 0, 5, keeps_me=0, since=LONG_AGO)
        links.tidy(me, NOW)
        assert me.candidate[0].evicted == 0
        pauses.add((me.candidate[0].shun - NOW) / PERIOD)
    assert pauses == set(range(3, 13))


def test_a_node_that_fell_silent_or_was_bad_may_come_back_at_once() -> None:
    me = started()
    add_link(me, 0, 5, heard=NOW - 9 * PERIOD)
    add_link(me, 1, 6, q_in=0)
    links.tidy(me, NOW)
    links.tidy_candidates(me, NOW)
    assert [(c.id, c.shun) for c in me.candidate[:2]] == [(5, 0), (6, 0)]


@pytest.mark.parametrize(
    "quality, periods", [(1.0, 8), (0.7, 8), (0.68, 8), (0.67, 9), (0.6, 12), (0.49, 16), (0.31, 16)]
)
def test_a_link_that_loses_much_is_given_more_time(quality: float, periods: int) -> None:
    for ago, silent in ((periods * PERIOD, False), (periods * PERIOD + 1, True)):
        me = started()
        link = add_link(me, 0, PARENT, heard=NOW - ago, q_in=round(quality * k.QUALITY_ONE))
        assert links.is_silent(me, NOW, link) == silent


def test_outbound_quality_gives_no_more_time() -> None:
    me = started()
    assert links.is_silent(me, NOW, add_link(me, 0, PARENT, heard=NOW - 8 * PERIOD - 1, q_out=0))
