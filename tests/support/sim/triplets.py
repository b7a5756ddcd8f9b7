"""The compiled host, the plain one and the live node's, run in parallel with the same events from outside."""

from typing import Any

from psvr.node.core.host import ID_BYTES, POSITION_BYTES
from psvr.protocol.host.holding import FREE
from psvr.protocol.layout import Int, fields, restore, snapshot
from psvr.protocol.records import Handed, Held, Node, Pub
from psvr.protocol.records import Host as Memory
from psvr.protocol.wire.names import channel_hash
from psvr.trace.columns import EVENTS
from tests.support.sim.live_reference import LOAD, LiveReference
from tests.support.sim.twins import Twins


class Triplets(Twins):
    """Compiled host, plain host and live host, run in parallel with the same events from outside."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        widths = {"id_bytes": ID_BYTES, "position_bytes": POSITION_BYTES, "frame": 1000}
        super().__init__({**scenario, "protocol": {**scenario.get("protocol", {}), **widths}})
        w, reference = self.net.world, self.reference
        self.live = LiveReference(
            [host.node.settings for host in reference.hosts],
            [],
            reference.ids,
            [host.reach for host in reference.hosts],
            [],
            reference.capacity,
            loss=reference.loss,
            loss_key=reference.loss_key,
            ack_key=reference.ack_key,
            retries=reference.retries,
            held=w.held.shape[1],
            names=w.names.shape[1],
        )
        for v in range(self.net.plan.n):
            self.live.boot(0, v, int(w.stations["offset"][v]))
        self.floods = self.net.scenario.protocol.system == "flood"

    def advance(self, seconds: float) -> None:
        super().advance(seconds)
        self.live.advance(self.net.now)

    def subscribe(self, v: int, channel: str) -> None:
        super().subscribe(v, channel)
        self.live.subscribe(self.net.now, v, channel)

    def publish(self, v: int, channel: str) -> None:
        super().publish(v, channel)
        number = self.net.channel(channel)
        self.live.channels += [channel] if number == len(self.live.channels) else []
        self.live.publish(self.net.now, v, number, LOAD)

    def sends(self, v: int) -> bool:
        """Also a HELLO or PUB: in a live host, frames on their way are out of reach of its memory."""
        host = self.reference.hosts[v]
        hello = any(action.__name__ == "end_hello" and who[0] is host for _, _, action, who in self.reference.queue)
        return host.alive and (super().sends(v) or bool(host.flights) or hello)

    def corrupt(self, v: int, rng: Any, kind: str = "bytes") -> None:
        super().corrupt(v, rng, kind)
        for mine, theirs in zip(self.net.world.held[v], self.reference.hosts[v].body.held):
            payload = self.live.payload(theirs.handle)  # what lies beside it is no lie
            theirs.pub.load, theirs.pub.channel = LOAD, channel_hash(payload.name)
            mine["pub"]["load"], mine["pub"]["channel"] = theirs.pub.load, theirs.pub.channel
        station, plain = self.live.hosts[v], self.reference.hosts[v]
        restore(station.node, Node, snapshot(plain.node, Node))
        restore(station.body.host, Memory, snapshot(plain.body.host, Memory))
        for mine, theirs in zip(plain.body.names, station.body.names, strict=True):
            restore(theirs, Handed, snapshot(mine, Handed))
        for a, b in zip(plain.body.held, station.body.held, strict=True):
            restore(b, Held, snapshot(a, Held))
            b.handle = self.live.payload(a.handle)
        station.offset, station.wake_at = plain.offset, -1
        if station.alive:
            self.live.schedule(station, self.net.now)

    def crash(self, v: int) -> None:
        super().crash(v)
        self.live.hosts[v].alive = False

    def restart(self, v: int) -> None:
        super().restart(v)
        self.live.boot(self.net.now, v, int(self.net.world.stations["offset"][v]))

    def cut(self, u: int, v: int) -> None:
        super().cut(u, v)
        self.live.cut |= {(u, v), (v, u)}

    def heal(self, u: int, v: int) -> None:
        super().heal(u, v)
        self.live.cut -= {(u, v), (v, u)}

    def of_host(self, host: Memory) -> dict[str, int]:
        """A broadcast of a live host is over at once: then slots are not taken in the same order."""
        names = ("born", "boot", "number", "ring", "phase", "met")
        return {name: value for name, value in snapshot(host, Memory).items() if not self.floods or name in names}

    def compare(self) -> None:
        """Frames, deliveries, notes, and memory but for handles, which are each driver's own."""
        super().compare()
        for i, (a, b) in enumerate(zip(self.reference.rows, self.live.rows)):
            assert common(a) == common(b), (i, a, b)
        assert len(self.reference.rows) == len(self.live.rows)
        assert self.reference.deliveries == self.live.deliveries
        for plain, station in zip(self.reference.hosts, self.live.hosts):
            assert snapshot(plain.node, Node) == snapshot(station.node, Node), plain.index
            assert self.of_host(plain.body.host) == self.of_host(station.body.host), plain.index
            for mine, theirs in zip(plain.body.names, station.body.names, strict=True):
                assert snapshot(mine, Handed) == snapshot(theirs, Handed), plain.index
            if not self.floods:
                for a_held, b_held in zip(plain.body.held, station.body.held):
                    assert in_hand(a_held) == in_hand(b_held), plain.index


def in_hand(held: Held) -> Any:
    """Of a slot that is in use."""
    return (
        [
            getattr(held, f.name) if isinstance(f.item, Int) else snapshot(held.pub, Pub)
            for f in fields(Held)
            if f.name != "handle"
        ]
        if held.state != FREE
        else FREE
    )


def common(row: dict[str, int]) -> dict[str, int]:
    """What every driver can know: from where on the ring another has sent, and why a SUB was of no use, it cannot."""
    left_out = {"received": ("from_", "reason"), "dropped": ("from_",)}.get(EVENTS[row["event"]], ())
    return {name: value for name, value in row.items() if name not in left_out}
