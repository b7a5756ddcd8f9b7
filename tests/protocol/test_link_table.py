"""Which links and candidates stay in a node's memory, for how long, and who is forgotten for whom."""

import pytest
from hand_made import LONG_AGO, NOW, SMALL, add_candidate, add_link, hello, ids, started

from psvr.protocol import constants as k
from psvr.protocol import links
from psvr.protocol.layout import blank, outside, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.records import Candidate, Link, Node

PERIOD = k.HELLO_PERIOD


@pytest.mark.parametrize("said, stays", [
    ({}, True),
    ({"id": 9}, False),                                             # that is me
    ({"heard": NOW - 8 * PERIOD}, True),
    ({"heard": NOW - 8 * PERIOD - 1}, False),                       # silent
    ({"heard": NOW + 1}, False),                                    # a time that cannot be
    ({"q_in": k.QUALITY_DROP, "q_out": k.QUALITY_DROP}, True),
    ({"q_in": k.QUALITY_DROP - 1}, False),
    ({"q_out": k.QUALITY_DROP - 1}, False),
    ({"keeps_me": 0, "since": NOW - 5 * PERIOD}, True),
    ({"keeps_me": 0, "since": NOW - 5 * PERIOD - 1}, False),        # it does not answer
    ({"keeps_me": 1, "since": NOW - 500 * PERIOD}, True),
])
def test_a_link_stays_while_it_is_heard_good_and_answered(said: dict[str, int], stays: bool) -> None:
    me = started()
    add_link(me, 1, 5, **said)
    links.tidy(me, NOW)
    assert ids(me.link) == ([5] if stays else [])


def test_times_of_links_are_in_periods() -> None:
    me = started(hello=10 * PERIOD)
    add_link(me, 0, 5, heard=NOW - 80 * PERIOD)
    add_link(me, 1, 6, keeps_me=0, since=NOW - 50 * PERIOD)
    links.tidy(me, NOW)
    assert ids(me.link) == [5, 6]
    links.tidy(me, NOW + 1)
    assert ids(me.link) == []


def test_of_a_node_that_stands_twice_the_first_place_stays() -> None:
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


def test_what_is_no_number_of_a_field_is_brought_back_into_its_range() -> None:
    for low in (True, False):
        me = started()
        link = add_link(me, 0, 5)
        for name in Link.__slots__:
            if name not in ("id", "heard", "q_in", "q_out", "keeps_me", "position"):
                setattr(link, name, -(1 << 31) if low else (1 << 31) - 1)
        link.position[:] = [-5, 1 << 31 - 1, 3, NONE]
        links.tidy(me, NOW)
        assert me.link[0].id == 5 and not outside(me, Node)


def test_a_demoted_link_is_remembered_as_it_was_heard() -> None:
    me = started()
    add_link(me, 2, 5, heard=NOW - 3, number=17, samples=4, q_in=40_000, q_out=41_000, keeps_me=0, free=3, root=2)
    links.demote(me, NOW, 2, 7, 1)
    c = me.candidate[0]
    assert (c.id, c.heard, c.number, c.samples, c.q_in, c.q_out) == (5, NOW - 3, 17, 4, 40_000, 41_000)
    assert (c.keeps_me, c.free, c.root, c.evicted) == (0, 3, 2, 1)
    empty = blank(Link, SMALL)
    links.clear(empty)
    assert snapshot(me.link[2], Link) == snapshot(empty, Link)


@pytest.mark.parametrize("period", [PERIOD, 7 * PERIOD])
def test_a_demoted_link_is_left_alone_for_periods(period: int) -> None:
    me = started(hello=period)
    add_link(me, 0, 5)
    links.demote(me, NOW, 0, 6, 0)
    assert me.candidate[0].shun == NOW + 6 * period and me.candidate[0].evicted == 0


@pytest.mark.parametrize("heard, replaced", [
    ([NOW, NOW - 2, NOW - 1, NOW - 3], 3),          # the one not heard for longest
    ([NOW - 9, NOW, NOW, NOW], 0),
    ([NOW, NOW, NOW + 5, NOW], 2),                  # or at an impossible time
])
def test_a_demoted_link_takes_the_place_of_the_oldest_candidate(heard: list[int], replaced: int) -> None:
    me = started()
    for j, when in enumerate(heard):
        add_candidate(me, j, 20 + j, heard=when)
    add_link(me, 0, 5)
    links.demote(me, NOW, 0, 0, 0)
    assert [c.id for c in me.candidate] == [5 if j == replaced else 20 + j for j in range(4)]


def test_a_demoted_link_takes_a_free_place_or_its_own_first() -> None:
    me = started()
    for j in (0, 1, 3):
        add_candidate(me, j, 20 + j, heard=NOW - j)
    add_link(me, 0, 5)
    links.demote(me, NOW, 0, 0, 0)
    assert me.candidate[2].id == 5
    add_link(me, 0, 21)                             # a link that is a candidate as well
    links.demote(me, NOW, 0, 0, 0)
    assert sorted(ids(me.candidate)) == [5, 20, 21, 23]


def test_who_did_not_answer_is_left_alone_for_3_to_12_periods() -> None:
    pauses = set()
    for id in range(200):
        me = started(id=1000 + id)
        add_link(me, 0, 5, keeps_me=0, since=LONG_AGO)
        links.tidy(me, NOW)
        assert me.candidate[0].evicted == 0
        pauses.add((me.candidate[0].shun - NOW) / PERIOD)
    assert pauses == set(range(3, 13))


