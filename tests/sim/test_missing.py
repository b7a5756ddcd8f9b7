"""Every publication that was missed has one reason, and nothing that goes wrong in silence stays hidden."""

from typing import Any

import numpy as np
import pytest
from channels import network

from psvr.protocol.constants import LINK_FAILED, REPEAT_LIFE, SYSTEMS
from psvr.sim import missing, notes
from psvr.sim.frames import lose
from psvr.sim.network import Network
from psvr.sim.running import run_to_end
from psvr.sim.scenario import parse
from psvr.sim.summary import summary

STORM = [{"at": 15, "kind": "crash", "rate": 6, "duration": 30}, {"at": 15, "kind": "restart", "rate": 6},
         {"at": 15, "kind": "cut", "rate": 6, "duration": 30}, {"at": 30, "kind": "corrupt", "nodes": 3},
         {"at": 40, "kind": "jam", "nodes": 4, "duration": 10}]


def figures(net: Network) -> dict[str, Any]:
    """Of a run to its end, after which each missed pair has a reason."""
    run_to_end(net)
    found = summary(net)
    assert sum(found["missed_by"].values()) == found["missed"]
    assert set(found["missed_by"]) <= set(missing.NAMES) and all(found["missed_by"].values())
    return found


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_reasons_add_up_in_a_storm(system: str, loss: float) -> None:
    found: dict[str, int] = {}
    for seed in range(6):
        net = Network(parse({
            "seed": seed, "duration": 70, "topology": {"kind": "gnp", "n": 14, "degree": 4}, "fault": STORM,
            "radio": {"model": "lossy", "loss": loss, "retries": 1}, "protocol": {"system": system},
            "traffic": [{"channel": "a", "subscribers": 5, "every": 2}]}))
        for reason, number in figures(net)["missed_by"].items():
            found[reason] = found.get(reason, 0) + number
    assert sum(found.values()) > 50, "a storm indeed"
    assert (missing.UNHEARD in found) == (system == "flood") and (missing.UNNOTICED in found) == (system != "flood")
    assert (LINK_FAILED in found) == (system != "flood")


@pytest.mark.parametrize("system", ["psvr", "shen", "flood"])
def test_reasons_add_up_over_a_wireless_channel(system: str) -> None:
    net = Network(parse({
        "seed": 5, "duration": 70, "topology": {"kind": "geometric", "n": 14, "degree": 8}, "fault": STORM,
        "radio": {"model": "ieee802154"}, "protocol": {"system": system},
        "traffic": [{"channel": "a", "subscribers": 5, "every": 2}]}))
    assert figures(net)["missed"] > 20


def test_names_stand_where_the_numbers_point() -> None:
    named = {notes.LINK_FAILED: LINK_FAILED, notes.NODE_STOPPED: missing.NODE_STOPPED, notes.CROWDED: missing.CROWDED}
    assert {number: missing.NAMES[number] for number in named} == named


def line(n: int, system: str = "psvr", **tables: Any) -> Network:
    """Settled, with the last node subscribed."""
    net = Network(parse({"topology": {"kind": "line", "n": n}, "protocol": {"system": system}, "duration": 60,
                         **tables}))
    net.subscribe(n - 1, "a")
    net.run(20)
    return net


def erase(net: Network, v: int) -> None:
    """A table that leads nowhere, until the next SUB comes by."""
    net.world.nodes["row"]["entry"]["ns"][v] = -1


def test_a_publication_that_vanishes_in_silence_is_counted() -> None:
    net = line(3)
    erase(net, 1)
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {missing.UNNOTICED: 1}


def test_links_that_fail() -> None:
    net = line(3, "shen", radio={"model": "lossy", "retries": 0})
    net.world.tally["loss"] = 1 << 31
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {LINK_FAILED: 1}


@pytest.mark.parametrize("to, got, reason", [
    (2, 0, notes.LINK_FAILED), (2, 1, 0), (-1, 1, notes.LINK_FAILED)], ids=["lost", "got", "broadcast"])
def test_what_its_addressee_has_got_is_not_lost(to: int, got: int, reason: int) -> None:
    """Though no acknowledgement came."""
    net = line(3)
    frame = net.world.pub_frames[:1]
    frame["to"], frame["got"] = to, got
    lose(net.world, 0, notes.LINK_FAILED)
    assert net.world.publications["reason"][0] == reason


def test_a_node_that_starts_anew_forgets_what_waited() -> None:
    net = Network(parse({"topology": {"kind": "line", "n": 3}, "duration": 60}))
    net.subscribe(2, "a")
    published = 0
    while not net.world.hosts["waiting"][0]:        # up to then the node is alone, and keeps what it publishes
        net.run(0.1)
        net.publish(0, "a")
        published += 1
    net.restart([0])
    assert figures(net)["missed_by"] == {missing.NODE_STOPPED: published} and published > 1


def relay(net: Network) -> int:
    """The first node with an odd number that passes something on."""
    for _ in range(1000):
        net.step()
        frames = net.world.pub_frames
        passing = frames["node"][(frames["used"] != 0) & (frames["node"] % 2 == 1)]
        if passing.size:
            return int(passing[0])
    raise AssertionError("nobody does")


@pytest.mark.parametrize("wireless", [False, True])
def test_a_relay_that_dies_with_a_publication(wireless: bool) -> None:
    """The others are connected all the time, by another way."""
    square = [[0, 0], [80, 0], [80, 80], [0, 80]]
    shen = {"protocol": {"system": "shen"}, "duration": 90}
    net = network(square, **shen) if wireless else Network(parse({"topology": {"kind": "ring", "n": 4}, **shen}))
    net.subscribe(2, "a")
    net.run(40)
    net.publish(0, "a")
    net.crash([relay(net)])
    assert figures(net)["missed_by"] == {missing.NODE_STOPPED: 1}


def test_a_broadcast_that_nobody_hears() -> None:
    net = line(3, "flood", radio={"model": "lossy"})
    net.world.tally["loss"] = 1 << 31
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {missing.UNHEARD: 1}


def test_a_repetition_that_a_busy_subscriber_does_not_let_through() -> None:
    net = line(3)
    erase(net, 0)                           # so that it is repeated as soon as the table leads somewhere
    net.publish(0, "a")
    names = net.world.handed[2]
    names["origin"], names["until"] = 99, net.now + int(net.world.stations["offset"][2]) + REPEAT_LIFE
    net.run(15)
    assert int(net.world.tally["delivered"][0]) == 0
    assert figures(net)["missed_by"] == {missing.CROWDED: 1}


def test_a_run_that_is_stopped_early() -> None:
    net = line(5)
    net.publish(0, "a")
    found = summary(net)
    assert found["missed_by"] == {missing.UNDER_WAY: 1} and found["missed"] == 1
    assert figures(net)["missed_by"] == {}


def test_reasons_are_not_asked_of_those_who_got_it() -> None:
    """One of two subscribers is reached: the other alone is counted."""
    net = line(3)
    net.subscribe(1, "a")
    net.run(10)
    erase(net, 1)
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {missing.UNNOTICED: 1}
    assert np.count_nonzero(net.world.publications["reason"]) == 0
