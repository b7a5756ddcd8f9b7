"""After stabilization on an ideal channel: exactly-once delivery in all systems, with the messages of exact routing."""

from collections import Counter

import numpy as np
import pytest

from psvr.protocol import constants as k
from psvr.routing.systems import route
from tests.support.sim.settled_runs import deliver_exactly_once, drawn, settled

NETWORKS = 44  # per system: 220 in all, under both profiles of hosts by turns


@pytest.mark.parametrize("system", k.SYSTEMS)
def test_exactly_once_and_as_predicted(system: str) -> None:
    for seed in range(NETWORKS):
        net, rows, subscribers = drawn(seed, system)
        where, ids = settled(net), net.world.ids
        shortcuts = net.scenario.protocol.shortcuts
        by_event = deliver_exactly_once(net, rows, subscribers)
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
