"""The host from any memory, and after everything that can happen to a frame."""

import random
from collections import Counter
from typing import Any

import numpy as np

from psvr.protocol import constants as k
from psvr.protocol import host
from psvr.protocol.host import DELIVER, DROPPED, HEARD, KNOWN, SEND, Body
from psvr.protocol.host.holding import ENDED, FREE
from psvr.protocol.layout import Capacity, blank, dtype, restore, snapshot
from psvr.protocol.records import Effects, Handed, Held, Hello, Outcome, Pub
from psvr.protocol.records import Host as Memory
from psvr.sim.faults import memory
from tests.support.protocol.bodies import CHANNEL, SMALL, done
from tests.support.protocol.states import Draw, drawn, reached


class Lies(Draw):
    """A node, and a host whose tables hold anything."""

    def body(self) -> Body:
        me = self.node()
        me.settings.custody, me.settings.repeat = self.rng.choice([0, k.KEEP]), self.rng.choice([0, k.KEEP])
        me.settings.wait, me.settings.rounds = self.rng.choice([0, k.KEEP]), self.rng.choice([0, 2])
        cap = Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2, effects=60)
        b = Body(
            me,
            blank(Memory, cap),
            [blank(Held, cap) for _ in range(24)],
            [blank(Handed, cap) for _ in range(16)],
            blank(Effects, cap),
            blank(Outcome, cap),
        )
        for table_of, cls in (([b.host], Memory), (b.held, Held), (b.names, Handed)):
            for x in table_of:
                restore(x, cls, self.some(cls, cap))
        return b

    def some(self, cls: type, cap: Capacity) -> dict[str, Any]:
        record: Any = np.zeros(1, dtype(cls, cap))
        if self.rng.random() < 0.3:
            memory.draw_bytes(record, self.numpy, ())
        else:
            memory.draw_plausible(record, cls, self.truth(), self.lie, self.numpy)
        return snapshot(record[0], cls)


def happen(b: Body, draw: Lies, now: int, hello: Hello, before: list[Pub]) -> list[tuple[int, tuple[int, ...], int]]:
    """Anything; a PUB that is heard may be one that was heard before.  Effects, with the names they are about."""
    rng, what, pub = draw.rng, draw.rng.randrange(6), blank(Pub, SMALL)
    if what == 0:
        host.publish(b, now, rng.choice([CHANNEL, 5]), 16, 1)
    elif what == 1:
        pub = rng.choice(before) if before and rng.random() < 0.4 else draw.message(Pub, b.me)
        before.append(pub)
        host.hear_pub(b, now, pub, 1)
    elif what == 2:
        host.hear_hello(b, now, draw.message(Hello, b.me))
    elif what == 3:
        host.acknowledged(b, now, rng.randrange(-1, 30))
    elif what == 4:
        host.failed(b, now, rng.randrange(-1, 30))
    else:
        host.wake(b, now, hello)
    found: list[tuple[int, tuple[int, ...], int]] = []
    for kind, slot, reason in [(e.kind, e.slot, e.reason) for e in b.out.effect[: b.out.count]]:
        assert HEARD <= slot < len(b.held) and SEND <= kind <= KNOWN and 0 <= reason < len(k.REASONS)
        it = b.held[slot].pub if slot >= 0 else pub
        found.append((kind, (it.origin, it.boot, it.number), reason))
    done(b)
    return found


@drawn(400, sends=0.1, delivers=0.2, drops=0.05, held=0.5, again=0.03)
def test_no_memory_and_no_event_is_too_much(rng: random.Random) -> set[str]:
    """No exception, effects name what there is, and nothing is handed over twice."""
    draw = Lies(rng)
    b, now, found = draw.body(), 10**9, Counter[int]()
    b.me.settings.memory = 1
    given, before = set[tuple[int, ...]](), list[Pub]()
    hello = blank(Hello, Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2))
    held = any(0 < h.state < ENDED for h in b.held[: max(0, min(b.host.top, 24))])
    for _ in range(30):
        now += rng.choice([0, 1000, 100_000, k.SECOND])
        for kind, name, _ in happen(b, draw, now, hello, before):
            assert kind != DELIVER or name not in given, "handed over twice"
            found[kind] += 1
            given |= {name} if kind == DELIVER else set()
    return reached(
        sends=found[SEND] > 0, delivers=found[DELIVER] > 0, drops=found[DROPPED] > 0, held=held, again=found[KNOWN] > 0
    )


@drawn(150, held=0.5, lies=0.5)
def test_whatever_is_held_is_gone_after_a_while(rng: random.Random) -> set[str]:
    """Two minutes, plus the time until it is scanned, if nothing else happens."""
    draw = Lies(rng)
    b, now = draw.body(), 10**9
    hello = blank(Hello, Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2))
    held = any(0 < h.state < ENDED for h in b.held[: max(0, min(b.host.top, 24))])
    end = now + k.MAX_HELD + 2 * k.HELD_CHECK * b.me.settings.hello
    lies = {(h.origin, h.boot, h.number, h.at) for h in b.names if h.at > end}
    while now < end:
        now = max(now, host.next_due(b, now)) + 1
        host.wake(b, now, hello)
        for kind, slot, _ in done(b):
            if kind == SEND:
                host.acknowledged(b, now, slot)
                done(b)
    assert all(h.state == FREE for h in b.held[: b.host.top])
    assert not lies & {(h.origin, h.boot, h.number, h.at) for h in b.names} and all(h.at <= now for h in b.names)
    return reached(held=held, lies=bool(lies))
