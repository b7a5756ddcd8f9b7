"""Every missed publication has one reason, and nothing is lost without being reported."""

from typing import Any

import numpy as np
import pytest

from psvr.protocol import constants as k
from psvr.protocol.constants import SYSTEMS
from psvr.protocol.host.holding import IN_FLIGHT, WAITING
from psvr.sim import missing
from psvr.sim.network import Network
from psvr.sim.running import run_to_end
from psvr.sim.scenario import parse
from psvr.sim.summary import summarize
from tests.support.sim.channels import network

LINK_FAILED, NODE_STOPPED, CROWDED = (k.REASONS[reason] for reason in (k.LINK_FAILED, k.NODE_STOPPED, k.CROWDED))
PAPER: dict[str, Any] = {"host": {"profile": "paper"}}
STORM = [
    {"at": 15, "kind": "crash", "rate": 6, "duration": 30},
    {"at": 15, "kind": "restart", "rate": 6},
    {"at": 15, "kind": "cut", "rate": 6, "duration": 30},
    {"at": 30, "kind": "corrupt", "nodes": 3},
    {"at": 40, "kind": "jam", "nodes": 4, "duration": 10},
]


def figures(net: Network) -> dict[str, Any]:
    """Of a run to its end, after which each missed pair has a reason."""
    run_to_end(net)
    found = summarize(net)
    assert sum(found["missed_by"].values()) == found["missed"]
    assert set(found["missed_by"]) <= set(missing.NAMES) and all(found["missed_by"].values())
    return found


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_reasons_add_up_in_a_storm(system: str, loss: float) -> None:
    found: dict[str, int] = {}
    for seed in range(6):
        net = Network(
            parse(
                {
                    "seed": seed,
                    "duration": 70,
                    "topology": {"kind": "gnp", "n": 14, "degree": 4},
                    "fault": STORM,
                    "radio": {"model": "lossy", "loss": loss, "retries": 1},
                    "protocol": {"system": system},
                    "traffic": [{"channel": "a", "subscribers": 5, "every": 2}],
                }
            )
        )
        for reason, number in figures(net)["missed_by"].items():
            found[reason] = found.get(reason, 0) + number
    assert sum(found.values()) > 50, "a storm indeed"
    assert (missing.UNHEARD in found) == (system == "flood") and (missing.UNNOTICED in found) == (system != "flood")
    assert (k.REASONS[k.OTHER_RING] in found or LINK_FAILED in found) == (system != "flood")


@pytest.mark.parametrize("system", ["psvr", "shen", "flood"])
def test_reasons_add_up_over_a_wireless_channel(system: str) -> None:
    net = Network(
        parse(
            {
                "seed": 5,
                "duration": 70,
                "topology": {"kind": "geometric", "n": 14, "degree": 8},
                "fault": STORM,
                "radio": {"model": "ieee802154"},
                "protocol": {"system": system},
                "traffic": [{"channel": "a", "subscribers": 5, "every": 2}],
            }
        )
    )
    assert figures(net)["missed"] > 20


def test_names_stand_where_the_numbers_point() -> None:
    assert missing.NAMES[1 : len(k.REASONS)] == k.REASONS[1:] and len(set(missing.NAMES)) == len(k.REASONS) + 2


def line(n: int, system: str = "psvr", **tables: Any) -> Network:
    """Settled, with the last node subscribed."""
    net = Network(
        parse({"topology": {"kind": "line", "n": n}, "protocol": {"system": system}, "duration": 60, **tables})
    )
    net.subscribe(n - 1, "a")
    net.run(20)
    return net


def erase(net: Network, v: int) -> None:
    """Make a table lead nowhere, until the next SUB arrives."""
    net.world.nodes["row"]["entry"]["ns"][v] = -1


def test_a_publication_that_vanishes_in_silence_is_counted() -> None:
    net = line(3, **PAPER)
    erase(net, 1)
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {missing.UNNOTICED: 1}


def test_a_publication_waits_where_no_table_leads_on() -> None:
    net = line(3)
    erase(net, 1)
    net.publish(0, "a")
    net.run(0.5)
    assert int(net.world.tally["delivered"][0]) == 0
    assert figures(net)["missed_by"] == {} and int(net.world.tally["delivered"][0]) == 1


def test_links_that_fail() -> None:
    net = line(3, "shen", radio={"model": "lossy", "retries": 0}, **PAPER)
    net.world.tally["loss"] = 1 << 31
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {LINK_FAILED: 1}


def test_a_node_that_starts_anew_forgets_what_waited() -> None:
    net = Network(parse({"topology": {"kind": "line", "n": 3}, "duration": 60}))
    net.subscribe(2, "a")
    published = 0
    while not (net.world.held["state"][0] == WAITING).any():  # up to then it is alone, and keeps what it publishes
        net.run(0.1)
        net.publish(0, "a")
        published += 1
    net.restart([0])
    assert figures(net)["missed_by"] == {k.REASONS[k.ALONE]: published - 1, NODE_STOPPED: 1} and published > 1


def relay(net: Network) -> int:
    """The first node with an odd number that passes something on."""
    for _ in range(1000):
        net.step()
        passing = [v for v in range(1, net.plan.n, 2) if (net.world.held["state"][v] == IN_FLIGHT).any()]
        if passing:
            return passing[0]
    raise AssertionError("nobody does")


@pytest.mark.parametrize("wireless", [False, True])
def test_a_relay_that_dies_with_a_publication(wireless: bool) -> None:
    """The others are always connected, by another path."""
    square: list[list[float]] = [[0, 0], [80, 0], [80, 80], [0, 80]]
    shen = {"protocol": {"system": "shen"}, "duration": 90, **PAPER}
    net = network(square, **shen) if wireless else Network(parse({"topology": {"kind": "ring", "n": 4}, **shen}))
    net.subscribe(2, "a")
    net.run(40)
    net.publish(0, "a")
    has_it = relay(net)
    net.machine.advance(net.now + 700)  # µs: it is acknowledged, and not yet on its way
    net.crash([has_it])
    assert figures(net)["missed_by"] == {NODE_STOPPED: 1}


def test_a_broadcast_that_nobody_hears() -> None:
    net = line(3, "flood", radio={"model": "lossy"})
    net.world.tally["loss"] = 1 << 31
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {missing.UNHEARD: 1}


def test_a_repetition_that_a_busy_subscriber_does_not_let_through() -> None:
    net = line(3)
    erase(net, 0)  # so that it is repeated as soon as the table leads somewhere
    net.publish(0, "a")
    names = net.world.names[2]
    names["origin"], names["at"] = 99, net.now + int(net.world.stations["offset"][2])
    net.run(15)
    assert int(net.world.tally["delivered"][0]) == 0
    assert figures(net)["missed_by"] == {CROWDED: 1}


def test_a_run_that_is_stopped_early() -> None:
    net = line(5)
    net.publish(0, "a")
    found = summarize(net)
    assert found["missed_by"] == {missing.UNDER_WAY: 1} and found["missed"] == 1
    assert figures(net)["missed_by"] == {}


def test_reasons_are_not_asked_of_those_who_got_it() -> None:
    """One of two subscribers is reached: only the other is counted."""
    net = line(3, **PAPER)
    net.subscribe(1, "a")
    net.run(10)
    erase(net, 1)
    net.publish(0, "a")
    assert figures(net)["missed_by"] == {missing.UNNOTICED: 1}
    assert np.count_nonzero(net.world.publications["reason"]) == 0
