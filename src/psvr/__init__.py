"""Publish/subscribe for networks without infrastructure, after Siegemund and Turau's PSVR.

    from psvr import Node                   # the live node, for applications
    from psvr.sim import Network, parse     # whole networks, simulated
    from psvr.routing import route          # exact routing in a network at rest
    from psvr.lab import run_study          # studies on Spark
    from psvr.trace import read             # what happened, simulated or real

`import psvr` alone loads none of them.
"""

from typing import TYPE_CHECKING

from .lazy import exports

__version__ = "0.2.0"

if TYPE_CHECKING:
    from .node.config.config import Config
    from .node.core.events import (
        DoubleId,
        Dropped,
        Event,
        Message,
        NeighbourFound,
        NeighbourLost,
        ParentChanged,
        RingChanged,
    )
    from .node.node import Node

__all__ = [
    "Config",
    "DoubleId",
    "Dropped",
    "Event",
    "Message",
    "NeighbourFound",
    "NeighbourLost",
    "Node",
    "ParentChanged",
    "RingChanged",
]

__getattr__, __dir__ = exports(
    __name__,
    {"node.node": ["Node"], "node.config.config": ["Config"], "node.core.events": [*__all__[1:7], *__all__[8:]]},
)
