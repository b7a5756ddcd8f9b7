"""Trees other than the usual one: that they are what they say, and that each differs from the others."""

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from psvr.errors import BadInput
from psvr.graphs.drawn import gnp
from psvr.graphs.graph import Graph, from_edges, line
from psvr.protocol.numbers import mix
from psvr.routing.counts import count_messages, count_td_messages
from psvr.routing.kernels.ties import TIES
from psvr.routing.settled import Settled
from psvr.routing.spanning import ROOTS, depth_first_tree, random_tree, shortest_tree, subtree_sizes
from psvr.routing.tree import bfs_tree, centre, check_tree
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases, drawn

SEED = 4711


def parents_by_definition(g: nx.Graph, root: int, ties: str) -> dict[int, int]:
    """Level by level, from the distances of all nodes."""
    far: dict[int, int] = nx.single_source_shortest_path_length(g, root)
    closer = {v: [w for w in sorted(g[v]) if far[w] == far[v] - 1] for v in g}
    parent = {root: -1}
    if ties == "first":
        return naive.bfs_parents(g, root)
    if ties == "random":
        seed = mix(SEED, root)
        return parent | {v: closer[v][mix(seed, v) % len(closer[v])] for v in g if v != root}
    if ties == "least":
        return parent | {v: min(closer[v]) for v in g if v != root}
    if ties == "neighbours":
        return parent | {v: max(closer[v], key=lambda w: (len(g[w]), -w)) for v in g if v != root}
    for level in range(1, max(far.values()) + 1):
        left = {v for v in g if far[v] == level}
        while left:
            takes = Counter(w for v in left for w in closer[v])
            chosen = max(takes, key=lambda w: (takes[w], -w))
            parent |= {v: chosen for v in left if chosen in closer[v]}
            left -= set(parent)
    return parent


def check_ties(case: Case) -> None:
    graph = from_edges(case.n, case.edges)
    for ties in TIES:
        expected = parents_by_definition(case.g, case.root, ties)
        found = shortest_tree(graph, case.root, ties, SEED)
        assert found.tolist() == [expected[v] for v in range(case.n)], ties


@settings(deadline=None, max_examples=100)
@given(cases())
def test_ties_are_broken_as_they_say(case: Case) -> None:
    check_ties(case)


@pytest.mark.parametrize(("n", "links"), [(60, 200), (70, 130), (50, 800)])
def test_ties_in_larger_networks(n: int, links: int) -> None:
    check_ties(drawn(n, n, links, 0))


@pytest.mark.parametrize("ties", TIES)
def test_t_d_is_counted_in_the_trees_of_its_ties(ties: str) -> None:
    graph, rng = gnp(40, 0.15, 2), np.random.default_rng(3)
    members, publishers = rng.random((5, 40)) < 0.2, rng.integers(0, 40, (5, 12))
    g = naive.network(40, graph.edges().tolist())
    expected = []
    for wanted, senders in zip(members, publishers.tolist()):
        targets = np.flatnonzero(wanted).tolist()
        expected.append([len(used_links(parents_by_definition(g, v, ties), v, targets)) for v in senders])
    assert count_td_messages(graph, members, publishers, ties, SEED).tolist() == expected
    if ties == "first":
        assert count_messages(usual(graph), members, publishers, ["td"])["td"].tolist() == expected


def used_links(parent: dict[int, int], root: int, targets: list[int]) -> set[int]:
    """The lower ends of the links on the ways from the root to the targets."""
    used = set()
    for v in targets:
        while v != root:
            used.add(v)
            v = parent[v]
    return used


def test_how_many_trees_are_kept_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    from psvr.routing.kernels import ties

    graph, rng = gnp(30, 0.2, 2), np.random.default_rng(3)
    members, publishers = (rng.random((4, 30)) < 0.2).astype(np.uint8), rng.integers(0, 30, (4, 9), dtype=np.int32)
    plain: Any = ties.count_td_tied
    found = []
    for room in (30 * 30, 30):
        monkeypatch.setattr(ties, "ROOM", room)
        counts = np.zeros(publishers.shape, np.int32)
        plain.py_func(graph.start, graph.near, TIES.index("random"), SEED, members, publishers, counts)
        found.append(counts.tolist())
    assert found[0] == found[1] == count_td_messages(graph, members, publishers, "random", SEED).tolist()


def usual(graph: Graph) -> Settled:
    root = centre(graph)
    return Settled(graph, root, bfs_tree(graph, root))


def test_every_choice_gives_another_tree_of_shortest_ways() -> None:
    graph = gnp(60, 0.12, 5)
    root = centre(graph)
    far = nx.single_source_shortest_path_length(nx.Graph(graph.edges().tolist()), root)
    trees = {ties: check_tree(graph, root, shortest_tree(graph, root, ties, SEED)) for ties in TIES}
    for parent in trees.values():
        assert [depth(parent, v) for v in range(60)] == [far[v] for v in range(60)]
    assert len({tuple(parent.tolist()) for parent in trees.values()}) == len(TIES)
    assert trees["random"].tolist() != shortest_tree(graph, root, "random", SEED + 1).tolist()
    inner = {ties: len({*parent.tolist()}) for ties, parent in trees.items()}
    assert min(inner, key=inner.__getitem__) == "children" and max(inner, key=inner.__getitem__) == "random"


