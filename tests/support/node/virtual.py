"""Hosts in virtual time, joined by links that lose, delay, repeat and reorder: no socket, no process, no seal."""

import heapq
import itertools
import random
from typing import Any

from psvr.node.core import envelope
from psvr.node.core.host import Host, Options
from psvr.node.core.transport import Transport
from psvr.protocol.records import Pub


class Virtual:
    def __init__(
        self,
        edges: list[tuple[int, int]],
        n: int,
        *,
        loss: float = 0.0,
        seed: int = 0,
        delay: tuple[int, int] = (200, 2000),
        twice: float = 0.0,
        hello: float = 0.2,
        rate: float = 0.0,
        options: dict[str, Any] | None = None,
    ) -> None:
        """`rate`: bytes per second that pass a link in one direction; 0: any number."""
        self.random, self.loss, self.delay, self.twice, self.rate = random.Random(seed), loss, delay, twice, rate
        self.free: dict[tuple[int, int], int] = {}  # when a link is free again, by its two ends
        self.near: list[set[int]] = [set() for _ in range(n)]
        for u, v in edges:
            self.near[u].add(v)
            self.near[v].add(u)
        self.now, self.count = 1_000_000, itertools.count()
        self.queue: list[tuple[int, int, int, int, bytes]] = []  # when, order, to whom, from whom, items
        self.options = Options(hello=hello, **(options or {}))
        self.got: dict[int, list[tuple[str, bytes, tuple[int, int, int]]]] = {v: [] for v in range(n)}
        self.rows: list[tuple[int, str, dict[str, Any]]] = []
        self.alive = [True] * n
        self.boots = [0] * n
        self.hosts: list[Host] = []
        for v in range(n):
            self.hosts.append(self.boot(v))

    def boot(self, v: int) -> Host:
        """A node that starts with nothing."""
        self.boots[v] += 1
        transport = Transport(lambda plain, peer: self.put(v, peer.id, plain))
        host = Host(
            v,
            self.boots[v],
            self.now,
            self.options,
            lambda frame: self.say(v, frame),
            transport,
            lambda name, data, pub: self.deliver(v, name, data, pub),
            lambda event, **row: self.rows.append((v, event, row)),
        )
        if len(self.hosts) > v:
            self.hosts[v] = host
        self.alive[v] = True
        return host

    def deliver(self, v: int, name: str, data: bytes, pub: Pub) -> None:
        self.got[v].append((name, data, (pub.origin, pub.boot, pub.number)))

    def say(self, v: int, frame: bytes) -> None:
        for u in sorted(self.near[v]):
            self.put(v, u, envelope.hello(frame))

    def put(self, v: int, u: int, plain: bytes) -> None:
        for _ in range(1 + (self.random.random() < self.twice)):
            if u in self.near[v] and self.random.random() >= self.loss:
                when = self.through(v, u, len(plain)) + self.random.randint(*self.delay)
                heapq.heappush(self.queue, (when, next(self.count), u, v, self.boots[v].to_bytes(1, "big") + plain))

    def through(self, v: int, u: int, length: int) -> int:
        """The time at which so many bytes will have passed."""
        if not self.rate:
            return self.now
        self.free[v, u] = max(self.free.get((v, u), 0), self.now) + round(1e6 * length / self.rate)
        return self.free[v, u]

    def arrive(self, v: int, sender: int, plain: bytes) -> None:
        host, salt = self.hosts[v], plain[:1]
        if not self.alive[v] or not self.alive[sender] or salt[0] != self.boots[sender]:
            return
        peer = host.transport.meet(sender, salt, sender, self.now)
        for item in envelope.items(plain[1:]):
            if item.kind == envelope.HELLO:
                host.hear(sender, item.body, self.now)
            else:
                host.transport.hear(peer, item, self.now, lambda frame: host.take(sender, frame, self.now))

    def run(self, seconds: float) -> None:
        end = self.now + round(seconds * 1e6)
        self.flush()
        while True:
            due = [(h.next_due(self.now), v) for v, h in enumerate(self.hosts) if self.alive[v]]
            when, v = min(due)
            if self.queue and self.queue[0][0] <= when:
                when, _, to, sender, plain = heapq.heappop(self.queue)
                if when > end:
                    heapq.heappush(self.queue, (when, next(self.count), to, sender, plain))
                    break
                self.now = when
                self.arrive(to, sender, plain)
            elif when > end:
                break
            else:
                self.now = when
                self.hosts[v].wake(self.now)
            self.flush()
        self.now = end

    def flush(self) -> None:
        for host, alive in zip(self.hosts, self.alive):
            if alive:
                host.transport.flush()

    def publish(self, v: int, channel: str = "c", data: bytes = b"x") -> tuple[int, int, int]:
        number = self.hosts[v].publish(channel, data, self.now)
        return v, self.boots[v], number
