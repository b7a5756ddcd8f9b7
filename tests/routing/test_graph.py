"""How networks are made, and which input is refused."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.errors import BadInput
from psvr.graphs import drawn
from psvr.graphs.csr import Floats
from psvr.graphs.drawn import geometric, gnp
from psvr.graphs.graph import Graph, from_edges, from_networkx, grid, is_connected, line, ring
from psvr.graphs.places import near_pairs, reach_for, share_within
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases


def same(graph: Graph, g: nx.Graph) -> None:
    """The package's network has the nodes and links of the networkx one."""
    assert (graph.n, graph.m) == (g.number_of_nodes(), g.number_of_edges())
    assert (graph.start.dtype, graph.near.dtype) == (np.dtype(np.int64), np.dtype(np.int32))
    for v in g:
        assert graph.neighbours(v).tolist() == sorted(g[v])
    assert graph.edges().tolist() == sorted(sorted(edge) for edge in g.edges)


@settings(deadline=None, max_examples=100)
@given(cases())
def test_links_in_any_order(case: Case) -> None:
    same(from_edges(case.n, case.edges), case.g)
    same(from_edges(case.n, np.array(case.edges, dtype=np.int32).reshape(-1, 2)), case.g)


def test_regular_networks() -> None:
    same(line(5), nx.path_graph(5))
    same(ring(5), nx.cycle_graph(5))
    same(line(1), nx.path_graph(1))
    same(grid(3, 4), nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4)))


def test_from_networkx_keeps_labels() -> None:
    graph, labels = from_networkx(nx.Graph([("c", "a"), ("a", "b")]))
    assert labels == ["c", "a", "b"]
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    graph, labels = from_networkx(nx.Graph([(7, 3), (3, 5)]))
    assert labels == [3, 5, 7]
    assert graph.edges().tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    ("g", "text"),
    [
        (nx.DiGraph([(0, 1)]), "graph: must be undirected"),
        (nx.MultiGraph([(0, 1)]), "graph: must have at most one link"),
        (nx.Graph([("a", "a")]), 'graph: must link different nodes, but "a" is linked to itself'),
        (nx.Graph(), "n: must be a whole number from 1 to"),
    ],
)
def test_networkx_graphs_that_are_refused(g: nx.Graph, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        from_networkx(g)


@pytest.mark.parametrize(
    ("n", "edges", "text"),
    [
        (0, [], "n: must be a whole number from 1 to 100000000, not 0"),
        (100_000_001, [], "n: must be a whole number"),
        (2.0, [], "n: must be a whole number"),
        ("2", [], "n: must be a whole number"),
        (3, [(0, 1), (1, 1)], r"edges\[1\]: must link two different nodes, not 1 to itself"),
        (3, [(0, 1), (1, 3)], r"edges\[1\]: must link nodes from 0 to 2, not 1 and 3"),
        (3, [(-1, 0)], r"edges\[0\]: must link nodes from 0 to 2, not -1 and 0"),
        (3, [(0, 1), (1, 2), (1, 0)], r"edges\[2\]: must list each link once, but 0 and 1 are linked before"),
        (3, [(0, 1, 2)], r"edges\[0\]: must be a pair of node ids"),
        (3, [(0, 1), 5], r"edges\[1\]: must be a pair of node ids, not 5"),
        (3, ["01"], r'edges\[0\]: must be a pair of node ids, not "01"'),
        (3, [(0.0, 1.0)], "edges: must be pairs of whole numbers"),
        (3, [(0, 10**30)], "edges: must be pairs of whole numbers"),
        (3, [(0, None)], "edges: must be pairs of whole numbers"),
        (3, 7, r"edges\[0\]: must be a pair of node ids, not 7"),
        (3, np.zeros((2, 3), int), "edges: must be pairs of whole numbers"),
    ],
)
def test_links_that_are_refused(n: Any, edges: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text) as caught:
        from_edges(n, edges)
    assert "\n" not in str(caught.value)


def test_connected() -> None:
    assert is_connected(line(1))
    assert is_connected(from_edges(3, [(0, 1), (1, 2)]))
    assert not is_connected(from_edges(3, [(1, 2)]))


def test_gnp_draws_each_pair_alike() -> None:
    """Links of every pair over 2000 draws of G(8, 0.6), redrawn until connected: within 5 standard errors."""
    hits = np.zeros((8, 8))
    for seed in range(2000):
        u, v = gnp(8, 0.6, seed).edges().T
        hits[u, v] += 1
    hits = hits[np.triu_indices(8, 1)]
    assert abs(hits - hits.mean()).max() < 5 * np.sqrt(2000 * 0.24)
    assert 0.6 <= hits.mean() / 2000 < 0.61


def test_gnp_has_as_many_links_as_it_should() -> None:
    graph = gnp(3000, 0.004, 7)
    expected = 0.004 * 3000 * 2999 / 2
    assert abs(graph.m - expected) < 5 * np.sqrt(expected)
    same(graph, naive.network(3000, graph.edges().tolist()))
    assert gnp(3000, 0.004, 7).near.tolist() == graph.near.tolist() != gnp(3000, 0.004, 8).near.tolist()


def test_pairs_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "CHUNK", 16)
    pairs = drawn.random_pairs(40, 0.3, np.random.default_rng(1))
    assert len(pairs) == len({tuple(pair) for pair in pairs.tolist()})
    assert abs(len(pairs) - 234) < 5 * np.sqrt(234 * 0.7)
    assert pairs.tolist() == sorted(pairs.tolist())


