"""Networks of a scenario: the right ones, the degree aimed at, and the same ones for the same seed."""

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest

from psvr.graphs.graph import Graph, is_connected
from psvr.sim.plan import Plan, plan
from psvr.sim.scenario import parse


def drawn(seed: int = 1, **topology: Any) -> Plan:
    return plan(parse({"seed": seed, "topology": topology}))


def graph(p: Plan) -> Graph:
    return Graph(p.first, p.near)


def links(p: Plan) -> list[list[int]]:
    rows: list[list[int]] = graph(p).edges().tolist()
    return rows


def edges_of(g: nx.Graph) -> list[list[int]]:
    return sorted(sorted(edge) for edge in g.edges)


def mean_degree(p: Plan) -> float:
    return p.near.size / p.n


@pytest.mark.parametrize(
    ("keys", "g"),
    [
        ({"kind": "line", "n": 5}, nx.path_graph(5)),
        ({"kind": "line", "n": 1}, nx.path_graph(1)),
        ({"kind": "ring", "n": 5}, nx.cycle_graph(5)),
        ({"kind": "grid", "rows": 3, "columns": 4}, nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))),
        ({"kind": "grid", "n": 9}, nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3))),
        ({"kind": "edges", "edges": [[2, 1], [0, 1]]}, nx.path_graph(3)),
        ({"kind": "gnp", "n": 6, "p": 1}, nx.complete_graph(6)),
        ({"kind": "gnp", "n": 6, "degree": 5}, nx.complete_graph(6)),
        ({"kind": "gnp", "n": 1, "p": 0.5}, nx.path_graph(1)),
        ({"kind": "geometric", "n": 6, "degree": 5}, nx.complete_graph(6)),
    ],
)
def test_regular_and_complete_networks(keys: dict[str, Any], g: nx.Graph) -> None:
    p = drawn(**keys)
    assert (p.n, links(p)) == (g.number_of_nodes(), edges_of(g))
    assert [a.dtype for a in (p.first, p.near, p.ids)] == [np.int64, np.int32, np.int64]
    assert (p.places is not None) == (keys["kind"] == "geometric")
    assert p.ids.tolist() == list(range(p.n))


@pytest.mark.parametrize(("n", "degree", "draws"), [(20, 8, 100), (200, 8, 20), (5000, 10, 1), (5000, 14, 1)])
@pytest.mark.parametrize("kind", ["gnp", "geometric"])
def test_the_degree_aimed_at(kind: str, n: int, degree: float, draws: int) -> None:
    plans = [drawn(seed, kind=kind, n=n, degree=degree) for seed in range(draws)]
    assert all(is_connected(graph(p)) for p in plans)
    assert np.mean([mean_degree(p) for p in plans]) == pytest.approx(degree, rel=0.03)


@pytest.mark.parametrize("shape", [{"area": 300}, {"area": [1000, 50]}, {"range": 40}])
def test_the_degree_aimed_at_in_any_area(shape: dict[str, Any]) -> None:
    plans = [drawn(seed, kind="geometric", n=300, degree=10, **shape) for seed in range(20)]
    assert np.mean([mean_degree(p) for p in plans]) == pytest.approx(10, rel=0.03)


def reach_of(p: Plan) -> tuple[float, float]:
    """The longest link, and the shortest distance between two nodes without a link."""
    assert p.places is not None
    apart = np.hypot(*(p.places[:, None] - p.places[None]).transpose(2, 0, 1))
    linked = np.zeros((p.n, p.n), dtype=bool)
    linked[tuple(graph(p).edges().T)] = True
    free = np.triu(~linked, 1)
    return float(apart[linked].max()), float(apart[free].min())


def test_range_and_area_are_metres() -> None:
    p = drawn(kind="geometric", n=200, range=60, area=[500, 200])
    longest, shortest = reach_of(p)
    assert longest <= 60 < shortest
    assert p.places is not None
    assert (p.places >= 0).all() and (p.places <= [500, 200]).all()
    assert (p.places.max(axis=0) > [450, 180]).all()


def test_a_degree_alone_fills_a_square_kilometre() -> None:
    p = drawn(kind="geometric", n=500, degree=8)
    assert p.places is not None
    assert (p.places >= 0).all() and (p.places <= 1000).all() and (p.places.max(axis=0) > 950).all()


