"""The rules of the ring one by one, on a node made by hand: sizes and digests, where it is placed, what it says."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import ring
from psvr.protocol.layout import blank, outside
from psvr.protocol.numbers import LOW32, mix
from psvr.protocol.positions import NONE
from psvr.protocol.records import Hello, Link, Node
from tests.support.protocol.hand_made import SMALL, add_link, follow, hello, put_on_ring, started


def heard(start: int, length: int, *children: tuple[int, int, int], ring_id: int = 77, **said: Any) -> Link:
    """What node 9 records of link 5, whose HELLO names children as (id, size, digest)."""
    me = started(id=9)
    link = add_link(me, 0, 5, my_start=33, my_digest=44, position=[1, 2, 3, 4])
    told = hello(5, start=start, length=length, ring=ring_id, children=len(children), links=len(children), **said)
    for listed, child in zip(told.link, children):
        listed.id, listed.size, listed.digest = child
    ring.hear(me, link, told)
    return link


def test_positions_of_a_link_follow_from_its_start_and_the_sizes_of_its_children() -> None:
    link = heard(4, 40, (8, 2, 1), (9, 3, 1234), (21, 1, 1))
    assert link.position == [4, 8, 14, 16]
    assert (link.my_start, link.my_digest) == (9, 1234)


def test_the_last_position_of_a_root_is_its_first_again() -> None:
    link = heard(0, 10, (8, 2, 1), (9, 3, 1234))
    assert link.position == [0, 4, NONE, NONE] and link.my_start == 5
    assert heard(3, 10).position == [3, NONE, NONE, NONE]
    assert heard(3, 10, ring_id=0).position == [3, NONE, NONE, NONE]  # a name like any other


@pytest.mark.parametrize("start, length, ring_id", [(NONE, 40, 77), (4, 40, -1)])
def test_without_a_ring_a_link_has_no_positions_and_places_nobody(start: int, length: int, ring_id: int) -> None:
    link = heard(start, length, (9, 3, 1234), ring_id=ring_id)
    assert link.position == [NONE] * 4 and (link.my_start, link.my_digest) == (NONE, -1)


def test_a_parent_that_no_longer_names_me_places_me_no_longer() -> None:
    link = heard(4, 40, (8, 2, 1))
    assert (link.my_start, link.my_digest) == (NONE, -1)


def test_positions_off_the_ring_and_beyond_memory_are_none() -> None:
    assert heard(4, 9, (8, 2, 1), (20, 1, 1)).position == [4, 8, NONE, NONE]
    assert heard(4, 8, (8, 2, 1), (20, 1, 1)).position == [4, NONE, NONE, NONE]
    assert heard(1, 90, (10, 1, 1), (11, 1, 1), (12, 1, 1), (13, 1, 1)).position == [1, 3, 5, 7]


def test_a_child_is_of_one_node_at_least() -> None:
    assert heard(4, 40, (8, 0, 1), (20, -3, 1)).position == [4, 6, 8, NONE]


@pytest.mark.parametrize(
    "children, links, positions", [(2, 2, [4, 6, 8]), (1, 2, [4, 6]), (2, 1, [4, 6]), (-1, 2, [4])]
)
def test_only_the_children_that_a_hello_counts_are_read(children: int, links: int, positions: list[int]) -> None:
    link = add_link(started(), 0, 5)
    told = hello(5, start=4, length=40, ring=77, children=children, links=links)
    for i in range(4):
        told.link[i].id, told.link[i].size = 20 + i, 1
    ring.hear(started(), link, told)
    assert link.position == positions + [NONE] * (4 - len(positions))


def test_what_is_heard_stays_in_its_range() -> None:
    low = heard(4, -5, ring_id=-9, size=-1, digest=-1)
    assert (low.size, low.digest, low.ring, low.length) == (0, 0, -1, 0)
    high = heard(4, 2**31 - 1, ring_id=2**40, size=2**31 - 1, digest=2**40)
    assert (high.size, high.digest, high.ring, high.length) == (k.MAX_SIZE, LOW32, LOW32, 2 * k.MAX_SIZE)
    usual = heard(4, 40, size=7, digest=5)
    assert (usual.size, usual.digest, usual.ring, usual.length) == (7, 5, 77, 40)


def test_sizes_that_cannot_be_give_no_positions_that_cannot_be() -> None:
    huge = k.MAX_SIZE
    link = heard(5, 2 * huge, (8, 2 * huge, 1), (9, huge, 2**40), (10, huge, 1), size=1, digest=1)
    assert not outside(link, Link)
    assert (link.position, link.my_start, link.my_digest) == (
        [5, 2 * huge - 1, 2 * huge - 1, 2 * huge - 1],
        2 * huge - 1,
        LOW32,
    )
    me = started()
    parent_of(me, (20, huge), (30, huge))
    ring.derive(me)
    assert me.size == huge


# --- sizes, digests, positions


def parent_of(me: Node, *children: tuple[int, int]) -> None:
    """Children as (id, size), from the last place on."""
    for i, (id, size) in enumerate(children):
        add_link(me, 3 - i, id, root=me.root, parent=me.id, size=size, digest=1000 + id)


def placed(start: int = 11, length: int = 40, *children: tuple[int, int], **said: Any) -> Node:
    """Node 9 in the tree of 0, whose parent 5 places it; `said` is of the parent."""
    me = started()
    follow(me, parent=5)
    parent_of(me, *children)
    add_link(me, 0, 5, root=0, parent=0)
    ring.derive(me)
    assign = {"my_start": start, "my_digest": me.digest, "ring": 77, "length": length, **said}
    for name, value in assign.items():
        setattr(me.link[0], name, value)
    ring.derive(me)
    return me


def test_size_and_digest_are_those_of_the_children_in_ascending_id() -> None:
    me = started()
    parent_of(me, (30, 4), (20, 2))
    add_link(me, 0, 40, root=0, parent=me.id)  # under another root: no child
    ring.derive(me)
    assert me.size == 1 + 2 + 4
    assert me.digest == mix(mix(mix(0, 9), 1020), 1030)
    assert [me.link[i].id for i in (ring.next_child(me, k.NOBODY), ring.next_child(me, 20))] == [20, 30]
    assert ring.next_child(me, 30) == NONE


def test_a_root_places_itself() -> None:
    me = started()
    parent_of(me, (20, 2), (30, 3))
    assert ring.derive(me)
    assert (me.position, me.ring, me.length) == ([0, 4, NONE, NONE], me.digest, 10)
    assert not ring.derive(me)


def test_a_root_with_one_child_has_one_position() -> None:
    me = started()
    parent_of(me, (20, 1))
    ring.derive(me)
    assert (me.position, me.length) == ([0, NONE, NONE, NONE], 2)


def test_a_node_that_is_alone_has_no_ring() -> None:
    me = started()
    put_on_ring(me, 10, 0, 4)
    assert ring.derive(me)
    assert (me.position, me.ring, me.length, me.size) == ([NONE] * 4, -1, 0, 1)


def test_a_node_is_where_its_parent_places_it() -> None:
    me = placed(11, 40, (30, 4), (20, 2))
    assert (me.position, me.ring, me.length) == ([11, 15, 23, NONE], 77, 40)
    assert placed(11, 40).position == [11, NONE, NONE, NONE]


@pytest.mark.parametrize(
    "said, accepted",
    [
        ({}, True),
        ({"my_digest": 5}, False),  # it was computed for a subtree that is no longer mine
        ({"my_start": 0}, False),
        ({"my_start": NONE}, False),
        ({"my_start": 1}, True),
        ({"my_start": 27}, True),
        ({"my_start": 28}, False),  # my subtree would not fit
        ({"ring": -1}, False),
        ({"ring": 0}, True),
        ({"root": 1}, False),
        ({"keeps_me": 0}, False),
    ],
)
def test_a_place_is_taken_only_if_it_is_for_the_subtree_and_the_tree_that_i_have(
    said: dict[str, int], accepted: bool
) -> None:
    me = placed(11, 40, (30, 4), (20, 2), **said)
    assert (me.position[0] != NONE) == (me.ring != -1) == (me.length != 0) == accepted


@pytest.mark.parametrize("said", [{"ring": 78}, {"length": 42}, {"my_start": 12}, {"my_digest": 5}])
def test_another_ring_or_place_makes_the_table_meaningless(said: dict[str, int]) -> None:
    me = placed(11, 40, (30, 4))
    assert not ring.derive(me)
    for name, value in said.items():
        setattr(me.link[0], name, value)
    assert ring.derive(me) and not ring.derive(me)


def test_positions_follow_the_sizes_of_children_also_where_these_cannot_be() -> None:
    me = placed(11, 40, (20, 0), (30, -4))
    assert me.position == [11, 13, 15, NONE] and me.size == 3


@pytest.mark.parametrize(
    "said, has",
    [
        ({}, True),
        ({"ring": 0}, True),
        ({"ring": -1}, False),
        ({"ring": LOW32}, True),
        ({"ring": LOW32 + 1}, False),
        ({"length": 2, "position": [1, NONE]}, True),
        ({"length": 1, "position": [0, NONE]}, False),
        ({"length": 2 * k.MAX_SIZE}, True),
        ({"length": 2 * k.MAX_SIZE + 1}, False),
        ({"position": [NONE, 3]}, False),
        ({"position": [39, NONE]}, True),
        ({"position": [40, NONE]}, False),
    ],
)
def test_when_a_node_has_a_ring(said: dict[str, Any], has: bool) -> None:
    me = started()
    put_on_ring(me, 40, 3, 7)
    for name, value in said.items():
        setattr(me, name, value)
    assert ring.has_ring(me) == has


def test_own_positions_are_found() -> None:
    me = started()
    put_on_ring(me, 40, 0, 7)
    assert [ring.index_of(me, p) for p in (0, 7, 4, NONE)] == [0, 1, NONE, NONE]


def test_a_hello_names_the_ring_and_the_children_with_their_subtrees() -> None:
    me = placed(11, 40, (30, 4), (20, 2))
    me.link[3].size, me.link[3].digest, me.link[3].q_in = 6, -1, 257 * 9
    out = blank(Hello, SMALL)
    ring.write(me, out)
    assert (out.size, out.digest, out.ring, out.length, out.start) == (me.size, me.digest, 77, 40, 11)
    assert out.children == 2
    assert [(x.id, x.size, x.digest) for x in out.link[:2]] == [(20, 2, 1020), (30, 6, 0)] and out.link[1].quality == 9
    me.ring, me.link[3].size, me.link[3].q_in = -1, 0, 1 << 20
    ring.write(me, out)
    assert (out.start, out.link[1].size, out.link[1].quality) == (NONE, 1, 255)


def test_a_child_is_where_its_parent_says() -> None:
    """Through a HELLO and back: the root's and the child's positions make one walk."""
    root, child = started(id=1), started(id=9)
    parent_of(root, (9, 3), (4, 1))
    ring.derive(root)
    out = blank(Hello, SMALL)
    ring.write(root, out)
    out.links, out.src = 2, 1
    follow(child, parent=1, root=1)
    link = add_link(child, 0, 1, root=1)
    parent_of(child, (12, 1), (13, 1))
    root.link[3].digest = mix(mix(mix(0, 9), 1012), 1013)
    ring.derive(root)
    ring.write(root, out)
    ring.hear(child, link, out)
    ring.derive(child)
    assert root.position[:3] == link.position[:3] == [0, 2, NONE]
    assert child.position == [3, 5, 7, NONE] and child.ring == root.ring and child.length == 8
