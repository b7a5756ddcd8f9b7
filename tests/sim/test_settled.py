"""After stabilization on an ideal channel: exactly once for all systems, and message by message what routing says."""

import random
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from psvr.graphs.graph import from_edges
from psvr.protocol import constants as k
from psvr.routing.settled import Settled
from psvr.routing.systems import route
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.trace import EVENTS

NETWORKS = 44           # per system: 220 in all, under both profiles of hosts by turns


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
    net = Network(parse({
        "seed": seed, "topology": topology, "host": {"profile": ("full", "paper")[seed % 2]},
        "protocol": {"system": system, "shortcuts": rng.choice(["all", "nontree"]), "lease": 5.0}}),
        level="pub", take_rows=lambda r: rows.extend(r.copy()))
    n = net.plan.n
    subscribers = rng.sample(range(n), rng.randint(0, n))
    for v in subscribers:
        net.subscribe(v, "c")
    net.run_until_stable(120)
    net.run(30)         # links that had to wait for a place have it now
    return net, rows, subscribers


def settled(net: Network) -> Settled:
    """What routing makes of the links that are kept, and of the tree."""
    nodes, ids = net.world.nodes, net.world.ids
    edges = {(min(u, v), max(u, v)) for v in range(len(ids)) for link in nodes[v]["link"] if link["id"] >= 0
             and link["keeps_me"] for u in [int(np.searchsorted(ids, link["id"]))]}
    parent = [-1 if p == k.NOBODY else int(np.searchsorted(ids, p)) for p in nodes["parent"]]
    return Settled(from_edges(len(ids), sorted(edges)), parent.index(-1), parent)


@pytest.mark.parametrize("system", k.SYSTEMS)
def test_exactly_once_and_as_predicted(system: str) -> None:
    for seed in range(NETWORKS):
        net, rows, subscribers = drawn(seed, system)
        rows.clear()
        where = settled(net)
        shortcuts = net.scenario.protocol.shortcuts
        for v in range(net.plan.n):
            net.publish(v, "c")
            net.run(3)
        assert not net.problems(), (seed, net.problems())
        by_event = defaultdict(list)
        for row in rows:
            by_event[EVENTS[row["event"]]].append(row)
        got = Counter((int(r["origin"]), int(r["node"])) for r in by_event["delivered"])
        ids = net.world.ids
        assert got == Counter((int(ids[v]), int(ids[s])) for v in range(net.plan.n) for s in subscribers), seed
        if system in ("psvr", "shen"):
            assert max(Counter((r["origin"], r["node"]) for r in by_event["received"]).values(), default=1) == 1
        for v in range(net.plan.n):
            sent = [r for r in by_event["sent"] if r["origin"] == ids[v]]
            start = int(net.world.nodes[v]["position"][0]) if system == "vr2015" and net.plan.n > 1 else None
            expected = route(where, system, v, subscribers, shortcuts, start)
            assert len(sent) == expected.count, (seed, v)
            if system in ("psvr", "vr2015", "ring"):
                assert sorted((int(r["from_"]), int(r["to"]), int(r["ep"])) for r in sent) == sorted(expected.messages)
            if system == "shen":
                edges = [tuple(int(np.searchsorted(ids, r[end])) for end in ("node", "peer")) for r in sent]
                assert sorted(edges) == sorted(expected.messages)
