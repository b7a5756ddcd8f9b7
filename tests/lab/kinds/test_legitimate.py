"""When networks under related systems are legitimate, by what their tables should say, and that they stay so."""

from typing import Any

import pytest

from psvr.lab.kinds.legitimate import compiled_survey, is_legitimate, tables_hold, until_legitimate
from psvr.protocol.constants import SECOND
from psvr.related import MODULES
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from tests.support.sim.related_networks import GRID, LEASE, LIFE, REFRESH, entries, exploring, network, published

LINE = {"kind": "line", "n": 5}


def settled(topology: dict[str, Any], system: str, *subscribers: int) -> Network:
    net = network(topology, system)
    for v in subscribers:
        net.subscribe(v, "c")
    assert until_legitimate(net, 120) is not None
    net.run(2 * LEASE)
    assert is_legitimate(net)
    return net


def place(net: Network, v: int, u: int) -> int:
    """The place of a neighbour among a node's links."""
    ids: list[int] = net.world.nodes[v]["link"]["id"].tolist()
    return ids.index(int(net.world.ids[u]))


def entry(net: Network, v: int, u: int) -> Any:
    """What a node remembers of a neighbour, in the row of the only channel."""
    [row] = net.world.nodes["channel"][v].nonzero()[0]
    return entries(net)[v, row, place(net, v, u)]


def now(net: Network, v: int) -> int:
    """The time on a node's clock."""
    return net.now + int(net.world.stations["offset"][v])


def test_other_systems_have_invariants_instead() -> None:
    assert compiled_survey("psvr") is None and compiled_survey("jaeger") is not None
    net = Network(parse({"topology": GRID}))
    assert tables_hold(net) and not is_legitimate(net)
    assert until_legitimate(net, 60) is not None and is_legitimate(net)


@pytest.mark.parametrize("system", ["jaeger", "diffusion"])
def test_a_time_limit_is_kept(system: str) -> None:
    net = network(GRID, system)
    net.subscribe(3, "c")
    assert until_legitimate(net, 1.0) is None and net.now == SECOND
    took = until_legitimate(net, 120)
    assert took is not None and net.now == SECOND + took * SECOND


@pytest.mark.parametrize("system", ["jaeger", "diffusion"])
def test_what_is_missing_on_the_way_to_a_subscriber_is_seen(system: str) -> None:
    net = settled(LINE, system, 4)
    entry(net, 1, 2)["ns"] = -1
    assert not tables_hold(net)
    net.run(REFRESH)
    assert tables_hold(net)
    net.world.nodes["channel"][0] = 0
    assert not tables_hold(net)


@pytest.mark.parametrize("system", ["jaeger", "diffusion"])
def test_a_subscriber_that_nobody_knows_is_seen(system: str) -> None:
    net = settled(LINE, system)
    net.subscribe(0, "c")
    assert not tables_hold(net)
    took = until_legitimate(net, LEASE)
    assert took is not None and tables_hold(net)


@pytest.mark.parametrize("system", ["jaeger", "diffusion"])
def test_a_subscriber_that_has_left_is_seen_until_all_leases_are_over(system: str) -> None:
    net = settled(LINE, system, 4)
    net.unsubscribe(4, "c")
    took = until_legitimate(net, 2 * LIFE)
    assert took is not None and LIFE - REFRESH < took <= LIFE + 2 * LEASE / 10 + 0.5


def test_an_entry_of_a_broker_for_nobody_is_seen() -> None:
    """Also where it makes no difference to any other broker: two of its neighbours subscribe, one does not."""
    net = settled({"kind": "edges", "n": 4, "edges": [[0, 1], [0, 2], [0, 3]]}, "jaeger", 1, 2)
    for freshness in (0, 1):  # marked, and fresh
        false = entry(net, 0, 3)
        false["ns"], false["since"], false["spare_since"] = freshness, now(net, 0), now(net, 0)
        assert not tables_hold(net)
    entry(net, 0, 3)["ns"] = -1
    assert tables_hold(net)
    entry(net, 0, 1)["ns"] = 0  # marked, and routing still
    entry(net, 0, 1)["since"] = now(net, 0)
    assert tables_hold(net)


def test_a_neighbour_that_wants_all_data_for_nobody_is_seen() -> None:
    net = settled(GRID, "diffusion", 0)
    exploring(net, 15, [0])
    assert tables_hold(net)
    rates = entries(net)["ns"]
    on_path = [v for v in range(16) if v == 0 or ((rates[v] >= 0) & (rates[v] % 2 == 1)).any()]
    v, u = next((v, u) for u in range(16) if u not in on_path for v in range(16) if asks_for_little(net, v, u))
    entry(net, v, u)["ns"] |= 1
    assert not tables_hold(net)
    net.run(LEASE)
    assert tables_hold(net)


def asks_for_little(net: Network, v: int, u: int) -> bool:
    """Whether u has told v an interest at the low rate."""
    if int(net.world.ids[u]) not in net.world.nodes[v]["link"]["id"].tolist():
        return False
    told = int(entry(net, v, u)["ns"])
    return told >= 0 and told % 2 == 0


def test_a_publisher_that_has_explored_needs_paths_reinforced_since() -> None:
    net = settled(GRID, "diffusion", 0)
    exploring(net, 15, [0])
    net.run(1.0)
    assert tables_hold(net)
    net.subscribe(12, "c")  # in a corner where no path ends
    assert not tables_hold(net)
    net.run(1.0)
    assert tables_hold(net) and published(net, 15)[0][1] == {0: 1, 12: 1}
    entries(net)["spare_since"] -= round(LIFE * SECOND)  # merits of an earlier exploration
    entries(net)["spare"] = -1
    assert not tables_hold(net)
    net.world.nodes["relayed"]["key"] = 0  # nobody remembers to have explored: the next publication explores
    assert tables_hold(net)


@pytest.mark.parametrize("system", MODULES)
def test_legitimate_networks_stay_so(system: str) -> None:
    for seed in range(3):
        net = network({"kind": "geometric", "n": 16, "degree": 6}, system, seed)
        for v in (1, 6, 11):
            net.subscribe(v, "c")
        net.corrupt(range(16))
        assert until_legitimate(net, 300) is not None
        first = len(net.history.checks)
        for v in (0, 9, 9, 4):
            net.publish(v, "c")
            net.run(10)
            assert tables_hold(net) or not all(good for _, good in net.history.checks[first:]), (seed, v)
