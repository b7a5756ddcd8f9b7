"""Random networks: every pair linked with the same probability, or nodes at random places linked to those in reach."""

import math
from collections.abc import Callable

import numpy as np

from psvr.errors import BadInput
from psvr.fields.checks import real, whole

from .checks import MAX_NODES
from .csr import Floats, Longs, components, rows_of
from .graph import Graph, is_connected
from .places import near_pairs, reach_for

DRAWS = 1000  # attempts at a connected random network …
DRAWN = 20_000_000  # … fewer if they would draw more links than this in all
MAX_ISOLATED = 10  # expected nodes without a link, above which no attempt is made: e^−10 of such networks are connected
CHUNK = 1 << 22  # pairs drawn at a time
PLACED = 2_000_000  # nodes placed in all, in attempts at a connected network in the plane
MOVED = 20  # one node in so many may be placed again; with more, nodes would cluster and the degree be missed


def gnp(n: int, p: float, seed: int) -> Graph:
    """A random network in which each pair is linked with probability p, drawn again until it is connected."""
    n = whole(n, "n", 1, MAX_NODES)
    p = real(p, "p", 0, 1)
    graph = draw_gnp(n, p, np.random.default_rng(whole(seed, "seed", 0, 2**63 - 1)))
    if graph is None:
        likely = min(1, math.log(n) / n)
        raise BadInput(f"p: must be large enough to connect {n} nodes, about {likely:.2g} or more, not {p:g}")
    return graph


def draw_gnp(n: int, p: float, rng: np.random.Generator, connected: bool = True) -> Graph | None:
    """Like `gnp`, or the first draw if it need not be connected; None if no attempt is connected."""
    isolated = n * (1 - p) ** (n - 1) if n > 1 else 0  # the expected number of nodes without a link
    attempts = min(DRAWS, 10 + int(DRAWN / (1 + p * n * n))) if isolated < MAX_ISOLATED or not connected else 0
    for _ in range(attempts):
        graph = Graph(*rows_of(n, random_pairs(n, p, rng)))
        if not connected or is_connected(graph):
            return graph
    return None


def random_pairs(n: int, p: float, rng: np.random.Generator) -> Longs:
    """Pairs u < v, each with probability p, in ascending order.  Of the n·n cells only the hits are drawn."""
    found = [np.empty((0, 2), dtype=np.int64)]
    last = -1
    while p > 0 and last < n * n:
        expected = (n * n - last) * p
        gaps = rng.geometric(p, size=int(min(expected + 5 * math.sqrt(expected) + 10, CHUNK)))
        hits = last + np.cumsum(np.minimum(gaps, n * n + 1))
        last = int(hits[-1])
        u, v = np.divmod(hits, n)
        found.append(np.stack((u, v), axis=1)[u < v])  # beyond the last cell u ≥ n > v
    return np.concatenate(found)


def geometric(n: int, seed: int, degree: float | None = None, radius: float | None = None) -> tuple[Graph, Floats]:
    """Nodes at random places of the unit square, linked up to a distance; returns their places too.

    The distance is `radius`, or such that nodes have `degree` neighbours on average, including those near the border.
    If only a few nodes are not connected, they are placed again; if many are, all nodes are.
    """
    n = whole(n, "n", 1, MAX_NODES)
    if (degree is None) == (radius is None):
        raise BadInput("degree, radius: exactly one of the two must be given")
    if degree is not None:
        radius = reach_for(real(degree, "degree", 0, MAX_NODES) / max(n - 1, 1), 1, 1)
    reach = real(radius, "radius", 0, math.sqrt(2))
    drawn = draw_geometric(n, reach, (1, 1), np.random.default_rng(whole(seed, "seed", 0, 2**63 - 1)))
    if drawn is None:
        raise BadInput(f"{'radius' if degree is None else 'degree'}: must be large enough to connect {n} nodes")
    return drawn


def draw_geometric(
    n: int, reach: float, size: tuple[float, float], rng: np.random.Generator, connected: bool = True
) -> tuple[Graph, Floats] | None:
    """Nodes in a rectangle, linked up to a distance; None if no attempt is connected."""
    return draw_placed(n, size, rng, lambda places: in_reach(places, reach), connected)


def draw_placed(
    n: int, size: tuple[float, float], rng: np.random.Generator, link: Callable[[Floats], Graph], connected: bool
) -> tuple[Graph, Floats] | None:
    """Nodes in a rectangle, linked as their places say; None if no attempt is connected."""
    for _ in range(min(DRAWS, 1 + PLACED // n)):
        places = rng.random((n, 2)) * size
        graph = joined(places, size, rng, link) if connected else link(places)
        if graph is not None:
            return graph, places
    return None


def in_reach(places: Floats, reach: float) -> Graph:
    return Graph(*rows_of(len(places), near_pairs(places, reach)))


def joined(
    places: Floats, size: tuple[float, float], rng: np.random.Generator, link: Callable[[Floats], Graph]
) -> Graph | None:
    """Place nodes outside the largest component again until there is only one; None if there are too many of them."""
    spare = len(places) // MOVED
    while True:
        graph = link(places)
        label = components(graph.start, graph.near)
        lost = np.flatnonzero(label != np.bincount(label).argmax())
        if not lost.size:
            return graph
        spare -= lost.size
        if spare < 0:
            return None
        places[lost] = rng.random((lost.size, 2)) * size
