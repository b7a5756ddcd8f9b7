"""Networks under the related systems, with a short lease, and what is published in them."""

import random
from collections import Counter
from typing import Any

from psvr.sim.network import Network
from psvr.sim.scenario import parse

LEASE = 4.0  # δ_S
LIFE = 4 * LEASE  # T_w/back: how long an interest lives, and how soon a publisher explores again
SETUP = LEASE / 2  # for how long it then goes on exploring
REFRESH = 1.5 * LEASE  # the longest time between two floods of an interest, or two SUBs of a subscriber
PAUSE = 1.0  # between two publications
GRID = {"kind": "grid", "rows": 4, "columns": 4}


def network(topology: dict[str, Any], system: str, seed: int = 1, **tables: Any) -> Network:
    protocol = {"system": system, "lease": LEASE}
    return Network(parse({"seed": seed, "topology": topology, "protocol": protocol, **tables}))


def random_network(seed: int, system: str) -> tuple[Network, list[int], int]:
    """A settled network, the subscribers in it, and a publisher that is none of them."""
    rng = random.Random(seed)
    n, kind = rng.randint(8, 40), rng.choice(["gnp", "geometric"])
    degree = min(rng.choice([5.0, 7.0, 9.0]), n - 1)
    profile = {"profile": ("full", "paper")[seed % 2]}
    net = network({"kind": kind, "n": n, "degree": degree}, system, seed, host=profile)
    publisher, *subscribers = rng.sample(range(n), rng.randint(2, 7))
    for v in subscribers:
        net.subscribe(v, "c")
    net.run_until_stable(120)
    net.run(30)
    return net, subscribers, publisher


def published(net: Network, v: int, times: int = 1) -> list[tuple[int, Counter[int]]]:
    """Let a node publish some times: the number of messages of each, and how often each node got it."""
    found = []
    for _ in range(times):
        publication = net.publish(v, "c")
        net.run(PAUSE)
        deliveries = net.world.deliveries[: net.world.tally["delivered"][0]]
        got = Counter(deliveries["node"][deliveries["publication"] == publication].tolist())
        found.append((int(net.world.publications["messages"][publication]), got))
    return found


def messages_of(net: Network, v: int, subscribers: list[int], times: int = 1) -> list[int]:
    """The same, if every subscriber got each once."""
    found = published(net, v, times)
    assert all(got == Counter(subscribers) for _, got in found), (net.scenario.seed, found, subscribers)
    return [messages for messages, _ in found]


def exploring(net: Network, v: int, subscribers: list[int]) -> None:
    """Let a node publish until what it publishes next follows reinforced paths only."""
    messages_of(net, v, subscribers, round(SETUP / PAUSE) + 1)


def entries(net: Network) -> Any:
    """The tables of all nodes, as arrays that may be written to."""
    return net.world.nodes["row"]["entry"]
