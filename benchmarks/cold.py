"""Runs everything in `psvr.routing` once, or one publication only; started by `benchmarks.routing` in new processes."""

import sys

import numpy as np

from psvr.graphs.drawn import geometric, gnp
from psvr.routing.counts import count_messages
from psvr.routing.kernels.centre import narrowed_centre
from psvr.routing.settled import Settled
from psvr.routing.systems import SYSTEMS, route
from psvr.routing.tree import bfs_tree, centre


def one_publication() -> None:
    graph = gnp(100, 0.1, 1)
    settled = Settled(graph, 0, bfs_tree(graph, 0))
    assert route(settled, "psvr", 50, range(10)).count > 9


def everything() -> None:
    graph, _ = geometric(60, 1, degree=8)
    root = centre(graph)
    assert narrowed_centre(graph.start, graph.near) == root
    settled = Settled(graph, root, bfs_tree(graph, root))
    for name in SYSTEMS:
        route(settled, name, 5, range(10))
    count_messages(settled, np.ones((1, 60), dtype=bool), [[0, 1]])


if __name__ == "__main__":
    everything() if "everything" in sys.argv else one_publication()
