"""A running network: the interface for scenarios, notebooks and tests.

net = Network(parse({"topology": {"kind": "ring", "n": 12}}))
net.run_until_stable()
net.subscribe(5, "news")
net.publish(0, "news")
net.run(1.0)
"""

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from psvr import jit
from psvr.compiled import invariants as compiled
from psvr.errors import BadInput
from psvr.fields.kinds import Choice
from psvr.graphs.graph import from_networkx
from psvr.protocol.invariants import NAMES, Ground, Problem
from psvr.protocol.layout import snapshot
from psvr.protocol.records import Node
from psvr.protocol.wire.names import channel_hash
from psvr.results.deliveries import OPEN, SECOND, Epoch, History, Subscription
from psvr.results.figures import PACKED
from psvr.sim.engine.world import World, blank_world, capacity_for
from psvr.sim.faults.corruption import corrupt
from psvr.sim.faults.foreign import foreign_world
from psvr.sim.faults.memory import KINDS, MAX_CLOCK
from psvr.sim.faults.outages import Change, Outages
from psvr.sim.plan.faults import FaultEvent
from psvr.sim.plan.planning import Plan, plan
from psvr.sim.scenario.loading import parse
from psvr.sim.scenario.tables import Scenario
from psvr.trace.columns import FAULT

from . import streams
from .engine import engine
from .faults import crashes
from .ground import ground_of
from .machine import Machine

CHECK = SECOND // 2  # how often the invariants are checked …
CHECK_NODES = 20_000  # … but at most this many nodes per simulated second
FAULTS = ("corrupt", "crash", "restart", "cut", "heal", "partition", "jam")


def is_compiled(scenario: Scenario) -> bool:
    """Whether engine and invariants have been compiled already for nodes with this much memory."""
    world = blank_world(capacity_for(scenario.protocol.links, scenario.protocol.channels))
    longs = np.zeros(1, np.int64)
    return jit.is_compiled(engine.run, world, 0) and jit.is_compiled(
        compiled.check, world.nodes, Ground(longs, longs, longs), longs
    )


