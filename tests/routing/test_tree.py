"""Breadth-first trees, the centre, and the check of a given tree."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from psvr.errors import BadInput
from psvr.graphs.drawn import geometric, gnp
from psvr.graphs.graph import Graph, from_edges, line, ring
from psvr.routing.kernels.centre import eccentricities, narrowed_centre
from psvr.routing.kernels.trees import bit_rows, bit_search
from psvr.routing.tree import bfs_tree, centre, check_tree
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases, drawn


def check_trees(case: Case) -> None:
    graph, g = from_edges(case.n, case.edges), case.g
    rows = bit_rows(graph.start, graph.near)
    parent, order = np.zeros((2, case.n), dtype=np.int32)
    for root in range(case.n):
        expected = naive.bfs_parents(g, root)
        assert bfs_tree(graph, root).tolist() == [expected[v] for v in range(case.n)]
        bit_search(rows, root, np.zeros(rows.shape[1], dtype=np.int64), parent, order)
        assert parent.tolist() == [expected[v] for v in range(case.n)]
        assert order.tolist() == list(expected)


def check_centre(graph: Graph, g: nx.Graph) -> None:
    far = nx.eccentricity(g)
    assert eccentricities(graph.start, graph.near).tolist() == [far[v] for v in range(len(g))]
    assert centre(graph) == narrowed_centre(graph.start, graph.near) == naive.centre(g)


@settings(deadline=None, max_examples=150)
@given(cases())
def test_small_networks(case: Case) -> None:
    check_trees(case)
    check_centre(from_edges(case.n, case.edges), case.g)


@pytest.mark.parametrize(("n", "links"), [(64, 100), (65, 300), (128, 130), (150, 2000)])
def test_larger_networks(n: int, links: int) -> None:
    case = drawn(n, n, links, 0)
    check_trees(case)
    check_centre(from_edges(case.n, case.edges), case.g)


@pytest.mark.parametrize("graph", [line(70), ring(70), geometric(300, 1, degree=6)[0], gnp(200, 0.3, 1)])
def test_centre_of_other_shapes(graph: Graph) -> None:
    check_centre(graph, naive.network(graph.n, graph.edges().tolist()))


@pytest.mark.parametrize("p", [0.05, 0.1, 0.2])
def test_both_ways_to_the_centre(p: float) -> None:
    """Ties are many in random networks, and the least id must win."""
    for seed in range(200):
        graph = gnp(60 + seed, p, seed)
        far = eccentricities(graph.start, graph.near)
        assert narrowed_centre(graph.start, graph.near) == int(np.argmin(far))


def test_centre_beyond_the_limit() -> None:
    assert centre(line(5001)) == 2500
    assert centre(line(5002)) == 2500


def test_disconnected_networks_are_refused() -> None:
    graph = from_edges(4, [(0, 1), (2, 3)])
    with pytest.raises(BadInput, match="graph: must be connected, but node 2 cannot be reached from 1"):
        bfs_tree(graph, 1)
    with pytest.raises(BadInput, match="graph: must be connected to have a centre"):
        centre(graph)


@settings(deadline=None, max_examples=50)
@given(cases())
def test_any_spanning_tree_is_accepted(case: Case) -> None:
    assert check_tree(from_edges(case.n, case.edges), case.root, case.parent).tolist() == case.parent


@pytest.mark.parametrize(
    ("root", "parent", "text"),
    [
        (5, [-1, 0, 1, 2, 3], "root: must be a whole number from 0 to 4, not 5"),
        (0, [-1, 0, 1, 2], "parent: must be a list of 5 node ids"),
        (0, [-1, 0, 1, 2, 2.5], "parent: must be a list of 5 node ids"),
        (0, [1, 0, 1, 2, 3], r"parent\[0\]: must be -1, because it is the root, not 1"),
        (0, [-1, 0, 1, -1, 3], r"parent\[3\]: must be a node from 0 to 4, not -1"),
        (0, [-1, 0, 1, 5, 3], r"parent\[3\]: must be a node from 0 to 4, not 5"),
        (0, [-1, 0, 1, 1, 3], r"parent\[3\]: must be a neighbour of 3, which 1 is not"),
        (0, [-1, 1, 1, 2, 3], r"parent\[1\]: must be a neighbour of 1, which 1 is not"),
        (0, [-1, 0, 3, 2, 3], r"parent\[2\]: must lead to the root 0, but leads round in a circle"),
    ],
)
def test_what_is_no_tree(root: int, parent: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        check_tree(line(5), root, parent)
