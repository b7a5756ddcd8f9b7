"""Trials of self-stabilization: what they do to a network, what they count, and what they call a failure."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.lab.kinds import stabilizing
from psvr.lab.kinds.stabilizing import count_node, failure, interlaced, resolve, run, smaller
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.sim.scenario.topology import size

GIVEN = {"topology": "geometric", "n": 12, "loss": 0.0, "corrupted": 0.5, "memory": "any"}
PAPER = ["psvr/all/paper", "shen/paper", "vr2015/all/paper"]
CALM = dict.fromkeys(stabilizing.COUNTED, 0)


def test_networks_settle_and_heal_and_theorem_1_holds_in_both_calm_phases() -> None:
    for seed in range(4):
        for name, row in zip(PAPER, run(GIVEN, None, seed, PAPER), strict=True):
            assert row["failure"] is None, (seed, name, row["failure"])
            assert set(row) == set(stabilizing.RESULTS.names)
            assert row["nodes"] == 12 and row["corrupted_nodes"] == 6 and row["depth"] >= 1
            assert 0 < row["healed_s"] < row["bound_s"] and row["not_healed"] == 0
            assert row["share_of_bound"] == pytest.approx(row["healed_s"] / row["bound_s"])
            assert row["published"] == 2 * stabilizing.PUBLICATIONS and row["missed"] == row["interlaced"] == 0
            assert row["expected"] >= row["published"]
            assert row["received_again"] == 0 or name == "vr2015/all/paper"


def test_results_depend_on_nothing_but_the_seed() -> None:
    together = run(GIVEN, None, 3, PAPER)
    assert [run(GIVEN, None, 3, [name])[0] for name in PAPER] == together
    assert run(GIVEN, None, 4, PAPER) != together


def test_nodes_of_vr2015_receive_publications_again() -> None:
    rows = [run(GIVEN, None, seed, ["vr2015/all/paper"])[0] for seed in range(4)]
    assert sum(row["received_again"] for row in rows) > 0 and all(row["failure"] is None for row in rows)


def test_related_systems_heal_within_the_bound_of_their_rules() -> None:
    systems = ["jaeger/paper", "diffusion/paper"]
    for seed in range(3):
        for name, row in zip(systems, run(GIVEN, None, seed, systems), strict=True):
            assert row["failure"] is None and row["missed"] == 0, (seed, name, row["failure"])
            assert 0 < row["healed_s"] < row["bound_s"]
            assert row["received_again"] == 0 or name == "diffusion/paper"


def test_publications_begin_when_the_cache_of_directed_diffusion_has_forgotten() -> None:
    """A fault sets the numbers of publications back, so that some have names that were used a moment ago."""
    for seed in (1028, 1053, 1178):
        [row] = run({**GIVEN, "topology": "line", "n": 5, "corrupted": 1.0}, None, seed, ["diffusion/paper"])
        assert row["failure"] is None, (seed, row["failure"])


def test_lost_frames_and_hosts_that_repeat() -> None:
    rows = [run({**GIVEN, "n": 8, "loss": 0.1}, None, seed, ["psvr/all"])[0] for seed in range(3)]
    assert all(row["failure"] is None for row in rows)
    assert all(row["delivered"] == row["expected"] and row["duplicates"] == 0 for row in rows)


def test_a_network_that_does_not_heal_in_time_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stabilizing, "bound_of", lambda net, depth, loss: 0.25)
    [row] = run(GIVEN, None, 1, PAPER[:1])
    assert row["healed_s"] is None and row["not_healed"] == 1 and "not legitimate" in row["failure"]
    monkeypatch.setattr(stabilizing, "bound_of", lambda net, depth, loss: 5.0 if depth == net.plan.n else 0.25)
    monkeypatch.setattr(stabilizing, "MAX_BOUNDS", 40)
    [row] = run(GIVEN, None, 1, PAPER[:1])
    assert row["healed_s"] > 0.25 and row["not_healed"] == 1 and "but the bound is 0.2 s" in row["failure"]


def test_a_network_that_never_settles_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stabilizing, "SETTLING", 1.0)
    [row] = run(GIVEN, None, 1, PAPER[:1])
    assert row["failure"] == "did not settle from nothing within 1 s" and row["healed_s"] is None


@pytest.mark.parametrize(
    ("who", "received", "delivered", "counted"),
    [
        ("subscriber", 1, 1, {}),
        ("subscriber", 0, 0, {"missed": 1, "withheld": 1, "delivered": -1}),
        ("subscriber", 3, 1, {"received_again": 2}),
        ("subscriber", 1, 2, {"duplicates": 1}),
        ("subscriber", 1, 0, {"withheld": 1, "delivered": -1}),
        ("publisher", 0, 1, {}),
        ("publisher", 1, 1, {"received_again": 1}),
        ("other", 4, 0, {"expected": -1, "delivered": -1}),
        ("other", 1, 1, {"expected": -1, "delivered": -1, "handed_to_others": 1}),
    ],
)
def test_what_a_node_receives_is_counted(who: str, received: int, delivered: int, counted: dict[str, int]) -> None:
    counts = Counter[str]()
    count_node(counts, who != "other", who == "publisher", received, delivered)
    expected = Counter({"expected": 1, "delivered": 1})
    expected.update(counted)
    assert {name: number for name, number in counts.items() if number} == {
        name: number for name, number in expected.items() if number
    }


def test_under_the_paper_receptions_decide_and_otherwise_what_is_handed_over() -> None:
    def said(system: str, **counts: int) -> str | None:
        return failure(system, 10.0, 100.0, {**CALM, **counts}, 10.0)

    assert said("psvr/all/paper") is None and said("psvr/all") is None
    assert said("psvr/all/paper", received_again=2) == "2 received more than once"
    assert said("shen/paper", missed=1, interlaced=3) == "1 not received, 3 positions interlaced"
    assert said("psvr/all/paper", withheld=1, duplicates=1) is None
    assert said("vr2015/all/paper", received_again=9) is None
    assert said("vr2015-ring/all/paper", received_again=9) is None
    assert said("diffusion/paper", received_again=9) is None
    assert said("jaeger/paper", received_again=9) == "9 received more than once"
    assert said("psvr/all", received_again=9) is None
    assert said("psvr/all", withheld=1) == "1 not handed over"
    assert said("psvr/all", duplicates=1) == "1 handed over more than once"
    assert said("psvr/all", handed_to_others=1) == "1 handed to nodes that do not subscribe"


def test_positions_that_are_interlaced_are_found() -> None:
    net = Network(parse({"topology": {"kind": "gnp", "n": 8, "degree": 4}, "seed": 3}))
    net.run_until_stable()
    assert interlaced(net) == 0
    positions = net.world.nodes["position"]
    positions[:] = -1
    for v, held in enumerate(([0, 4], [1, 3], [2], [5])):  # nested: 0 1 2 1 0 3
        positions[v, : len(held)] = held
    assert interlaced(net) == 0
    positions[:2] = -1
    positions[0, :2], positions[1, :2] = [0, 3], [1, 4]  # 0 1 2 0 1 3
    assert interlaced(net) == 1


def test_smaller_networks_are_smaller_and_fit() -> None:
    sizes = [parameters["n"] for parameters in smaller(GIVEN)]
    assert sizes == sorted(sizes) and set(sizes) == {2, 3, 4, 5, 6, 8, 10, 11}
    assert [p["n"] for p in smaller({**GIVEN, "topology": "ring", "n": 5})] == [3, 4]
    assert list(smaller({**GIVEN, "n": 2})) == []


@pytest.mark.parametrize("topology", stabilizing.TOPOLOGIES)
def test_no_more_nodes_subscribe_than_there_are(topology: str) -> None:
    for n in (3, 5, 7, 8):
        for seed in range(40):
            rng = np.random.default_rng(seed)
            scenario = stabilizing.scenario_of({**GIVEN, "topology": topology, "n": n}, seed, "psvr/all/paper", rng)
            subscribers = scenario.traffic[0].subscribers
            assert isinstance(subscribers, int) and 1 <= subscribers <= size(scenario.topology)


@pytest.mark.parametrize("topology", stabilizing.TOPOLOGIES)
def test_every_topology_can_be_drawn(topology: str) -> None:
    for n in (3, 7, 30):
        rng = np.random.default_rng(n)
        drawn = parse({"topology": stabilizing.topology(topology, n, rng)}).topology
        assert n // 2 < (drawn.n or (drawn.rows or 0) * (drawn.columns or 0)) <= n


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"topology": "star"}, "topology: must be one of geometric, gnp, grid, line, ring"),
        ({"memory": "lies"}, "memory: must be one of"),
        ({"corrupted": 0}, "corrupted: must be a number above 0"),
        ({"loss": 0.6}, "loss: must be"),
        ({"n": 0}, "n: must be a whole number"),
        ({"nodes": 3}, "nodes: unknown parameter"),
    ],
)
def test_wrong_parameters_are_refused(change: dict[str, Any], part: str) -> None:
    with pytest.raises(BadInput) as caught:
        resolve({**GIVEN, **change})
    assert part in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(BadInput, match="memory: missing"):
        resolve({name: value for name, value in GIVEN.items() if name != "memory"})


def test_a_ring_of_two_is_left_out() -> None:
    assert resolve({**GIVEN, "topology": "ring", "n": 2}) is None
