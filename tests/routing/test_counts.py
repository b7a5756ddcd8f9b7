"""Counts of single systems against their definitions, with little compiled."""

from typing import Any, cast

import networkx as nx
import numpy as np
import pytest

from psvr.graphs.csr import Ints
from psvr.graphs.drawn import gnp
from psvr.graphs.graph import Graph, from_edges
from psvr.routing.counts import count_messages
from psvr.routing.kernels import trees
from psvr.routing.settled import Settled
from psvr.routing.tree import bfs_tree
from tests.support.routing import naive


def network(n: int, p: float) -> tuple[Graph, np.ndarray, np.ndarray]:
    """A graph, sets of subscribers, and publishers for each."""
    rng = np.random.default_rng(3)
    return gnp(n, p, 5), (rng.random((6, n)) < 0.2).astype(np.uint8), rng.integers(0, n, (6, 15)).astype(np.int32)


def counted(graph: Graph, members: np.ndarray, publishers: np.ndarray) -> list[list[int]]:
    counts: Ints = np.zeros(publishers.shape, np.int32)
    plain = cast(Any, trees.count_td).py_func  # of its dispatcher
    plain(graph.start, graph.near, members, publishers, counts)
    found: list[list[int]] = counts.tolist()
    return found


@pytest.mark.parametrize("n, p", [(40, 0.12), (70, 0.5), (150, 0.03)])
def test_t_d_has_the_links_of_the_pruned_tree(n: int, p: float) -> None:
    """By rows of bits where the network is small or dense, by lists where it is not."""
    graph, members, publishers = network(n, p)
    g = nx.Graph(graph.edges().tolist())
    expected = [
        [len(naive.branches(g, v, set(np.flatnonzero(wanted).tolist()))) for v in senders]
        for wanted, senders in zip(members, publishers.tolist())
    ]
    assert counted(graph, members, publishers) == expected


@pytest.mark.parametrize("room", [1, 3])
def test_how_many_trees_are_kept_makes_no_difference(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = network(40, 0.12)
    before = counted(*case)
    monkeypatch.setattr(trees, "ROOM", room * 40)
    assert counted(*case) == before


@pytest.mark.parametrize("n", [1, 2, 7])
def test_systems_whose_cost_is_always_the_same(n: int) -> None:
    graph = from_edges(n, [(v, v + 1) for v in range(n - 1)])
    settled = Settled(graph, 0, bfs_tree(graph, 0))
    members, publishers = np.zeros((2, n), bool), np.zeros((2, 3), int)
    members[1] = True
    found = count_messages(settled, members, publishers, ["flood", "ring"])
    assert found["flood"].tolist() == [[n] * 3] * 2 and found["ring"].tolist() == [[2 * (n - 1)] * 3] * 2
