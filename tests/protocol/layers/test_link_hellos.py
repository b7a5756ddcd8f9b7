"""What a HELLO says about links, and what is recorded of one that is heard."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import links, ring
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.positions import NONE
from psvr.protocol.records import Hello, Node
from psvr.protocol.wire.lengths import hello_fixed, hello_length
from tests.support.protocol.hand_made import GOOD, NOW, SMALL, add_candidate, add_link, follow, hello, ids, started


@pytest.mark.parametrize(
    "kept, heard, expected",
    [
        ([(9, 100)], [], (1, 25_700)),
        ([(3, 7), (9, 255)], [(9, 10)], (1, 65_535)),
        ([(3, 7)], [(4, 1), (9, 10)], (0, 2_570)),
        ([(3, 7)], [(4, 1)], (0, GOOD)),  # no room for me this time: what was said before holds
    ],
)
def test_a_hello_says_whether_i_am_kept_and_how_well_i_am_heard(
    kept: list[tuple[int, int]], heard: list[tuple[int, int]], expected: tuple[int, int]
) -> None:
    for place in ("link", "candidate"):
        me = started()
        x = add_link(me, 0, 5) if place == "link" else add_candidate(me, 0, 5, keeps_me=1)
        said = hello(5, links=len(kept), heards=len(heard))
        said.link[3].id = said.heard[3].id = 9  # beyond what it lists
        told: list[tuple[Any, tuple[int, int]]] = [*zip(said.link, kept), *zip(said.heard, heard)]
        for listed, (id, quality) in told:
            listed.id, listed.quality = id, quality
        links.hear(me, NOW, said)
        assert (x.keeps_me, x.q_out) == expected


@pytest.mark.parametrize("count, quality, q_out", [(99, 999, k.QUALITY_ONE), (4, -7, 0), (-1, 100, GOOD)])
def test_a_hello_that_cannot_be_is_read_as_far_as_it_goes(count: int, quality: int, q_out: int) -> None:
    for listed in ("link", "heard"):
        me = started()
        x, said = add_link(me, 0, 5), hello(5, links=0, heards=0)
        setattr(said, "links" if listed == "link" else "heards", count)
        getattr(said, listed)[3].id, getattr(said, listed)[3].quality = 9, quality
        links.hear(me, NOW, said)
        assert x.q_out == q_out
    said.heard[3].id = 8
    assert links.hear(started(), NOW, said) == NONE  # nobody listed is me, however far it says to look


def test_a_link_is_recorded_in_its_place() -> None:
    me = started()
    link = add_link(me, 2, 5, heard=0)
    assert links.hear(me, NOW, hello(5, number=101, free=3, alt=1)) == 2
    assert (link.heard, link.number, link.free, link.alt) == (NOW, 101, 3, 1)
    links.hear(me, NOW, hello(5, number=102, free=70_000, alt=2))
    assert (link.free, link.alt) == (255, 0)
    assert ids(me.candidate) == []
    links.hear(me, NOW, hello(6, free=70_000, root=-8))
    assert (me.candidate[0].id, me.candidate[0].free, me.candidate[0].root) == (6, 255, k.NOBODY)


def written(me: Node, capacity: Capacity = SMALL) -> Hello:
    out = blank(Hello, capacity)
    out.free = 9  # remains of the last one
    for x in out.link:
        x.id, x.quality, x.size, x.digest = 99, 9, 9, 9
    for heard in out.heard:
        heard.id, heard.quality = 99, 9
    ring.write(me, out)
    links.write(me, out)
    return out


@pytest.mark.parametrize("most, kept, free", [(4, 0, 4), (4, 3, 1), (3, 1, 2), (2, 2, 0), (1, 0, 1)])
def test_a_hello_offers_the_places_left_of_c_n(most: int, kept: int, free: int) -> None:
    me = started(links=most)
    for i in range(kept):
        add_link(me, i, 20 + i)
    assert written(me).free == free


def test_a_hello_lists_children_by_id_and_then_the_other_links_once_each() -> None:
    me = started()
    follow(me, parent=1)
    for i, (id, parent) in enumerate([(1, 0), (20, 9), (19, 9), (22, 0)]):
        add_link(me, i, id, root=0, parent=parent, dist=1)
    me.link[0].q_in = 257 * 100 + 256
    out = written(me)
    assert [x.id for x in out.link] == [19, 20, 1, 22] and (out.children, out.links) == (2, 4)
    assert out.link[2].quality == 100 and (out.link[2].size, out.link[2].digest) == (0, -1)
    assert out.link[1].quality == GOOD // 257


def test_nothing_of_the_last_hello_remains() -> None:
    out = written(started())
    assert (out.links, out.heards, out.children) == (0, 0, 0)
    assert {(x.id, x.quality, x.size, x.digest) for x in out.link} == {(k.NOBODY, 0, 0, -1)}
    assert {(x.id, x.quality) for x in out.heard} == {(k.NOBODY, 0)}


def test_candidates_take_turns() -> None:
    """Where a frame has room for two of five, each is named twice in five HELLOs, in order."""
    capacity = Capacity(links=1, candidates=6)
    me = started(capacity=capacity, frame=hello_fixed(2, 2) + 2 * 3 + 2)
    for j in (0, 1, 2, 4, 5):
        add_candidate(me, j, 20 + j, q_in=257 * j)
    named: list[tuple[int, ...]] = []
    for _ in range(5):
        out = written(me, capacity)
        named.append(tuple(x.id for x in out.heard[: out.heards]))
        assert all(x.quality == x.id - 20 for x in out.heard[: out.heards])
    assert named == [(20, 21), (22, 24), (25, 20), (21, 22), (24, 25)]


def test_what_cannot_be_the_id_of_a_candidate_is_not_listed() -> None:
    me = started()
    for j, id in enumerate((-5, 20, k.NOBODY, 21)):
        add_candidate(me, j, id)
    out = written(me)
    assert [x.id for x in out.heard[: out.heards]] == [20, 21]


@pytest.mark.parametrize(
    "widths, frame, places",
    [
        ((2, 2), 116, 8),
        ((4, 2), 116, 6),
        ((4, 4), 116, 4),
        ((8, 4), 1136, 62),
        ((2, 2), hello_fixed(2, 2) + 3 + 9, 1),
        ((2, 2), hello_fixed(2, 2) + 3 + 17, 1),
        ((2, 2), hello_fixed(2, 2) + 3 + 18, 2),
        ((2, 2), 20, 1),
    ],
)
def test_a_hello_full_of_children_has_room_for_a_candidate(widths: tuple[int, int], frame: int, places: int) -> None:
    """A node that is never listed never learns how well it is heard, and does not propose."""
    capacity = Capacity(links=64, candidates=2)
    me = started(capacity=capacity, id_bytes=widths[0], position_bytes=widths[1], frame=frame)
    assert links.max_links(me) == places
    for i in range(places):
        add_link(me, i, 20 + i, root=9, parent=9, dist=1)
    add_candidate(me, 0, 200)
    out = written(me, capacity)
    assert out.children == out.links == places and out.free == 0
    assert out.heards == 1 or frame < hello_fixed(*widths) + 12
    assert hello_length(out, *widths) <= frame or frame < hello_fixed(*widths) + 12


def test_impossible_qualities_are_reported_as_the_nearest_possible() -> None:
    for q_in, told in ((-5, 0), (1 << 30, 255)):
        me = started()
        add_link(me, 0, 5, q_in=q_in)
        add_candidate(me, 0, 20, q_in=q_in)
        out = written(me)
        assert (out.link[0].quality, out.heard[0].quality) == (told, told)


def test_a_turn_that_is_no_place_is_the_nearest() -> None:
    for turn, first in ((-7, 20), (99, 23)):
        me = started()
        for j in range(4):
            add_candidate(me, j, 20 + j)
        me.turn = turn
        assert written(me).heard[0].id == first and 0 <= me.turn < 4


def test_only_two_way_links_are_listened_to() -> None:
    me = started()
    add_link(me, 0, 5)
    add_link(me, 1, 6, keeps_me=0)
    assert [links.find(me, id) for id in (5, 6, 7, k.NOBODY)] == [0, 1, NONE, NONE]
    assert [links.sender(me, id) for id in (5, 6, 7, k.NOBODY)] == [0, NONE, NONE, NONE]
    me.link[2].keeps_me = 1  # a free place, whatever stands in it
    assert not links.two_way(me.link[2])
