"""Drives the engine: enlarges full tables, passes on the trace, and applies events from outside."""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from psvr.compiled import node as rules
from psvr.compiled import table
from psvr.compiled.pubsub import subscription
from psvr.protocol import constants as k
from psvr.protocol.host.profiles import policies
from psvr.results.deliveries import SECOND
from psvr.sim.engine.queue import larger, push
from psvr.sim.engine.world import World, capacity_for, chain, grown, new_world
from psvr.sim.faults.memory import MAX_CLOCK
from psvr.sim.plan.planning import Plan
from psvr.sim.radio.air import no_air
from psvr.sim.radio.bursts import next_burst
from psvr.sim.scenario.tables import Scenario
from psvr.trace.columns import LEVELS, SUBSCRIBED, UNSUBSCRIBED

from . import custom, streams
from .engine import engine, events, hosting, notes, pubs
from .faults import crashes

TRACE_ROWS = 1 << 16  # collected before they are passed on


def host_policies(scenario: Scenario) -> dict[str, Any]:
    """The policies of hosts.  A radio reaches all tree neighbours at once, so by default SUBs are broadcast there."""
    found = asdict(scenario.host)
    if scenario.radio.model == "ieee802154" and found["sub_acks"] is None:
        found["sub_acks"] = False
    return found