class Network:
    """A running network: the machine, and what acts on it from outside: applications, faults, checks of invariants."""

    def __init__(
        self,
        scenario: Scenario,
        drawn: Plan | None = None,
        level: str = "off",
        take_rows: Callable[[Any], None] = lambda rows: None,
    ) -> None:
        """`take_rows` is called with rows of the trace, an array of `world.ROW`, whenever there are some."""
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
        if "topology" in tables:
            raise BadInput("topology: must not be given, since it is that of the graph")
        drawn, _ = from_networkx(graph)
        return cls(parse({"topology": {"kind": "edges", "n": drawn.n, "edges": drawn.edges().tolist()}, **tables}))

    def forked(self, take_rows: Callable[[Any], None] = lambda rows: None) -> "Network":
        """A network in the same state, which goes on by itself from here; its trace goes to `take_rows`."""
        return copy.deepcopy(self, {id(self.machine.take_rows): take_rows, id(self.scenario): self.scenario})

    def start_system(self, scenario: Scenario) -> None:
        """Let the system of a scenario that differs in nothing else begin, on the tree that there is by now."""
        self.scenario = scenario
        self.machine.start_system(scenario)

    @property
    def now(self) -> int:
        """The simulated time in µs."""
        return self.machine.now

    @property
    def world(self) -> Any:
        """The engine's memory, for detailed inspection."""
        return self.machine.world

    def _planned(self) -> list[tuple[int, Callable[..., None], tuple[Any, ...]]]:
        """All planned actions from outside, latest first; at the same time, faults begin before others end."""
        found: list[tuple[int, Callable[..., None], tuple[Any, ...]]] = [
            (int(c["time"]), self._set_subscription, (int(c["node"]), int(c["channel"]), bool(c["on"])))
            for c in self.plan.changes
        ]
        struck = list(enumerate(self.plan.faults))
        found += [(event.time, self.begin_fault, (event, i)) for i, event in struck]
        found += [(event.until, self.end_fault, (event, i)) for i, event in struck if event.until >= 0]
        if self.scenario.mobility.model != "none":
            step, end = round(self.scenario.mobility.step * SECOND), round(self.scenario.duration * SECOND)
            found += [(time, self._move, ()) for time in range(step, end, step)]
        return sorted(found, key=lambda action: action[0])[::-1]

    def _move(self) -> None:
        """Move nodes to where they are now, and update who hears whom."""
        if self.plan.field is not None:
            self.machine.world, self.good = self.plan.field.moved(self.world, self.now, self.outages.links.holders)
            self._redraw_ground()

    def _act(self) -> None:
        """Carry out the planned actions whose time has come."""
        while self._actions and self._actions[-1][0] <= self.now:
            _, action, arguments = self._actions.pop()
            action(*arguments)

    def run(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, with everything that the scenario has planned; `stop` is called after every check."""
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
        """Let time pass until all invariants hold; returns the time then, or raises TimeoutError after the limit."""
        self.run(limit, stop=lambda: self.history.checks[-1][1])
        if not self.history.checks or not self.history.checks[-1][1]:
            raise TimeoutError(f"not stable after {limit} s: {'; '.join(map(str, self.problems()))}")
        return self.now / SECOND

    def step(self) -> None:
        """Process the next event, after everything that the scenario has planned up to then."""
        if self.world.counter["queued"][0]:
            self.run((int(self.world.heap["time"][0]) + 1 - self.now) / SECOND)

    def _redraw_ground(self) -> None:
        """Work out again who can hear whom, and begin a new epoch of the history."""
        self._ground = ground_of(self.world, self.good)
        part = np.full(self.plan.n, -1, np.int64)
        alive = np.flatnonzero(self.world.stations["alive"])
        part[alive] = alive[self._ground.part]
        self.history.epochs.append(Epoch(self.now, part))

    def living(self) -> tuple[Any, Ground, Any]:
        """The living nodes, their ground and their clocks, as the invariants take them."""
        alive = self.world.stations["alive"] != 0
        nodes = self.world.nodes if alive.all() else self.world.nodes[alive]
        return nodes, self._ground, self.now + self.world.stations["offset"][alive]

    def _check(self) -> None:
        """Check the invariants, and record the result and the largest table so far."""
        self.history.checks.append((self.now, compiled.check(*self.living()) == 0))
        self.max_table_bytes = max(self.max_table_bytes, int(self.machine.table_bytes().max()))
        self.max_table_bytes_packed = max(self.max_table_bytes_packed, int(self.machine.table_bytes(PACKED).max()))
        self.next_check = self.now + self.every

    def problems(self) -> list[Problem]:
        """The invariants that do not hold at this moment."""
        verdicts = [broken(*self.living()) for broken in compiled.PROPERTIES]
        return [Problem(name, *verdict) for name, verdict in zip(NAMES, verdicts) if verdict[0] > 0]

    def shared_positions(self) -> list[tuple[int, int]]:
        """Each (ring, position) that two living nodes hold: always none, unless memory was just corrupted."""
        nodes = self.world.nodes[self.world.stations["alive"] != 0]
        held = nodes["position"] >= 0
        rings = np.broadcast_to(nodes["ring"][:, None], held.shape)
        pairs, counts = np.unique(np.stack((rings[held], nodes["position"][held]), axis=1), axis=0, return_counts=True)
        return [(int(ring), int(position)) for ring, position in pairs[counts > 1]]

    def node(self, v: int) -> dict[str, Any]:
        """Everything that a node remembers."""
        return snapshot(self.world.nodes[v], Node)

    def channel(self, name: str) -> int:
        """The index of a channel, which is created if it is new."""
        if name not in self.channels:
            self.channels.append(name)
            self.machine.world = self.world._replace(hashes=np.append(self.world.hashes, channel_hash(name)))
        return self.channels.index(name)

    def subscribe(self, node: int, channel: str) -> None:
        """Let the application of a node subscribe to a channel now."""
        self._set_subscription(node, self.channel(channel), True)

    def unsubscribe(self, node: int, channel: str) -> None:
        """Let the application of a node unsubscribe from a channel now."""
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
        """Publish now; returns the index of the publication in `world.publications`."""
        return self.machine.publish(node, self.channel(channel), load)

    def corrupt(self, nodes: Iterable[int], memory: str = "any") -> None:
        """Put arbitrary memory into these nodes; `memory.KINDS` lists the kinds."""
        self._begin_now("corrupt", nodes=nodes, memory=memory)

    def _other_network(self) -> tuple[World, int]:
        """Another network of the same nodes, created when a fault first needs it."""
        if self._foreign is None:
            rng = streams.stream(self.scenario.seed, "elsewhere")
            self._foreign = foreign_world(self.scenario, self.plan, rng)
        return self._foreign

    def crash(self, nodes: Iterable[int]) -> None:
        """Stop these nodes, until they are restarted."""
        self._begin_now("crash", nodes=nodes)

    def restart(self, nodes: Iterable[int]) -> None:
        """Start these nodes with empty memory, whether they are running or not."""
        self._begin_now("restart", nodes=nodes)

    def cut(self, links: Iterable[tuple[int, int]]) -> None:
        """Cut these links, until they are healed."""
        self._begin_now("cut", links=links)

    def heal(self, links: Iterable[tuple[int, int]]) -> None:
        """Heal these links, whatever cut them."""
        self._begin_now("heal", links=links)

    def partition(self, nodes: Iterable[int]) -> None:
        """Cut all links between these nodes and all others."""
        self._begin_now("partition", nodes=nodes)

    def _begin_now(
        self, kind: str, nodes: Iterable[int] = (), links: Iterable[tuple[int, int]] = (), memory: str = "any"
    ) -> None:
        event = FaultEvent(
            self.now,
            kind,
            np.array(list(nodes), np.int32),
            np.array(list(links), np.int64).reshape(-1, 2),
            -1,
            -1,
            Choice(KINDS).read(memory, "memory"),
        )
        self.begin_fault(event, len(self.plan.faults) + len(self.history.faults))

    def begin_fault(self, event: FaultEvent, i: int) -> None:
        """Begin the i-th fault."""
        self.history.faults.append(self.now)
        rng = streams.stream(self.scenario.seed, f"strike/{i}")
        for v in map(int, event.nodes):
            if event.kind == "jam":
                crashes.jam(self.world, v, self.now, 1)
        if event.kind == "corrupt":
            corrupt(self.machine, event.nodes, rng, event.memory, self._other_network)
        self._apply(self.outages.begin(event, self._links_of(event)), rng)
        for v in event.nodes if len(event.nodes) else event.links[:, 0]:
            self.machine.note(FAULT, int(v), detail=FAULTS.index(event.kind))

    def end_fault(self, event: FaultEvent, i: int) -> None:
        """End the i-th fault, whose duration is over."""
        for v in map(int, event.nodes if event.kind == "jam" else ()):
            crashes.jam(self.world, v, self.now, -1)
        self._apply(self.outages.end(event), streams.stream(self.scenario.seed, f"relieve/{i}"))

    def _apply(self, change: Change, rng: np.random.Generator) -> None:
        """Carry out what a fault changes when it begins or ends; `rng` draws the clocks of nodes that start."""
        for v in change.died:
            crashes.crash(self.world, v, self.now)
        for v in change.started:
            crashes.boot(self.world, v, self.now, int(rng.integers(0, MAX_CLOCK)))
        for links, cut in ((change.cut, True), (change.healed, False)):
            for u, v in links:
                crashes.set_cut(self.world, u, v, cut)
        self._redraw_ground()

    def _links_of(self, event: FaultEvent) -> Iterable[Iterable[int]]:
        """The links that a fault cuts or heals; on a wireless channel these are more than the links of the network."""
        if event.kind == "partition":
            return crashes.boundary(self.world, event.nodes)
        entry = self.scenario.fault[event.entry] if event.entry >= 0 else None
        if event.kind == "heal" and entry is not None and entry.links == "all" and entry.rate is None:
            return list(self.outages.links.holders)
        found: list[list[int]] = event.links.tolist()
        return found
