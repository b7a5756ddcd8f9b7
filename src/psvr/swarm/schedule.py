"""What a scenario asks of real nodes: the impossible is refused, the rest becomes a schedule of actions."""

import heapq
from collections.abc import Iterator
from typing import NamedTuple

from psvr.errors import BadInput
from psvr.node.config.config import settings
from psvr.protocol import constants as k
from psvr.sim.plan import Plan
from psvr.sim.plan.faults import FaultEvent
from psvr.sim.scenario import Scenario
from psvr.sim.scenario.topology import size

MAX_NODES = 200  # processes
POSSIBLE = ("crash", "restart", "cut", "heal", "partition")


class Change(NamedTuple):
    """A subscription begins, or ends."""

    node: int
    channel: int
    on: bool


class Publish(NamedTuple):
    node: int
    channel: int
    load: int


class FaultBegins(NamedTuple):
    fault: FaultEvent


class FaultEnds(NamedTuple):
    """A fault is over."""

    fault: FaultEvent


Action = Change | Publish | FaultBegins | FaultEnds


def check(s: Scenario) -> None:
    """Refuse what real nodes or an ether cannot do, before anything is drawn or started."""
    if s.radio.wireless:
        raise BadInput(
            f'radio.model: must be ideal or lossy, because a swarm has no radio waves, not "{s.radio.model}"'
        )
    if s.mobility.model != "none":
        raise BadInput(
            f'mobility.model: must be none, because the nodes of a swarm have no places, not "{s.mobility.model}"'
        )
    if size(s.topology) > MAX_NODES:
        raise BadInput(
            f"topology.n: must be at most {MAX_NODES}, because every node is a process, not {size(s.topology)}"
        )
    if s.protocol.system != "psvr":
        raise BadInput(f'protocol.system: must be psvr, which is what live nodes run, not "{s.protocol.system}"')
    if s.protocol.depth not in (None, k.DEPTH):
        raise BadInput(f"protocol.depth: must be {k.DEPTH}, as live nodes have it, not {s.protocol.depth}")
    for i, fault in enumerate(s.fault):
        if fault.kind not in POSSIBLE:
            raise BadInput(
                f"fault.{i}.kind: must be one of {', '.join(POSSIBLE)}, which can be done to real nodes, "
                f'not "{fault.kind}"'
            )
    for name in ("hello", "lease", "links", "channels"):
        value = getattr(s.protocol, name)
        if value is not None:
            settings()[name][0].read(value, f"protocol.{name}")


def check_plan(drawn: Plan) -> None:
    deep = deepest(drawn)
    if deep >= k.DEPTH:
        raise BadInput(f"topology: must be less than {k.DEPTH} steps deep, as live nodes have it, not {deep}")


def deepest(drawn: Plan) -> int:
    """The largest number of steps from the first node of a component to its furthest node."""
    found, deep = set[int](), 0
    for root in range(drawn.n):
        here, steps = ([root] if root not in found else []), -1
        found.update(here)
        while here:
            near = {int(u) for v in here for u in drawn.near[drawn.first[v] : drawn.first[v + 1]]}
            here, steps = sorted(near - found), steps + 1
            found.update(near)
        deep = max(deep, steps)
    return deep


def links_of(drawn: Plan) -> list[tuple[int, int]]:
    """All links as pairs u < v, in ascending order."""
    return [(v, int(u)) for v in range(drawn.n) for u in drawn.near[drawn.first[v] : drawn.first[v + 1]] if v < u]


def schedule(drawn: Plan, end: int) -> Iterator[tuple[int, Action]]:
    """All actions before the end, in order of time in µs.

    At equal times subscriptions come first, then faults that begin, then faults that end, and publications last.
    """
    actions = [
        list(subscriptions(drawn)),
        sorted(faults(drawn), key=lambda event: event[0]),
        *(publications(row) for row in drawn.sources),
    ]
    for time, action in heapq.merge(*actions, key=lambda event: event[0]):
        if time >= end:
            return
        yield time, action


def subscriptions(drawn: Plan) -> Iterator[tuple[int, Action]]:
    for row in drawn.changes:
        yield int(row["time"]), Change(int(row["node"]), int(row["channel"]), bool(row["on"]))


def faults(drawn: Plan) -> Iterator[tuple[int, Action]]:
    for fault in drawn.faults:
        yield fault.time, FaultBegins(fault)
    for fault in drawn.faults:
        if fault.until >= 0:
            yield fault.until, FaultEnds(fault)


def publications(row: object) -> Iterator[tuple[int, Action]]:
    node, channel, first, period, stop, load = row.item()  # type: ignore[attr-defined]
    for time in range(first, stop, period):
        yield time, Publish(node, channel, load)