class Machine:
    """A world, and its clock."""

    world: World

    def __init__(self, scenario: Scenario, plan: Plan, level: str, take_rows: Callable[[Any], None]) -> None:
        self.now, self.wall, self.take_rows = 0, 0.0, take_rows
        self.capacity = capacity_for(scenario.protocol.links, scenario.protocol.channels)
        air = no_air() if plan.field is None else plan.field.air()
        self.world = new_world(self.capacity, plan.ids, plan.first, plan.near, plan.hashes, plan.sources, air)
        self.set_medium(scenario)
        self.set_trace(level)
        self.set_nodes(scenario, plan)
        for i, source in enumerate(self.world.sources):
            if source["first"] < source["stop"]:
                push(self.world.heap, self.world.counter, int(source["first"]), events.SOURCE, int(source["node"]), i)
        for i, burst in enumerate(air.bursts):
            next_burst(self.world.air, self.world.heap, self.world.counter, plan.n + i, int(burst["start"]))
        engine.run(self.world, 0)  # compile it before time is measured

    def set_medium(self, scenario: Scenario) -> None:
        """Write what the engine has to know about the medium."""
        radio, tally, seed = scenario.radio, self.world.tally, scenario.seed
        tally["loss"] = round((radio.loss if radio.model == "lossy" else 0.0) * (1 << 31))
        tally["loss_key"], tally["ack_key"] = streams.key(seed, "loss"), streams.key(seed, "acknowledgements")
        tally["retries"], tally["bitrate"] = radio.retries, radio.bitrate

    def set_trace(self, level: str) -> None:
        """Write the level of the trace, and make room for its rows."""
        self.world.tally["level"] = LEVELS.index(level)
        if level != "off":
            room = TRACE_ROWS + engine.ROWS_PER_RECEPTION * int(self.world.tally["room"][0])
            self.world = self.world._replace(rows=np.zeros(room, self.world.rows.dtype))

    def set_nodes(self, scenario: Scenario, plan: Plan) -> None:
        """Write the settings, then start every node with empty memory and its own clock."""
        p, settings = scenario.protocol, self.world.nodes["settings"]
        settings["hello"], settings["lease"] = round(p.hello * SECOND), round((p.lease or 0) * SECOND)
        settings["links"], settings["depth"], settings["frame"] = p.links, plan.depth, p.frame
        settings["id_bytes"], settings["position_bytes"] = plan.id_bytes, plan.position_bytes
        self.set_system(scenario)
        clocks = streams.stream(scenario.seed, "clocks").integers(0, MAX_CLOCK, plan.n)
        for v in range(plan.n):
            crashes.boot(self.world, v, 0, int(clocks[v]))

    def set_system(self, scenario: Scenario) -> None:
        """Write the settings that differ between systems, and between the profiles of their hosts."""
        p, settings = scenario.protocol, self.world.nodes["settings"]
        self.system = p.system
        settings["system"], settings["custom"] = custom.settings_of(p.system, self.capacity)
        settings["shortcuts"] = k.SHORTCUTS.index(p.shortcuts)
        for name, value in policies(**host_policies(scenario)).items():
            settings[name] = value

    def start_system(self, scenario: Scenario) -> None:
        """Let another system begin, with empty tables, on the links, the tree and the ring that there are."""
        self.set_system(scenario)
        for v in np.flatnonzero(self.world.stations["alive"]):
            me = self.world.nodes[v]
            table.reset(me)
            subscription.on_new_ring(me, self.now + int(self.world.stations["offset"][v]))
            hosting.schedule(self.world, int(v), self.now)

    @property
    def tracing(self) -> bool:
        """Whether rows of a trace are written."""
        return bool(self.world.tally["level"][0])

    def advance(self, until: int) -> None:
        """Process all events before `until`."""
        begin = time.perf_counter()
        with custom.attributing_errors(self.system):
            while (full := engine.run(self.world, until)) != engine.DONE:
                self.make_room(full)
        custom.check_messages(self.system, self.world)
        self.now = max(self.now, until)
        self.wall += time.perf_counter() - begin
        self.flush()

    def ensure_room(self) -> None:
        """Make room for whatever a single event from outside may write."""
        while full := engine.full_table(self.world):
            self.make_room(full)

    def make_room(self, full: int) -> None:
        """Enlarge a table that the engine found full; rows of the trace are passed on."""
        w = self.world
        if full == engine.FULL_ROWS:
            self.flush()
            if len(w.rows) < engine.ROWS_PER_RECEPTION * int(w.tally["room"][0]):
                self.world = w._replace(rows=grown(w.rows))
        elif full == engine.FULL_HEAP:
            self.world = w._replace(heap=larger(w.heap))
        elif full == engine.FULL_PUBLICATIONS:
            self.world = w._replace(publications=grown(w.publications))
        elif full == engine.FULL_DELIVERIES:
            self.world = w._replace(deliveries=grown(w.deliveries))
        else:
            self.world = w._replace(subs=grown(w.subs), sub_frames=self.larger_pool(w.sub_frames))

    def larger_pool(self, frames: Any) -> Any:
        """A pool of twice the size; in the list of free places the new half comes first."""
        pool, old = grown(frames), len(frames)
        chain(pool, old)
        pool["next"][-1] = self.world.pool["free"][0]
        self.world.pool["free"] = old
        return pool

    def flush(self) -> None:
        """Pass on the collected rows of the trace."""
        rows = int(self.world.tally["rows"][0])
        if rows:
            self.take_rows(self.world.rows[:rows])
            self.world.tally["rows"] = 0

    def note(self, event: int, v: int, channel: int = -1, detail: int = -1) -> None:
        """Write a row of the trace about an event from outside."""
        if not self.tracing:
            return
        if int(self.world.tally["rows"][0]) == len(self.world.rows):
            self.flush()
        notes.note(self.world, self.now, event, v, -1, -1, detail)
        self.world.rows["channel"][self.world.tally["rows"][0] - 1] = channel

    def publish(self, v: int, channel: int, load: int) -> int:
        """Let the application of v publish; returns the index of the publication."""
        self.ensure_room()
        with custom.attributing_errors(self.system):
            return int(pubs.publish(self.world, v, channel, load, self.now))

    def subscribe(self, v: int, channel: int, on: bool) -> bool:
        """Let the application of v subscribe or unsubscribe; returns whether that changed anything."""
        me, hashed = self.world.nodes[v], int(self.world.hashes[channel])
        local = self.now + int(self.world.stations["offset"][v])
        if bool((me["wants"] == hashed).any()) == on:
            return False
        if not on:
            rules.unsubscribe(me, local, hashed)
        elif not rules.subscribe(me, local, hashed):
            raise OverflowError(f"node {v} has no room for another subscription: raise protocol.channels")
        if self.world.stations["alive"][v]:
            hosting.schedule(self.world, v, self.now)
        self.note(SUBSCRIBED if on else UNSUBSCRIBED, v, channel)
        return True

    @property
    def entry_bytes(self) -> int:
        """Bytes of one entry of RS in memory."""
        return int(self.world.nodes.dtype["row"].base["entry"].base.itemsize)

    def table_bytes(self, entry: int = 0) -> Any:
        """Bytes of RS in use, per node: a hash per row, and an entry per position, sized as in memory or as given."""
        nodes, entry = self.world.nodes, entry or self.entry_bytes
        rows = (nodes["channel"] != k.NO_CHANNEL).sum(axis=1)
        return rows * (8 + (nodes["position"] >= 0).sum(axis=1) * entry)
