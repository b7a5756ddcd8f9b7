"""What every node has to remember for one channel, counted exactly in a settled network, and what publications cost."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from psvr.errors import BadInput
from psvr.fields.checks import real, whole
from psvr.graphs.csr import Ints, search
from psvr.graphs.drawn import geometric
from psvr.lab.kinds import Values
from psvr.lab.kinds.names import settled_name
from psvr.results.figures import PACKED
from psvr.routing.counts import count_messages
from psvr.routing.kernels.rings import children, top_down
from psvr.routing.kernels.trees import needed
from psvr.routing.settled import Settled
from psvr.routing.tree import bfs_tree, centre

Longs = npt.NDArray[np.int64]

RESULTS = pa.schema(
    {
        **dict.fromkeys(("nodes", "links", "published", "messages"), pa.int64()),
        **dict.fromkeys(("entries", "entries_most", "table", "table_most", "structure", "hello_more"), pa.float64()),
    }
)
ID, POSITION, STAMP, CHANNEL = 2, 2, 4, 8  # bytes, packed as on a mote; a channel is a hash of its name
LINK = ID + STAMP  # whom to forward to, and until when
TREE = 2 * ID + 2 + 4  # what a HELLO says of a tree: root, parent, distance and number
MIN_DEGREE = 5  # with less, hardly any network is connected
PARAMETERS = ("n", "degree", "s", "sets", "publishers")


def resolve(parameters: Values) -> Values | None:
    for name in PARAMETERS:
        if name not in parameters:
            raise BadInput(f"{name}: missing; needed are {', '.join(PARAMETERS)}")
    n = whole(parameters["n"], "n", 2, 10_000)
    s = whole(parameters["s"], "s", 1, 10_000)
    whole(parameters["sets"], "sets", 1, 1000)
    publishers = whole(parameters["publishers"], "publishers", 1, 10_000)
    degree = real(parameters["degree"], "degree", MIN_DEGREE, 10_000)
    return {**parameters, "degree": degree} if s + publishers <= n and degree <= n - 1 else None


def cost(parameters: Values, scenario: Values | None) -> float:
    n, sets = parameters["n"], parameters["sets"]
    return float(1e-3 + sets * n * (1e-6 + 5e-10 * n * parameters["degree"]))


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    n, s, sets, publishers = (parameters[name] for name in ("n", "s", "sets", "publishers"))
    graph = geometric(n, seed, degree=parameters["degree"])[0]
    root = centre(graph)
    settled = Settled(graph, root, bfs_tree(graph, root))
    order = np.random.default_rng([seed, 1]).permuted(np.tile(np.arange(n, dtype=np.int32), (sets, 1)), axis=1)
    return [measured(settled, name, order[:, :s], order[:, s : s + publishers]) for name in systems]


def measured(settled: Settled, name: str, subscribers: Ints, publishers: Ints) -> dict[str, Any]:
    """Return tables, the mean of all nodes and the largest of any, and messages; means over sets of subscribers."""
    system, shortcuts = settled_name(name)
    if system not in TABLES:
        raise BadInput(f"system {name}: tables are known of {', '.join(TABLES)}")
    members = np.zeros((len(subscribers), settled.graph.n), dtype=np.uint8)
    np.put_along_axis(members, subscribers, 1, axis=1)
    column = f"{system}/{shortcuts}" if system == "psvr" else system
    counts = count_messages(settled, members, publishers, [column])[column]
    tables = [TABLES[system](settled, wanted) for wanted in subscribers]
    entries, sizes = (np.array(of_all) for of_all in zip(*tables))
    return {
        "nodes": settled.graph.n,
        "links": settled.graph.m,
        "published": publishers.size,
        "messages": int(counts.sum()),
        "entries": float(entries.mean()),
        "entries_most": float(entries.max(axis=1).mean()),
        "table": float(sizes.mean()),
        "table_most": float(sizes.max(axis=1).mean()),
        "structure": float(structure(settled, system).mean()),
        "hello_more": float(TREE * (settled.graph.n - 1)) if system == "td" else 0.0,
    }


def sized(entries: Longs, bytes_each: int, more: Any = 0) -> tuple[Longs, Longs]:
    """Return the entries of every node and the bytes of its table; without entries it has no channel either."""
    return entries, np.where(entries > 0, CHANNEL + bytes_each * entries + more, 0)


def psvr_table(settled: Settled, subscribers: Ints) -> tuple[Longs, Longs]:
    """An entry per position that has a next subscriber: this one and a spare, each with a time stamp."""
    known = settled.ring[settled.next_subscriber(subscribers) >= 0]
    return sized(np.bincount(known, minlength=settled.graph.n), PACKED)


def one_tree(parent: Ints, subscribers: Ints) -> tuple[Longs, Longs]:
    """An entry per tree neighbour with subscribers on its side."""
    order = top_down(int(np.argmin(parent)), *children(parent))
    under = np.zeros(parent.size, dtype=np.int64)
    under[subscribers] = 1
    for v in order[:0:-1]:
        under[parent[v]] += under[v]
    below = order[1:]
    entries = np.bincount(parent[below][under[below] > 0], minlength=parent.size)
    entries[below] += under[below] < subscribers.size
    return sized(entries, LINK)


def td_table(settled: Settled, subscribers: Ints) -> tuple[Longs, Longs]:
    """Per publisher, who may be any node, an entry per child with subscribers below; and once the publisher's id."""
    graph = settled.graph
    parent, order = np.empty((2, graph.n), dtype=np.int32)
    entries, trees = np.zeros((2, graph.n), dtype=np.int64)
    for publisher in range(graph.n):
        search(graph.start, graph.near, publisher, parent, order)
        senders = np.bincount(parent[needed(publisher, parent, subscribers) == 1], minlength=graph.n)
        entries += senders
        trees += senders > 0
    return sized(entries, LINK, ID * trees)


TABLES: dict[str, Callable[[Settled, Ints], tuple[Longs, Longs]]] = {
    "psvr": psvr_table,
    "shen": lambda settled, subscribers: one_tree(settled.parent, subscribers),
    "ts": lambda settled, subscribers: one_tree(settled.central_parent, subscribers),
    "td": td_table,
}


def structure(settled: Settled, system: str) -> Longs:
    """Return the bytes that every node keeps whatever the channels: its place in a tree, and for PSVR positions.

    Those are its own and those of all neighbours, where shortcuts lead.  T_D has a tree for each node.
    """
    graph = settled.graph
    one = np.full(graph.n, TREE, dtype=np.int64)
    if system == "td":
        return one * graph.n
    if system != "psvr":
        return one
    own = np.diff(settled.first_own).astype(np.int64)
    source = np.repeat(np.arange(graph.n), np.diff(graph.start))
    near = np.bincount(source, weights=own[graph.near], minlength=graph.n).astype(np.int64)
    return one + POSITION * (own + near)
