"""A network that runs: what scenarios, notebooks and tests drive.

    net = Network(parse({"topology": {"kind": "ring", "n": 12}}))
    net.run_until_stable()
    net.subscribe(5, "news")
    net.publish(0, "news")
    net.run(1.0)
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from psvr.compiled import invariants as compiled
from psvr.compiled import node as rules
from psvr.protocol import constants as k
from psvr.protocol.invariants import NAMES, Ground, Problem
from psvr.protocol.layout import snapshot
from psvr.protocol.records import Node

from . import engine, faults, streams
from .ground import standing
from .plan import FaultEvent, Plan, plan
from .results import SECOND, Epoch, History, Subscription
from .scenario import Scenario
from .world import chain, grown, new_world

CHECK = SECOND // 2             # how often the invariants are looked at …
CHECK_NODES = 20_000            # … but no more than this many nodes per simulated second
OPEN = 1 << 62                  # the end of what has not ended
TRACE_ROWS = 1 << 16


class Network:
    """The world, its clock, and what happens to it from outside."""

    def __init__(self, scenario: Scenario, drawn: Plan | None = None, level: str = "off",
                 take_rows: Callable[[Any], None] | None = None) -> None:
        """`take_rows` is handed the rows of the trace, an array of `world.ROW`, whenever some have gathered."""
        self.scenario = scenario
        self.plan = drawn or plan(scenario)
        self.capacity = faults.capacity_for(scenario.protocol.links, scenario.protocol.channels)
        p = self.plan
        self.world = new_world(self.capacity, p.ids, p.first, p.near, p.hashes, p.sources)
        self.now, self.wall = 0, 0.0
        self.history = History()
        self.take_rows = take_rows or (lambda rows: None)
        self.channels = list(p.channels)
        self.every = max(CHECK, p.n * SECOND // CHECK_NODES)
        self.next_check, self.max_table_bytes = self.every, 0
        self._set_up(level)
        self._actions = self._planned()
        self._redraw_ground()

    def _set_up(self, level: str) -> None:
        s, tally = self.scenario, self.world.tally
        tally["loss"] = round((s.radio.loss if s.radio.model == "lossy" else 0.0) * (1 << 31))
        tally["loss_key"], tally["ack_key"] = streams.key(s.seed, "loss"), streams.key(s.seed, "acknowledgements")
        tally["retries"], tally["bitrate"] = s.radio.retries, s.radio.bitrate
        tally["level"] = ("off", "pub", "control", "all").index(level)
        if level != "off":
            self.world = self.world._replace(rows=np.zeros(
                TRACE_ROWS + engine.ROWS_PER_RECEPTION * int(tally["room"][0]), self.world.rows.dtype))
        self._set_nodes()
        for i, source in enumerate(self.world.sources):
            if source["first"] < source["stop"]:
                engine.push(self.world.heap, self.world.counter, int(source["first"]), engine.SOURCE,
                            int(source["node"]), i)

    def _set_nodes(self) -> None:
        p, settings = self.scenario.protocol, self.world.nodes["settings"]
        settings["hello"], settings["lease"] = round(p.hello * SECOND), round((p.lease or 0) * SECOND)
        settings["links"], settings["depth"], settings["frame"] = p.links, self.plan.depth, p.frame
        settings["id_bytes"], settings["position_bytes"] = self.plan.id_bytes, self.plan.position_bytes
        settings["system"], settings["shortcuts"] = k.SYSTEMS.index(p.system), k.SHORTCUTS.index(p.shortcuts)
        clocks = streams.stream(self.scenario.seed, "clocks").integers(0, faults.CLOCK_MOST, self.plan.n)
        for v in range(self.plan.n):
            faults.boot(self.world, v, 0, int(clocks[v]))

    def _planned(self) -> list[tuple[int, Callable[[], None]]]:
        """All that is to happen from outside, latest first."""
        found: list[tuple[int, Callable[[], None]]] = []
        for c in self.plan.changes:
            found.append((int(c["time"]), self._change(int(c["node"]), int(c["channel"]), bool(c["on"]))))
        for i, event in enumerate(self.plan.faults):
            found.append((event.time, self._fault(event, i)))
            if event.until >= 0:
                found.append((event.until, self._end_of_fault(event, i)))
        return sorted(found, key=lambda action: action[0])[::-1]

    def _change(self, node: int, channel: int, on: bool) -> Callable[[], None]:
        return lambda: self._set_subscription(node, channel, on)

    def _fault(self, event: FaultEvent, i: int) -> Callable[[], None]:
        return lambda: self.strike(event, i)

    def _end_of_fault(self, event: FaultEvent, i: int) -> Callable[[], None]:
        return lambda: self.relieve(event, i)

    # --- time

    def advance(self, until: int) -> None:
        """Serve all events before `until`, growing what has to grow; no actions from outside."""
        begin = time.perf_counter()
        while (full := engine.run(self.world, until)) != engine.DONE:
            self._make_room(full)
        self.now = max(self.now, until)
        self.wall += time.perf_counter() - begin
        self.flush()

    def _make_room(self, full: int) -> None:
        w = self.world
        if full == engine.FULL_ROWS:
            self.flush()
        elif full == engine.FULL_HEAP:
            self.world = w._replace(heap=grown(w.heap))
        elif full == engine.FULL_PUBLICATIONS:
            self.world = w._replace(publications=grown(w.publications))
        elif full == engine.FULL_DELIVERIES:
            self.world = w._replace(deliveries=grown(w.deliveries))
        elif full == engine.FULL_SUBS:
            self.world = w._replace(subs=grown(w.subs), sub_frames=self._larger_pool(w.sub_frames, "free_sub"))
        else:
            self.world = w._replace(pubs=grown(w.pubs), pub_frames=self._larger_pool(w.pub_frames, "free_pub"))

    def _larger_pool(self, frames: Any, head: str) -> Any:
        """A pool of twice the size; its new half stands before what was free."""
        larger, old = grown(frames), len(frames)
        chain(larger, old)
        larger["next"][-1] = self.world.tally[head][0]
        self.world.tally[head] = old
        return larger

    def flush(self) -> None:
        """Hand over the rows of the trace that have gathered."""
        rows = int(self.world.tally["rows"][0])
        if rows:
            self.take_rows(self.world.rows[:rows])
            self.world.tally["rows"] = 0

    def run(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, with all that the scenario has planned; `stop` is asked after every check."""
        end = self.now + round(seconds * SECOND)
        while self.now < end:
            times = [end, self.next_check] + ([self._actions[-1][0]] if self._actions else [])
            self.advance(min(times))
            if self.now >= self.next_check:
                self._check()
                if stop():
                    return
            while self._actions and self._actions[-1][0] <= self.now:
                self._actions.pop()[1]()

    def run_until_stable(self, limit: float = 600.0) -> float:
        """Let time pass until all invariants hold; the time then.  TimeoutError if they do not within the limit."""
        self.run(limit, stop=lambda: self.history.checks[-1][1])
        if not self.history.checks[-1][1]:
            raise TimeoutError(f"not stable after {limit} s: {'; '.join(map(str, self.problems()))}")
        return self.now / SECOND

    def step(self) -> None:
        """Serve the next event."""
        if self.world.counter["queued"][0]:
            self.advance(int(self.world.heap["time"][0]) + 1)

    # --- what is asked

    def _redraw_ground(self) -> None:
        self._ground = standing(self.world)
        part = np.full(self.plan.n, -1, np.int64)
        alive = np.flatnonzero(self.world.hosts["alive"])
        part[alive] = alive[self._ground.part]
        self.history.epochs.append(Epoch(self.now, part))

    def _living(self) -> tuple[Any, Ground, Any]:
        """Nodes, ground and clocks, as the invariants take them."""
        alive = self.world.hosts["alive"] != 0
        nodes = self.world.nodes if alive.all() else self.world.nodes[alive]
        return nodes, self._ground, self.now + self.world.hosts["offset"][alive]

    def _check(self) -> None:
        self.history.checks.append((self.now, compiled.check(*self._living()) == 0))
        self.max_table_bytes = max(self.max_table_bytes, int(self.table_bytes().max(initial=0)))
        self.next_check = self.now + self.every

    def problems(self) -> list[Problem]:
        """What is wrong with the network at this moment."""
        verdicts = [broken(*self._living()) for broken in compiled.PROPERTIES]
        return [Problem(name, *verdict) for name, verdict in zip(NAMES, verdicts) if verdict[0] > 0]

    def node(self, v: int) -> dict[str, Any]:
        """All that a node remembers."""
        return snapshot(self.world.nodes[v], Node)

    def table_bytes(self) -> Any:
        """Bytes of RS in use, per node: a hash per row, and an entry per position."""
        nodes = self.world.nodes
        rows = (nodes["channel"] != k.NO_CHANNEL).sum(axis=1)
        positions = (nodes["position"] >= 0).sum(axis=1)
        return rows * (8 + positions * nodes.dtype["row"].base["entry"].base.itemsize)

    # --- what is done

    def channel(self, name: str) -> int:
        """The place of a channel; a new one is made."""
        if name not in self.channels:
            from .plan import channel_hash
            self.channels.append(name)
            self.world = self.world._replace(hashes=np.append(self.world.hashes, channel_hash(name)))
        return self.channels.index(name)

    def subscribe(self, node: int, channel: str) -> None:
        self._set_subscription(node, self.channel(channel), True)

    def unsubscribe(self, node: int, channel: str) -> None:
        self._set_subscription(node, self.channel(channel), False)

    def _set_subscription(self, v: int, channel: int, on: bool) -> None:
        me, local = self.world.nodes[v], self.now + int(self.world.hosts["offset"][v])
        hashed = int(self.world.hashes[channel])
        had = hashed in me["wants"]
        if on and not had:
            if not rules.subscribe(me, local, hashed):
                raise OverflowError(f"node {v} has no room for another subscription: raise protocol.channels")
            self.history.subscriptions.append(Subscription(v, channel, self.now, OPEN))
        elif had and not on:
            rules.unsubscribe(me, local, hashed)
            for s in self.history.subscriptions:
                if (s.node, s.channel, s.end) == (v, channel, OPEN):
                    s.end = self.now
        if self.world.hosts["alive"][v]:
            engine.schedule(self.world, v, self.now)
        if on != had and self.world.tally["level"][0]:
            self._note(engine.SUBSCRIBED if on else engine.UNSUBSCRIBED, v, channel)

    def _note(self, event: int, v: int, channel: int = -1, detail: int = -1) -> None:
        engine.note(self.world, self.now, event, v, -1, -1, detail)
        self.world.rows["channel"][self.world.tally["rows"][0] - 1] = channel

    def publish(self, node: int, channel: str, load: int = 16) -> int:
        """Publish now; the place of the publication in `world.publications`."""
        while full := engine.missing(self.world):
            self._make_room(full)
        return int(engine.publish(self.world, node, self.channel(channel), load, self.now))

    def corrupt(self, nodes: Iterable[int]) -> None:
        rng = streams.stream(self.scenario.seed, f"corrupt/{len(self.history.faults)}")
        for v in nodes:
            faults.corrupt(self.world, int(v), self.now, rng)

    def strike(self, event: FaultEvent, i: int) -> None:
        """A fault happens."""
        self.history.faults.append(self.now)
        if event.kind == "corrupt":
            self.corrupt(event.nodes)
        elif event.kind == "crash":
            for v in event.nodes:
                faults.crash(self.world, int(v))
        elif event.kind == "restart":
            self._restart(event, i)
        elif event.kind == "jam":
            self.world.hosts["jammed"][event.nodes] += 1
        else:
            self._set_cuts(event, event.kind != "heal")
        self._after_fault(event)

    def relieve(self, event: FaultEvent, i: int) -> None:
        """The time of a fault is over."""
        if event.kind == "crash":
            self._restart(event, i)
        elif event.kind == "jam":
            self.world.hosts["jammed"][event.nodes] -= 1
        elif event.kind in ("cut", "partition"):
            self._set_cuts(event, False)
        self._redraw_ground()

    def _restart(self, event: FaultEvent, i: int) -> None:
        clocks = streams.stream(self.scenario.seed, f"restart/{i}").integers(0, faults.CLOCK_MOST, len(event.nodes))
        for v, clock in zip(event.nodes, clocks):
            faults.boot(self.world, int(v), self.now, int(clock))

    def _set_cuts(self, event: FaultEvent, cut: bool) -> None:
        links = faults.boundary(self.world, event.nodes) if event.kind == "partition" else event.links
        for u, v in links:
            faults.set_cut(self.world, int(u), int(v), cut)

    def _after_fault(self, event: FaultEvent) -> None:
        self._redraw_ground()
        if self.world.tally["level"][0]:
            for v in event.nodes if len(event.nodes) else event.links[:, 0]:
                self._note(engine.FAULT, int(v), detail=FAULTS.index(event.kind))


FAULTS = ("corrupt", "crash", "restart", "cut", "heal", "partition", "jam")
