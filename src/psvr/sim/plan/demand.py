"""What applications do: who publishes when, and who subscribes and unsubscribes when."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from psvr.errors import BadInput
from psvr.graphs.csr import Ints
from psvr.sim.engine.world import SOURCE
from psvr.sim.scenario.defaults import micros
from psvr.sim.scenario.tables import Scenario, Traffic
from psvr.sim.streams import stream

from .draws import chosen, poisson

CHANGE = np.dtype([("time", "i8"), ("node", "i4"), ("channel", "i4"), ("on", "i4")])

ANY_NODE = -1


class Request(NamedTuple):
    """A request to change a subscription; the order of the fields decides the order of simultaneous requests."""

    time: int
    entry: int  # of [[traffic]], for churn; −1 for a [[subscribe]]
    number: int  # of the request within its entry
    node: int  # or ANY_NODE, for churn
    on: bool = False
    chance: float = 0.0  # from 0 to 1, picks the node for churn


class Members:
    """The subscribers: the first `count` in `order`.  Finding, drawing and moving a node take constant time."""

    def __init__(self, n: int, members: Ints) -> None:
        others = np.ones(n, dtype=bool)
        others[members] = False
        self.n, self.count = n, members.size
        self.order: list[int] = np.concatenate((members, np.flatnonzero(others))).tolist()
        self.place = {v: i for i, v in enumerate(self.order)}

    def move(self, v: int, on: bool) -> bool:
        """Subscribe or unsubscribe; returns False if that changes nothing."""
        if (self.place[v] < self.count) == on:
            return False
        edge = self.count if on else self.count - 1
        u, at = self.order[edge], self.place[v]
        self.order[edge], self.order[at] = v, u
        self.place[v], self.place[u] = edge, at
        self.count += 1 if on else -1
        return True

    def pick(self, member: bool, chance: float) -> int:
        """A random subscriber, or a random node that is none."""
        low, high = (0, self.count) if member else (self.count, self.n)
        return self.order[low + int(chance * (high - low))]


def channels_of(s: Scenario) -> list[str]:
    """The channels in the order in which the scenario names them."""
    return list(dict.fromkeys([t.channel for t in s.traffic] + [c.channel for c in s.subscribe]))


def span(t: Traffic, s: Scenario) -> tuple[int, int]:
    """When the publications of an entry begin and end, in µs."""
    return micros(t.start), micros(s.duration if t.stop is None else t.stop)


def sources(s: Scenario, n: int) -> NDArray[np.void]:
    """Publishers, by the time of their first publication; those that would start too late are left out."""
    rows = np.concatenate([np.zeros(0, SOURCE), *(sources_of(s, i, n) for i in range(len(s.traffic)))])
    return rows[np.lexsort((rows["node"], rows["first"]))]


def sources_of(s: Scenario, i: int, n: int) -> NDArray[np.void]:
    """The publishers of an entry; the phase of each does not depend on who else publishes."""
    t = s.traffic[i]
    start, stop = span(t, s)
    nodes = chosen(t.publishers, n, stream(s.seed, f"traffic/{i}/publishers"))
    phase = stream(s.seed, f"traffic/{i}/phase").random(n)[nodes]
    rows = np.zeros(nodes.size, SOURCE)
    rows["node"], rows["channel"], rows["load"] = nodes, channels_of(s).index(t.channel), t.payload
    rows["period"], rows["stop"] = micros(t.every), stop
    rows["first"] = start + (phase * micros(t.every)).astype(np.int64)
    return rows[rows["first"] < stop]


def changes(s: Scenario, n: int) -> NDArray[np.void]:
    """All changes of subscriptions, by time; those that would change nothing are left out."""
    channels = channels_of(s)
    parts = [part for place, channel in enumerate(channels) for part in changes_of(s, channel, place, n)]
    rows = np.concatenate([np.zeros(0, CHANGE), *parts])
    rows = rows[np.argsort(rows["time"], kind="stable")]
    if len(channels) > s.protocol.channels:
        check_room(rows, s.protocol.channels)
    return rows


def changes_of(s: Scenario, channel: str, place: int, n: int) -> list[NDArray[np.void]]:
    """The initial subscribers of a channel, and then the changes that requests make."""
    first = np.zeros(n, dtype=bool)
    for i, t in enumerate(s.traffic):
        if t.channel == channel:
            first[chosen(t.subscribers, n, stream(s.seed, f"traffic/{i}/subscribers"))] = True
    members = np.flatnonzero(first).astype(np.int32)
    rows = np.zeros(members.size, CHANGE)
    rows["node"], rows["channel"], rows["on"] = members, place, 1
    requests = sorted(single(s, channel) + churn(s, channel))
    return [rows, np.array(apply_requests(requests, place, n, members), CHANGE)] if requests else [rows]


def single(s: Scenario, channel: str) -> list[Request]:
    """The requests of [[subscribe]] for a channel."""
    return [Request(micros(c.at), -1, j, c.node, c.on) for j, c in enumerate(s.subscribe) if c.channel == channel]


def churn(s: Scenario, channel: str) -> list[Request]:
    """The requests of churn: times and nodes from separate streams, so that a longer run only adds to a shorter one."""
    requests = []
    for i, t in enumerate(s.traffic):
        if t.channel == channel:
            times = poisson(t.churn, *span(t, s), stream(s.seed, f"traffic/{i}/churn"))
            chances = stream(s.seed, f"traffic/{i}/churn/nodes").random(times.size)
            requests += [
                Request(time, i, j, ANY_NODE, chance=chance)
                for j, (time, chance) in enumerate(zip(times.tolist(), chances.tolist()))
            ]
    return requests


def apply_requests(requests: list[Request], place: int, n: int, first: Ints) -> list[tuple[int, int, int, int]]:
    """The changes that requests make; churn alternates between leaving and joining, which keeps the number constant."""
    members, joins, rows = Members(n, first), dict.fromkeys((w.entry for w in requests), False), []
    for request in requests:
        node, on = request.node, request.on
        if node == ANY_NODE:
            on = members.count == 0 or (joins[request.entry] and members.count < n)
            node = members.pick(not on, request.chance)
            joins[request.entry] = not on
        if members.move(node, on):
            rows.append((request.time, node, place, int(on)))
    return rows


def check_room(rows: NDArray[np.void], room: int) -> None:
    """Refuse a plan in which a node subscribes to more channels at a time than it has room for."""
    by_node = rows[np.argsort(rows["node"], kind="stable")]
    held = np.cumsum(2 * by_node["on"] - 1)
    first = np.searchsorted(by_node["node"], by_node["node"])
    held -= held[first] - 1  # every node begins with a subscription
    peak = int(held.argmax()) if held.size else 0
    if held.size and held[peak] > room:
        raise BadInput(
            f"protocol.channels: must be at least {held[peak]}, since node {by_node['node'][peak]} "
            f"subscribes to so many, not {room}"
        )
