"""Compiled engine == reference over the wireless channel: states and traces, event by event, to the last bit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from psvr.protocol.constants import SYSTEMS
from psvr.sim.engine.events import KINDS, SUB_END
from tests.support.sim.channels import DEAF
from tests.support.sim.twins import Twins

GRID = {"kind": "grid", "rows": 3, "columns": 3, "spacing": 22}
LINE = {"kind": "line", "n": 5, "spacing": 25}
PLACES = {"kind": "places", "places": [[0, 0], [20, 5], [38, 0], [30, 28], [8, 25], [60, 10]], "connected": False}
GEOMETRIC = {"kind": "geometric", "n": 12, "degree": 6}
SMALL = {"kind": "geometric", "n": 3, "area": 30}
STILL = {"fading": 0, "shadowing": 0, "asymmetry": 0}
WIFI = {"rate": 600, "length": 0.03, "power": 5, "sources": 2}
PULSE = {"rate": 6000, "length": 0.002, "power": 0, "place": [10, 10], "start": 4, "stop": 11}


def twins(topology: dict[str, Any], seed: int = 1, system: str = "psvr", **radio: Any) -> Twins:
    return Twins(
        {
            "seed": seed,
            "topology": topology,
            "radio": {"model": "ieee802154", **radio},
            "protocol": {"system": system, "lease": 4.0},
        }
    )


def busy(pair: Twins, seconds: float, rounds: int = 2) -> None:
    """Two channels, several subscribers, everybody publishes."""
    n = pair.net.plan.n
    for v in range(0, n, 2):
        pair.subscribe(v, "a")
    pair.subscribe(n - 1, "b")
    pair.advance(seconds)
    for _ in range(rounds):
        for v in range(n):
            pair.publish(v, "a")
            pair.publish(v, "b")
            pair.advance(0.07)
    pair.advance(1)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("topology", "radio"),
    [
        (SMALL, {}),
        (LINE, {}),
        (LINE, STILL),
        (GRID, {"fading_time": 2}),
        (PLACES, {"pathloss": "castalia"}),
        (GEOMETRIC, {"range": 60}),
        (GEOMETRIC, {"device": "at86rf231", "retries": 1}),
        (GRID, {"interference": [WIFI, PULSE]}),
        (GEOMETRIC, {"device": {**DEAF, "carrier": False}, "shadowing": 8}),
    ],
    ids=["three", "line", "still", "grid", "places", "range", "device", "interference", "energy"],
)
def test_equal_from_nothing(topology: dict[str, Any], radio: dict[str, Any], system: str) -> None:
    pair = twins(topology, 1, system, **radio)
    busy(pair, 8)
    pair.compare()
    assert pair.reference.deliveries


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("radio", [{}, STILL, {"interference": [WIFI]}], ids=["fading", "still", "interference"])
def test_equal_through_faults(radio: dict[str, Any], system: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        pair = twins(GRID, seed, system, **radio)
        pair.subscribe(1, "a")
        pair.subscribe(7, "a")
        pair.advance(6)
        for v in rng.permutation(9)[:3]:
            pair.corrupt(int(v), rng)
        pair.advance(2)
        pair.publish(3, "a")
        pair.jam(4, 1)
        pair.advance(2)
        pair.jam(4, 1)
        pair.jam(5, 1)
        pair.publish(5, "a")
        pair.advance(1)
        pair.jam(4, -1)
        pair.jam(5, -1)
        pair.cut(0, 1)
        pair.advance(2)
        pair.jam(4, -1)
        pair.heal(0, 1)
        pair.partition([0, 1, 2])
        pair.advance(3)
        pair.publish(8, "a")
        pair.advance(0.5)
        pair.compare()


@pytest.mark.parametrize("system", SYSTEMS)
def test_equal_when_nodes_die_at_any_moment(system: str) -> None:
    """Every few ms one dies or comes back, also in the midst of a frame, of an acknowledgement, of waiting for one."""
    broken = 0
    for seed in range(5):
        rng, dead = np.random.default_rng(seed), set[int]()
        pair = twins(GRID, seed, system)
        for v in range(9):
            pair.subscribe(v, "a")
        pair.advance(6)
        for _ in range(250):
            pair.advance(float(rng.uniform(0.0001, 0.02)))
            senders = np.flatnonzero(pair.net.world.air.radios["sending"])
            v = int(rng.choice(senders)) if senders.size and rng.random() < 0.5 else int(rng.integers(9))
            if v in dead:
                pair.restart(v)
            else:
                broken += int(pair.net.world.air.radios["sending"][v])
                pair.crash(v)
            dead ^= {v}
            living = sorted(set(range(9)) - dead)
            if living:
                pair.publish(living[0], "a")
        pair.compare()
    assert broken >= 5


def until(pair: Twins, holds: Callable[[Any], Any]) -> int:
    """Let time pass until something holds for the radio of a node; that node."""
    for _ in range(60_000):
        found = np.flatnonzero(holds(pair.net.world.air.radios[: pair.net.plan.n]))
        if found.size:
            return int(found[0])
        pair.advance(0.0001)
    raise AssertionError("not within 6 s")


def settled(system: str = "psvr") -> Twins:
    pair = twins(GRID, 3, system)
    for v in range(9):
        pair.subscribe(v, "a")
    pair.advance(8)
    return pair


@pytest.mark.parametrize("sending", [0, 1])
def test_equal_where_a_node_dies_that_owes_an_acknowledgement(sending: int) -> None:
    """It comes back at once, and has forgotten it."""
    pair = settled()
    pair.publish(0, "a")
    v = until(pair, lambda radios: (radios["answer"] >= 0) & (radios["sending"] == sending))
    pair.crash(v)
    pair.restart(v)
    pair.advance(2)
    pair.compare()


def test_equal_where_a_node_dies_that_sends_a_subscription() -> None:
    """It is not repeated, though the node comes back before it would be."""
    pair = settled()
    for _ in range(4):
        v = until(pair, lambda radios: (radios["sending"] == 1) & (radios["frame"] % KINDS == SUB_END))
        pair.crash(v)
        pair.restart(v)
        pair.advance(0.5)
    pair.compare()


def test_equal_where_noise_begins_and_ends_within_a_frame() -> None:
    pair = settled()
    for _ in range(40):
        v = until(pair, lambda radios: radios["locked"] >= 0)
        pair.advance(0.0002)
        pair.jam(v, 1)
        pair.advance(0.00003)
        pair.jam(v, -1)
        pair.advance(0.01)
    pair.compare()


def test_equal_where_a_hello_is_corrupted_on_the_air() -> None:
    pair = twins(GRID, 2)
    pair.advance(5)
    sending = pair.net.world.air.radios["sending"]
    while not sending[4] or pair.sends(4):
        pair.advance(0.0005)
    before = pair.net.world.spoken[4].copy()
    pair.corrupt(4, np.random.default_rng(1))
    assert sending[4] and pair.net.world.spoken[4] != before
    assert all(pair.net.world.spoken[name][4] == before[name] for name in ("links", "heards", "children"))
    pair.advance(3)
    pair.compare()


def test_equal_where_too_many_frames_wait() -> None:
    for system in ("psvr", "flood"):
        pair = twins(GRID, 1, system)
        pair.subscribe(8, "a")
        pair.advance(10)
        for _ in range(40):
            pair.publish(0, "a")
        pair.advance(3)
        pair.compare()
        assert pair.net.world.air.setting["queue_full"][0] > 0


def test_equal_where_nobody_answers() -> None:
    """A frame's addressee is gone: every try is waited for, then the second-best link is taken, or it is given up."""
    pair = twins(LINE, 1)
    pair.subscribe(4, "a")
    pair.advance(12)
    pair.crash(2)
    for _ in range(3):
        pair.publish(0, "a")
        pair.advance(0.2)
    pair.compare()
    assert pair.net.world.air.setting["no_ack"][0] > 3


