"""The plan of a run: everything that the seed decides before it, each part from its own random stream."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.graphs.csr import Floats, Ints, Longs
from psvr.graphs.graph import Graph
from psvr.protocol.wire.names import channel_hash
from psvr.sim import footprint
from psvr.sim.radio.field import Field
from psvr.sim.radio.placing import draw_wireless
from psvr.sim.scenario import defaults
from psvr.sim.scenario.loading import parse
from psvr.sim.scenario.tables import Scenario

from .demand import changes, channels_of, sources
from .faults import FaultEvent, fault_events
from .topology import draw, draw_ids

__all__ = ["FaultEvent", "Plan", "plan"]


@dataclass(frozen=True, eq=False)
class Plan:
    """A network, and what happens to it; times are in µs."""

    n: int
    ids: Longs  # ascending; node v has ids[v]
    first: Longs  # the nodes in reach of v are near[first[v]:first[v + 1]], ascending
    near: Ints
    places: Floats | None  # (n, 2) in metres, if nodes have places
    good: NDArray[np.bool_]  # which of the links are good: all, except on a wireless channel
    field: Field | None  # the wireless channel, if there is one
    channels: list[str]
    hashes: Longs  # of the channels' names
    sources: NDArray[np.void]  # `world.SOURCE`, by first time and node
    changes: NDArray[np.void]  # `demand.CHANGE`, by time; the first subscriptions at 0
    faults: tuple[FaultEvent, ...]  # by time
    depth: int  # settings that the scenario may omit
    id_bytes: int
    position_bytes: int


def plan(scenario: Scenario) -> Plan:
    """Draw everything.  A scenario built in Python is checked first, and so is whether there is enough memory."""
    s = parse(scenario.to_dict())
    footprint.check(s)
    graph, places = draw_wireless(s) if s.radio.wireless else draw(s.topology, s.seed)
    channels = channels_of(s)
    return Plan(
        n=graph.n,
        ids=draw_ids(s.topology, s.seed),
        **reach(s, graph, places),
        places=places,
        channels=channels,
        hashes=np.array([channel_hash(name) for name in channels], dtype=np.int64),
        sources=sources(s, graph.n),
        changes=changes(s, graph.n),
        faults=fault_events(s, graph, places),
        depth=defaults.depth(s),
        id_bytes=defaults.id_bytes(s),
        position_bytes=defaults.position_bytes(s),
    )


def reach(s: Scenario, graph: Graph, places: Floats | None) -> dict[str, Any]:
    """Who can hear whom: all linked nodes or, on a wireless channel, many more."""
    if not s.radio.wireless or places is None:
        return {"first": graph.start, "near": graph.near, "good": np.ones(len(graph.near), bool), "field": None}
    field = Field(s, places)
    return {"first": field.heard.first, "near": field.heard.near, "good": field.good(field.heard), "field": field}
