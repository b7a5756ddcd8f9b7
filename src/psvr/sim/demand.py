"""What applications want of the network: who publishes when, and who subscribes and leaves when."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from psvr.errors import BadInput
from psvr.graphs.csr import Ints

from .derived import micros
from .draws import chosen, poisson
from .scenario import Scenario, Traffic
from .streams import stream

SOURCE = np.dtype([
    ("node", "i4"), ("channel", "i4"), ("first", "i8"), ("period", "i8"), ("stop", "i8"), ("load", "i4")])
CHANGE = np.dtype([("time", "i8"), ("node", "i4"), ("channel", "i4"), ("on", "i4")])

WHOM_IT_FINDS = -1


class Wish(NamedTuple):
    """A change that somebody wants, in the order in which changes of one time are made."""

    time: int
    entry: int              # of [[traffic]], for churn; −1 for a change of its own
    number: int             # among those of the entry
    node: int               # or WHOM_IT_FINDS
    on: bool = False
    chance: float = 0.0     # from 0 to 1, picks whom it finds


class Members:
    """Who subscribes: the first `count` in `order`.  Anyone is found, drawn or moved at once."""

    def __init__(self, n: int, members: Ints) -> None:
        others = np.ones(n, dtype=bool)
        others[members] = False
        self.n, self.count = n, members.size
        self.order: list[int] = np.concatenate((members, np.flatnonzero(others))).tolist()
        self.place = {v: i for i, v in enumerate(self.order)}

    def move(self, v: int, on: bool) -> bool:
        """Subscribe or leave; False if that changes nothing."""
        if (self.place[v] < self.count) == on:
            return False
        edge = self.count if on else self.count - 1
        u, at = self.order[edge], self.place[v]
        self.order[edge], self.order[at] = v, u
        self.place[v], self.place[u] = edge, at
        self.count += 1 if on else -1
        return True

    def pick(self, member: bool, chance: float) -> int:
        low, high = (0, self.count) if member else (self.count, self.n)
        return self.order[low + int(chance * (high - low))]


def channels_of(s: Scenario) -> list[str]:
    """The channels in the order in which the scenario names them."""
    return list(dict.fromkeys([t.channel for t in s.traffic] + [c.channel for c in s.subscribe]))


def span(t: Traffic, s: Scenario) -> tuple[int, int]:
    return micros(t.start), micros(s.duration if t.stop is None else t.stop)


def sources(s: Scenario, n: int) -> NDArray[np.void]:
    """Publishers by the time of their first publication; those that would begin too late are left out."""
    rows = np.concatenate([np.zeros(0, SOURCE), *(sources_of(s, i, n) for i in range(len(s.traffic)))])
    return rows[np.lexsort((rows["node"], rows["first"]))]


def sources_of(s: Scenario, i: int, n: int) -> NDArray[np.void]:
    """Each node has a phase of its own, whoever else publishes."""
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
    """All that subscriptions do, by time; what would change nothing is left out."""
    channels = channels_of(s)
    parts = [part for place, channel in enumerate(channels) for part in changes_of(s, channel, place, n)]
    rows = np.concatenate([np.zeros(0, CHANGE), *parts])
    rows = rows[np.argsort(rows["time"], kind="stable")]
    if len(channels) > s.protocol.channels:
        check_room(rows, s.protocol.channels)
    return rows


def changes_of(s: Scenario, channel: str, place: int, n: int) -> list[NDArray[np.void]]:
    """The first subscribers, and then what comes of each wish in its turn."""
    first = np.zeros(n, dtype=bool)
    for i, t in enumerate(s.traffic):
        if t.channel == channel:
            first[chosen(t.subscribers, n, stream(s.seed, f"traffic/{i}/subscribers"))] = True
    members = np.flatnonzero(first).astype(np.int32)
    rows = np.zeros(members.size, CHANGE)
    rows["node"], rows["channel"], rows["on"] = members, place, 1
    wishes = sorted(single(s, channel) + churn(s, channel))
    return [rows, np.array(granted(wishes, place, n, members), CHANGE)] if wishes else [rows]


def single(s: Scenario, channel: str) -> list[Wish]:
    return [Wish(micros(c.at), -1, j, c.node, c.on) for j, c in enumerate(s.subscribe) if c.channel == channel]


def churn(s: Scenario, channel: str) -> list[Wish]:
    """Times of one stream and nodes of another, so that a longer run only adds to a shorter one."""
    wishes = []
    for i, t in enumerate(s.traffic):
        if t.channel == channel:
            times = poisson(t.churn, *span(t, s), stream(s.seed, f"traffic/{i}/churn"))
            chances = stream(s.seed, f"traffic/{i}/churn/nodes").random(times.size)
            wishes += [Wish(time, i, j, WHOM_IT_FINDS, chance=chance)
                       for j, (time, chance) in enumerate(zip(times.tolist(), chances.tolist()))]
    return wishes


def granted(wishes: list[Wish], place: int, n: int, first: Ints) -> list[tuple[int, int, int, int]]:
    """Churn lets one leave, the next time one join, and so keeps their number."""
    members, joins, rows = Members(n, first), dict.fromkeys((w.entry for w in wishes), False), []
    for wish in wishes:
        node, on = wish.node, wish.on
        if node == WHOM_IT_FINDS:
            on = members.count == 0 or (joins[wish.entry] and members.count < n)
            node = members.pick(not on, wish.chance)
            joins[wish.entry] = not on
        if members.move(node, on):
            rows.append((wish.time, node, place, int(on)))
    return rows


def check_room(rows: NDArray[np.void], room: int) -> None:
    """No node subscribes to more channels at a time than it has room for."""
    by_node = rows[np.argsort(rows["node"], kind="stable")]
    held = np.cumsum(2 * by_node["on"] - 1)
    first = np.searchsorted(by_node["node"], by_node["node"])
    held -= held[first] - 1          # every node begins with a subscription
    most = int(held.argmax()) if held.size else 0
    if held.size and held[most] > room:
        raise BadInput(f"protocol.channels: must be at least {held[most]}, since node {by_node['node'][most]} "
                       f"subscribes to so many, not {room}")