def test_a_jammed_node_neither_hears_nor_sends() -> None:
    pair = twins(LINE, 1)
    pair.advance(8)
    before = pair.net.world.air.radios["sent_us"].copy()
    got = pair.net.world.nodes["link"]["id"].copy()
    pair.jam(4, 1)
    pair.advance(20)
    pair.compare()
    sent = pair.net.world.air.radios["sent_us"] - before
    assert sent[4] == 0 and (sent[:4] > 0).all()
    assert (got[4] >= 0).any() and not (pair.net.world.nodes["link"]["id"][4] >= 0).any()


FAULTS = [
    {"at": 6, "kind": "jam", "nodes": [4], "duration": 2.5},
    {"at": 7, "kind": "crash", "nodes": [2], "duration": 3},
    {"at": 9, "kind": "jam", "area": [44, 44, 25], "duration": 1},
    {"at": 9.5, "kind": "restart", "nodes": [8]},
    {"at": 12, "kind": "partition", "nodes": [0, 1, 3], "duration": 4},
    {"at": 13, "kind": "crash", "nodes": [7]},
    # These overlap with those before.
    {"at": 8, "kind": "crash", "nodes": [2], "duration": 0.5},
    {"at": 14, "kind": "crash", "nodes": [7]},
    {"at": 14.5, "kind": "partition", "nodes": [0], "duration": 5},
    {"at": 15, "kind": "cut", "links": [[0, 1]]},
]


@pytest.mark.parametrize("system", ["psvr", "shen", "flood"])
def test_equal_with_the_faults_of_a_scenario(system: str) -> None:
    pair = Twins(
        {
            "seed": 4,
            "duration": 30,
            "topology": GRID,
            "fault": FAULTS,
            "radio": {"model": "ieee802154", "interference": [WIFI]},
            "protocol": {"system": system},
        }
    )
    pair.subscribe(5, "a")
    pair.subscribe(6, "a")
    begin = [(event.time, False, event) for event in pair.net.plan.faults]
    over = [(event.until, True, event) for event in pair.net.plan.faults if event.until >= 0]
    for time, ends, event in sorted(begin + over, key=lambda moment: moment[0]):
        pair.net.run((time - pair.net.now) / 1e6)
        pair.reference.advance(time)
        pair.happen(event, ends)
        pair.publish(int(time % 3) + 4, "a")
    pair.advance(4)
    pair.compare()
    assert len(begin) == 10 and len(over) == 6
    assert not pair.net.world.stations["alive"][7] and pair.net.world.cut.sum() == 2
