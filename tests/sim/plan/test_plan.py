"""The same scenario and seed give the same plan, and a change in one part does not shift the others."""

from typing import Any

import numpy as np
import pytest

from psvr.sim.plan import Plan, demand, faults, plan, topology
from psvr.sim.scenario import parse
from psvr.sim.streams import stream

GEOMETRIC: dict[str, Any] = {"kind": "geometric", "n": 200, "degree": 10}


def traffic(**keys: Any) -> dict[str, Any]:
    return {"channel": "a", **keys}


def state(p: Plan) -> tuple[Any, ...]:
    """Everything in a plan, for comparison."""
    faults = [(f.time, f.kind, f.nodes.tolist(), f.links.tolist(), f.until, f.entry) for f in p.faults]
    places = None if p.places is None else p.places.tolist()
    return (
        p.n,
        p.ids.tolist(),
        p.first.tolist(),
        p.near.tolist(),
        places,
        p.channels,
        p.hashes.tolist(),
        p.sources.tolist(),
        p.changes.tolist(),
        faults,
        p.depth,
        p.id_bytes,
        p.position_bytes,
    )


FULL: dict[str, Any] = {
    "topology": {**GEOMETRIC, "ids": "random"},
    "traffic": [traffic(subscribers=20, publishers=30, churn=30), traffic(channel="b", subscribers=5, churn=10)],
    "subscribe": [{"at": 50, "node": 4, "channel": "b"}],
    "fault": [
        {"at": 100, "kind": "crash", "nodes": 5, "duration": 10},
        {"at": 9, "kind": "cut", "rate": 6},
        {"at": 300, "kind": "partition", "nodes": 50},
    ],
}


def test_the_same_scenario_and_seed_give_the_same_plan() -> None:
    assert state(plan(parse(FULL))) == state(plan(parse(FULL)))
    first, second = state(plan(parse({**FULL, "seed": 1}))), state(plan(parse({**FULL, "seed": 2})))
    assert [a == b for a, b in zip(first, second)] == [
        True,
        False,
        False,
        False,
        False,
        True,
        True,
        False,
        False,
        False,
        True,
        True,
        True,
    ]


PARTS = (
    "n",
    "ids",
    "first",
    "near",
    "places",
    "channels",
    "hashes",
    "sources",
    "changes",
    "faults",
    "depth",
    "id_bytes",
    "position_bytes",
)


@pytest.mark.parametrize(
    ("override", "changed"),
    [
        ("topology.ids=index", {"ids", "id_bytes"}),
        ("radio.retries=5", set()),
        ("protocol.system=flood", set()),
        ("protocol.depth=99", {"depth"}),
        ("traffic.1.churn=20", {"changes"}),
        ("traffic.0.publishers=31", {"sources"}),
        ("traffic.0.subscribers=21", {"changes"}),
        ("traffic.1.every=3", {"sources"}),
        ("fault.0.nodes=6", {"faults"}),
        ("subscribe.0.at=60", {"changes"}),
        ("traffic.0.payload=3", {"sources"}),
        ("warmup=50", set()),
    ],
)
def test_a_change_in_one_part_leaves_the_others(override: str, changed: set[str]) -> None:
    before, after = state(plan(parse(FULL))), state(plan(parse(FULL, overrides=[override])))
    assert {name for name, a, b in zip(PARTS, before, after) if a != b} == changed


def test_entries_do_not_shift_each_other() -> None:
    before, after = plan(parse(FULL)), plan(parse(FULL, overrides=["fault.0.nodes=6", "traffic.0.churn=99"]))
    kept = [[(f.time, f.links.tolist()) for f in p.faults if f.entry == 1] for p in (before, after)]
    assert kept[0] == kept[1] and len(kept[0]) > 20
    assert [p.changes[p.changes["channel"] == 1].tolist() for p in (before, after)] == [
        before.changes[before.changes["channel"] == 1].tolist()
    ] * 2


def test_a_longer_run_begins_like_a_shorter() -> None:
    short, long = plan(parse(FULL)), plan(parse(FULL, overrides=["duration=1200"]))
    assert long.changes[: len(short.changes)].tolist() == short.changes.tolist()
    kept = [(f.time, f.nodes.tolist(), f.links.tolist()) for f in short.faults]
    assert [(f.time, f.nodes.tolist(), f.links.tolist()) for f in long.faults][: len(kept)] == kept


def test_no_two_parts_share_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    names = []

    def noted(seed: int, name: str) -> np.random.Generator:
        names.append(name)
        return stream(seed, name)

    for module in (topology, demand, faults):
        monkeypatch.setattr(module, "stream", noted)
    plan(parse({**FULL, "fault": [*FULL["fault"], {"at": 1, "kind": "jam", "rate": 6}]}))
    assert len(names) == len(set(names))
    assert {"topology", "ids", "traffic/0/subscribers", "traffic/1/phase", "traffic/0/churn", "fault/2"} < set(names)
