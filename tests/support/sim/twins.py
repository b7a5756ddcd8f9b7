"""The compiled engine and the reference, run in parallel with the same events from outside."""

from collections.abc import Iterable
from typing import Any

import pytest

from psvr.protocol import node as rules
from psvr.protocol.layout import restore, snapshot
from psvr.protocol.records import Handed, Held, Hello, Host, Node, Settings
from psvr.sim.engine import table_sizes
from psvr.sim.faults import crashes
from psvr.sim.faults.corruption import Corruption
from psvr.sim.faults.outages import Outages
from psvr.sim.network import Network
from psvr.sim.plan.faults import FaultEvent
from psvr.sim.reference.network import Reference
from psvr.sim.reference.radio import RadioReference
from psvr.sim.scenario import parse
from psvr.sim.summary import fingerprint
from psvr.trace import EVENTS, ROW

OUTSIDE = ("subscribed", "unsubscribed", "fault")  # what the reference writes no rows about


def both_ways(links: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    return {way for u, v in links for way in ((u, v), (v, u))}


class Twins:
    """A network, and a reference that mirrors it from the start."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.rows: list[dict[str, int]] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table_sizes, "USUAL_NAMES", table_sizes.MIN_NAMES)
            patch.setattr(table_sizes, "MAX_SLOTS", table_sizes.MIN_SLOTS)  # more would take longer to compare
            self.net = Network(parse({**scenario, "traffic": []}), level="all", take_rows=self.take)
        self.reference, self.outages = self.mirror(), Outages()
        for v, host in enumerate(self.reference.hosts):
            restore(host.node.settings, Settings, snapshot(self.net.world.nodes[v]["settings"], Settings))
        for v in range(self.net.plan.n):
            self.reference.boot(0, v, int(self.net.world.stations["offset"][v]))
        if isinstance(self.reference, RadioReference):
            self.reference.begin_bursts()

    def mirror(self) -> Reference:
        w, ids, capacity = self.net.world, self.net.plan.ids.tolist(), self.net.machine.capacity
        t, room = w.tally[0], {"held": w.held.shape[1], "names": w.names.shape[1]}
        if self.net.plan.field is not None:
            return RadioReference(self.net.plan.field, ids, [], capacity, retries=int(t["retries"]), **room)
        reach = [[int(u) for u in w.near[w.first[v] : w.first[v + 1]]] for v in range(len(ids))]
        return Reference(
            ids,
            reach,
            [],
            capacity,
            loss=int(t["loss"]),
            loss_key=int(t["loss_key"]),
            ack_key=int(t["ack_key"]),
            retries=int(t["retries"]),
            **room,
        )

    def take(self, rows: Any) -> None:
        assert ROW.names
        self.rows += [{name: int(row[name]) for name in ROW.names} for row in rows]

    def advance(self, seconds: float) -> None:
        self.net.machine.advance(self.net.now + round(seconds * 1_000_000))
        self.reference.advance(self.net.now)

    def subscribe(self, v: int, channel: str) -> None:
        self.net.subscribe(v, channel)
        host = self.reference.hosts[v]
        self.reference.hashes = [int(h) for h in self.net.world.hashes]
        rules.subscribe(host.node, self.net.now + host.offset, self.reference.hashes[self.net.channel(channel)])
        self.reference.schedule(host, self.net.now)

    def publish(self, v: int, channel: str) -> None:
        self.net.publish(v, channel, 16)
        self.reference.hashes = [int(h) for h in self.net.world.hashes]
        self.reference.publish(self.net.now, v, self.net.channel(channel), 16)

    def corrupt(self, v: int, rng: Any, kind: str = "bytes") -> None:
        """Put the same arbitrary memory into both, and reschedule both."""
        while self.sends(v):  # frames on their way are changed too, and the reference cannot know how
            self.advance(0.01)
        w, host = self.net.world, self.reference.hosts[v]
        Corruption(self.net.machine, rng, self.net._other_network).write(v, kind)
        restore(host.node, Node, snapshot(w.nodes[v], Node))
        restore(host.body.host, Host, snapshot(w.hosts[v], Host))
        for mine, cls, theirs in ((w.held[v], Held, host.body.held), (w.names[v], Handed, host.body.names)):
            for a, b in zip(mine, theirs, strict=True):
                restore(b, cls, snapshot(a, cls))
        restore(host.hello, Hello, snapshot(w.hellos[v], Hello))
        if isinstance(self.reference, RadioReference):
            on_air = self.reference.radios[v].frame
            if on_air is not None and isinstance(on_air.message, Hello):
                restore(on_air.message, Hello, snapshot(w.spoken[v], Hello))
        host.offset, host.wake_at = int(w.stations["offset"][v]), -1
        if host.alive:
            self.reference.schedule(host, self.net.now)

    def sends(self, v: int) -> bool:
        """Whether a SUB of v is under way."""
        frames = self.net.world.sub_frames
        return bool(((frames["used"] != 0) & (frames["node"] == v)).any())

    def crash(self, v: int) -> None:
        self.net.crash([v])
        self.reference.crash(self.net.now, v)

    def restart(self, v: int) -> None:
        self.net.restart([v])
        self.reference.boot(self.net.now, v, int(self.net.world.stations["offset"][v]))

    def crash_and_cut(self) -> None:
        """Node 0 crashes, starts again, and loses its first link; each is given time to heal."""
        self.crash(0)
        self.advance(12)
        self.restart(0)
        self.cut(int(self.net.world.near[0]), 0)
        self.advance(8)

    def cut(self, u: int, v: int) -> None:
        self.net.cut([(u, v)])
        self.reference.cut |= {(u, v), (v, u)}

    def heal(self, u: int, v: int) -> None:
        self.net.heal([(u, v)])
        self.reference.cut -= {(u, v), (v, u)}

    def partition(self, nodes: list[int]) -> None:
        self.net.partition(nodes)
        self.reference.cut |= both_ways(self.crossing(nodes))

    def jam(self, v: int, by: int) -> None:
        crashes.jam(self.net.world, v, self.net.now, by)
        assert isinstance(self.reference, RadioReference)
        self.reference.jam(self.net.now, v, by)

    def happen(self, event: FaultEvent, ends: bool) -> None:
        """Apply a fault of the network, or its end, to the reference."""
        now, offsets = self.net.now, self.net.world.stations["offset"]
        assert isinstance(self.reference, RadioReference)
        for v in event.nodes.tolist() if event.kind == "jam" else ():
            self.reference.jam(now, v, -1 if ends else 1)
        links = self.crossing(event.nodes.tolist()) if event.kind == "partition" else event.links.tolist()
        change = self.outages.end(event) if ends else self.outages.begin(event, links)
        for v in change.died:
            self.reference.crash(now, v)
        for v in change.started:
            self.reference.boot(now, v, int(offsets[v]))
        self.reference.cut |= both_ways(change.cut)
        self.reference.cut -= both_ways(change.healed)

    def crossing(self, nodes: list[int]) -> list[tuple[int, int]]:
        return [(u, v) for u in nodes for v in set(range(self.net.plan.n)) - set(nodes)]

    def compare(self) -> None:
        """Complete states and traces are equal, except for rows about events from outside."""
        self.net.machine.flush()
        mine = [row for row in self.rows if EVENTS[row["event"]] not in OUTSIDE]
        assert ROW.names
        theirs = [{**dict.fromkeys(ROW.names, -1), **row} for row in self.reference.rows]
        for i, (a, b) in enumerate(zip(mine, theirs)):
            assert a == b, (i, a, b)
        assert len(mine) == len(theirs)
        assert fingerprint(self.net) == self.reference.fingerprint()
        for v, host in enumerate(self.reference.hosts):
            w = self.net.world
            assert snapshot(w.nodes[v], Node) == snapshot(host.node, Node), v
            assert snapshot(w.hosts[v], Host) == snapshot(host.body.host, Host), v
            assert [snapshot(x, Held) for x in w.held[v]] == [snapshot(x, Held) for x in host.body.held], v
            assert [snapshot(x, Handed) for x in w.names[v]] == [snapshot(x, Handed) for x in host.body.names], v
        d = self.net.world.deliveries[: self.net.world.tally["delivered"][0]]
        assert [
            (int(x["time"]), int(x["publication"]), int(x["node"]), int(x["hops"])) for x in d
        ] == self.reference.deliveries
        if isinstance(self.reference, RadioReference):
            self.compare_radios(self.reference)

    def compare_radios(self, reference: RadioReference) -> None:
        """Counts of what was sent and what became of it, and the current state of each radio."""
        t, s, counted = self.net.world.tally[0], self.net.world.air.setting[0], reference.counted
        assert {name: int(t[f"{name.lower()}_sent"]) for name in ("Hello", "Sub", "Pub", "ACK")} == {
            name: counted[name] for name in ("Hello", "Sub", "Pub", "ACK")
        }
        assert [int(s[name]) for name in ("no_access", "no_ack", "queue_full")] == [
            counted[name] for name in ("no_access", "no_ack", "queue_full")
        ]
        for mine, theirs in zip(self.net.world.air.radios, reference.radios):
            for name in ("noise", "incident", "sent_us", "received_us", "rest", "token", "on", "sending"):
                assert mine[name].item() == getattr(theirs, name), (theirs.index, name)
            assert mine["queued"] == len(theirs.queue) and mine["in_air"] == theirs.senders
            assert mine["locked"] == (-1 if theirs.locked is None else theirs.locked)
