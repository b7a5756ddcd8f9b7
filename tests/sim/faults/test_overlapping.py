"""Faults that overlap: each thing stays broken until the last fault that broke it is over."""

from typing import Any

import pytest

from psvr.sim.network import Network
from psvr.sim.scenario import parse
from tests.support.sim.channels import network

RING: dict[str, Any] = {"kind": "ring", "n": 6}


def crash(at: float, duration: float | None = None, node: int = 2) -> dict[str, Any]:
    return {"at": at, "kind": "crash", "nodes": [node], **lasting(duration)}


def cut(at: float, duration: float | None = None, links: Any = ((0, 1),)) -> dict[str, Any]:
    return {"at": at, "kind": "cut", "links": [list(link) for link in links], **lasting(duration)}


def partition(at: float, duration: float | None = None, nodes: tuple[int, ...] = (0,)) -> dict[str, Any]:
    return {"at": at, "kind": "partition", "nodes": list(nodes), **lasting(duration)}


def lasting(duration: float | None) -> dict[str, float]:
    return {} if duration is None else {"duration": duration}


def ring(*faults: dict[str, Any]) -> Network:
    return Network(parse({"duration": 30, "topology": RING, "fault": list(faults)}))


def cut_links(net: Network) -> set[tuple[int, int]]:
    """Links that are cut, which must be so in both directions."""
    w = net.world
    ways = {(v, int(w.near[e])) for v in range(net.plan.n) for e in range(w.first[v], w.first[v + 1]) if w.cut[e]}
    assert ways == {(v, u) for u, v in ways}
    return {(u, v) for u, v in ways if u < v}


def states(net: Network, times: tuple[float, ...], look: Any) -> list[Any]:
    found = []
    for time in times:
        net.run(time - net.now / 1e6)
        found.append(look(net))
    return found


HEAL = {"at": 4, "kind": "heal", "links": [[0, 1]]}
HEAL_ALL = {"at": 4, "kind": "heal", "links": "all"}


@pytest.mark.parametrize(
    "faults, whole",
    [
        ([cut(2, 1), cut(2.5, 10)], {1, 14}),
        ([cut(2, 10), cut(2.5, 1)], {1, 14}),
        ([cut(2), partition(3, 2)], {1}),  # for good, whatever ends
        ([partition(2, 2), cut(3)], {1}),
        ([partition(2, 2), partition(3, 5)], {1, 14}),
        ([partition(2, 10), partition(3, 2, (0, 5))], {1, 14}),
        ([cut(2, 10), HEAL], {1, 6, 14}),  # repaired for good
        ([cut(2), partition(3, 9), HEAL], {1, 6, 14}),
        ([cut(2), partition(3, 9), HEAL_ALL], {1, 6, 14}),
        ([cut(2, 3), HEAL, cut(4.5, 5)], {1, 14}),  # cut again: the end of the first is not its own
        ([HEAL, cut(5, 5)], {1, 14}),  # nothing to repair
    ],
)
def test_a_link_is_cut_while_any_fault_cuts_it(faults: list[dict[str, Any]], whole: set[float]) -> None:
    times = (1, 3.5, 6, 14)
    found = states(ring(*faults), times, lambda net: (0, 1) in cut_links(net))
    expected = [time not in whole and not (time == 3.5 and faults[0] is HEAL) for time in times]
    assert found == expected


def test_a_partition_gives_back_the_links_that_it_took() -> None:
    net = ring(cut(2), partition(3, 2, (0, 1)), cut(4, 3, [(1, 2)]))
    assert states(net, (2.5, 3.5, 6, 8), cut_links) == [{(0, 1)}, {(0, 1), (0, 5), (1, 2)}, {(0, 1), (1, 2)}, {(0, 1)}]


RESTART = {"at": 4, "kind": "restart", "nodes": [2]}


