"""The other systems against their definitions, the registry, and the counts of whole batches."""

from collections.abc import Collection, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.errors import BadInput
from psvr.graphs.csr import Ints, Longs, Marks
from psvr.jit import jit
from psvr.routing.counts import COLUMNS, count_messages
from psvr.routing.kernels.batch import count_psvr
from psvr.routing.kernels.tables import Tables
from psvr.routing.kernels.trees import count_td
from psvr.routing.settled import Settled
from psvr.routing.systems import SYSTEMS, Publication, Route, route, system
from psvr.routing.validation import Message
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases, drawn

SHORTCUTS = st.sampled_from(["all", "nontree"])


def first_visits(case: Case, messages: list[Message]) -> dict[int, int]:
    """Hops of a single message until it first comes to each subscriber."""
    places = naive.ring(case.root, case.parent)
    visits = [places[goal] for _, goal, _ in messages]
    return {v: visits.index(v) + 1 for v in case.subscribers if v != case.publisher}


def check_laps(case: Case, shortcuts: str) -> None:
    settled = case.settled
    lap = naive.vr2015(case.g, case.root, case.parent, case.publisher, case.subscribers, shortcuts)
    found = route(settled, "vr2015", case.publisher, case.subscribers, shortcuts)
    assert found == Route(lap, first_visits(case, lap), len(lap))
    around = naive.whole_ring(case.root, case.parent, case.publisher)
    found = route(settled, "ring", case.publisher, case.subscribers)
    assert found == Route(around, first_visits(case, around), 2 * (case.n - 1))


def check_trees(case: Case) -> None:
    settled, g = case.settled, case.g
    trees = {"td": g, "shen": naive.tree_network(case.parent), "ts": naive.ts_network(g)}
    for name, tree in trees.items():
        messages = naive.branches(tree, case.publisher, case.subscribers)
        distance = nx.single_source_shortest_path_length(tree, case.publisher)
        hops = {v: distance[v] for v in case.subscribers if v != case.publisher}
        assert route(settled, name, case.publisher, case.subscribers) == Route(messages, hops, len(messages))


def check_flood(case: Case) -> None:
    found = route(case.settled, "flood", case.publisher, case.subscribers)
    parent = naive.bfs_parents(case.g, case.publisher)
    assert found.messages == [(parent[v], v) for v in parent if v != case.publisher]
    assert found.count == case.n


@settings(deadline=None, max_examples=200)
@given(cases(), SHORTCUTS)
def test_laps(case: Case, shortcuts: str) -> None:
    check_laps(case, shortcuts)


@settings(deadline=None, max_examples=100)
@given(cases(), SHORTCUTS, st.data())
def test_lap_from_a_given_start(case: Case, shortcuts: str, data: st.DataObject) -> None:
    places = naive.ring(case.root, case.parent)
    if places:
        start = data.draw(st.sampled_from([p for p, v in enumerate(places) if v == case.publisher]))
        ns = naive.next_subscriber(places, case.subscribers)
        lap = naive.vr2015_from(case.g, case.parent, places, ns, start, shortcuts)
        found = route(case.settled, "vr2015", case.publisher, case.subscribers, shortcuts, start=start)
        assert found.messages == lap


@settings(deadline=None, max_examples=200)
@given(cases())
def test_trees_and_flood(case: Case) -> None:
    check_trees(case)
    check_flood(case)


@pytest.mark.parametrize("seed", range(8))
def test_larger_networks(seed: int) -> None:
    case = drawn(seed, 40 + seed, 60 + 20 * seed, 1 + 4 * seed)
    check_laps(case, "all")
    check_laps(case, "nontree")
    check_trees(case)
    check_flood(case)


@settings(deadline=None, max_examples=150)
@given(cases(), st.data())
def test_batches_count_what_routes_send(case: Case, data: st.DataObject) -> None:
    check_batch(case, data.draw(st.lists(st.sets(st.integers(0, case.n - 1)), min_size=1, max_size=4)))


@pytest.mark.parametrize(("n", "links"), [(65, 400), (130, 200), (200, 4000)])
def test_batches_in_larger_networks(n: int, links: int) -> None:
    """On both sides of a full word of bits, and of the choice between rows of bits and lists."""
    case = drawn(n, n, links, 7)
    check_batch(case, [set(case.subscribers), set(range(0, n, 9)), set()], range(0, n, 4))


def check_batch(case: Case, sets: Sequence[Collection[int]], publishers: Sequence[int] | None = None) -> None:
    settled = case.settled
    senders = list(publishers or range(case.n))
    members = np.array([[v in chosen for v in range(case.n)] for chosen in sets])
    counts = count_messages(settled, members, np.array([senders] * len(sets)))
    assert list(counts) == list(COLUMNS)
    for name, found in counts.items():
        base, _, shortcuts = name.partition("/")
        for i, chosen in enumerate(sets):
            assert found[i].tolist() == [route(settled, base, v, chosen, shortcuts or "all").count for v in senders]


@jit
def totals_of(tables: Tables, links: Longs, neighbours: Ints, members: Marks, publishers: Ints) -> tuple[int, int]:
    """All messages of PSVR and of T_D, in one compiled call."""
    ours, trees = np.zeros(publishers.shape, dtype=np.int32), np.zeros(publishers.shape, dtype=np.int32)
    count_psvr(tables, members, publishers, ours)
    count_td(links, neighbours, members, publishers, trees)
    return ours.sum(), trees.sum()


