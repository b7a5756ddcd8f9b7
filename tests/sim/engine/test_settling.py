"""What holds at every moment, not only in settled networks."""

from typing import Any

import pytest

from psvr.sim.network import Network
from psvr.sim.scenario import parse

STEP = 0.02  # seconds: more often than nodes react to what they hear
NETWORKS = [
    ({"kind": "geometric", "n": 24, "degree": 7}, 0.0),
    ({"kind": "gnp", "n": 20, "degree": 4}, 0.1),
    ({"kind": "line", "n": 14, "ids": "random"}, 0.05),
    ({"kind": "ring", "n": 16}, 0.2),
    ({"kind": "grid", "n": 25, "ids": "random"}, 0.1),
]
FAULTS = [
    {"at": 16, "kind": "crash", "nodes": [0]},
    {"at": 24, "kind": "restart", "nodes": [0]},
    {"at": 30, "kind": "crash", "nodes": 4, "duration": 3},
    {"at": 34, "kind": "cut", "links": 4, "duration": 9},
    {"at": 45, "kind": "restart", "nodes": 6},
    {"at": 52, "kind": "partition", "nodes": 6, "duration": 6},
    {"at": 62, "kind": "crash", "nodes": "all", "rate": 40, "duration": 10},
]


def moments(net: Network, seconds: float) -> Any:
    """Run in short steps; yields how many nodes are on a ring after each."""
    while net.now < seconds * 1_000_000:
        net.run(STEP)
        yield int(((net.world.nodes["ring"] >= 0) & (net.world.stations["alive"] != 0)).sum())


@pytest.mark.parametrize(("topology", "loss"), NETWORKS, ids=lambda x: x["kind"] if isinstance(x, dict) else f"{x}")
def test_no_two_nodes_hold_the_same_position_of_a_ring(topology: dict[str, Any], loss: float) -> None:
    """While it forms, and through crashes, restarts, cuts and partitions, with rings that come and go."""
    for seed in range(2):
        net = Network(
            parse(
                {
                    "seed": seed,
                    "duration": 90,
                    "topology": topology,
                    "fault": FAULTS,
                    "radio": {"model": "lossy", "loss": loss} if loss else {"model": "ideal"},
                }
            )
        )
        on_rings = []
        for many in moments(net, 90):
            on_rings.append(many)
            assert not net.shared_positions(), (seed, net.now)
        changes = int(net.world.tally["ring_changes"][0])
        assert changes > 8 * net.plan.n and sum(on_rings) > len(on_rings) * net.plan.n // 3


@pytest.mark.parametrize("memory", ["any", "foreign", "swapped"])
def test_positions_that_a_fault_gave_to_two_nodes_are_given_up_soon(memory: str) -> None:
    shared = 0
    for seed in range(4):
        net = Network(parse({"seed": seed, "topology": {"kind": "geometric", "n": 24, "degree": 7}}))
        net.run(20)
        net.corrupt(range(24), memory)
        shared += len(net.shared_positions())
        net.run(25)
        for _ in moments(net, 90):
            assert not net.shared_positions(), (seed, net.now)
    assert shared > 20 or memory == "any"
