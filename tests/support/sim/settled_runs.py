"""Random networks that have settled, and the same for exact routing."""

import random
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from psvr.graphs.graph import from_edges
from psvr.protocol import constants as k
from psvr.routing.settled import Settled
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.trace import EVENTS


def drawn(seed: int, system: str) -> tuple[Network, list[Any], list[int]]:
    """A random network of 1 to 60 nodes, and the rows of its trace to come."""
    rng, rows = random.Random(seed), []
    n = rng.choice([1, 2, 3, rng.randint(4, 20), rng.randint(20, 60)])
    kind = rng.choice(["gnp", "geometric", "grid", "line", "ring"]) if n > 3 else "line"
    topology: dict[str, Any] = {"kind": kind, "n": n, "ids": rng.choice(["index", "random"])}
    if kind in ("gnp", "geometric"):
        topology["degree"] = min(rng.choice([5.0, 7.0, 9.0]), n - 1)
    if kind == "grid":
        topology = {"kind": "grid", "rows": 3, "columns": max(1, n // 3), "ids": topology["ids"]}
    net = Network(
        parse(
            {
                "seed": seed,
                "topology": topology,
                "host": {"profile": ("full", "paper")[seed % 2]},
                "protocol": {"system": system, "shortcuts": rng.choice(["all", "nontree"]), "lease": 5.0},
            }
        ),
        level="pub",
        take_rows=lambda r: rows.extend(r.copy()),
    )
    n = net.plan.n
    subscribers = rng.sample(range(n), rng.randint(0, n))
    for v in subscribers:
        net.subscribe(v, "c")
    net.run_until_stable(120)
    net.run(30)  # links that had to wait for a place have it now
    return net, rows, subscribers


def settled(net: Network) -> Settled:
    """The settled network of exact routing with the links that are kept, and the tree."""
    nodes, ids = net.world.nodes, net.world.ids
    edges = {
        (min(u, v), max(u, v))
        for v in range(len(ids))
        for link in nodes[v]["link"]
        if link["id"] >= 0 and link["keeps_me"]
        for u in [int(np.searchsorted(ids, link["id"]))]
    }
    parent = [-1 if p == k.NOBODY else int(np.searchsorted(ids, p)) for p in nodes["parent"]]
    return Settled(from_edges(len(ids), sorted(edges)), parent.index(-1), parent)


def deliver_exactly_once(net: Network, rows: list[Any], subscribers: list[int]) -> dict[str, list[Any]]:
    """Let every node publish once: each subscriber gets each once.  Returns the rows about it, by event."""
    rows.clear()
    for v in range(net.plan.n):
        net.publish(v, "c")
        net.run(3)
    seed, ids = net.scenario.seed, net.world.ids
    assert not net.problems(), (seed, net.problems())
    by_event = defaultdict(list)
    for row in rows:
        by_event[EVENTS[row["event"]]].append(row)
    got = Counter((int(r["origin"]), int(r["node"])) for r in by_event["delivered"])
    assert got == Counter((int(ids[v]), int(ids[s])) for v in range(net.plan.n) for s in subscribers), seed
    return by_event
