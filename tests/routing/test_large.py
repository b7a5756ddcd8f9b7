"""Large networks: no recursion, no work that grows with the square of a degree, little memory."""

import numpy as np
import pytest

from psvr.graphs.drawn import geometric
from psvr.graphs.graph import Graph, from_edges, line
from psvr.routing.counts import count_messages
from psvr.routing.kernels.trees import ROOM
from psvr.routing.settled import Settled
from psvr.routing.systems import route
from psvr.routing.tree import bfs_tree

LARGE = 100_000


def star(n: int) -> Graph:
    node = np.arange(1, n)
    return from_edges(n, np.stack((np.zeros_like(node), node), axis=1))


@pytest.mark.parametrize("shortcuts", ["all", "nontree"])
def test_hub_with_very_many_positions(shortcuts: str) -> None:
    """Its positions in the rows of all its neighbours would be ten thousand million entries."""
    graph = star(LARGE)
    settled = Settled(graph, 0, bfs_tree(graph, 0))
    table = settled.shortcuts(shortcuts)
    assert table.near.size + table.hub.size <= 3 * LARGE
    subscribers = range(1, LARGE, 1000)
    assert route(settled, "psvr", 0, subscribers, shortcuts).count == 100
    assert route(settled, "psvr", LARGE - 1, subscribers, shortcuts).count == 101
    assert route(settled, "vr2015", 0, subscribers, shortcuts).count <= settled.length


def test_deep_tree() -> None:
    graph = line(LARGE)
    settled = Settled(graph, 0, bfs_tree(graph, 0))
    assert settled.ring[[0, 1, LARGE - 1, LARGE, -1]].tolist() == [0, 1, LARGE - 1, LARGE - 2, 1]
    found = route(settled, "psvr", 0, [LARGE - 1])
    assert found.hops == {LARGE - 1: LARGE - 1}
    members = np.zeros((1, LARGE), dtype=bool)
    members[0, -1] = True
    for name, counts in count_messages(settled, members, [[0]], ["psvr/all", "psvr/nontree", "shen", "td"]).items():
        assert counts.tolist() == [[LARGE - 1]], name


def test_more_publishers_than_trees_are_kept() -> None:
    """Two publishers that alternate in the same place, and one that has a place to itself."""
    n = 5000
    graph, _ = geometric(n, 1, degree=12)
    settled = Settled(graph, 0, bfs_tree(graph, 0))
    assert 0 < ROOM // n < n - 7
    members = np.zeros((2, n), dtype=bool)
    members[0, ::500] = members[1, 1::700] = True
    publishers = [[7, 7 + ROOM // n, 7, 8]] * 2
    counts = count_messages(settled, members, publishers, ["td"])["td"]
    for i in range(2):
        expected = [route(settled, "td", v, np.flatnonzero(members[i])).count for v in publishers[i]]
        assert counts[i].tolist() == expected
