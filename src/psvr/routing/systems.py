"""The systems that are compared, and how one publication is routed under each of them.

A system is a function from a settled network and a publication to the messages it sends.  A user's file can add one
with the same decorator (`custom.load_systems`); from then on it is compared like all others.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from psvr.errors import BadInput, shown
from psvr.fields.checks import whole
from psvr.graphs.checks import nodes
from psvr.graphs.csr import Ints
from psvr.graphs.graph import Graph
from psvr.protocol.systems import PROVIDED, is_taken, load_provided
from psvr.routing.kernels.publish import best_origin, hops_of_2015, lap, skips, spread
from psvr.routing.kernels.steiner import steiner_tree
from psvr.routing.kernels.trees import pruned

from .settled import Settled
from .validation import Message, checked_count, checked_messages

__all__ = ["SYSTEMS", "Message", "Publication", "Route", "Settled", "System", "hops_of", "route", "system"]


@dataclass(frozen=True)
class Publication:
    """What is to be routed; the subscribers are in ascending order and may include the publisher."""

    publisher: int
    subscribers: Ints
    shortcuts: str = "all"
    start: int | None = None  # vr2015 only: the position at which it starts


@dataclass(frozen=True)
class Route:
    """How a publication travels, and what it costs."""

    messages: list[Message]  # (from, to, ep) in positions, or (from, to) in nodes, in the order sent
    hops: dict[int, int]  # subscriber other than the publisher → hops until it first gets the publication
    count: int  # what it costs, in messages


@dataclass(frozen=True)
class System:
    """A way to route publications; `count` returns the cost of messages where it is not simply their number."""

    name: str
    positions: bool
    text: str
    messages: Callable[[Settled, Publication], list[Message]]
    count: Callable[[Settled, list[Message]], int]
    file: str = ""  # the user's file that it was loaded from


SYSTEMS: dict[str, System] = {}


def system(
    name: str,
    *,
    positions: bool,
    text: str,
    count: Callable[[Settled, list[Message]], int] = lambda settled, messages: len(messages),
) -> Callable[[Callable[[Settled, Publication], list[Message]]], Callable[[Settled, Publication], list[Message]]]:
    """Register a function as a system; with `positions` messages are (from, to, ep), else (from, to) in nodes."""
    if name in SYSTEMS:
        raise BadInput(f"system: must have a name of its own, {shown(name)} exists")

    def register(
        function: Callable[[Settled, Publication], list[Message]],
    ) -> Callable[[Settled, Publication], list[Message]]:
        if is_taken(name, function.__module__):
            raise BadInput(f"system: must have a name of its own, {shown(name)} exists")
        SYSTEMS[name] = System(name, positions, text, function, count)
        return function

    return register


def names() -> tuple[str, ...]:
    """The names of all systems, also of those that are loaded when they are first named."""
    return tuple(dict.fromkeys((*SYSTEMS, *PROVIDED)))


def is_known(name: str) -> bool:
    """Return whether there is a system of this name, after loading it if it is loaded on demand."""
    load_provided(name)
    return name in SYSTEMS


def route(
    settled: Settled,
    system: str,
    publisher: int,
    subscribers: Iterable[int],
    shortcuts: str = "all",
    start: int | None = None,
) -> Route:
    """Route one publication; `start` is the position at which vr2015 starts, by default the cheapest."""
    if not is_known(system):
        raise BadInput(f"system: must be one of {', '.join(names())}, not {shown(system)}")
    n = settled.graph.n
    publisher = whole(publisher, "publisher", 0, n - 1)
    settled.shortcuts(shortcuts)
    if start is not None and not settled.length:
        raise BadInput("start: must be left out, because a single node has no ring")
    if start is not None:
        start = whole(start, "start", 0, settled.length - 1)
        if settled.ring[start] != publisher:
            raise BadInput(f"start: must be a position of the publisher, not {start} of node {settled.ring[start]}")
    publication = Publication(publisher, nodes(subscribers, "subscribers", n), shortcuts, start)
    chosen = SYSTEMS[system]
    if chosen.file:
        messages = checked_messages(chosen, settled, publication)
        count = checked_count(chosen, settled, messages)
    else:
        messages = chosen.messages(settled, publication)
        count = chosen.count(settled, messages)
    return Route(messages, hops_of(settled, publication, messages, chosen.positions), count)


def hops_of(settled: Settled, publication: Publication, messages: list[Message], positions: bool) -> dict[int, int]:
    """The number of hops until each subscriber first gets the publication.

    A message sent from a position that was reached counts from there; one sent from another position of the node
    counts from when the node was reached.
    """
    node = {publication.publisher: 0}
    place: dict[int, int] = {}
    for message in messages:
        source, goal = message[0], message[1]
        sender, receiver = (int(settled.ring[source]), int(settled.ring[goal])) if positions else (source, goal)
        hops = place.get(source, node[sender]) + 1
        place.setdefault(goal, hops)
        node.setdefault(receiver, hops)
    return {v: node[v] for v in publication.subscribers.tolist() if v in node and v != publication.publisher}


@system("psvr", positions=True, text="publish/subscribe on the virtual ring: one message per interval with subscribers")
def psvr(settled: Settled, publication: Publication) -> list[Message]:
    length = settled.length
    if not length:
        return []
    tables, ns = settled.tables(publication.shortcuts), settled.next_subscriber(publication.subscribers)
    source, goal, end = (np.empty(length, dtype=np.int32) for _ in range(3))
    sent = spread(tables, settled.positions(publication.publisher)[0], ns, source, goal, end)
    return list(zip(source[:sent].tolist(), goal[:sent].tolist(), end[:sent].tolist()))


@system("vr2015", positions=True, text="one message round the ring, from next subscriber to next subscriber")
def vr2015(settled: Settled, publication: Publication) -> list[Message]:
    length = settled.length
    if not length:
        return []
    hop, goal = np.empty(length, dtype=np.int32), np.empty(length, dtype=np.int32)
    ns = settled.next_subscriber(publication.subscribers)
    hops_of_2015(settled.tables(publication.shortcuts), ns, hop)
    origin = publication.start
    if origin is None:
        depth, jump = np.empty((2, 2 * length + 1), dtype=np.int32)
        skips(hop, depth, jump)
        origin, _ = best_origin(publication.publisher, hop, depth, jump, settled.first_own, settled.own)
    sent = lap(origin, hop, goal)
    goals = goal[:sent].tolist()
    return [(p, q, origin) for p, q in zip([origin, *goals], goals)]


@system("ring", positions=True, text="once round the whole ring, whoever subscribes")
def ring(settled: Settled, publication: Publication) -> list[Message]:
    length = settled.length
    if not length:
        return []
    origin = int(settled.positions(publication.publisher)[0])
    return [((origin + k) % length, (origin + k + 1) % length, origin) for k in range(length)]


def along(graph: Graph, publication: Publication) -> list[Message]:
    sender, receiver = pruned(graph.start, graph.near, publication.publisher, publication.subscribers)
    return list(zip(sender.tolist(), receiver.tolist()))


@system("shen", positions=False, text="along the spanning tree, to every side that has subscribers")
def shen(settled: Settled, publication: Publication) -> list[Message]:
    return along(settled.tree, publication)


@system("td", positions=False, text="T_D: along a breadth-first tree of the publisher's own")
def td(settled: Settled, publication: Publication) -> list[Message]:
    return along(settled.graph, publication)


@system("ts", positions=False, text="T_S: along one breadth-first tree from the centre of the network")
def ts(settled: Settled, publication: Publication) -> list[Message]:
    return along(settled.central_tree, publication)


@system("steiner", positions=False, text="the least possible number of messages, for at most 10 subscribers")
def steiner(settled: Settled, publication: Publication) -> list[Message]:
    tree = steiner_tree(settled.graph, publication.publisher, publication.subscribers)
    return along(tree, publication)


@system("flood", positions=False, text="every node repeats it once", count=lambda settled, messages: settled.graph.n)
def flood(settled: Settled, publication: Publication) -> list[Message]:
    everyone = np.arange(settled.graph.n, dtype=np.int32)
    return along(settled.graph, Publication(publication.publisher, everyone))