def test_gnp_at_its_ends() -> None:
    assert gnp(1, 0, 0).n == 1
    assert gnp(30, 1, 0).m == 30 * 29 // 2


@pytest.mark.parametrize(
    ("n", "p", "text"),
    [
        (100, 0.001, "p: must be large enough to connect 100 nodes, about 0.046 or more, not 0.001"),
        (3, 1e-9, "p: must be large enough to connect 3 nodes"),
        (10**6, 1e-6, "p: must be large enough"),
        (10, 1.5, "p: must be a number from 0 to 1, not 1.5"),
        (10, float("nan"), "p: must be a number from 0 to 1, not nan"),
        (10, True, "p: must be a number from 0 to 1, not true"),
        (10, "0.5", 'p: must be a number from 0 to 1, not "0.5"'),
        (10, "x", 'p: must be a number from 0 to 1, not "x"'),
    ],
)
def test_gnp_refuses(n: int, p: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        gnp(n, p, 0)


def apart(places: Floats) -> Floats:
    distances: Floats = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    return distances


@pytest.mark.parametrize("size", [{"degree": 7}, {"radius": 0.16}, {"radius": 1.4}])
def test_geometric_links_what_is_close(size: dict[str, float]) -> None:
    graph, places = geometric(150, 3, **size)
    reach = size.get("radius") or reach_for(7 / 149, 1, 1)
    assert graph.edges().tolist() == np.argwhere(np.triu(apart(places) <= reach, 1)).tolist()
    assert is_connected(graph)
    assert (places.shape, places.min() >= 0, places.max() <= 1) == ((150, 2), True, True)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 60), st.floats(0.1, 10), st.floats(0.001, 10), st.floats(0, 12), st.integers(0, 99))
def test_pairs_in_reach_are_all_pairs_in_reach(n: int, width: float, height: float, reach: float, seed: int) -> None:
    places = np.random.default_rng(seed).random((n, 2)) * (width, height)
    close = apart(places)
    expected = np.argwhere(np.triu(close <= reach, 1)).tolist()
    if np.isclose(close, reach, rtol=1e-12).any():
        return  # rounding decides
    assert sorted(near_pairs(places, reach).tolist()) == expected


def test_places_on_one_spot() -> None:
    assert near_pairs(np.zeros((3, 2)), 0).tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize("reach", [0.1, 0.5, 1.0])
def test_share_in_a_square_is_the_known_formula(reach: float) -> None:
    known = np.pi * reach**2 - 8 / 3 * reach**3 + reach**4 / 2
    assert share_within(reach, 1, 1) == pytest.approx(known, rel=1e-4)


@pytest.mark.parametrize(("width", "height", "reach"), [(3, 1, 0.4), (3, 1, 2), (1, 3, 2), (2, 2, 2.5)])
def test_share_in_a_rectangle_is_that_of_random_places(width: float, height: float, reach: float) -> None:
    ends = np.random.default_rng(1).random((200_000, 2, 2)) * (width, height)
    share = (np.hypot(*(ends[:, 0] - ends[:, 1]).T) <= reach).mean()
    assert abs(share_within(reach, width, height) - share) < 5 * np.sqrt(share * (1 - share) / 200_000)
    assert reach_for(share_within(reach, width, height), width, height) == pytest.approx(reach, rel=1e-6)
    assert share_within(np.hypot(width, height), width, height) == pytest.approx(1, abs=1e-4)
    assert reach_for(1, width, height) == np.hypot(width, height)


@pytest.mark.parametrize(("n", "degree", "draws"), [(40, 8, 200), (1000, 6, 20), (30_000, 8, 1)])
def test_geometric_has_the_degree_aimed_at(n: int, degree: int, draws: int) -> None:
    """Borders are accounted for; that nodes are placed again until all are connected adds a little."""
    mean = np.mean([2 * geometric(n, seed, degree=degree)[0].m / n for seed in range(draws)])
    assert 0.98 * degree < mean < 1.05 * degree


def test_geometric_places_lost_nodes_again() -> None:
    rng = np.random.default_rng(4)
    places = np.concatenate((rng.random((60, 2)) * 0.8, [[0.98, 0.98]]))
    before = places.copy()
    graph = drawn.joined(places, (1, 1), rng, lambda at: drawn.in_reach(at, 0.22))
    assert graph is not None
    assert np.flatnonzero((places != before).any(axis=1)).tolist() == [60] and is_connected(graph)
    assert geometric(1, 0, degree=5)[0].n == 1


def test_geometric_does_not_crowd_what_is_too_thin() -> None:
    places = np.random.default_rng(1).random((200, 2))
    assert drawn.joined(places, (1, 1), np.random.default_rng(2), lambda at: drawn.in_reach(at, 0.05)) is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"n": 9}, "degree, radius: exactly one of the two must be given"),
        ({"n": 9, "degree": 3, "radius": 0.5}, "degree, radius: exactly one of the two must be given"),
        ({"n": 9, "degree": -1}, "degree: must be a number from 0"),
        ({"n": 9, "radius": 2}, "radius: must be a number from 0 to 1.414213562, not 2"),
        ({"n": 9, "radius": 0}, "radius: must be large enough to connect 9 nodes"),
        ({"n": 40, "degree": 1e-9}, "degree: must be large enough to connect 40 nodes"),
        ({"n": 200, "degree": 3}, "degree: must be large enough to connect 200 nodes"),
    ],
)
def test_geometric_refuses(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        geometric(seed=0, **arguments)
