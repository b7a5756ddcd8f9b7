"""Whole networks, from nothing and from arbitrary memory, to all invariants true; then what publications do there."""

import random
from collections import Counter

import pytest

from psvr.protocol import constants as k
from psvr.protocol.invariants import components, ground_of, problems
from psvr.protocol.links import two_way
from psvr.protocol.positions import NONE
from tests.support.graphs import cliques, connected
from tests.support.network import CHANNEL, Network

LEASE = 5 * k.SECOND
DEADLINE = 90  # s: links are weighed anew (45 s), a lease of 5 s is written back (20 s), and some


def drawn(seed: int, system: int = k.PSVR) -> tuple[Network, list[int]]:
    """A random network of 1 to 24 nodes with random ids, loss and subscribers."""
    rng = random.Random(seed)
    n = rng.choice([1, 2, 3, rng.randint(4, 12), rng.randint(4, 24)])
    setup = {"system": system, "lease": LEASE, "shortcuts": rng.randint(0, 1)}
    net = Network(
        connected(n, rng.choice([2, 3, 5]), rng),
        n,
        seed=seed,
        settings=setup,
        loss=rng.choice([0, 0, 0.02, 0.1]),
        ids=rng.choice([[], sorted(rng.sample(range(10**6), n))]),
    )
    subscribers = rng.sample(range(n), rng.randint(0, n))
    net.subscribe(*subscribers)
    return net, subscribers


def wrong(net: Network) -> list[str]:
    return [str(p) for p in problems(net.node, ground_of(net.n, net.edges), [net.now] * net.n)]


def settles(net: Network, deadline: int) -> int:
    """Seconds until all invariants hold."""
    for second in range(deadline):
        if not wrong(net):
            return second
        net.run(1)
    raise AssertionError(f"seed {net.seed}: after {deadline} s, {wrong(net)}")


def publish_everywhere(net: Network, subscribers: list[int]) -> None:
    """Every node publishes once; every subscriber gets each publication exactly once, nobody else anything."""
    net.loss = 0.0
    numbers = [net.publish(v) for v in range(net.n)]
    got = Counter((number, v) for number, v, _ in net.delivered)
    assert got == Counter((number, v) for number in numbers for v in subscribers)


@pytest.mark.parametrize("block", range(8))
@pytest.mark.parametrize("system", range(5), ids=k.SYSTEMS)
def test_from_arbitrary_memory_to_exactly_once(system: int, block: int) -> None:
    """Over the blocks and systems, 480 networks, each drawn anew; n = 1 and n = 2 among them."""
    for seed in range(12 * block, 12 * block + 12):
        net, subscribers = drawn(seed, system)
        for v in range(net.n):
            net.corrupt(v)
        settles(net, DEADLINE)
        publish_everywhere(net, subscribers)
        if system in (k.PSVR, k.SHEN):
            assert max(Counter(net.received).values(), default=1) == 1, "received twice"


def kept(net: Network) -> list[tuple[int, int]]:
    """The two-way links, by index."""
    at = {id: v for v, id in enumerate(net.ids)}
    links = [(v, at[link.id]) for v, me in enumerate(net.node) for link in me.link if two_way(link)]
    return sorted({(min(link), max(link)) for link in links})


@pytest.mark.parametrize("system", ["psvr", "vr2015", "ring", "shen", "flood"])
def test_messages_are_those_of_exact_routing(system: str) -> None:
    """PUB by PUB, what the protocol sends is what routing predicts for the links, tree and set of that moment."""
    from psvr.graphs.graph import from_edges
    from psvr.routing.settled import Settled
    from psvr.routing.systems import route

    for seed in range(1000, 1030):
        net, subscribers = drawn(seed, k.SYSTEMS.index(system))
        settles(net, DEADLINE)
        net.loss, at = 0.0, {id: v for v, id in enumerate(net.ids)}
        parent = [at[me.parent] if me.parent != k.NOBODY else -1 for me in net.node]
        settled = Settled(from_edges(net.n, kept(net)), parent.index(-1), parent)
        shortcuts = k.SHORTCUTS[net.node[0].settings.shortcuts]
        for v in range(net.n):
            net.pubs.clear()
            net.publish(v)
            start = net.node[v].position[0] if system == "vr2015" and net.n > 1 else None
            expected = route(settled, system, v, subscribers, shortcuts, start)
            if system in ("shen", "flood"):
                assert len(net.pubs) == expected.count
            else:
                assert sorted(m[1:] for m in net.pubs) == sorted(expected.messages)


