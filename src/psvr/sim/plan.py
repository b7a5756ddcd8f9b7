"""The plan of a run: all that the seed decides before it begins, each part from a stream of its own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.graphs.csr import Floats, Ints, Longs
from psvr.graphs.graph import Graph
from psvr.protocol.names import channel_hash

from . import derived, footprint
from .damage import FaultEvent, fault_events
from .demand import changes, channels_of, sources
from .radio.field import Field
from .radio.placing import draw_wireless
from .scenario import Scenario, parse
from .topology import draw, draw_ids

__all__ = ["FaultEvent", "Plan", "plan"]


@dataclass(frozen=True, eq=False)
class Plan:
    """A network, and what happens to it; times are µs."""

    n: int
    ids: Longs                      # ascending; node v has ids[v]
    first: Longs                    # the nodes in reach of v are near[first[v]:first[v + 1]], ascending
    near: Ints
    places: Floats | None           # (n, 2) in metres, where nodes are anywhere
    good: NDArray[np.bool_]         # which of the links are good ones: all, but over a wireless channel
    field: Field | None             # the wireless channel, if there is one
    channels: list[str]
    hashes: Longs                   # of the channels' names
    sources: NDArray[np.void]       # `demand.SOURCE`, by first time and node
    changes: NDArray[np.void]       # `demand.CHANGE`, by time; the first subscriptions at 0
    faults: tuple[FaultEvent, ...]  # by time
    depth: int                      # settings that the scenario may leave open
    id_bytes: int
    position_bytes: int


def plan(scenario: Scenario) -> Plan:
    """Draw everything.  A scenario made by hand is checked first, as one that is read; and there must be room."""
    s = parse(scenario.to_dict())
    footprint.check(s)
    graph, places = draw_wireless(s) if s.radio.wireless else draw(s.topology, s.seed)
    channels = channels_of(s)
    return Plan(
        n=graph.n, ids=draw_ids(s.topology, s.seed), **reach(s, graph, places), places=places,
        channels=channels, hashes=np.array([channel_hash(name) for name in channels], dtype=np.int64),
        sources=sources(s, graph.n), changes=changes(s, graph.n), faults=fault_events(s, graph, places),
        depth=derived.depth(s), id_bytes=derived.id_bytes(s), position_bytes=derived.position_bytes(s),
    )


def reach(s: Scenario, graph: Graph, places: Floats | None) -> dict[str, Any]:
    """Who can be heard by whom: all that are linked, or, over a wireless channel, many more."""
    if not s.radio.wireless or places is None:
        return {"first": graph.start, "near": graph.near, "good": np.ones(len(graph.near), bool), "field": None}
    field = Field(s, places)
    return {"first": field.heard.first, "near": field.heard.near, "good": field.good(field.heard), "field": field}
