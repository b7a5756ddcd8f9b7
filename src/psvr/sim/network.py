"""A network that runs: what scenarios, notebooks and tests drive.

    net = Network(parse({"topology": {"kind": "ring", "n": 12}}))
    net.run_until_stable()
    net.subscribe(5, "news")
    net.publish(0, "news")
    net.run(1.0)
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from psvr import jit
from psvr.compiled import invariants as compiled
from psvr.graphs.graph import from_networkx
from psvr.protocol.invariants import NAMES, Ground, Problem
from psvr.protocol.layout import snapshot
from psvr.protocol.names import channel_hash
from psvr.protocol.records import Node

from . import engine, faults, notes, streams
from .corruption import corrupt
from .foreign import foreign_world
from .ground import standing
from .machine import Machine
from .memory import CLOCK_MOST, KINDS
from .outages import Change, Outages
from .plan import FaultEvent, Plan, plan
from .results import SECOND, Epoch, History, Subscription
from .scenario import Scenario, parse
from .schema import Choice
from .world import World, blank_world, capacity_for

CHECK = SECOND // 2             # how often the invariants are looked at …
CHECK_NODES = 20_000            # … but no more than this many nodes per simulated second
OPEN = 1 << 62                  # the end of what has not ended
PACKED = 12                     # bytes of an entry on a mote: two positions of 2 bytes, two times of 4
FAULTS = ("corrupt", "crash", "restart", "cut", "heal", "partition", "jam")


def is_compiled(scenario: Scenario) -> bool:
    """Whether engine and invariants need not be compiled for nodes with so much memory."""
    world = blank_world(capacity_for(scenario.protocol.links, scenario.protocol.channels))
    longs = np.zeros(1, np.int64)
    return jit.is_compiled(engine.run, world, 0) and jit.is_compiled(
        compiled.check, world.nodes, Ground(longs, longs, longs), longs)


class Network:
    """A machine, and all that happens to it from outside: subscriptions, publications, faults, looks at it."""

    def __init__(self, scenario: Scenario, drawn: Plan | None = None, level: str = "off",
                 take_rows: Callable[[Any], None] = lambda rows: None) -> None:
        """`take_rows` is handed the rows of the trace, an array of `world.ROW`, whenever some have gathered."""
        self.scenario, self.plan = scenario, drawn or plan(scenario)
        self.machine = Machine(scenario, self.plan, level, take_rows)
        self.good = self.plan.good
        self.channels, self.history, self.outages = list(self.plan.channels), History(), Outages()
        self.every = max(CHECK, self.plan.n * SECOND // CHECK_NODES)
        self.next_check, self.max_table_bytes, self.max_table_bytes_packed = self.every, 0, 0
        self._foreign: tuple[World, int] | None = None
        self._actions = self._planned()
        self._redraw_ground()
        self._act()

    @classmethod
    def from_networkx(cls, graph: Any, **tables: Any) -> "Network":
        """A network with the links of a networkx graph, nodes in its order; `tables` are those of a scenario."""
        drawn, _ = from_networkx(graph)
        return cls(parse({"topology": {"kind": "edges", "n": drawn.n, "edges": drawn.edges().tolist()}, **tables}))

    @property
    def now(self) -> int:
        """µs of simulated time."""
        return self.machine.now

    @property
    def world(self) -> Any:
        """The engine's memory, for those who look closely."""
        return self.machine.world

    def _planned(self) -> list[tuple[int, Callable[..., None], tuple[Any, ...]]]:
        """All that is to happen from outside, latest first; at one time faults begin before others end."""
        found: list[tuple[int, Callable[..., None], tuple[Any, ...]]] = [
            (int(c["time"]), self._set_subscription, (int(c["node"]), int(c["channel"]), bool(c["on"])))
            for c in self.plan.changes]
        struck = list(enumerate(self.plan.faults))
        found += [(event.time, self.strike, (event, i)) for i, event in struck]
        found += [(event.until, self.relieve, (event, i)) for i, event in struck if event.until >= 0]
        if self.scenario.mobility.model != "none":
            step, end = round(self.scenario.mobility.step * SECOND), round(self.scenario.duration * SECOND)
            found += [(time, self._move, ()) for time in range(step, end, step)]
        return sorted(found, key=lambda action: action[0])[::-1]

    def _move(self) -> None:
        """Nodes are where they are now, and hear each other accordingly."""
        if self.plan.field is not None:
            self.machine.world, self.good = self.plan.field.moved(self.world, self.now, self.outages.links.holders)
            self._redraw_ground()

    def _act(self) -> None:
        while self._actions and self._actions[-1][0] <= self.now:
            _, action, arguments = self._actions.pop()
            action(*arguments)

    def run(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, with all that the scenario has planned; `stop` is asked after every check."""
        end = self.now + round(seconds * SECOND)
        while self.now < end:
            self.machine.advance(min([end, self.next_check, *(a[0] for a in self._actions[-1:])]))
            checked = self.now >= self.next_check
            if checked:
                self._check()
            self._act()
            if checked and stop():
                return

    def run_until_stable(self, limit: float = 600.0) -> float:
        """Let time pass until all invariants hold; the time then.  TimeoutError if they do not within the limit."""
        self.run(limit, stop=lambda: self.history.checks[-1][1])
        if not self.history.checks or not self.history.checks[-1][1]:
            raise TimeoutError(f"not stable after {limit} s: {'; '.join(map(str, self.problems()))}")
        return self.now / SECOND

    def step(self) -> None:
        """Serve the next event; what the scenario has planned up to then happens first."""
        if self.world.counter["queued"][0]:
            self.run((int(self.world.heap["time"][0]) + 1 - self.now) / SECOND)

    def _redraw_ground(self) -> None:
        self._ground = standing(self.world, self.good)
        part = np.full(self.plan.n, -1, np.int64)
        alive = np.flatnonzero(self.world.stations["alive"])
        part[alive] = alive[self._ground.part]
        self.history.epochs.append(Epoch(self.now, part))

    def _living(self) -> tuple[Any, Ground, Any]:
        """Nodes, ground and clocks, as the invariants take them."""
        alive = self.world.stations["alive"] != 0
        nodes = self.world.nodes if alive.all() else self.world.nodes[alive]
        return nodes, self._ground, self.now + self.world.stations["offset"][alive]

    def _check(self) -> None:
        self.history.checks.append((self.now, compiled.check(*self._living()) == 0))
        self.max_table_bytes = max(self.max_table_bytes, int(self.machine.table_bytes().max()))
        self.max_table_bytes_packed = max(self.max_table_bytes_packed, int(self.machine.table_bytes(PACKED).max()))
        self.next_check = self.now + self.every

    def problems(self) -> list[Problem]:
        """What is wrong with the network at this moment."""
        verdicts = [broken(*self._living()) for broken in compiled.PROPERTIES]
        return [Problem(name, *verdict) for name, verdict in zip(NAMES, verdicts) if verdict[0] > 0]

    def shared_positions(self) -> list[tuple[int, int]]:
        """(ring, position) that two living nodes hold: none, at any moment, unless memory was just corrupted."""
        nodes = self.world.nodes[self.world.stations["alive"] != 0]
        held = nodes["position"] >= 0
        rings = np.broadcast_to(nodes["ring"][:, None], held.shape)
        pairs, many = np.unique(np.stack((rings[held], nodes["position"][held]), axis=1), axis=0, return_counts=True)
        return [(int(ring), int(position)) for ring, position in pairs[many > 1]]

    def node(self, v: int) -> dict[str, Any]:
        """All that a node remembers."""
        return snapshot(self.world.nodes[v], Node)

    def channel(self, name: str) -> int:
        """The place of a channel; a new one is made."""
        if name not in self.channels:
            self.channels.append(name)
            self.machine.world = self.world._replace(hashes=np.append(self.world.hashes, channel_hash(name)))
        return self.channels.index(name)

    def subscribe(self, node: int, channel: str) -> None:
        self._set_subscription(node, self.channel(channel), True)

    def unsubscribe(self, node: int, channel: str) -> None:
        self._set_subscription(node, self.channel(channel), False)

    def _set_subscription(self, v: int, channel: int, on: bool) -> None:
        if not self.machine.subscribe(v, channel, on):
            return
        if on:
            self.history.subscriptions.append(Subscription(v, channel, self.now, OPEN))
            return
        for s in self.history.subscriptions:
            if (s.node, s.channel, s.end) == (v, channel, OPEN):
                s.end = self.now

    def publish(self, node: int, channel: str, load: int = 16) -> int:
        """Publish now; the place of the publication in `world.publications`."""
        return self.machine.publish(node, self.channel(channel), load)

    def corrupt(self, nodes: Iterable[int], memory: str = "any") -> None:
        """Arbitrary memory in these nodes; `memory.KINDS` lists what it may look like."""
        self._happen("corrupt", nodes=nodes, memory=memory)

    def _elsewhere(self) -> tuple[World, int]:
        """Another network of the same nodes, made when a fault first needs it."""
        if self._foreign is None:
            rng = streams.stream(self.scenario.seed, "elsewhere")
            self._foreign = foreign_world(self.scenario, self.plan, rng)
        return self._foreign

    def crash(self, nodes: Iterable[int]) -> None:
        self._happen("crash", nodes=nodes)

    def restart(self, nodes: Iterable[int]) -> None:
        self._happen("restart", nodes=nodes)

    def cut(self, links: Iterable[tuple[int, int]]) -> None:
        self._happen("cut", links=links)

    def heal(self, links: Iterable[tuple[int, int]]) -> None:
        self._happen("heal", links=links)

    def partition(self, nodes: Iterable[int]) -> None:
        """Cut all links between these nodes and the rest."""
        self._happen("partition", nodes=nodes)

    def _happen(self, kind: str, nodes: Iterable[int] = (), links: Iterable[tuple[int, int]] = (),
                memory: str = "any") -> None:
        event = FaultEvent(self.now, kind, np.array(list(nodes), np.int32),
                           np.array(list(links), np.int64).reshape(-1, 2), -1, -1, Choice(KINDS).read(memory, "memory"))
        self.strike(event, len(self.plan.faults) + len(self.history.faults))

    def strike(self, event: FaultEvent, i: int) -> None:
        """The i-th fault happens."""
        self.history.faults.append(self.now)
        rng = streams.stream(self.scenario.seed, f"strike/{i}")
        for v in map(int, event.nodes):
            if event.kind == "jam":
                faults.jam(self.world, v, self.now, 1)
        if event.kind == "corrupt":
            corrupt(self.machine, event.nodes, rng, event.memory, self._elsewhere)
        self._apply(self.outages.begin(event, self._links_of(event)), rng)
        for v in event.nodes if len(event.nodes) else event.links[:, 0]:
            self.machine.note(notes.FAULT, int(v), detail=FAULTS.index(event.kind))

    def relieve(self, event: FaultEvent, i: int) -> None:
        """The time of the i-th fault is over."""
        for v in map(int, event.nodes if event.kind == "jam" else ()):
            faults.jam(self.world, v, self.now, -1)
        self._apply(self.outages.end(event), streams.stream(self.scenario.seed, f"relieve/{i}"))

    def _apply(self, change: Change, rng: np.random.Generator) -> None:
        for v in change.died:
            faults.crash(self.world, v, self.now)
        for v in change.started:
            faults.boot(self.world, v, self.now, int(rng.integers(0, CLOCK_MOST)))
        for links, cut in ((change.cut, True), (change.healed, False)):
            for u, v in links:
                faults.set_cut(self.world, u, v, cut)
        self._redraw_ground()

    def _links_of(self, event: FaultEvent) -> Iterable[Iterable[int]]:
        """Those that a fault cuts or heals: over a wireless channel these are more than the links of the network."""
        if event.kind == "partition":
            return faults.boundary(self.world, event.nodes)
        entry = self.scenario.fault[event.entry] if event.entry >= 0 else None
        if event.kind == "heal" and entry is not None and entry.links == "all" and entry.rate is None:
            return list(self.outages.links.holders)
        found: list[list[int]] = event.links.tolist()
        return found
