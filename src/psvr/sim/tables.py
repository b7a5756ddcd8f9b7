"""Results as Arrow tables for notebooks; `.to_pandas()` makes data frames of them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from psvr.protocol import constants as k
from psvr.results.deliveries import SECOND

from .network import Network

if TYPE_CHECKING:
    import pyarrow as pa


def table(columns: dict[str, Any]) -> "pa.Table":
    """An Arrow table; pyarrow is loaded only when one is made."""
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in columns.items()})


def publications(net: Network) -> "pa.Table":
    """One row per publication."""
    p = net.world.publications[: net.world.tally["published"][0]]
    return table(
        {
            "publication": np.arange(len(p)),
            "time": p["time"] / SECOND,
            "node": p["node"],
            "channel": [net.channels[c] for c in p["channel"]],
            "messages": p["messages"],
            "receptions": p["receptions"],
        }
    )


def deliveries(net: Network) -> "pa.Table":
    """One row per delivery of a publication to an application."""
    d = net.world.deliveries[: net.world.tally["delivered"][0]]
    published = net.world.publications["time"][d["publication"]]
    return table(
        {
            "publication": d["publication"],
            "time": d["time"] / SECOND,
            "node": d["node"],
            "hops": d["hops"],
            "latency": (d["time"] - published) / SECOND,
        }
    )


def nodes(net: Network) -> "pa.Table":
    """One row per node, in its current state."""
    n, stations = net.world.nodes, net.world.stations
    return table(
        {
            "node": np.arange(len(n)),
            "id": net.world.ids,
            "alive": stations["alive"] != 0,
            "root": n["root"],
            "parent": n["parent"],
            "distance": n["dist"],
            "subtree": n["size"],
            "ring": n["ring"],
            "positions": [row[row >= 0] for row in n["position"]],
            "links": ((n["link"]["id"] != k.NOBODY) & (n["link"]["keeps_me"] == 1)).sum(axis=1),
            "channels": (n["channel"] != k.NO_CHANNEL).sum(axis=1),
            "table_bytes": net.machine.table_bytes(),
            "turned_away": n["turned_away"],
        }
    )
