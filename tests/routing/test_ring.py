"""Ring, positions, next subscribers and shortcut tables against the definitions."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.compiled import positions
from psvr.errors import BadInput
from psvr.graphs.graph import from_edges
from psvr.routing.kernels.shortcuts import beyond, furthest, shortcut_table
from psvr.routing.settled import Settled
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases, drawn


@pytest.mark.parametrize("length", range(1, 8))
def test_predicates_by_enumeration(length: int) -> None:
    for x, a, b in product(range(length), repeat=3):
        assert positions.inside(x, a, b, length) == naive.inside(x, a, b, length)
        if a != b:  # a next subscriber is never at one's own position
            assert positions.closer(x, a, b, length) == naive.closer(x, a, b, length)
        assert positions.covers(a, b, x, length) == naive.covers(a, b, x, length)
        assert positions.closer(x, a, positions.NONE, length) == naive.closer(x, a, None, length)


def check_ring(case: Case) -> None:
    settled = case.settled
    places = naive.ring(case.root, case.parent)
    assert settled.ring.tolist() == places
    assert settled.length == 2 * (case.n - 1)
    for v in range(case.n):
        assert settled.positions(v).tolist() == [p for p, w in enumerate(places) if w == v]
    found = [None if p < 0 else p for p in settled.next_subscriber(case.subscribers).tolist()]
    assert found == naive.next_subscriber(places, case.subscribers)
    for p, after in enumerate(settled.after):
        assert places[after] == places[p]
        assert all(places[q] != places[p] for q in naive.strictly_between(p, after, len(places)))


@settings(deadline=None, max_examples=200)
@given(cases())
def test_ring_is_the_depth_first_walk(case: Case) -> None:
    check_ring(case)


@pytest.mark.parametrize("seed", range(6))
def test_larger_rings(seed: int) -> None:
    check_ring(drawn(seed, 70, 150, 5 * seed))


@settings(deadline=None, max_examples=200)
@given(cases())
def test_positions_are_nested_never_interlaced(case: Case) -> None:
    """No two positions of one node have, on both sides between them, positions of one other node."""
    places = naive.ring(case.root, case.parent)
    assert case.settled.ring.tolist() == places
    for v in range(case.n):
        own = case.settled.positions(v).tolist()
        for lo, hi in zip(own, own[1:] + own[:1]):
            within = {places[p] for p in naive.strictly_between(lo, hi, len(places))}
            outside = {places[p] for p in range(len(places)) if not naive.inside(p, lo, hi, len(places))}
            assert within & outside <= {v}


@settings(deadline=None, max_examples=150)
@given(cases(), st.sampled_from(["all", "nontree"]), st.integers(0, 3))
def test_furthest_in_every_interval(case: Case, shortcuts: str, light: int) -> None:
    """For every position p and every s; with few positions allowed in a row, most nodes are looked up as hubs."""
    settled, g = case.settled, case.g
    graph, length = settled.graph, settled.length
    table = shortcut_table(
        graph.start, graph.near, settled.parent, settled.ring, settled.first_own, shortcuts == "all", light
    )
    places = naive.ring(case.root, case.parent)
    for p in range(length):
        v = places[p]
        for s in (q for q in range(length) if q != p):
            x = furthest(p, s, length, table.near, table.start[v], table.start[v + 1])
            x = beyond(x, s, v, length, table.first_hub, table.hub, settled.first_own, settled.own)
            assert x == naive.furthest(g, case.parent, places, p, s, shortcuts)


def test_one_node_has_no_ring() -> None:
    settled = Settled(from_edges(1, []), 0, [-1])
    assert settled.ring.tolist() == settled.positions(0).tolist() == settled.next_subscriber([0]).tolist() == []


def test_types_of_the_interface() -> None:
    settled = Settled(from_edges(3, [(0, 1), (1, 2)]), 1, np.array([1, -1, 1]))
    assert settled.ring.dtype == settled.positions(1).dtype == settled.next_subscriber([0]).dtype == np.int32
    assert settled.ring.tolist() == [1, 0, 1, 2]
    assert settled.next_subscriber(iter({0, 2})).tolist() == [1, 3, 3, 1]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda s: s.shortcuts("none"), 'shortcuts: must be one of all, nontree, not "none"'),
        (lambda s: s.positions(3), "node: must be a whole number from 0 to 2, not 3"),
        (lambda s: s.next_subscriber([0, 3]), r"subscribers\[1\]: must be a whole number from 0 to 2, not 3"),
        (lambda s: s.next_subscriber(np.array([0, -1])), r"subscribers\[1\]: must be a whole number from 0 to 2, not"),
        (lambda s: s.next_subscriber("01"), "subscribers: must be a list of node ids"),
        (lambda s: s.next_subscriber([1.0]), r"subscribers\[0\]: must be a whole number"),
        (lambda s: s.next_subscriber([True]), r"subscribers\[0\]: must be a whole number"),
        (lambda s: s.next_subscriber(5), "subscribers: must be a list of node ids, not 5"),
    ],
)
def test_what_is_refused(call: Callable[[Settled], Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        call(Settled(from_edges(3, [(0, 1), (1, 2)]), 0, [-1, 0, 1]))
