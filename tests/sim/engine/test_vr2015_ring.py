"""VR:2015 with its own subscriptions in whole networks: around the ring once, to the same tables, and back."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from psvr.routing.systems import route
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.trace import EVENTS, FRAMES
from tests.support.sim.settled_runs import deliver_exactly_once, drawn, settled

NETWORKS = 20
LONG = 1000.0  # s: a lease within which nobody announces itself again
SUB = FRAMES.index("SUB")


def at_rest(seed: int, system: str, profile: str, n: int = 25, **protocol: Any) -> tuple[Network, list[Any]]:
    """A settled network in which nobody subscribes, and the rows of its trace to come."""
    rows: list[Any] = []
    net = Network(
        parse(
            {
                "seed": seed,
                "topology": {"kind": "geometric", "n": n, "degree": 7},
                "host": {"profile": profile},
                "protocol": {"system": system, "lease": LONG, **protocol},
            }
        ),
        level="all",
        take_rows=lambda r: rows.extend(r.copy()),
    )
    net.run_until_stable()
    net.run(30)
    return net, rows


def announced(net: Network, rows: list[Any], v: int, channel: str = "c") -> list[tuple[int, int]]:
    """Let a node subscribe; return from whom to whom SUBs then go, in order."""
    rows.clear()
    net.subscribe(v, channel)
    net.run(10)
    ids = net.world.ids
    sent = [r for r in rows if EVENTS[r["event"]] == "sent" and r["detail"] == SUB]
    return [(int(r["node"]), int(np.searchsorted(ids, r["peer"]))) for r in sent]


def around(net: Network, v: int) -> list[tuple[int, int]]:
    """Return the way around the ring from the first position of a node, back to it."""
    ring, start = settled(net).ring.tolist(), int(net.world.nodes[v]["position"][0])
    way = [*ring[start:], *ring[: start + 1]]
    return list(pairwise(way))


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_a_sub_goes_around_the_ring_once_whoever_else_subscribes(profile: str) -> None:
    for seed in range(4):
        net, rows = at_rest(seed, "vr2015-ring", profile)
        for v in (3, 14, 15):
            assert announced(net, rows, v) == around(net, v)
            accepted = Counter(
                int(r["node"])
                for r in rows
                if EVENTS[r["event"]] == "received" and r["detail"] == SUB and r["reason"] == -1
            )
            assert accepted == Counter(settled(net).ring.tolist())
            assert not net.problems()


def test_each_channel_has_a_sub_of_its_own() -> None:
    net, rows = at_rest(1, "vr2015-ring", "paper")
    for number in range(1, 5):  # all that it subscribes to is announced again
        assert sorted(announced(net, rows, 7, f"c{number}")) == sorted(number * around(net, 7))


def test_it_comes_to_the_tables_that_are_learnt_over_the_tree() -> None:
    tables = []
    for system in ("vr2015-ring", "vr2015", "psvr"):
        net, rows = at_rest(5, system, "paper")
        for v in (2, 9, 17, 20):
            announced(net, rows, v)
        nodes = net.world.nodes
        tables.append((nodes["position"].tolist(), nodes["row"]["entry"]["ns"].tolist()))
        assert not net.problems()
    assert tables[0][0] == tables[1][0] == tables[2][0]
    assert sorted_rows(tables[0][1]) == sorted_rows(tables[1][1]) == sorted_rows(tables[2][1])


def sorted_rows(table: list[list[list[int]]]) -> list[list[list[int]]]:
    """Return the rows of each node that say anything."""
    return [sorted(row for row in rows if set(row) != {-1}) for rows in table]


def test_a_wrong_entry_is_a_problem_as_under_vr2015() -> None:
    net, rows = at_rest(2, "vr2015-ring", "full")
    announced(net, rows, 4)
    nodes = net.world.nodes
    v = next(u for u in range(25) if u != 4)
    row = int((nodes["channel"][v] != 0).argmax())
    nodes["row"]["entry"]["ns"][v, row, 0] = -1
    assert [p.property for p in net.problems()] == ["tables"]


def test_delivers_exactly_once_and_as_predicted() -> None:
    for seed in range(NETWORKS):
        net, rows, subscribers = drawn(seed, "vr2015-ring")
        where, shortcuts = settled(net), net.scenario.protocol.shortcuts
        by_event = deliver_exactly_once(net, rows, subscribers)
        for v in range(net.plan.n):
            start = int(net.world.nodes[v]["position"][0]) if net.plan.n > 1 else None
            sent = [
                (int(r["from_"]), int(r["to"]), int(r["ep"]))
                for r in by_event["sent"]
                if r["origin"] == net.world.ids[v]
            ]
            assert sorted(sent) == sorted(route(where, "vr2015-ring", v, subscribers, shortcuts, start).messages), seed
