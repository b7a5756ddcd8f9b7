"""The paper's claim: for n ≤ 100 and at least 10 subscribers PSVR sends less than 8 % more messages than T_D.

Prints a table per network size.  Networks are connected G(n, p), the spanning tree is breadth first from the
centre, the publisher is not a subscriber, and the overhead is a ratio of means over all publications of a cell.
"""

import time

import numpy as np

from psvr.graphs.drawn import gnp
from psvr.routing.counts import count_messages
from psvr.routing.settled import Settled
from psvr.routing.tree import bfs_tree, centre

from .timing import table

ON_REQUEST = True
SIZES = {20: (0.1, 0.2, 0.3, 0.5, 0.8), 50: (0.05, 0.1, 0.2, 0.3, 0.5, 0.8), 100: (0.05, 0.1, 0.12, 0.2, 0.3, 0.5, 0.8)}
SUBSCRIBERS = (1, 5, 10, 15, 20, 50, 90)
GRAPHS, SETS, PUBLISHERS = 1000, 10, 10
SYSTEMS = ("psvr/all", "psvr/nontree", "td", "ts")
PAIRS = (("psvr/all", "td"), ("psvr/nontree", "td"), ("psvr/all", "ts"), ("psvr/nontree", "ts"))
WIDTH = 1.96  # standard errors of a 95 % interval


def publications(n: int, s: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random sets of s subscribers, and for each set some publishers that are not in it."""
    order = rng.permuted(np.tile(np.arange(n), (SETS, 1)), axis=1)
    members = np.zeros((SETS, n), dtype=bool)
    np.put_along_axis(members, order[:, :s], True, axis=1)
    return members, order[:, s : s + PUBLISHERS]


def cells(n: int, p: float, sizes: tuple[int, ...]) -> dict[int, np.ndarray]:
    """Mean messages per network and system for each number of subscribers, always in the same networks."""
    rng = np.random.default_rng([n, round(1000 * p)])
    means = {s: np.empty((GRAPHS, len(SYSTEMS))) for s in sizes}
    for i in range(GRAPHS):
        graph = gnp(n, p, int(rng.integers(2**62)))
        root = centre(graph)
        settled = Settled(graph, root, bfs_tree(graph, root))
        for s in sizes:
            counts = count_messages(settled, *publications(n, s, rng), SYSTEMS)
            means[s][i] = [counts[name].mean() for name in SYSTEMS]
    return means


def overhead(ours: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Percent more messages, as a ratio of means, and half its 95 % interval.  Networks are independent draws."""
    ratio = ours.mean() / other.mean()
    error = (ours - ratio * other).std(ddof=1) / np.sqrt(len(ours)) / other.mean()
    return 100 * ratio - 100, 100 * WIDTH * error


def report(n: int, probabilities: tuple[float, ...]) -> str:
    """The table for one network size."""
    rows = []
    for p in probabilities:
        for s, means in cells(n, p, tuple(s for s in SUBSCRIBERS if s < n)).items():
            column = dict(zip(SYSTEMS, means.T))
            found = [overhead(column[ours], column[other]) for ours, other in PAIRS]
            shown = [f"{round(percent, 1) + 0.0:.1f} ± {half:.1f}" for percent, half in found]  # never -0.0
            rows.append([f"{p:g}", str(s), f"{column['td'].mean():.1f}", *shown])
    heads = ["p", "s", "messages of T_D", "all / T_D", "nontree / T_D", "all / T_S", "nontree / T_S"]
    return f"n = {n}\n\n{table(heads, rows)}\n"


def run() -> None:
    begin = time.perf_counter()
    for n, probabilities in SIZES.items():
        print(report(n, probabilities), flush=True)
    many = GRAPHS * SETS * PUBLISHERS
    print(f"{GRAPHS:,} networks, up to {many:,} publications a row; {time.perf_counter() - begin:.0f} s")
