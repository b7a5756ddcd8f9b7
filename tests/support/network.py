"""A round-based harness: all nodes step, frames are delivered at once, some are lost.  No queue, no radio.

It hosts the rules in either form; `form` is `psvr.protocol` (plain objects) or `psvr.compiled` (numpy records).
"""

import importlib
import random
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, Int, blank, dtype, fields, restore, snapshot
from psvr.protocol.records import READ_ONLY, Hello, Node, Outcome, Pub, Sub

TICK = 50 * k.MILLISECOND
CHANNEL = 4711


def rules(form: str) -> ModuleType:
    return importlib.import_module(f"psvr.{form}.node")


def make(cls: type, capacity: Capacity, form: str) -> Any:
    """One blank record in either form."""
    if form == "protocol":
        return blank(cls, capacity)
    import numpy as np

    return np.zeros(1, dtype(cls, capacity)).view(np.recarray)[0]


@dataclass
class Network:
    edges: list[tuple[int, int]]
    n: int
    seed: int = 0
    form: str = "protocol"
    capacity: Capacity = field(default_factory=Capacity)
    settings: dict[str, int] = field(default_factory=dict)
    loss: float = 0.0
    ids: list[int] = field(default_factory=list)  # 0, 1, 2 … unless given
    retries: int = 3

    def __post_init__(self) -> None:
        self.rules = rules(self.form)
        self.random = random.Random(self.seed)
        self.now = 1_000 * k.SECOND
        self.ids = self.ids or list(range(self.n))
        self.near: list[set[int]] = [set() for _ in range(self.n)]
        for u, v in self.edges:
            self.near[u].add(v)
            self.near[v].add(u)
        self.alive = [True] * self.n
        self.node = [make(Node, self.capacity, self.form) for _ in range(self.n)]
        self.hello, self.outcome = make(Hello, self.capacity, self.form), make(Outcome, self.capacity, self.form)
        self.later: list[tuple[int, int, Any]] = []  # second copies of SUBs
        self.delivered: list[tuple[int, int, int]] = []  # (publication, node, hops)
        self.pubs: list[tuple[int, int, int, int]] = []  # (publication, from, to, ep)
        self.received: list[tuple[int, int]] = []  # (publication, node)
        self.dropped: list[tuple[str, int]] = []
        self.number = 1000  # beyond what `anything` likes to draw
        self.lie: Any = None  # that corrupt nodes agree upon
        for v in range(self.n):
            self.boot(v)

    def boot(self, v: int) -> None:
        me = self.node[v]
        self.rules.default_settings(me.settings)
        for name, value in self.settings.items():
            if self.form == "protocol":
                setattr(me.settings, name, value)
            else:
                me["settings"][name] = value
        self.rules.start(me, self.ids[v], self.now)
        self.alive[v] = True

    def copy(self, cls: type, value: Any) -> Any:
        made = make(cls, self.capacity, self.form)
        restore(made, cls, snapshot(value, cls))
        return made

    def lost(self) -> bool:
        return self.random.random() < self.loss

    def step(self) -> None:
        self.now += TICK
        for when, v, sub in [x for x in self.later if x[0] <= self.now]:
            self.later.remove((when, v, sub))
            self.send_sub(v, sub, copies=1)
        for v in self.random.sample(range(self.n), self.n):
            if self.alive[v] and self.rules.next_due(self.node[v], self.now) <= self.now:
                self.wake(v)

    def wake(self, v: int) -> None:
        said = self.rules.wake(self.node[v], self.now, self.hello)
        if said & 1:
            for u in sorted(self.near[v]):
                if self.alive[u] and not self.lost():
                    self.rules.hear_hello(self.node[u], self.now, self.hello)
        part = 0
        while said & 2:
            sub = make(Sub, self.capacity, self.form)
            part = self.rules.write_sub(self.node[v], self.now, part, sub)
            if sub.channels or sub.to != k.NOBODY:
                self.send_sub(v, sub)
            if part == 0:
                break

    def send_sub(self, v: int, sub: Any, copies: int = k.MIN_SUB_COPIES) -> None:
        if copies > 1:
            self.later.append((self.now + k.SUB_COPY_GAP, v, sub))
        for u in sorted(self.near[v]):
            if self.alive[u] and not self.lost():
                out = make(Sub, self.capacity, self.form)
                self.rules.hear_sub(self.node[u], self.now, sub, out)
                if out.channels:
                    self.send_sub(u, out)

    def run(self, seconds: float) -> None:
        for _ in range(int(seconds * k.SECOND / TICK)):
            self.step()

    def publish(self, v: int, channel: int = CHANNEL) -> int:
        """Publish, deliver to the end; the publication's number."""
        self.number += 1
        pub = make(Pub, self.capacity, self.form)
        self.rules.publish(self.node[v], self.now, channel, 1, self.number, 0, pub, self.outcome)
        waiting = self.after(v, pub)
        while waiting:
            u, pub = waiting.pop(0)
            self.received.append((pub.number, u))
            self.rules.hear_pub(self.node[u], self.now, pub, self.outcome)
            waiting += self.after(u, pub)
        return self.number

    def after(self, v: int, pub: Any) -> list[tuple[int, Any]]:
        """Note what a PUB did at v; the PUBs that arrive elsewhere because of it."""
        outcome, arrive = self.copy(Outcome, self.outcome), []
        publication = importlib.import_module(f"psvr.{self.form}.pubsub.publication")
        if outcome.deliver:
            self.delivered.append((pub.number, v, pub.hops))
        if outcome.reason:
            self.dropped.append((k.REASONS[outcome.reason], v))
        for i in range(outcome.sends):
            send = outcome.send[i]
            out = make(Pub, self.capacity, self.form)
            publication.carry(self.node[v], pub, send, out)
            self.pubs.append((pub.number, send.at, send.goal, send.ep))
            for u in sorted(self.near[v]):
                meant = send.to in (k.NOBODY, self.ids[u])
                if meant and self.alive[u] and any(not self.lost() for _ in range(1 + self.retries)):
                    arrive.append((u, self.copy(Pub, out)))
        return arrive

    def subscribe(self, *nodes: int, channel: int = CHANNEL) -> None:
        for v in nodes:
            assert self.rules.subscribe(self.node[v], self.now, channel)

    def corrupt(self, v: int) -> None:
        """All memory of a node, but for what is read-only: noise, lies that look true, or what another remembers."""
        import numpy as np

        from psvr.sim.faults import memory

        rng = np.random.default_rng(self.random.getrandbits(64))
        record = np.zeros(1, dtype(Node, self.capacity))
        restore(record[0], Node, snapshot(self.node[v], Node))
        kind, ids = self.random.randrange(4), np.array(sorted(self.ids))
        if kind == 0:
            memory.draw_bytes(record, rng, READ_ONLY)
        elif kind == 1:
            other = np.zeros(1, record.dtype)
            restore(other[0], Node, snapshot(self.random.choice(self.node), Node))
            memory.take_over(record, other)
        else:
            self.lie = self.lie or memory.draw_lie(rng, ids)
            truth = memory.Truth(
                int(record["id"][0]),
                self.now,
                k.SECOND,
                ids,
                ids[sorted(self.near[v])],
                np.array([CHANNEL]),
                np.zeros((0, 3), np.int64),
            )
            memory.draw_plausible(record, Node, truth, self.lie, rng, READ_ONLY)
        restore(self.node[v], Node, snapshot(record[0], Node))

    def cut(self, u: int, v: int) -> None:
        self.near[u].discard(v)
        self.near[v].discard(u)


def anything(rng: random.Random, f: Any, capacity: Capacity) -> Any:
    """Any value that the memory of a field can hold; half of them are small, where the rules look twice."""
    if f.capacity:
        return [anything_of(rng, f.item, capacity) for _ in range(getattr(capacity, f.capacity))]
    return anything_of(rng, f.item, capacity)


def anything_of(rng: random.Random, item: Any, capacity: Capacity) -> Any:
    if not isinstance(item, Int):
        return {g.name: anything(rng, g, capacity) for g in fields(item)}
    low, high = item.limits
    return rng.randint(low, high) if rng.random() < 0.5 else max(low, min(high, rng.randint(-2, 40)))
