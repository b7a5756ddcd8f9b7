"""Exact routing in a settled network: what every publication costs once tree, ring and leases are stable.

    graph = gnp(100, 0.1, seed=1)
    root = centre(graph)
    settled = Settled(graph, root, bfs_tree(graph, root))
    print(route(settled, "psvr", publisher=0, subscribers=[7, 9]).count)

`tree` builds spanning trees of the networks of `psvr.graphs`, `spanning` other ones to compare, `settled` lays the ring
around them, `systems` routes one publication under PSVR or one of the systems it is compared with, and `counts` counts
the messages of very many.
"""

from typing import TYPE_CHECKING

from psvr.lazy import exports

if TYPE_CHECKING:
    from .counts import count_messages
    from .custom import load_systems
    from .settled import Settled
    from .systems import SYSTEMS, Message, Publication, Route, System, route, system
    from .tree import bfs_tree, centre

__all__ = [
    "SYSTEMS",
    "Message",
    "Publication",
    "Route",
    "Settled",
    "System",
    "bfs_tree",
    "centre",
    "count_messages",
    "load_systems",
    "route",
    "system",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "counts": ["count_messages"],
        "custom": ["load_systems"],
        "settled": ["Settled"],
        "systems": ["SYSTEMS", "Message", "Publication", "Route", "System", "route", "system"],
        "tree": ["bfs_tree", "centre"],
    },
)
