"""Breadth-first trees from all roots with pruning, against networkx and rustworkx doing the same job.

The job: for each of the 100 nodes of G(100, 0.1) as publisher, the number of links of its breadth-first tree that
lie on a path to one of 10 subscribers.  Each library is given the network in its own form beforehand, and its
fastest idiomatic way is taken.  rustworkx offers breadth-first parents for an undirected graph only through
a visitor that calls back into Python, so its shortest paths are used; they may break ties differently.
"""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import rustworkx as rx

from psvr.graphs.drawn import gnp
from psvr.graphs.graph import Graph
from psvr.routing.kernels.trees import count_td

from .timing import best_of

N, P, SUBSCRIBERS = 100, 0.1, 10


def climbed(root: int, parent: dict[int, int], subscribers: list[int]) -> int:
    kept = {root}
    for v in subscribers:
        while v not in kept:
            kept.add(v)
            v = parent[v]
    return len(kept) - 1


def joined(root: int, paths: Any, subscribers: list[int]) -> int:
    kept = {root}
    for v in subscribers:
        if v != root:
            kept.update(paths[v])
    return len(kept) - 1


def contenders(graph: Graph, subscribers: list[int]) -> dict[str, Callable[[], list[int]]]:
    g = nx.Graph(graph.edges().tolist())
    r = rx.PyGraph(multigraph=False)
    r.add_nodes_from(range(N))
    r.add_edges_from([(u, v, 1.0) for u, v in graph.edges().tolist()])
    roots = range(N)

    def nx_edges() -> list[int]:
        return [climbed(v, {y: x for x, y in nx.bfs_edges(g, v)}, subscribers) for v in roots]

    def nx_paths() -> list[int]:
        return [joined(v, nx.single_source_shortest_path(g, v), subscribers) for v in roots]

    def rx_each() -> list[int]:
        return [joined(v, rx.dijkstra_shortest_paths(r, v), subscribers) for v in roots]

    def rx_all() -> list[int]:
        paths = rx.all_pairs_dijkstra_shortest_paths(r, float)
        return [joined(v, paths[v], subscribers) for v in roots]

    return {
        "networkx bfs_edges": nx_edges,
        "networkx single_source_shortest_path": nx_paths,
        "rustworkx dijkstra_shortest_paths": rx_each,
        "rustworkx all_pairs_dijkstra_shortest_paths": rx_all,
    }


def ours(graph: Graph, subscribers: list[int]) -> Callable[[], list[int]]:
    members = np.zeros((1, N), dtype=np.uint8)
    members[0, subscribers] = 1
    publishers = np.arange(N, dtype=np.int32).reshape(1, N)
    counts = np.empty((1, N), dtype=np.int32)

    def count() -> list[int]:
        count_td(graph.start, graph.near, members, publishers, counts)
        found: list[int] = counts[0].tolist()
        return found

    return count


def measure() -> tuple[dict[str, float], float]:
    """Seconds that each contender takes, and this package."""
    graph = gnp(N, P, 1)
    subscribers = np.random.default_rng(1).choice(N, SUBSCRIBERS, replace=False).tolist()
    mine = ours(graph, subscribers)
    seconds = {}
    for name, function in contenders(graph, subscribers).items():
        difference = np.array(function()) - mine()
        assert not difference.any() or (name.startswith("rustworkx") and abs(difference).max() <= SUBSCRIBERS)
        seconds[name] = best_of(function, 15)
    return seconds, best_of(mine, 500)
