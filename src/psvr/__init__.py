"""Publish/subscribe for networks without infrastructure, after Siegemund and Turau's PSVR."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .node.config import Config
    from .node.happenings import (
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
else:
    EVENTS = ("DoubleId", "Dropped", "Event", "Message", "NeighbourFound", "NeighbourLost", "ParentChanged",
              "RingChanged")
    HOME = {"Node": "node", "Config": "config", **dict.fromkeys(EVENTS, "happenings")}

    def __getattr__(name):
        """The live node, when somebody asks for it: `import psvr` alone loads nothing."""
        from importlib import import_module
        if name not in HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".node.{HOME[name]}", __name__), name)

__all__ = ["Config", "DoubleId", "Dropped", "Event", "Message", "NeighbourFound", "NeighbourLost", "Node",
           "ParentChanged", "RingChanged"]
