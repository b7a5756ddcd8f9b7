"""A million nodes and five million links: the seconds of each step and the peak memory, as JSON.

It runs in its own process, started by `benchmarks.routing`, because peak memory is measured per process.
"""

import json
import resource
import sys
import time

import numpy as np

from psvr.graphs.graph import from_edges
from psvr.routing.settled import Settled
from psvr.routing.systems import route
from psvr.routing.tree import bfs_tree


def random_links(n: int, m: int, seed: int) -> np.ndarray:
    """m distinct links in random order that connect n nodes: a random tree, and pairs drawn uniformly."""
    rng = np.random.default_rng(seed)
    label = rng.permutation(n)
    tree = np.stack((label[1:], label[(rng.random(n - 1) * np.arange(1, n)).astype(np.int64)]), axis=1)
    extra = rng.integers(0, n, (m + m // 20, 2))
    extra = extra[extra[:, 0] != extra[:, 1]]
    pairs = np.sort(np.concatenate((tree, extra)), axis=1)
    key = pairs[:, 0] * n + pairs[:, 1]
    order = np.argsort(key, kind="stable")
    first = np.ones(len(key), dtype=bool)
    first[order[1:]] = key[order[1:]] != key[order[:-1]]
    links = pairs[np.flatnonzero(first)[:m]]
    return rng.permutation(links)


def steps(n: int, m: int) -> dict[str, float]:
    """Seconds of each step; the network is drawn beforehand."""
    links = random_links(n, m, 1)
    subscribers = np.random.default_rng(2).choice(n, n // 100, replace=False)
    seconds: dict[str, float] = {}
    begin = time.perf_counter()

    def done(step: str) -> None:
        nonlocal begin
        seconds[step] = time.perf_counter() - begin
        begin = time.perf_counter()

    graph = from_edges(n, links)
    done("links to rows")
    parent = bfs_tree(graph, 0)
    done("breadth-first tree")
    settled = Settled(graph, 0, parent)
    done("check of the tree, ring and positions")
    settled.next_subscriber(subscribers)
    done("next subscribers, 1 % of the nodes")
    settled.shortcuts("all")
    done("shortcuts, all")
    settled.shortcuts("nontree")
    done("shortcuts, nontree")
    route(settled, "psvr", 0, subscribers)
    done("one publication to them, routed")
    return seconds


def main(n: int, m: int) -> None:
    steps(1000, 5000)  # compiles everything
    seconds = steps(n, m)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(json.dumps({"seconds": seconds, "peak": peak}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