def test_batches_inside_compiled_code() -> None:
    case = drawn(3, 50, 120, 0)
    settled = case.settled
    members = np.array([[v % 7 == 0 for v in range(50)]], dtype=np.uint8)
    publishers = np.arange(50, dtype=np.int32).reshape(1, 50)
    totals = totals_of(settled.tables("all"), settled.graph.start, settled.graph.near, members, publishers)
    counts = count_messages(settled, members, publishers, ["psvr/all", "td"])
    assert list(totals) == [found.sum() for found in counts.values()]


@settings(deadline=None, max_examples=100)
@given(cases(most=9, most_subscribers=5))
def test_steiner_is_the_smallest_tree(case: Case) -> None:
    check_steiner(case, naive.steiner_size(case.g, {case.publisher, *case.subscribers}))


@pytest.mark.parametrize("seed", range(4))
def test_steiner_in_larger_networks(seed: int) -> None:
    case = drawn(seed, 14, 18 + 4 * seed, 4)
    check_steiner(case, naive.steiner_size(case.g, {case.publisher, *case.subscribers}))


def check_steiner(case: Case, size: int) -> None:
    settled = case.settled
    found = route(settled, "steiner", case.publisher, case.subscribers)
    assert found.count == len(found.messages) == (size if set(case.subscribers) - {case.publisher} else 0)
    assert all(case.g.has_edge(u, v) for u, v in found.messages)
    assert set(found.hops) == set(case.subscribers) - {case.publisher}
    for other in ("psvr", "shen", "td", "ts"):
        assert found.count <= route(settled, other, case.publisher, case.subscribers).count


def test_steiner_with_ten_subscribers_is_at_least_as_good_as_any() -> None:
    case = drawn(3, 100, 500, 10)
    settled = case.settled
    best = route(settled, "steiner", case.publisher, case.subscribers)
    assert len(best.hops) == len(set(case.subscribers) - {case.publisher})
    for other in ("psvr", "td", "ts"):
        assert best.count <= route(settled, other, case.publisher, case.subscribers).count


def test_one_node() -> None:
    settled = drawn(0, 1, 0, 0).settled
    for name in list(SYSTEMS)[:8]:
        for subscribers in ([], [0]):
            assert route(settled, name, 0, subscribers) == Route([], {}, int(name == "flood"))


def test_a_system_of_ones_own() -> None:
    @system("straight", positions=False, text="one message to each subscriber, wherever it is")
    def straight(settled: Settled, publication: Publication) -> list[Message]:
        return [(publication.publisher, int(v)) for v in publication.subscribers if v != publication.publisher]

    try:
        found = route(drawn(0, 5, 6, 0).settled, "straight", 1, [0, 1, 4])
        assert found == Route([(1, 0), (1, 4)], {0: 1, 4: 1}, 2)
        with pytest.raises(BadInput, match='"straight" exists'):
            system("straight", positions=False, text="again")
    finally:
        del SYSTEMS["straight"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"system": "x"}, 'system: must be one of psvr, vr2015, .*, not "x"'),
        ({"publisher": 20}, "publisher: must be a whole number from 0 to 19, not 20"),
        ({"publisher": None}, "publisher: must be a whole number from 0 to 19, not null"),
        ({"subscribers": [0, 20]}, r"subscribers\[1\]: must be a whole number from 0 to 19, not 20"),
        ({"shortcuts": "some"}, 'shortcuts: must be one of all, nontree, not "some"'),
        ({"start": 99}, "start: must be a whole number from 0 to 37, not 99"),
        ({"system": "steiner", "subscribers": range(20)}, "subscribers: at most 10 for steiner, not 19"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], text: str) -> None:
    good: dict[str, Any] = {"system": "psvr", "publisher": 0, "subscribers": [1], "shortcuts": "all", "start": None}
    with pytest.raises(BadInput, match=text) as caught:
        route(drawn(0, 20, 30, 0).settled, **(good | arguments))
    assert "\n" not in str(caught.value)


def test_start_without_a_ring_is_refused() -> None:
    with pytest.raises(BadInput, match="start: must be left out"):
        route(drawn(0, 1, 0, 0).settled, "vr2015", 0, [], start=0)


def test_start_of_another_node_is_refused() -> None:
    settled = drawn(0, 20, 30, 0).settled
    start = int(settled.positions(3)[0])
    with pytest.raises(BadInput, match=f"start: must be a position of the publisher, not {start} of node 3"):
        route(settled, "vr2015", 4, [1], start=start)


@pytest.mark.parametrize(
    ("members", "publishers", "columns", "text"),
    [
        (np.zeros((1, 4), bool), [[0]], ["td"], "members: must be an array .* each of the 5 nodes"),
        (np.zeros((1, 5), float), [[0]], ["td"], "members: must be an array"),
        (np.zeros((1, 5), bool), [[5]], ["td"], "publishers: must be nodes from 0 to 4"),
        (np.zeros((1, 5), bool), [[0], [1]], ["td"], "publishers: must be an array .* each of the 1 sets"),
        (np.zeros((1, 5), bool), [[0]], ["steiner"], 'columns: must be from psvr/all, .*, not "steiner"'),
    ],
)
def test_batches_that_are_refused(
    members: np.ndarray, publishers: list[list[int]], columns: list[str], text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        count_messages(drawn(0, 5, 6, 0).settled, members, publishers, columns)
