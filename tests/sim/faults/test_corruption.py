"""The fault that writes memory: what it writes is of the kind that was asked for, matters, and goes everywhere."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from psvr.compiled import node as rules
from psvr.protocol import constants as k
from psvr.protocol.host.holding import FREE, IN_FLIGHT
from psvr.protocol.records import READ_ONLY
from psvr.sim.faults import foreign
from psvr.sim.faults.corruption import STRAY, STRAY_SUBS, Corruption
from psvr.sim.faults.memory import MIXTURE
from psvr.sim.network import Network
from psvr.sim.scenario import parse

N, SEEDS = 24, 24
KEPT = ("links", "root", "ring", "rows")


def settled(seed: int = 1, run: float = 30.0) -> Network:
    net = Network(
        parse(
            {
                "seed": seed,
                "duration": 1e6,
                "topology": {"kind": "geometric", "n": N, "degree": 7, "ids": "random"},
                "traffic": [{"channel": "c", "subscribers": 6, "publishers": 0}],
            }
        )
    )
    net.run(run)
    return net


def fault(net: Network, seed: int = 5) -> Corruption:
    return Corruption(net.machine, np.random.default_rng(seed), net._other_network)


def what_is_left(net: Network) -> Counter[str]:
    """How many nodes have links, a root, a ring, or rows after the first rule has put their memory in range."""
    left: Counter[str] = Counter()
    for v in range(N):
        now = net.now + int(net.world.stations["offset"][v])
        rules.wake(net.world.nodes[v], now, net.world.hellos[v])
        me = net.world.nodes[v]
        left.update(
            name
            for name, has in zip(
                KEPT,
                (
                    (me["link"]["id"] >= 0).sum() >= 2,
                    me["root"] != me["id"],
                    me["length"] > 0 and me["position"][0] >= 0,
                    (me["channel"] != k.NO_CHANNEL).any(),
                ),
            )
            if has
        )
    return left


@pytest.mark.parametrize(
    "memory, least",
    [
        ("bytes", (0, 0, 0, 0)),
        ("plausible", (0.5, 0.3, 0.2, 0.2)),
        ("swapped", (0.5, 0.7, 0.3, 0.3)),
        ("foreign", (0.3, 0.7, 0.3, 0.3)),
        ("any", (0.3, 0.3, 0.1, 0.1)),
    ],
)
def test_memory_survives_the_first_rule(memory: str, least: tuple[float, ...]) -> None:
    left: Counter[str] = Counter()
    for seed in range(SEEDS):
        net = settled(seed)
        net.corrupt(range(N), memory)
        left += what_is_left(net)
    for name, share in zip(KEPT, least):
        assert left[name] >= share * SEEDS * N, (memory, left)
        assert share or not left[name], "noise is noise"


def test_any_is_every_kind() -> None:
    it = fault(settled(run=0))
    drawn = Counter(it.kind("any") for _ in range(1000))
    assert set(drawn) == set(MIXTURE)
    assert all(abs(drawn[kind] / 1000 - share) < 0.05 for kind, share in MIXTURE.items())
    assert all(it.kind(kind) == kind for kind in ("bytes", "plausible", "swapped", "foreign"))


@pytest.mark.parametrize("kind", MIXTURE)
def test_what_is_read_only_is_spared_and_the_rest_is_not(kind: str) -> None:
    net = settled()
    before = net.world.nodes.copy()
    it = fault(net)
    for v in range(N):
        it.write(v, kind)
    for name in READ_ONLY:
        assert (net.world.nodes[name] == before[name]).all(), name
    changed = [
        name
        for name in before.dtype.names or ()
        if name not in READ_ONLY and (net.world.nodes[name] != before[name]).any()
    ]
    assert len(changed) >= 15 and "link" in changed
    struck = (net.world.nodes != before).tolist()
    assert sum(struck) >= (0.8 if kind == "changed" else 1) * N


def test_swapped_is_another_nodes_memory_before_the_fault() -> None:
    net = settled()
    before, clocks = net.world.nodes.copy(), net.world.stations["offset"].copy()
    it = fault(net)
    for v in range(N):
        it.write(v, "swapped")
    for v in range(N):
        u = next(u for u in range(N) if before["hello_at"][u] == net.world.nodes["hello_at"][v])
        assert u != v and (net.world.nodes["link"][v] == before["link"][u]).all()
        assert net.world.stations["offset"][v] == clocks[u], "else none of its times would be right"


def test_foreign_memory_is_whole_and_of_this_moment() -> None:
    """Its links were heard within the last periods of the node's own clock, and lead to a ring that is not here."""
    net = settled()
    ours = set(net.world.nodes["ring"].tolist())
    it = fault(net)
    for v in range(N):
        it.write(v, "foreign")
    nodes, now = net.world.nodes, net.now + net.world.stations["offset"]
    assert (nodes["length"] == 2 * (N - 1)).all() and not ours & set(nodes["ring"].tolist())
    for v in range(N):
        links = nodes["link"][v][nodes["link"]["id"][v] >= 0]
        assert len(links) and ((now[v] - 3 * k.SECOND <= links["heard"]) & (links["heard"] <= now[v])).all()


