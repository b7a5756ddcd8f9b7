"""Where the nodes of a wireless network are, and which pairs have good links."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from psvr.errors import BadInput
from psvr.graphs.csr import Floats, components
from psvr.graphs.drawn import draw_placed
from psvr.graphs.graph import Graph
from psvr.graphs.places import reach_for
from psvr.sim.scenario.topology import CONNECTING_DEGREE, shape, size
from psvr.sim.streams import stream

from .choices import channel_of
from .hearing import good_graph

if TYPE_CHECKING:
    from psvr.sim.scenario.tables import Scenario


def sides(s: Scenario) -> tuple[float, float]:
    """Width and height of the area for nodes: as given, or such that `degree` nodes are within range on average."""
    t = s.topology
    if t.area is not None:
        return t.area if isinstance(t.area, tuple) else (t.area, t.area)  # type: ignore[return-value]
    side = channel_of(s).range / reach_for((t.degree or 0.0) / max(size(t) - 1, 1), 1, 1)
    return side, side


def fixed(s: Scenario) -> Floats:
    """Places that are not random."""
    t = s.topology
    if t.kind == "places":
        return np.array(t.places, dtype=np.float64)
    rows, columns = shape(t) if t.kind == "grid" else (1, size(t))
    y, x = np.divmod(np.arange(rows * columns), columns)
    found: Floats = (t.spacing or 0.0) * np.stack((x, y), axis=1).astype(np.float64)
    return found


def extent(s: Scenario, places: Floats) -> tuple[float, float]:
    """Width and height of the area for whatever is placed at random during setup or a run."""
    if s.topology.kind == "geometric":
        return sides(s)
    return float(places[:, 0].max()), float(places[:, 1].max())


def draw_wireless(s: Scenario) -> tuple[Graph, Floats]:
    """The network of good links, and the places."""
    t, link = s.topology, partial(good_graph, channel_of(s))
    if t.kind == "geometric":
        return draw_placed(size(t), sides(s), stream(s.seed, "topology"), link, t.connected) or too_sparse(s)
    places = fixed(s)
    graph = link(places)
    lost = np.flatnonzero(components(graph.start, graph.near))
    if lost.size and t.connected:
        raise BadInput(
            f"topology.{'places' if t.kind == 'places' else 'spacing'}: must connect all nodes over good "
            f"links, but 0 and {lost[0]} are not (range {channel_of(s).range:.0f} m); or set connected = "
            "false"
        )
    return graph, places


def too_sparse(s: Scenario) -> NoReturn:
    """Refuse places whose good links do not connect all nodes."""
    t, reach = s.topology, channel_of(s).range
    if t.degree is not None:
        raise BadInput(
            f"topology.degree: must be large enough to connect {size(t)} nodes over good links, about "
            f"{min(2 * CONNECTING_DEGREE, size(t) - 1)} or more, not {t.degree:g}; or set connected = false"
        )
    raise BadInput(
        f"topology.area: must be small enough to connect {size(t)} nodes over good links (range "
        f"{reach:.0f} m), not {' x '.join(f'{x:g}' for x in sides(s))} m; or set connected = false"
    )
