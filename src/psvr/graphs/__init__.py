"""Networks as arrays: links, places of nodes, and the random and regular networks that are studied.

`graph` has the type, networks given by their links, and regular ones; `drawn` has random networks, drawn from a seed.
"""

from typing import TYPE_CHECKING

from psvr.lazy import exports

if TYPE_CHECKING:
    from .drawn import geometric, gnp
    from .graph import Graph, from_edges, from_networkx, grid, line, ring

__all__ = ["Graph", "from_edges", "from_networkx", "geometric", "gnp", "grid", "line", "ring"]

__getattr__, __dir__ = exports(
    __name__,
    {"drawn": ["geometric", "gnp"], "graph": ["Graph", "from_edges", "from_networkx", "grid", "line", "ring"]},
)
