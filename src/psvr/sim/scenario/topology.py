"""The topology of a scenario: whether its keys are consistent, and what follows from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from psvr.errors import BadInput
from psvr.fields.checks import real
from psvr.graphs.csr import components
from psvr.graphs.graph import Graph, from_edges
from psvr.graphs.places import reach_for, share_within

from .selection import MAX_LINKS, MAX_NODES

if TYPE_CHECKING:
    from .tables import Topology

KEYS = {  # the keys of each kind, besides those that all have
    "gnp": ("n", "degree", "p"),
    "geometric": ("n", "degree", "range", "area"),
    "grid": ("n", "rows", "columns", "spacing"),
    "line": ("n", "spacing"),
    "ring": ("n",),
    "edges": ("n", "edges", "file"),
    "places": ("n", "places", "file"),
}
PLACED = ("geometric", "grid", "line", "places")  # kinds that are possible with a wireless channel
ALWAYS = ("kind", "ids", "connected")
SIDE = 1000.0  # metres: of the square for a geometric network with only a degree
CONNECTING_DEGREE = 6  # the mean degree that connects a geometric network, except for nodes that are placed again
ID_BITS = 31  # of a random id


def check_keys(t: Topology, wireless: bool) -> None:
    """Check that the keys are those of the kind, sufficient and not redundant."""
    for keys in KEYS.values():
        for key in keys:
            if key not in KEYS[t.kind] and getattr(t, key) is not None:
                allowed = ", ".join((*KEYS[t.kind], *ALWAYS))
                raise BadInput(f'topology.{key}: does not apply to kind = "{t.kind}"; allowed are {allowed}')
    check_medium(t, wireless)
    if t.kind in ("gnp", "geometric", "line", "ring") and t.n is None:
        raise BadInput(f"topology.n: missing; must be a whole number from 1 to {MAX_NODES}")
    if t.kind == "gnp":
        one_of(t, ("degree",), ("p",))
    elif t.kind == "geometric" and wireless:
        one_of(t, ("degree",), ("area",))
    elif t.kind == "geometric":
        one_of(t, ("degree",), ("degree", "area"), ("degree", "range"), ("range", "area"))
    elif t.kind == "grid":
        one_of(t, ("rows", "columns"), ("n",))
    elif t.kind in ("edges", "places"):
        one_of(t, (t.kind,), ("file",), ("n", t.kind), ("n", "file"))


def check_medium(t: Topology, wireless: bool) -> None:
    """Check the keys that depend on a wireless channel: nodes have places there, and the radio decides their range."""
    if wireless and t.kind not in PLACED:
        raise BadInput(
            f'topology.kind: must be one of {", ".join(PLACED)} for radio.model = "ieee802154", because '
            f'its nodes have places, not "{t.kind}"'
        )
    if wireless and t.range is not None:
        raise BadInput('topology.range: must be left out for radio.model = "ieee802154"; use radio.range or power')
    if wireless and t.kind in ("grid", "line") and t.spacing is None:
        raise BadInput("topology.spacing: missing; must be the metres between two neighbours")
    if not wireless and (t.kind == "places" or t.spacing is not None):
        key = "kind" if t.kind == "places" else "spacing"
        raise BadInput(f'topology.{key}: needs a wireless channel; use radio.model = "ieee802154"')


def one_of(t: Topology, *choices: tuple[str, ...]) -> None:
    """Check that the keys that are given are exactly one of the choices."""
    names = [key for key in KEYS[t.kind] if any(key in choice for choice in choices)]
    given = {key for key in names if getattr(t, key) is not None}
    if given not in [set(choice) for choice in choices]:
        allowed = ", or ".join(" and ".join(choice) for choice in choices)
        there = " and ".join(key for key in names if key in given) or "none of them"
        raise BadInput(f'topology.{", ".join(names)}: must be {allowed} for kind = "{t.kind}", not {there}')


def size(t: Topology) -> int:
    """The number of nodes."""
    if t.kind == "grid":
        rows, columns = shape(t)
        return rows * columns
    if t.kind == "edges" and t.n is None:
        return max((max(edge) for edge in t.edges or ()), default=0) + 1
    return len(t.places) if t.places is not None else t.n or 0


def shape(t: Topology) -> tuple[int, int]:
    """The rows and columns of a grid."""
    if t.rows is not None and t.columns is not None:
        return t.rows, t.columns
    side = math.isqrt(t.n or 0)
    return side, side


def check_values(t: Topology, wireless: bool) -> None:
    """Check that a network of this size and degree can exist."""
    if t.kind == "ring" and size(t) < 3:
        raise BadInput(f"topology.n: must be at least 3 for a ring, not {t.n}")
    if t.kind == "grid" and t.n not in (None, size(t)):
        raise BadInput(f"topology.n: must be a square such as {math.isqrt(t.n or 0) ** 2} for a grid, not {t.n}")
    if not size(t) <= MAX_NODES:
        raise BadInput(f"topology.rows, columns: must make at most {MAX_NODES} nodes, not {size(t)}")
    if t.degree is not None:
        if t.n == 1:
            raise BadInput("topology.n: must be at least 2 for a network with a degree, not 1")
        real(t.degree, "topology.degree", 0, size(t) - 1, above=True)
    if t.kind == "places" and t.n not in (None, size(t)):
        raise BadInput(f"topology.n: must be {size(t)}, the number of places, not {t.n}")
    if t.kind == "gnp" or (t.kind == "geometric" and not wireless):
        links = size(t) * (size(t) - 1) / 2 * share(t)
        if links > MAX_LINKS:
            raise BadInput(f"topology.{density_key(t)}: must make at most {MAX_LINKS} links, not about {links:.3g}")
    if t.kind == "edges":
        listed_graph(t)


def density_key(t: Topology) -> str:
    """The key that decides how many links a random network has."""
    return "degree" if t.degree is not None else "p" if t.p is not None else "range"


def share(t: Topology) -> float:
    """The fraction of all pairs that are to be linked."""
    if t.degree is not None:
        return t.degree / max(size(t) - 1, 1)
    if t.p is not None:
        return t.p
    reach, sides = plane(t)
    return share_within(min(reach, math.hypot(*sides)), *sides)


def plane(t: Topology) -> tuple[float, tuple[float, float]]:
    """The range of nodes, and width and height of their area, in metres."""
    area = t.area or SIDE
    width, height = area if isinstance(area, tuple) else (area, area)
    if t.degree is None:
        return t.range or 0.0, (width, height)
    if t.range is None:
        return reach_for(share(t), width, height), (width, height)
    side = t.range / reach_for(share(t), 1, 1)
    return t.range, (side, side)


def listed_graph(t: Topology) -> Graph:
    """The network with the links that are listed."""
    try:
        graph = from_edges(size(t), t.edges or ())
    except BadInput as error:
        raise BadInput(f"topology.{error}") from None
    lost = np.flatnonzero(components(graph.start, graph.near))
    if lost.size and t.connected:
        raise BadInput(f"topology.edges: must connect all nodes, but 0 and {lost[0]} are not; or set connected = false")
    return graph