@pytest.mark.parametrize(
    "faults, expected",
    [
        # (alive, starts) after 1, 3.5, 6 and 14 s
        ([crash(2, 10), crash(2.5, 0.5)], [(1, 1), (0, 1), (0, 1), (1, 2)]),
        ([crash(2, 1), crash(2.5, 10)], [(1, 1), (0, 1), (0, 1), (1, 2)]),
        ([crash(2, 10), crash(3, 9)], [(1, 1), (0, 1), (0, 1), (1, 2)]),  # two that end together: one start
        ([crash(2), crash(3, 2)], [(1, 1), (0, 1), (0, 1), (0, 1)]),  # for good
        ([crash(2, 10), RESTART], [(1, 1), (0, 1), (1, 2), (1, 2)]),  # restarted at once, and only once
        ([crash(2), RESTART], [(1, 1), (0, 1), (1, 2), (1, 2)]),
        ([crash(2, 3), RESTART, crash(4.5, 6)], [(1, 1), (0, 1), (0, 2), (1, 3)]),
        ([crash(2, 2), RESTART], [(1, 1), (0, 1), (1, 2), (1, 2)]),
        ([RESTART], [(1, 1), (1, 1), (1, 2), (1, 2)]),
        ([crash(2, 3), crash(5, 5)], [(1, 1), (0, 1), (0, 1), (1, 2)]),  # one begins when the other ends
        ([crash(5, 5), crash(2, 3)], [(1, 1), (0, 1), (0, 1), (1, 2)]),
    ],
)
def test_a_node_is_down_until_the_last_of_its_crashes_ends(
    faults: list[dict[str, Any]], expected: list[tuple[int, int]]
) -> None:
    def life(net: Network) -> tuple[int, int]:
        return int(net.world.stations["alive"][2]), int(net.world.stations["starts"][2])

    assert states(ring(*faults), (1, 3.5, 6, 14), life) == expected


def test_what_is_broken_by_hand_stays_broken() -> None:
    net = ring(cut(2, 4), crash(2, 4))
    net.run(3)
    net.cut([(1, 0)])
    net.crash([2])
    net.run(7)
    assert cut_links(net) == {(0, 1)} and not net.world.stations["alive"][2]
    net.heal([(0, 1)])
    net.restart([2])
    assert cut_links(net) == set() and net.world.stations["alive"][2]


def test_a_crash_that_strikes_the_dead_is_in_the_trace() -> None:
    rows: list[Any] = []
    net = Network(
        parse({"duration": 30, "topology": RING, "fault": [crash(2, 3), crash(3, 4)]}),
        level="pub",
        take_rows=lambda taken: rows.extend(taken.copy()),
    )
    net.run(10)
    assert [(int(row["time"]), int(row["node"])) for row in rows] == [(2_000_000, 2), (3_000_000, 2)]
    assert len(net.history.faults) == 2


def away(*faults: dict[str, Any]) -> Network:
    """Nodes 0, 1 and 2 in reach of each other; node 2 is out of reach from about 11 s to 29 s."""
    knots = [[0, 2, 20, 10], [10, 2, 20, 10], [12, 2, 3000, 10], [28, 2, 3000, 10], [30, 2, 20, 10]]
    return network(
        [[0, 0], [20, 0], [20, 10]], duration=80, fault=list(faults), mobility={"model": "trace", "knots": knots}
    )


def test_a_cut_outlasts_a_walk_out_of_hearing() -> None:
    net = away(cut(5, 40, [(0, 2)]))
    assert states(net, (8, 20, 35, 50), cut_links) == [{(0, 2)}, set(), {(0, 2)}, set()]


def test_a_link_may_be_cut_and_mended_while_its_nodes_are_far_apart() -> None:
    net = away(cut(20, None, [(0, 2)]), cut(5, 15, [(1, 2)]))
    assert states(net, (8, 35), cut_links) == [{(1, 2)}, {(0, 2)}]


def test_a_partition_ends_for_those_who_were_away_then() -> None:
    """What it cuts is decided when it begins, and all of it is restored."""
    net = away(partition(5, 15, (2,)))
    assert states(net, (8, 20.5, 35), cut_links) == [{(0, 2), (1, 2)}, set(), set()]
    net = away(partition(5, 40, (2,)))
    assert states(net, (8, 20.5, 35, 50), cut_links) == [{(0, 2), (1, 2)}, set(), {(0, 2), (1, 2)}, set()]


def test_to_heal_all_also_mends_ways_that_are_not_good() -> None:
    """On a wireless channel a partition cuts all pairs that can hear each other, not only links of the network."""
    net = network([[0, 0], [80, 0], [160, 0]], duration=30, fault=[partition(2, None, (0,)), HEAL_ALL])
    good = {(0, 1), (1, 2)}
    assert {tuple(link) for link in net.plan.faults[1].links.tolist()} == good
    assert states(net, (3, 5), cut_links) == [{(0, 1), (0, 2)}, set()]