def test_a_degree_and_a_range_make_the_area() -> None:
    p = drawn(kind="geometric", n=500, degree=8, range=30)
    longest, shortest = reach_of(p)
    assert longest <= 30 < shortest
    assert p.places is not None
    assert p.places.max() == pytest.approx(30 * math.sqrt(500 * math.pi / 8), rel=0.1)


@pytest.mark.parametrize(
    ("keys", "degree"),
    [
        ({"kind": "gnp", "degree": 2}, 2),
        ({"kind": "gnp", "p": 0.002}, 0.002 * 1999),
        ({"kind": "geometric", "degree": 2}, 2),
    ],
)
def test_as_drawn_where_that_is_asked_for(keys: dict[str, Any], degree: float) -> None:
    p = drawn(n=2000, connected=False, **keys)
    assert not is_connected(graph(p))
    assert mean_degree(p) == pytest.approx(degree, rel=0.1)


def test_given_links_may_leave_nodes_alone_where_that_is_asked_for() -> None:
    p = drawn(kind="edges", n=5, edges=[[0, 1]], connected=False)
    assert (p.n, links(p)) == (5, [[0, 1]])


@pytest.mark.parametrize(
    "keys",
    [
        {"kind": "gnp", "n": 100, "degree": 8},
        {"kind": "geometric", "n": 100, "degree": 8},
        {"kind": "line", "n": 100, "ids": "random"},
    ],
)
def test_the_seed_decides(keys: dict[str, Any]) -> None:
    def state(seed: int) -> tuple[Any, ...]:
        p = drawn(seed, **keys)
        return links(p), p.ids.tolist(), None if p.places is None else p.places.tolist()

    assert state(7) == state(7) != state(8)


def test_random_ids_are_ascending_and_do_not_change_the_network() -> None:
    keys: dict[str, Any] = {"kind": "gnp", "n": 3000, "degree": 12}
    plain, p = drawn(**keys), drawn(**keys, ids="random")
    assert links(plain) == links(p)
    assert (np.diff(p.ids) > 0).all() and p.ids.size == 3000
    assert 0 <= p.ids[0] < 1 << 22 and (1 << 31) - (1 << 22) < p.ids[-1] < 1 << 31
    assert drawn(kind="ring", n=3000, ids="random").ids.tolist() == p.ids.tolist()  # a stream of their own


@pytest.mark.parametrize(
    ("keys", "widths", "depth"),
    [
        ({"kind": "line", "n": 2}, (2, 2), 64),
        ({"kind": "line", "n": 65}, (2, 2), 65),
        ({"kind": "line", "n": 32768}, (2, 2), 32768),
        ({"kind": "line", "n": 32769}, (2, 4), 32769),
        ({"kind": "line", "n": 65535}, (2, 4), 65535),
        ({"kind": "line", "n": 65536}, (4, 4), 65535),
        ({"kind": "line", "n": 5, "ids": "random"}, (4, 2), 64),
        ({"kind": "line", "n": 1}, (2, 2), 64),
    ],
)
def test_settings_that_are_left_open(keys: dict[str, Any], widths: tuple[int, int], depth: int) -> None:
    p = drawn(**keys)
    assert ((p.id_bytes, p.position_bytes), p.depth) == (widths, depth)


def test_ids_and_positions_fit_the_wire() -> None:
    """The largest values for which a width is chosen can be written, the next ones cannot."""
    from psvr.protocol.wire.messages import Writer

    writer = Writer(1, 0, 2, 2)
    writer.ids(65534)
    writer.positions(2 * (32768 - 1))
    with pytest.raises(OverflowError):
        writer.ids(65535)


def test_settings_that_are_said() -> None:
    said = {"depth": 3, "id_bytes": 8, "position_bytes": 4}
    p = plan(parse({"topology": {"kind": "line", "n": 3}, "protocol": said}))
    assert (p.depth, p.id_bytes, p.position_bytes) == (3, 8, 4)


def test_a_hundred_thousand_nodes() -> None:
    """With anything quadratic in it, this would not end."""
    p = drawn(kind="geometric", n=100_000, degree=8)
    assert mean_degree(p) == pytest.approx(8, rel=0.02) and is_connected(graph(p))
