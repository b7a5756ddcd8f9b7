"""The fault that overwrites memory: all that nodes remember, their clocks and counters, and the frames they send.

`memory` draws what is written; this module writes it to the right places of the world.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from psvr.compiled import node as rules
from psvr.protocol import constants as k
from psvr.protocol.host.handed import BUCKET, bucket
from psvr.protocol.host.holding import IN_FLIGHT
from psvr.protocol.records import READ_ONLY, Held, Hello, Node, Sub
from psvr.sim.engine import events, frames, hosting, subs
from psvr.sim.engine.table_sizes import in_use
from psvr.sim.engine.world import World
from psvr.sim.machine import Machine

from .memory import (
    MAX_CLOCK,
    MIXTURE,
    Lie,
    Record,
    Truth,
    blend,
    change,
    draw_bytes,
    draw_lie,
    draw_plausible,
    pools,
    rebase,
    take_over,
)

Foreign = Callable[[], tuple[World, int]]
NAMES = 24  # past and future publications whose names lies may use
LATELY, LATER = 10, 40  # how far their numbers reach back, and ahead
LIES_HELD = 8  # slots of a host that are overwritten
FITTING = 0.6  # how often lies about links, tree and ring are consistent
STRAY = 0.5  # the chance that a node has sent a HELLO, or SUBs, that it never would have
STRAY_SUBS = 3


def corrupt(machine: Machine, nodes: Iterable[int], rng: np.random.Generator, memory: str, foreign: Foreign) -> None:
    """Overwrite the memory of these nodes; `foreign` returns another network, and is called only if needed."""
    fault = Corruption(machine, rng, foreign)
    for v in map(int, nodes):
        kind = fault.kind(memory)
        fault.write(v, kind)
        if fault.world.stations["alive"][v]:
            fault.send_strays(v, kind)


class Corruption:
    """One fault; what nodes remembered before it is one source of what others remember after it."""

    def __init__(self, machine: Machine, rng: np.random.Generator, foreign: Foreign) -> None:
        self.machine, self.now, self.rng, self.foreign = machine, machine.now, rng, foreign
        world = machine.world
        self.before, self.hosts = world.nodes.copy(), world.hosts.copy()
        self.clocks, self.handed = world.stations["offset"].copy(), world.names.copy()
        self.held = in_use(world.held, world.hosts).copy()
        self.lie = draw_lie(rng, world.ids)
        self.truth = self.truth_of(0)
        self.pools = pools(self.truth, self.lie, rng)

    @property
    def world(self) -> World:
        return self.machine.world  # a new one, once tables had to grow

    def kind(self, memory: str) -> str:
        """The kind of memory that a node gets: one of the mixture for `any`."""
        return str(self.rng.choice(list(MIXTURE), p=list(MIXTURE.values()))) if memory == "any" else memory

    def write(self, v: int, kind: str) -> None:
        """Overwrite all memory of a node, and what it is sending."""
        self.machine.ensure_room()
        u = self.another(v)
        self.write_host(v, u, kind)
        self.write_node(v, u, kind)
        self.write_frames(v, kind)
        self.world.stations["wake_at"][v] = -1
        if self.world.stations["alive"][v]:
            hosting.schedule(self.world, v, self.now)

    def another(self, v: int) -> int:
        """A random node other than this one, if there is one."""
        n = len(self.world.ids)
        return int(v + self.rng.integers(1, n)) % n if n > 1 else v

    # --- nodes

    def write_node(self, v: int, u: int, kind: str) -> None:
        """Overwrite what the node itself remembers; u is another node."""
        record, rng = self.world.nodes[v : v + 1], self.rng
        if kind == "bytes":
            draw_bytes(record, rng, READ_ONLY)
        elif kind == "plausible":
            self.lie_about(v, record)
        elif kind == "swapped":
            take_over(record, self.before[u : u + 1])
        elif kind == "foreign":
            self.take_from_other_network(v, record)
        elif kind == "changed":
            other = record.copy()
            self.lie_about(v, other)
            change(record, other, rng)
        else:
            blend(
                record,
                [
                    lambda other: self.lie_about(v, other),
                    lambda other: self.take_from_other_network(v, other),
                    lambda other: draw_bytes(other, rng, READ_ONLY),
                ],
                rng,
            )

    def lie_about(self, v: int, record: Record) -> None:
        """Write lies; often derive tree and ring from the links, so that the first rule does not clear the table."""
        draw_plausible(record, Node, *self.lies(v), READ_ONLY, self.pools)
        if self.rng.random() < FITTING:
            table = [(name, record[name].copy()) for name in ("channel", "row")]
            rules.derive(record[0], self.clock(v))
            for name, value in table:
                record[name] = value

    def lies(self, v: int) -> tuple[Truth, Lie, np.random.Generator]:
        """What lies about a node are drawn from; pools of values are made once per node."""
        if self.truth.id != self.world.ids[v] or self.truth.now != self.clock(v):
            self.truth = self.truth_of(v)
            self.pools = pools(self.truth, self.lie, self.rng)
        return self.truth, self.lie, self.rng

    def take_from_other_network(self, v: int, record: Record) -> None:
        """Write what a node of another network remembers, with its times moved to this node's clock."""
        other, now = self.foreign()
        w = v if self.rng.random() < 0.5 else self.another(v)
        theirs = other.nodes[w : w + 1].copy()
        rebase(theirs, Node, self.clock(v) - now - int(other.stations["offset"][w]))
        take_over(record, theirs)

    def clock(self, v: int) -> int:
        """The time on a node's own clock."""
        return self.now + int(self.world.stations["offset"][v])

    def truth_of(self, v: int) -> Truth:
        """What lies about a node are made of."""
        w = self.world
        return Truth(
            int(w.ids[v]),
            self.clock(v),
            int(w.nodes["settings"]["hello"][v]),
            w.ids,
            w.ids[w.near[w.first[v] : w.first[v + 1]]],
            w.hashes,
            self.names(),
        )

    def names(self) -> Any:
        """Names of publications that were made recently, or will be soon."""
        v = self.rng.integers(0, len(self.world.ids), NAMES)
        number = self.hosts["number"][v] + self.rng.integers(-LATELY, LATER, NAMES)
        return np.stack((self.world.ids[v], self.hosts["boot"][v], np.maximum(number, 0)), axis=1)

    # --- hosts

    def write_host(self, v: int, u: int, kind: str) -> None:
        """Overwrite the clock, the numbers of start and last publication, and what the host holds and has delivered.

        Handles stay: payloads are stored elsewhere.
        """
        w, rng = self.world, self.rng
        host, station = w.hosts[v : v + 1], w.stations[v : v + 1]
        if kind == "bytes":
            station["offset"] = rng.integers(0, MAX_CLOCK)
            draw_bytes(host, rng, ("born",))
            host["boot"], host["number"] = rng.integers(0, 1 << 30, 2)
            draw_bytes(w.names[v], rng, ())
        elif kind == "swapped":
            station["offset"] = self.clocks[u]  # with any other clock, none of its times would be right
            take_over(host, self.hosts[u : u + 1], ())
            w.names[v] = self.handed[u]
        else:
            if rng.random() < 0.5:
                station["offset"] = rng.integers(0, MAX_CLOCK)
            host["number"] = np.maximum(host["number"] + rng.integers(-LATELY, LATER), 0)
            self.lie_about_handed(v)
        host["born"] = np.minimum(host["born"], self.clock(v))
        self.hold(v, u, kind)

    def hold(self, v: int, u: int, kind: str) -> None:
        """Make the host believe that it holds publications; the length of those on the air is physical, and stays."""
        held = self.world.held[v][: self.held.shape[1]]
        flying = held["state"] == IN_FLIGHT
        loads = held["pub"]["load"][flying].copy()
        if kind == "bytes":
            draw_bytes(held, self.rng, ("handle",))
        elif kind == "swapped":
            take_over(held, self.held[u], ())
        else:
            for i in self.rng.integers(0, len(held), LIES_HELD):
                draw_plausible(held[i : i + 1], Held, *self.lies(v), ("handle",), self.pools)
        held["pub"]["load"][flying] = loads

    def lie_about_handed(self, v: int) -> None:
        """Make the host believe that it has delivered what it has not, at some time in the past or the future."""
        mine, now = self.world.names[v], self.clock(v)
        for origin, boot, number in self.names():
            place = bucket(len(mine), int(origin), int(boot), int(number)) + self.rng.integers(BUCKET)
            mine[place] = (origin, boot, number, now - self.rng.integers(-k.NAME_LIFE, k.NAME_LIFE))

    # --- frames

    def write_frames(self, v: int, kind: str) -> None:
        """Overwrite the frames that a node is sending.  The length of a frame on the air is physical, and stays."""
        w = self.world
        for hellos in (w.hellos, w.spoken):
            if len(hellos):
                self.draw(hellos[v : v + 1], Hello, v, kind, ("links", "heards", "children"))
        for i in np.flatnonzero((w.sub_frames["used"] != 0) & (w.sub_frames["node"] == v)):
            self.draw(w.subs[i : i + 1], Sub, v, kind, ("channels",))

    def send_strays(self, v: int, kind: str) -> None:
        """Send frames that the node would never have sent."""
        self.machine.ensure_room()
        w, rng = self.world, self.rng
        if rng.random() < STRAY:
            w.stations["hellos"][v] += 1
            frames.launch(w, v, self.now, events.HELLO_END, int(w.stations["hellos"][v]))
        for _ in range(rng.integers(1, STRAY_SUBS + 1) if rng.random() < STRAY else 0):
            sub = w.sub_out
            self.draw(sub, Sub, v, kind, ())
            sub["channels"] = np.clip(sub["channels"], 0, sub["channel"].shape[1])
            subs.send_sub(w, v, -1, 1, self.now)

    def draw(self, record: Record, cls: type, v: int, kind: str, keep: tuple[str, ...]) -> None:
        """Overwrite a message: with noise, a lie, or a message of another node, moment or network."""
        if kind == "bytes":
            draw_bytes(record, self.rng, keep)
        elif kind in ("swapped", "foreign"):
            w = self.world if kind == "swapped" else self.foreign()[0]
            pool = w.hellos if cls is Hello else w.subs
            take_over(record, pool[self.rng.integers(len(pool))][None], keep)
        else:
            draw_plausible(record, cls, *self.lies(v), keep, self.pools)
