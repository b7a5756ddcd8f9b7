"""Random draws that several parts of a plan use."""

import math

import numpy as np

from psvr.graphs.csr import Floats, Ints, Longs
from psvr.protocol.constants import SECOND
from psvr.sim.scenario.selection import Nodes


def chosen(nodes: Nodes, n: int, rng: np.random.Generator) -> Ints:
    """The chosen nodes, ascending.  A larger count includes those that a smaller one draws."""
    if nodes == "all":
        return np.arange(n, dtype=np.int32)
    if isinstance(nodes, tuple):
        return np.array(sorted(nodes), dtype=np.int32)
    return np.sort(rng.permutation(n)[:nodes]).astype(np.int32)


def poisson(per_minute: float, begin: int, end: int, rng: np.random.Generator) -> Longs:
    """Times of random events, in µs from begin to before end.  A later end only adds to those before."""
    gap = 60 * SECOND / per_minute if per_minute > 0 else math.inf
    expected = max(end - begin, 0) / gap
    times = np.zeros(1)
    while gap < math.inf and times[-1] < end - begin:
        gaps: Floats = rng.exponential(gap, int(expected + 5 * math.sqrt(expected)) + 10)
        times = np.concatenate((times, times[-1] + np.cumsum(gaps)))
    return begin + times[1:][times[1:] < end - begin].astype(np.int64)
