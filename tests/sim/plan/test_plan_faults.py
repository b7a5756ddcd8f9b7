"""Which faults strike which nodes and links, and when."""

import math
from typing import Any

import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.sim.plan import Plan, plan
from psvr.sim.plan.faults import FaultEvent
from psvr.sim.scenario import parse

S = 1_000_000
LINE: dict[str, Any] = {"kind": "line", "n": 50}
GEOMETRIC: dict[str, Any] = {"kind": "geometric", "n": 200, "degree": 10}


def planned(topology: dict[str, Any] | None = None, **keys: Any) -> Plan:
    return plan(parse({"topology": topology or LINE, **keys}))


def one(topology: dict[str, Any], **fault: Any) -> FaultEvent:
    (event,) = planned(topology, fault=[{"at": 5, **fault}]).faults
    return event


def test_fault_on_nodes() -> None:
    event = one(LINE, kind="corrupt", nodes="all")
    assert (event.time, event.kind, event.until, event.entry) == (5 * S, "corrupt", -1, 0)
    assert event.nodes.tolist() == list(range(50)) and event.links.shape == (0, 2)
    assert [a.dtype for a in (event.nodes, event.links)] == [np.int32, np.int64]
    assert one(LINE, kind="restart", nodes=[9, 4]).nodes.tolist() == [4, 9]
    crashed = one(LINE, kind="crash", nodes=7, duration=2.5)
    assert (len(set(crashed.nodes.tolist())), crashed.until) == (7, 7_500_000)
    assert one(LINE, kind="jam", nodes=[1]).until == -1


def test_fault_on_links() -> None:
    event = one(LINE, kind="cut", links=[[4, 3], [8, 9]], duration=10)
    assert (event.links.tolist(), event.until, event.nodes.size) == ([[3, 4], [8, 9]], 15 * S, 0)
    assert event.links.dtype == np.int64
    assert one(LINE, kind="heal", links="all").links.tolist() == [[v, v + 1] for v in range(49)]
    drawn = one(LINE, kind="cut", links=6).links.tolist()
    assert len(drawn) == 6 and drawn == sorted(drawn) and all(v == u + 1 for u, v in drawn)


def test_faults_in_an_area() -> None:
    p = planned(GEOMETRIC, fault=[{"at": 5, "kind": "jam", "area": [400, 600, 200], "duration": 9}])
    assert p.places is not None
    inside = np.flatnonzero(np.hypot(p.places[:, 0] - 400, p.places[:, 1] - 600) <= 200)
    assert p.faults[0].nodes.tolist() == inside.tolist() and 5 < inside.size < 60


def crossing(p: Plan, nodes: set[int]) -> list[list[int]]:
    return sorted(
        [v, int(u)] if v < u else [int(u), v]
        for v in nodes
        for u in p.near[p.first[v] : p.first[v + 1]]
        if int(u) not in nodes
    )


@pytest.mark.parametrize("side", [{"nodes": 60}, {"nodes": [3, 4, 9]}, {"area": [300, 300, 300]}])
def test_partition_cuts_what_is_between_its_sides(side: dict[str, Any]) -> None:
    p = planned(GEOMETRIC, fault=[{"at": 5, "kind": "partition", "duration": 7, **side}])
    event = p.faults[0]
    assert event.links.tolist() == crossing(p, set(event.nodes.tolist())) and event.until == 12 * S
    assert event.links.size > 0 and ("nodes" not in side or len(event.nodes) in (60, 3))


def test_a_drawn_side_of_a_partition_hangs_together() -> None:
    p = planned({"kind": "grid", "n": 400}, fault=[{"at": 5, "kind": "partition", "nodes": 100}])
    nodes = set(p.faults[0].nodes.tolist())
    reached, waiting = set(), [min(nodes)]
    while waiting:
        v = waiting.pop()
        if v in nodes and v not in reached:
            reached.add(v)
            waiting += p.near[p.first[v] : p.first[v + 1]].tolist()
    assert reached == nodes and len(nodes) == 100
    apart = {"kind": "edges", "n": 6, "edges": [[0, 1], [2, 3], [4, 5]], "connected": False}
    assert len(one(apart, kind="partition", nodes=3).nodes) == 3