def test_another_network_is_settled_and_has_subscribers() -> None:
    net = settled()
    world, now = foreign.foreign_world(net.scenario, net.plan, np.random.default_rng(1))
    assert len(set(world.nodes["root"].tolist())) == 1 and len(set(world.nodes["ring"].tolist())) == 1
    assert (world.nodes["wants"] == world.hashes[0]).any(axis=1).sum() == 1 + N // 4
    assert now == (foreign.PERIODS + 1) * k.SECOND and world.tally["published"][0] == foreign.PUBLICATIONS
    assert net.now == 30 * k.SECOND and not net.problems(), "ours is as it was"


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_another_network_is_connected(n: int) -> None:
    graph = foreign.drawn(n, np.random.default_rng(n))
    reached, todo = {0}, [0]
    while todo:
        v = todo.pop()
        new = set(graph.near[graph.start[v] : graph.start[v + 1]].tolist()) - reached
        reached |= new
        todo += new
    assert len(reached) == n and (n < 4 or len(graph.near) > 2 * (n - 1)), "a tree, and some"


def publish_all(net: Network) -> Any:
    """Where PUBs stand that are on their way."""
    for v in range(N):
        net.publish(v, "c", load=40)
    net.run(0.012)
    places = net.world.held["state"] == IN_FLIGHT
    assert places.sum() > 5
    return places


@pytest.mark.parametrize("kind", ["bytes", "plausible", "changed", "blended"])
def test_frames_in_flight_keep_their_length_alone(kind: str) -> None:
    net = settled()
    places = publish_all(net)
    before, hellos = net.world.held["pub"].copy(), net.world.hellos.copy()
    it = fault(net)
    for v in range(N):
        it.write(v, kind)
    pubs = net.world.held["pub"]
    assert (pubs["load"][places] == before["load"][places]).all()
    assert (pubs["cur"] != before["cur"]).sum() >= N and (pubs["origin"] != before["origin"]).any()
    assert (net.world.held["state"] != FREE).sum() > places.sum() + N, "hosts have in hand what they never had"
    for name in ("links", "heards", "children"):
        assert (net.world.hellos[name] == hellos[name]).all()
    assert (net.world.hellos["seq"] != hellos["seq"]).sum() > N // 2


def test_what_others_hold_and_send_is_left_alone() -> None:
    net = settled()
    places = publish_all(net)
    before, subs = net.world.held.copy(), net.world.subs.copy()
    v = int(np.flatnonzero(places.any(axis=1))[0])
    it = fault(net)
    it.world.sub_frames["used"][:4], it.world.sub_frames["node"][:4] = 1, [v, v, v + 1, v + 2]
    it.write(v, "bytes")
    assert [u for u in range(N) if (net.world.held[u] != before[u]).any()] == [v]
    assert np.flatnonzero(net.world.subs != subs).tolist() == [0, 1]
    assert (net.world.subs["channels"] == subs["channels"]).all()


def test_nodes_send_what_they_would_never_have_sent() -> None:
    net = settled()
    hellos, subs = net.world.stations["hellos"].copy(), int(net.world.pool["used"][0])
    net.corrupt(range(N), "plausible")
    sent = int((net.world.stations["hellos"] - hellos).sum())
    assert abs(sent - STRAY * N) < 0.35 * N
    in_flight = net.world.sub_frames["used"] != 0
    assert 0.2 * N < int(net.world.pool["used"][0]) - subs <= STRAY_SUBS * N
    assert (net.world.subs["channels"][in_flight] <= net.world.subs["channel"].shape[1]).all()


def test_the_dead_send_nothing_and_stay_dead() -> None:
    net = settled()
    net.crash(range(N))
    hellos = net.world.stations["hellos"].copy()
    net.corrupt(range(N))
    assert (net.world.stations["hellos"] == hellos).all() and (net.world.stations["wake_at"] == -1).all()
    assert not net.world.stations["alive"].any()


def test_hosts_believe_to_have_handed_over_what_is_still_to_come() -> None:
    """Also at a time that is still to come; and after a while everything is handed over again."""
    net = settled()
    net.corrupt(range(N), "plausible")
    names, now = net.world.names, (net.now + net.world.stations["offset"])[:, None]
    lies = names["boot"] > 0
    later = names["at"] - now
    assert (lies & (later > 0)).sum() > N and (lies & (later <= 0) & (later > -k.NAME_LIFE)).sum() > N
    assert names_to_come(net) > N, "of publications that these nodes are about to make"


def names_to_come(net: Network) -> int:
    """How many names that are believed to be handed over are those of the next publications of some node."""
    next_ones = {
        (int(net.world.ids[v]), int(host["number"]) + i) for v, host in enumerate(net.world.hosts) for i in range(1, 40)
    }
    return sum((int(h["origin"]), int(h["number"])) in next_ones for h in net.world.names.reshape(-1))


@pytest.mark.parametrize("kind", ["bytes", "plausible", "swapped"])
def test_clocks_and_numbers_of_hosts_are_written(kind: str) -> None:
    net = settled()
    publish_all(net)
    before, clocks = net.world.hosts.copy(), net.world.stations["offset"].copy()
    it = fault(net)
    for v in range(N):
        it.write(v, kind)
    assert (net.world.stations["offset"] != clocks).sum() >= 0.3 * N
    assert kind == "swapped" or (net.world.hosts["number"] != before["number"]).sum() >= 0.3 * N
    assert (net.world.hosts["number"] >= 0).all() and (net.world.stations["offset"] >= 0).all()
    assert (net.world.stations["wake_at"] >= net.now).all(), "everyone is woken"


def test_room_for_strays() -> None:
    """Also where pools are nearly full: they grow before a frame is taken."""
    net = settled()
    for _ in range(40):
        net.corrupt(range(N), "plausible")
    assert (net.world.sub_frames["used"] != 0).sum() == net.world.pool["used"][0] > 512
