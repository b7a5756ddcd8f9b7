"""The trial of the study `churn`: who counts as having stayed, and how long tables may be wrong."""

from typing import Any

import pytest

from psvr.lab.kinds import kind
from psvr.lab.study import load
from psvr.sim.bound import LEASES, LEASES_OF, healing_bound, lease_for, stale_bound
from psvr.sim.network import Network
from psvr.sim.scenario import parse

[STUDY] = load(["churn"])
TRIAL: Any = kind("own", STUDY.files)
LEASE = 4.0


def network(system: str = "psvr") -> Network:
    """A line of four nodes that has settled, in which the last one subscribes."""
    protocol = {"system": system, "lease": LEASE}
    net = Network(parse({"topology": {"kind": "line", "n": 4}, "protocol": protocol, "host": {"profile": "paper"}}))
    net.subscribe(3, "c")
    net.run_until_stable()
    net.run(2 * LEASE)
    return net


def test_only_who_has_subscribed_for_a_lease_has_stayed() -> None:
    net = network()
    net.publish(0, "c")
    net.run(1.0)
    net.subscribe(2, "c")
    for _ in range(2):
        net.run(LEASE - 1.0)
        net.publish(0, "c")
    net.run(1.0)
    assert TRIAL.lasting(net, LEASE) == {"stayed_expected": 3 + 1, "stayed_missed_percent": 0.0}
    assert TRIAL.lasting(net, 0.0)["stayed_expected"] == 3 + 2
    net.cut([(2, 3)])
    net.publish(0, "c")
    net.run(0.5)
    assert TRIAL.lasting(net, LEASE)["stayed_missed_percent"] == 0.0  # it cannot be reached, and nothing is expected


@pytest.mark.parametrize(("system", "phases"), [("psvr", 1), ("jaeger", 2)])
def test_tables_are_stale_until_the_lease_of_who_has_left_is_over(system: str, phases: int) -> None:
    net = network(system)
    settings = net.world.nodes["settings"][0]
    bound = stale_bound(system, LEASE, int(settings["write_back"]), int(settings["cleans"]))
    assert bound == pytest.approx((3 + phases / 10) * LEASE)
    stale, join = TRIAL.changes(net, 3 * bound)
    assert bound - 1.5 * LEASE < stale <= bound + 0.5 and 0 < join < LEASE
    assert TRIAL.changes(network(system), 1.0) == (None, None)  # too little patience


def test_nobody_is_left_to_leave_or_to_join() -> None:
    net = network()
    net.unsubscribe(3, "c")
    assert TRIAL.changes(net, 60.0) == (None, None)


def test_the_bound_follows_from_the_rules_of_each_system() -> None:
    def bound(lease: float, system: str) -> float:
        return healing_bound(1.0, 8, 5, lease, system=system)

    for system, leases in {"psvr": 4 + 0.2 + 1, "shen": 5.2, "jaeger": 5.2, "diffusion": 4 + 0.1 + 1.5}.items():
        assert bound(30.0, system) - bound(20.0, system) == pytest.approx(10 * leases)
        assert LEASES_OF.get(system, LEASES) == pytest.approx(leases)
    assert healing_bound(0.1, 1, 0, 0.01, limit=1) > 100  # names that a fault wrote are remembered for so long
    assert lease_for(1) == 5.0 and lease_for(11) == pytest.approx(6.0) and lease_for(100_000) == 300.0
