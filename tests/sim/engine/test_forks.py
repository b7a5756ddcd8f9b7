"""A fork of a network goes on exactly as the network would have, and neither changes the other."""

from typing import Any

import pytest

from psvr.lab.kinds import simulated
from psvr.lab.kinds.template import scenario_of
from psvr.sim.network import Network
from psvr.sim.plan import plan
from psvr.sim.running import run_to_end
from psvr.sim.scenario import Scenario, parse
from psvr.sim.summary import fingerprint

LOSSY: dict[str, Any] = {
    "duration": 60,
    "seed": 5,
    "topology": {"kind": "geometric", "n": 16, "degree": 6},
    "radio": {"model": "lossy", "loss": 0.1},
    "traffic": [{"channel": "a", "subscribers": 5, "every": 4, "start": 25, "churn": 20.0}],
    "fault": [
        {"at": 28, "kind": "corrupt", "nodes": 4},
        {"at": 35, "kind": "restart", "nodes": "all", "rate": 6.0, "duration": 20},
        {"at": 30, "kind": "cut", "links": 3, "duration": 10},
    ],
}
WIRELESS = {
    **LOSSY,
    "radio": {"model": "ieee802154", "interference": [{"rate": 20, "length": 1.5, "sources": 2}]},
    "mobility": {"model": "waypoint", "speed": [1.0, 2.0]},
}


def plain(records: Any) -> Any:
    """Records without what lies between their fields in memory."""
    if records.dtype.names is None:
        return records.tolist()
    return {name: plain(records[name]) for name in records.dtype.names}


def state(net: Network) -> dict[str, Any]:
    """All that a run has come to."""
    return {
        "print": fingerprint(net),
        "now": net.now,
        "nodes": plain(net.world.nodes),
        "hosts": plain(net.world.hosts),
        "delivered": net.world.deliveries[: net.world.tally["delivered"][0]].tolist(),
        "history": str(net.history),
        "fades": net.world.air.fades.tobytes(),
        "tables": (net.max_table_bytes, net.max_table_bytes_packed),
    }


def finished(net: Network) -> dict[str, Any]:
    run_to_end(net)
    return state(net)


def begun(scenario: Scenario) -> Network:
    net = Network(scenario, plan(scenario))
    net.run(27.3)
    return net


@pytest.mark.parametrize("table", [LOSSY, WIRELESS], ids=["lossy", "wireless"])
def test_a_fork_goes_on_as_its_network_would(table: dict[str, Any]) -> None:
    scenario = parse(table)
    straight = finished(begun(scenario))
    net = begun(scenario)
    before, one, two = state(net), net.forked(), net.forked()
    assert finished(one) == straight
    assert state(net) == before != straight and state(two) == before
    assert finished(net) == straight == finished(two)


def test_each_fork_has_a_trace_of_its_own() -> None:
    scenario, rows = parse(LOSSY), {"net": 0, "fork": 0}

    def count(name: str) -> Any:
        return lambda found: rows.update({name: rows[name] + len(found)})

    net = Network(scenario, plan(scenario), "pub", count("net"))
    net.run(27)
    fork, before = net.forked(count("fork")), rows["net"]
    fork.run(10)
    assert rows["fork"] > 0 and rows["net"] == before
    silent = net.forked()
    silent.run(10)
    net.run(10)
    assert rows["net"] - before == rows["fork"]


def test_a_system_on_a_fork_does_as_on_a_network_of_its_own() -> None:
    template = {
        "duration": 50,
        "warmup": 30,
        "same_tree": 25,
        "topology": {"kind": "geometric", "n": 14, "degree": 6},
        "radio": {"model": "lossy", "loss": 0.1},
        "traffic": [{"channel": "a", "subscribers": 4, "publishers": "all", "every": 10, "start": 30}],
    }
    systems = ["psvr/all/paper", "shen", "psvr/nontree"]
    rows = simulated.run({}, template, 3, systems)
    for system, row in zip(systems, rows, strict=True):
        net = Network(scenario_of(template, {}, 3, simulated.NO_SYSTEM))
        net.run(25)
        net.start_system(scenario_of(template, {}, 3, system))
        run_to_end(net)
        assert row["fingerprint"] == fingerprint(net) and row["delivered"] > 0
