"""The compiled engine and the reference, side by side, with the same things happening to both."""

from typing import Any

from psvr.protocol import node as rules
from psvr.protocol.layout import restore, snapshot
from psvr.protocol.records import Hello, Node, Settings
from psvr.sim import faults
from psvr.sim.network import Network
from psvr.sim.reference import Reference
from psvr.sim.scenario import parse
from psvr.sim.summary import fingerprint
from psvr.trace import ROW


class Twins:
    """A network, and a reference that mirrors it from the start."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.rows: list[dict[str, int]] = []
        self.net = Network(parse({**scenario, "traffic": []}), level="all", take_rows=self.take)
        w, self.hashes = self.net.world, {}
        t, n = w.tally[0], len(w.ids)
        reach = [[int(u) for u in w.near[w.first[v]:w.first[v + 1]]] for v in range(n)]
        self.reference = Reference(
            [int(id) for id in w.ids], reach, [], self.net.machine.capacity, loss=int(t["loss"]),
            loss_key=int(t["loss_key"]), ack_key=int(t["ack_key"]), retries=int(t["retries"]))
        for v, host in enumerate(self.reference.hosts):
            restore(host.node.settings, Settings, snapshot(w.nodes[v]["settings"], Settings))
        for v in range(n):
            self.reference.boot(0, v, int(w.hosts["offset"][v]))

    def take(self, rows: Any) -> None:
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

    def corrupt(self, v: int, rng: Any) -> None:
        """The same random memory for both; both are scheduled anew."""
        w, host = self.net.world, self.reference.hosts[v]
        faults.corrupt(w, v, self.net.now, rng)
        restore(host.node, Node, snapshot(w.nodes[v], Node))
        restore(host.hello, Hello, snapshot(w.hellos[v], Hello))
        host.offset, host.number, host.boot = (int(w.hosts[name][v]) for name in ("offset", "number", "boot"))
        host.wake_at = -1
        self.reference.schedule(host, self.net.now)

    def crash(self, v: int) -> None:
        self.net.crash([v])
        self.reference.hosts[v].alive = False

    def restart(self, v: int) -> None:
        self.net.restart([v])
        self.reference.boot(self.net.now, v, int(self.net.world.hosts["offset"][v]))

    def cut(self, u: int, v: int) -> None:
        self.net.cut([(u, v)])
        self.reference.cut |= {(u, v), (v, u)}

    def compare(self) -> None:
        """Whole states and whole traces are equal, but for rows about what comes from outside."""
        outside = {"subscribed", "unsubscribed", "fault"}
        from psvr.trace import EVENTS
        mine = [row for row in self.rows if EVENTS[row["event"]] not in outside]
        theirs = [{**dict.fromkeys(ROW.names, -1), **row} for row in self.reference.rows]
        for i, (a, b) in enumerate(zip(mine, theirs)):
            assert a == b, (i, a, b)
        assert len(mine) == len(theirs)
        assert fingerprint(self.net) == self.reference.fingerprint()
        for v, host in enumerate(self.reference.hosts):
            assert snapshot(self.net.world.nodes[v], Node) == snapshot(host.node, Node), v
        d = self.net.world.deliveries[:self.net.world.tally["delivered"][0]]
        assert [(int(x["time"]), int(x["publication"]), int(x["node"]), int(x["hops"])) for x in d] \
            == self.reference.deliveries
