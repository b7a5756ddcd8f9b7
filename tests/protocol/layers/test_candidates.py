"""Which nodes that are heard but not kept stay in a node's memory, for how long, and which give way to others."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import links
from psvr.protocol.layout import fields, outside, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.records import Candidate, Node
from tests.support.protocol.hand_made import NOW, add_candidate, add_link, hello, ids, started

PERIOD = k.HELLO_PERIOD


@pytest.mark.parametrize(
    "said, stays",
    [
        ({}, True),
        ({"id": 9}, False),
        ({"id": 7}, False),  # a link
        ({"id": -5}, False),
        ({"id": 0}, True),
        ({"heard": NOW - 64 * PERIOD}, True),
        ({"heard": NOW - 64 * PERIOD - 1}, False),
        ({"heard": NOW + 1}, False),
    ],
)
def test_candidates_are_remembered_for_a_while(said: dict[str, int], stays: bool) -> None:
    me = started()
    add_link(me, 0, 7)
    add_candidate(me, 1, 5, **said)
    links.tidy_candidates(me, NOW)
    assert ids(me.candidate) == ([said.get("id", 5)] if stays else [])


@pytest.mark.parametrize(
    "shun, kept",
    [
        (NOW + 1, True),
        (NOW, False),
        (NOW - 1, False),
        (NOW + 15 * PERIOD, True),
        (NOW + 15 * PERIOD + 1, False),  # longer than any pause: a fault
    ],
)
def test_a_pause_ends(shun: int, kept: bool) -> None:
    me = started()
    c = add_candidate(me, 0, 5, shun=shun, evicted=1)
    links.tidy_candidates(me, NOW)
    assert (c.shun, c.evicted) == ((shun, 1) if kept else (0, 0))


def test_candidates_out_of_range_are_brought_back() -> None:
    for value in (-(1 << 31), (1 << 31) - 1):
        me = started()
        c = add_candidate(me, 0, 5)
        for f in fields(Candidate):
            if f.name not in ("id", "heard"):
                setattr(c, f.name, value)
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
    links.hear(me, NOW, hello(30))  # 20 is gone, and makes room
    c = me.candidate[0]
    assert (c.id, c.shun, c.evicted, c.keeps_me, c.q_out) == (30, 0, 0, 0, 0) and c.q_in > k.QUALITY_START


@pytest.mark.parametrize(
    "others, root, place",
    [
        ([{}, {}, {}, {"heard": NOW - 8 * PERIOD - 1}], 9, 3),  # gone
        ([{"root": 3}, {"root": 3}, {}, {"root": 3}], 4, 2),  # of my tree, for one of another
        ([{"keeps_me": 1}, {}, {"keeps_me": 1}, {"keeps_me": 1}], 4, 1),  # who does not keep me, first
        ([{"root": 3, "keeps_me": 1}] * 4, 4, None),  # all are worth more
        ([{"root": 3}] * 4, 9, None),
    ],
)
def test_without_room_the_candidates_least_worth_knowing_give_way(
    others: list[dict[str, int]], root: int, place: int | None
) -> None:
    me = started()
    for j, said in enumerate(others):
        add_candidate(me, j, 20 + j, **said)
    links.hear(me, NOW, hello(30, root=root))
    assert [c.id for c in me.candidate] == [30 if j == place else 20 + j for j in range(4)]


@pytest.mark.parametrize("known", [{"root": 3}, {"keeps_me": 1}])
def test_a_candidate_worth_more_never_gives_way(known: dict[str, int]) -> None:
    for when in range(100):
        me = started()
        for j in range(4):
            add_candidate(me, j, j, **known)  # also 0 is somebody
        links.hear(me, NOW + when, hello(30, root=me.root))
        assert ids(me.candidate) == [0, 1, 2, 3]


def test_among_equals_the_known_mostly_stay() -> None:
    taken = 0
    for when in range(400):
        me = started()
        for j in range(4):
            add_candidate(me, j, 20 + j)
        links.hear(me, NOW + when, hello(30, root=me.root))
        taken += 30 in ids(me.candidate)
    assert 25 <= taken <= 80  # one in eight


@pytest.mark.parametrize("src", [-1, -5, 9])
def test_nobody_s_and_my_own_hellos_are_not_heard(src: int) -> None:
    me = started()
    before = snapshot(me, Node)
    assert links.hear(me, NOW, hello(src)) == NONE and snapshot(me, Node) == before


@pytest.mark.parametrize("late, good", [(-1, True), (0, True), (1, False)])
def test_a_candidate_is_good_until_it_has_been_silent_for_too_long(late: int, good: bool) -> None:
    me = started()
    c = add_candidate(me, 0, 5, heard=NOW - k.SILENCE * PERIOD - late, q_in=k.QUALITY_ONE, q_out=k.QUALITY_ONE)
    assert links.is_good(me, NOW, c) == good
