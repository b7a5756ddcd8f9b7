"""Draws the network from a scenario's topology and the seed."""

import math
from typing import NoReturn

import numpy as np

from psvr.errors import BadInput
from psvr.graphs.csr import Floats, Longs
from psvr.graphs.drawn import draw_geometric, draw_gnp
from psvr.graphs.graph import Graph, grid, line, ring
from psvr.graphs.places import reach_for
from psvr.sim.scenario.tables import Topology
from psvr.sim.scenario.topology import CONNECTING_DEGREE, ID_BITS, density_key, listed_graph, plane, shape, share, size
from psvr.sim.streams import stream


def draw(t: Topology, seed: int) -> tuple[Graph, Floats | None]:
    """The network, and the places of its nodes if they have any."""
    rng = stream(seed, "topology")
    if t.kind == "gnp":
        graph = draw_gnp(size(t), share(t), rng, t.connected)
        return (graph, None) if graph else too_sparse(t, math.log(size(t)))
    if t.kind == "geometric":
        reach, sides = plane(t)
        return draw_geometric(size(t), reach, sides, rng, t.connected) or too_sparse(t, CONNECTING_DEGREE)
    if t.kind == "edges":
        return listed_graph(t), None
    if t.kind == "grid":
        return grid(*shape(t)), None
    return (ring if t.kind == "ring" else line)(size(t)), None


def too_sparse(t: Topology, degree: float) -> NoReturn:
    """Refuse a network that could not be connected; the message says how dense it should be."""
    key, n = density_key(t), size(t)
    least = min(degree, n - 1)
    if key == "p":
        least /= n - 1
    elif key == "range":
        least = reach_for(least / (n - 1), *plane(t)[1])
    raise BadInput(
        f"topology.{key}: must be large enough to connect {n} nodes, about {least:.2g} or more, not "
        f"{getattr(t, key):g}; or set connected = false"
    )


def draw_ids(t: Topology, seed: int) -> Longs:
    """The ids of all nodes, ascending: their numbers, or random ones."""
    n = size(t)
    if t.ids == "index":
        return np.arange(n, dtype=np.int64)
    rng, ids = stream(seed, "ids"), np.empty(0, dtype=np.int64)
    while ids.size < n:
        ids = np.union1d(ids, rng.integers(0, 1 << ID_BITS, n - ids.size))
    return ids