def test_from_nothing_all_nodes_subscribed_is_the_tree() -> None:
    """With all nodes subscribed PSVR sends n − 1 messages."""
    for seed in range(2000, 2010):
        rng = random.Random(seed)
        n = rng.randint(2, 16)
        net = Network(connected(n, 4, rng), n, seed=seed, settings={"lease": LEASE})
        net.subscribe(*range(n))
        settles(net, 40)
        for v in range(n):
            net.pubs.clear()
            net.publish(v)
            assert len(net.pubs) == n - 1


@pytest.mark.parametrize("links", [4, 6, 8])
@pytest.mark.parametrize("number, size", [(3, 10), (4, 8), (2, 20)])
def test_capped_links_keep_chains_of_cliques_connected(links: int, number: int, size: int) -> None:
    """20 % loss, single bridges; connected in time, and quiet from then on."""
    n = number * size
    net = Network(
        cliques(number, size),
        n,
        seed=links,
        settings={"links": links},
        loss=0.2,
        ids=random.Random(size).sample(range(1000), n),
    )
    net.run(30)
    assert set(components(n, kept(net))) == {0}
    before = set(kept(net))
    net.run(20)
    assert set(components(n, kept(net))) == {0}
    assert len(before ^ set(kept(net))) <= 0.1 * n


def test_leaf_and_link_faults_heal() -> None:
    healed = 0
    for seed in range(3000, 3020):
        rng = random.Random(seed)
        n = rng.randint(5, 14)
        net = Network(connected(n, 5, rng), n, seed=seed, settings={"lease": LEASE})
        subscribers = rng.sample(range(n), 3)
        net.subscribe(*subscribers)
        settles(net, 40)
        u, v = rng.choice(net.edges)
        rest = [e for e in net.edges if e != (u, v)]
        if len(set(components(n, rest))) > 1:
            continue
        net.cut(u, v)
        net.edges = rest
        settles(net, DEADLINE)
        publish_everywhere(net, subscribers)
        healed += 1
    assert healed >= 15


def test_partition_and_merge() -> None:
    """Two halves work each on its own, then as one again."""
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    net = Network(edges, 6, settings={"lease": LEASE})
    net.subscribe(1, 4)
    settles(net, 40)
    net.cut(2, 3)
    net.edges = [e for e in edges if e != (2, 3)]
    settles(net, DEADLINE)
    net.publish(0)
    assert [v for _, v, _ in net.delivered] == [1]
    net.near[2].add(3)
    net.near[3].add(2)
    net.edges = edges
    settles(net, DEADLINE)
    net.delivered.clear()
    publish_everywhere(net, [1, 4])


def test_a_new_subscription_is_known_at_once() -> None:
    """Within the tick in which it is made, where nothing is lost."""
    rng = random.Random(5)
    net = Network(connected(20, 3, rng), 20, settings={"lease": LEASE})
    net.subscribe(3, 8)
    settles(net, 40)
    net.subscribe(12)
    net.run(0.1)
    assert not wrong(net)


def test_unsubscription_leaves_no_trace() -> None:
    net, subscribers = drawn(11)
    settles(net, DEADLINE)
    for v in subscribers:
        net.rules.unsubscribe(net.node[v], net.now, CHANNEL)
    net.run(1.2 * k.WRITE_BACK * LEASE / k.SECOND)
    assert all(set(me.channel) == {k.NO_CHANNEL} for me in net.node) and not wrong(net)
    assert all(entry.ns == NONE for me in net.node for row in me.row for entry in row.entry)
