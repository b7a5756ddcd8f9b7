"""A network put into its settled state by hand, for worked examples: tree given, the rest by the rules."""

from collections import deque
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import links, node, ring, tree
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Hello, Sub
from tests.support.network import CHANNEL, Network


def settle(
    n: int,
    edges: list[tuple[int, int]],
    parent: list[int],
    subscribers: list[int],
    shortcuts: str = "all",
    system: str = "psvr",
) -> Network:
    """All links kept, the tree as given, positions and tables as the rules make them."""
    degree = max((sum(v in e for e in edges) for v in range(n)), default=1)
    capacity = Capacity(links=max(degree, 2), candidates=2, channels=2)
    setup = {"links": capacity.links, "system": k.SYSTEMS.index(system), "shortcuts": k.SHORTCUTS.index(shortcuts)}
    net = Network([(u, v) for u, v in edges], n, capacity=capacity, settings=setup)
    root = parent.index(-1)
    for v in range(n):
        me = net.node[v]
        me.root, me.parent, me.dist = root, parent[v], depth(parent, v)
        for link, u in zip(me.link, sorted(net.near[v])):
            link.id, link.keeps_me, link.root, link.parent, link.heard = u, 1, root, parent[u], net.now
    for _ in range(2 * n):
        exchange(net)
    for v in subscribers:
        net.subscribe(v)
    for v in subscribers:
        spread_sub(net, v)
    return net


def depth(parent: list[int], v: int) -> int:
    return 0 if parent[v] == -1 else 1 + depth(parent, parent[v])


def exchange(net: Network) -> None:
    """One round of the ring layer alone."""
    for v, me in enumerate(net.node):
        ring.derive(me)
        hello = blank(Hello, net.capacity)
        tree.write(me, hello)
        ring.write(me, hello)
        links.write(me, hello)
        for u in net.near[v]:
            ring.hear(net.node[u], net.node[u].link[links.find(net.node[u], v)], hello)


def spread_sub(net: Network, v: int) -> None:
    """A SUB of v, until it has gone everywhere it goes; `shen` repeats until nothing new is said."""
    waiting: deque[Any] = deque(subs_of(net, v))
    while waiting:
        at, sub = waiting.popleft()
        for u in sorted(net.near[at]):
            me, out = net.node[u], blank(Sub, net.capacity)
            me.sub_at = net.now + k.SECOND
            node.hear_sub(me, net.now, sub, out)
            if out.channels:
                waiting.append((u, out))
            if me.sub_at < net.now + k.SECOND:  # it has something new to say
                waiting.extend(subs_of(net, u))


def subs_of(net: Network, v: int) -> list[tuple[int, Any]]:
    found, part = [], 0
    while True:
        sub = blank(Sub, net.capacity)
        part = node.write_sub(net.node[v], net.now, part, sub)
        found.append((v, sub))
        if part == 0:
            return found


def ring_of(net: Network) -> list[int]:
    at = {p: v for v, me in enumerate(net.node) for p in me.position if p >= 0}
    return [at[p] for p in range(len(at))]


def next_subscribers(net: Network) -> list[int | None]:
    from psvr.protocol.table import next_subscriber

    found: dict[int, int | None] = {}
    for me in net.node:
        for j, p in enumerate(me.position):
            if p >= 0:
                s = next_subscriber(me, CHANNEL, j)
                found[p] = None if s < 0 else s
    return [found[p] for p in range(len(found))]


def messages(net: Network, publisher: int) -> list[tuple[int, int, int]]:
    """Every PUB of one publication as (from, to, ep), in the order in which they are sent."""
    net.pubs.clear()
    net.delivered.clear()
    net.received.clear()
    net.publish(publisher)
    return [(at, goal, ep) for _, at, goal, ep in net.pubs]