def test_who_fell_silent_or_was_bad_may_come_back_at_once() -> None:
    me = started()
    add_link(me, 0, 5, heard=NOW - 9 * PERIOD)
    add_link(me, 1, 6, q_in=0)
    links.tidy(me, NOW)
    links.tidy_candidates(me, NOW)
    assert [(c.id, c.shun) for c in me.candidate[:2]] == [(5, 0), (6, 0)]


@pytest.mark.parametrize("said, stays", [
    ({}, True),
    ({"id": 9}, False),
    ({"id": 7}, False),                             # a link
    ({"heard": NOW - 64 * PERIOD}, True),
    ({"heard": NOW - 64 * PERIOD - 1}, False),
    ({"heard": NOW + 1}, False),
])
def test_candidates_are_remembered_for_a_while(said: dict[str, int], stays: bool) -> None:
    me = started()
    add_link(me, 0, 7)
    add_candidate(me, 1, 5, **said)
    links.tidy_candidates(me, NOW)
    assert ids(me.candidate) == ([5] if stays else [])


@pytest.mark.parametrize("shun, kept", [
    (NOW + 1, True), (NOW, False), (NOW - 1, False), (NOW + 15 * PERIOD, True),
    (NOW + 15 * PERIOD + 1, False),                 # longer than any pause: a fault
])
def test_a_pause_ends(shun: int, kept: bool) -> None:
    me = started()
    c = add_candidate(me, 0, 5, shun=shun, evicted=1)
    links.tidy_candidates(me, NOW)
    assert (c.shun, c.evicted) == ((shun, 1) if kept else (0, 0))


def test_candidates_out_of_range_are_brought_back() -> None:
    for value in (-(1 << 31), (1 << 31) - 1):
        me = started()
        c = add_candidate(me, 0, 5)
        for name in Candidate.__slots__:
            if name not in ("id", "heard"):
                setattr(c, name, value)
        links.tidy_candidates(me, NOW)
        assert me.candidate[0].id == 5 and not outside(me, Node)


def test_a_stranger_is_noted_in_a_free_place_and_known_ones_in_theirs() -> None:
    me = started()
    add_candidate(me, 0, 20)
    old = add_candidate(me, 1, 21, shun=NOW + 5, evicted=1, root=3)
    assert links.hear(me, NOW + 1, hello(30, root=4, free=7)) == NONE
    new = me.candidate[2]
    assert (new.id, new.heard, new.root, new.free, new.samples, new.shun) == (30, NOW + 1, 4, 7, 1, 0)
    links.hear(me, NOW + 2, hello(21, root=me.root, free=2))
    assert (old.id, old.heard, old.root, old.free, old.shun, old.evicted) == (21, NOW + 2, me.root, 2, NOW + 5, 1)
    assert ids(me.candidate) == [20, 21, 30]


def test_what_was_known_of_a_candidate_is_not_taken_for_the_next_in_its_place() -> None:
    me = started()
    add_candidate(me, 0, 20, heard=NOW - 9 * PERIOD, shun=NOW + PERIOD, evicted=1, keeps_me=1, q_in=3)
    for j in (1, 2, 3):
        add_candidate(me, j, 20 + j)
    links.hear(me, NOW, hello(30))                  # 20 is gone, and makes room
    c = me.candidate[0]
    assert (c.id, c.shun, c.evicted, c.keeps_me, c.q_out) == (30, 0, 0, 0, 0) and c.q_in > k.QUALITY_START


@pytest.mark.parametrize("others, root, place", [
    ([{}, {}, {}, {"heard": NOW - 8 * PERIOD - 1}], 9, 3),                  # gone
    ([{"root": 3}, {"root": 3}, {}, {"root": 3}], 4, 2),                    # of my tree, for one of another
    ([{"keeps_me": 1}, {}, {"keeps_me": 1}, {"keeps_me": 1}], 4, 1),        # who does not keep me, first
    ([{"root": 3, "keeps_me": 1}] * 4, 4, None),                            # all are worth more
    ([{"root": 3}] * 4, 9, None),
])
def test_where_there_is_no_room_those_least_worth_knowing_give_way(others: list[dict[str, int]], root: int,
                                                                   place: int | None) -> None:
    me = started()
    for j, said in enumerate(others):
        add_candidate(me, j, 20 + j, **said)
    links.hear(me, NOW, hello(30, root=root))
    assert [c.id for c in me.candidate] == [30 if j == place else 20 + j for j in range(4)]


def test_among_equals_the_known_mostly_stay() -> None:
    taken = 0
    for when in range(400):
        me = started()
        for j in range(4):
            add_candidate(me, j, 20 + j)
        links.hear(me, NOW + when, hello(30, root=me.root))
        taken += 30 in ids(me.candidate)
    assert 25 <= taken <= 80            # one in eight


@pytest.mark.parametrize("src", [-1, -5, 9])
def test_nobody_s_and_my_own_hellos_are_not_heard(src: int) -> None:
    me = started()
    before = snapshot(me, Node)
    assert links.hear(me, NOW, hello(src)) == NONE and snapshot(me, Node) == before