def depth(parent: Any, v: int) -> int:
    steps = 0
    while parent[v] >= 0:
        v, steps = int(parent[v]), steps + 1
    return steps


def test_random_parents_are_drawn_evenly() -> None:
    """Node 4 is two steps from node 0, by way of 1, 2 or 3."""
    graph = from_edges(5, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)])
    drawn_parents = Counter(int(shortest_tree(graph, 0, "random", seed)[4]) for seed in range(3000))
    assert set(drawn_parents) == {1, 2, 3}
    assert max(abs(count - 1000) for count in drawn_parents.values()) < 5 * np.sqrt(3000 * 2 / 9)


@settings(deadline=None, max_examples=100)
@given(cases())
def test_depth_first_trees(case: Case) -> None:
    graph = from_edges(case.n, case.edges)
    parent = check_tree(graph, case.root, depth_first_tree(graph, case.root))
    in_order = nx.Graph()
    in_order.add_nodes_from(range(case.n))
    in_order.add_edges_from(sorted((u, v) for a, b in case.edges for u, v in ((a, b), (b, a))))
    expected = nx.dfs_predecessors(in_order, case.root, sort_neighbors=sorted)
    assert parent.tolist() == [expected.get(v, -1) for v in range(case.n)]


@settings(deadline=None, max_examples=100)
@given(cases())
def test_random_trees_span(case: Case) -> None:
    graph = from_edges(case.n, case.edges)
    check_tree(graph, case.root, random_tree(graph, case.root, np.random.default_rng(1)))


def test_all_spanning_trees_are_equally_likely() -> None:
    """A square with one diagonal has eight."""
    graph, rng = from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]), np.random.default_rng(7)
    found = Counter(tuple(random_tree(graph, 1, rng).tolist()) for _ in range(4000))
    assert len(found) == 8 and max(abs(count - 500) for count in found.values()) < 5 * np.sqrt(4000 * 7 / 64)


def test_roots() -> None:
    graph = from_edges(6, [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5)])
    assert {name: choose(graph) for name, choose in ROOTS.items()} == {
        "centre": 2,
        "least": 0,
        "outermost": 0,
        "hub": 3,
    }
    assert ROOTS["outermost"](from_edges(4, [(1, 0), (0, 2), (2, 3)])) == 1


def test_children_come_in_turn() -> None:
    graph = from_edges(5, [(0, 1), (0, 2), (0, 3), (2, 4)])
    parent = bfs_tree(graph, 0)
    assert Settled(graph, 0, parent).ring.tolist() == [0, 1, 0, 2, 4, 2, 0, 3]
    assert Settled(graph, 0, parent, [4, 3, 2, 1, 0]).ring.tolist() == [0, 3, 0, 2, 4, 2, 0, 1]
    assert subtree_sizes(0, parent).tolist() == [5, 1, 2, 1, 1]


@settings(deadline=None, max_examples=50)
@given(cases())
def test_whatever_the_turn_every_subscriber_is_reached_once(case: Case) -> None:
    turn = np.random.default_rng(case.n).permutation(case.n)
    g, name = case.g, {int(v): i for i, v in enumerate(turn)}
    settled = Settled(from_edges(case.n, case.edges), case.root, case.parent, turn)
    renamed = nx.relabel_nodes(g, name)
    parent = [-1] * case.n
    for v, above in enumerate(case.parent):
        parent[name[v]] = name[above] if above >= 0 else -1
    assert [name[v] for v in settled.ring.tolist()] == naive.ring(name[case.root], parent)
    wanted = [name[v] for v in case.subscribers]
    messages, received = naive.psvr(renamed, name[case.root], parent, name[case.publisher], wanted, "all")
    members = np.zeros((1, case.n), bool)
    members[0, case.subscribers] = True
    counts = count_messages(settled, members, np.array([[case.publisher]]), ["psvr/all"])["psvr/all"]
    assert counts.tolist() == [[len(messages)]]
    assert all(len(received[v]) == 1 for v in set(wanted) - {name[case.publisher]})


@pytest.mark.parametrize("turn", [[0, 1], [0, 1, 1], [0.0, 1.0, 2.0], [1, 2, 3]])
def test_a_turn_lists_every_node_once(turn: Any) -> None:
    with pytest.raises(BadInput, match="turn: must list each of the 3 nodes once"):
        Settled(line(3), 0, [-1, 0, 1], turn)


def test_wrong_trees_are_refused() -> None:
    with pytest.raises(BadInput, match='ties: must be one of first, least, random, children, neighbours, not "most"'):
        shortest_tree(line(3), 0, "most")
    apart = from_edges(4, [(0, 1), (2, 3)])
    for grow in (shortest_tree, depth_first_tree, lambda g, root: random_tree(g, root, np.random.default_rng(1))):
        with pytest.raises(BadInput, match="graph: must be connected"):
            grow(apart, 0)
        with pytest.raises(BadInput, match="root: must be"):
            grow(line(3), 3)