def test_faults_at_a_rate() -> None:
    p = planned(duration=2000, fault=[{"at": 100, "kind": "crash", "rate": 60, "duration": 1000}])
    assert len(p.faults) == pytest.approx(1000, abs=5 * math.sqrt(1000))
    assert {len(f.nodes) for f in p.faults} == {1} and {f.until for f in p.faults} == {1100 * S}
    assert all(100 * S <= f.time < 1100 * S for f in p.faults)
    hits = np.bincount([f.nodes[0] for f in p.faults], minlength=50)
    assert hits == pytest.approx(len(p.faults) / 50, abs=5 * math.sqrt(20))


@pytest.mark.parametrize(
    ("keys", "pool"),
    [
        ({"kind": "corrupt", "nodes": [3, 8]}, {3, 8}),
        ({"kind": "restart", "nodes": [3]}, {3}),
        ({"kind": "jam", "nodes": "all"}, set(range(50))),
    ],
)
def test_a_rate_strikes_those_that_are_named(keys: dict[str, Any], pool: set[int]) -> None:
    p = planned(fault=[{"at": 0, "rate": 120, "duration": 500, **keys}])
    assert {int(f.nodes[0]) for f in p.faults} == pool
    assert all(f.time < 500 * S for f in p.faults) and len(p.faults) > 800
    assert {f.until for f in p.faults} == ({500 * S} if keys["kind"] == "jam" else {-1})


def test_a_rate_on_links_and_on_few_nodes_lasts_to_the_end() -> None:
    p = planned(
        duration=1000,
        fault=[{"at": 500, "kind": "cut", "rate": 60}, {"at": 0, "kind": "crash", "nodes": 3, "rate": 60}],
    )
    cuts, crashes = ([f for f in p.faults if f.kind == kind] for kind in ("cut", "crash"))
    assert {f.links.shape for f in cuts} == {(1, 2)} and cuts[-1].time > 950 * S and {f.until for f in cuts} == {-1}
    assert len({tuple(f.links[0]) for f in cuts}) > 40 and len({int(f.nodes[0]) for f in crashes}) == 3


def test_a_partition_at_a_rate_isolates_single_nodes() -> None:
    p = planned(GEOMETRIC, fault=[{"at": 0, "kind": "partition", "rate": 6}])
    assert len(p.faults) > 20
    for f in p.faults:
        assert f.links.tolist() == crossing(p, set(f.nodes.tolist()))


def test_faults_are_sorted_and_ties_keep_their_order() -> None:
    kinds = [(9, "crash"), (5, "jam"), (9, "restart"), (5, "corrupt"), (0, "crash")]
    p = planned(fault=[{"at": at, "kind": kind, "nodes": 1} for at, kind in kinds])
    assert [(f.time // S, f.entry) for f in p.faults] == [(0, 4), (5, 1), (5, 3), (9, 0), (9, 2)]


def test_an_area_may_hold_all_but_a_partition_leaves_somebody_outside() -> None:
    everyone = [0, 0, 10_000]
    assert len(one(GEOMETRIC, kind="jam", area=everyone).nodes) == 200
    with pytest.raises(BadInput, match=r"^fault\.0\.area: must hold from 1 to 199 of the 200 nodes, not 200$"):
        one(GEOMETRIC, kind="partition", area=everyone)
    with pytest.raises(BadInput, match=r"^fault\.0\.area: must hold from 1 to 200 of the 200 nodes, not 0$"):
        one(GEOMETRIC, kind="jam", area=[5000, 5000, 1])


def test_as_few_and_as_many_links_as_there_are() -> None:
    assert len(one(LINE, kind="cut", links=1).links) == 1 and len(one(LINE, kind="cut", links=49).links) == 49
    with pytest.raises(BadInput, match=r"^fault\.0\.links: must be at most 49, the number of links, not 50$"):
        one(LINE, kind="cut", links=50)
    with pytest.raises(BadInput, match=r"^fault\.0\.links\[1\]: must be a link of the network, but 3 and 5 are not"):
        one(LINE, kind="cut", links=[[3, 4], [3, 5]])


def test_a_fault_that_names_nobody_strikes_all() -> None:
    p = planned(fault=[{"at": 0, "kind": "corrupt", "rate": 600, "duration": 100}])
    assert {int(f.nodes[0]) for f in p.faults} == set(range(50))
