"""The rules give bit-identical states compiled and uncompiled, event by event, from any memory, side by side."""

import random
from collections import Counter
from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import restore, snapshot
from psvr.protocol.records import READ_ONLY, Hello, Node, Outcome, Pub, Sub
from tests.support.network import CHANNEL, Network, make, rules
from tests.support.protocol.states import CAPACITY, NOW, Draw

FORMS = ("protocol", "compiled")


def differences(a: Any, b: Any, path: str = "") -> list[str]:
    if isinstance(a, dict):
        return [d for key in a for d in differences(a[key], b[key], f"{path}.{key}")]
    if isinstance(a, list):
        return [d for i, (x, y) in enumerate(zip(a, b, strict=True)) for d in differences(x, y, f"{path}[{i}]")]
    return [] if a == b else [f"{path}: {a} ≠ {b}"]


class Pair:
    """One node in both forms; every event goes to both."""

    def __init__(self, rng: random.Random, system: int) -> None:
        self.rng, self.draw, self.now = rng, Draw(rng), rng.choice([0, 10**6, NOW, NOW, NOW, 10**15])
        self.node = {form: make(Node, CAPACITY, form) for form in FORMS}
        self.met: Counter[str] = Counter()
        shot = snapshot(self.draw.node(system), Node)
        for form in FORMS:
            restore(self.node[form], Node, shot)

    def call(self, name: str, *arguments: Any, outs: tuple[type, ...] = ()) -> Any:
        """Apply a rule in both forms to equal arguments; what it returns, once, after all is seen to be equal."""
        results = []
        for form in FORMS:
            given = [self.given(x, form) for x in arguments]
            made = [make(cls, CAPACITY, form) for cls in outs]
            answer = getattr(rules(form), name)(self.node[form], self.now, *given, *made)
            results.append(
                (
                    {"answer": None if answer is None else int(answer)},
                    snapshot(self.node[form], Node),
                    *(snapshot(x, cls) for x, cls in zip(made, outs)),
                )
            )
        for a, b in zip(*results, strict=True):
            assert not differences(a, b), (name, differences(a, b)[:5])
        return results[0]

    def given(self, x: Any, form: str) -> Any:
        if not isinstance(x, tuple):
            return x
        made = make(x[0], CAPACITY, form)
        restore(made, *x)
        return made

    def event(self) -> None:
        rng = self.rng
        self.now += rng.choice([0, 1, 10**5, 10**5, 10**6]) if rng.random() < 0.97 else 10**7
        kind = rng.randrange(8)
        if kind < 3:
            self.call("hear_hello", (Hello, self.message(Hello)))
        elif kind == 3:
            self.call("hear_sub", (Sub, self.message(Sub)), outs=(Sub,))
        elif kind == 4:
            self.call("hear_pub", (Pub, self.message(Pub)), outs=(Outcome,))
        elif kind == 5:
            self.call("publish", rng.choice([CHANNEL, 5, 0]), 1, rng.randint(0, 9), 0, outs=(Pub, Outcome))
        elif kind == 6:
            name = rng.choice(["subscribe", "unsubscribe"])
            self.call(name, rng.choice([CHANNEL, -CHANNEL, 5, 6, 7, 8]))
        else:
            said = self.call("wake", outs=(Hello,))[0]["answer"]
            if said & 2:
                self.call("write_sub", rng.choice([0, 0, 1, 3]), outs=(Sub,))
        self.call("next_due")
        me = self.node["protocol"]
        self.met.update(links=any(link.id >= 0 for link in me.link), follows=me.root != me.id, ring=me.ring >= 0)

    def message(self, cls: type) -> dict[str, Any]:
        return snapshot(self.draw.message(cls, self.node["protocol"]), cls)


@pytest.mark.parametrize("system", range(len(k.SYSTEMS)), ids=k.SYSTEMS)
def test_any_memory_and_any_events_give_equal_states(system: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(60):
        pair = Pair(random.Random(seed), system)
        for _ in range(30):
            pair.event()
        met += pair.met
    assert met["links"] > 500 and met["follows"] > 250 and met["ring"] > 100, met


def test_whole_networks_live_through_the_same_states() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 4), (4, 5)]
    twins = [Network(edges, 6, seed=3, form=form, loss=0.1) for form in FORMS]
    for net in twins:
        net.subscribe(2, 5)
        net.run(15)
        net.corrupt(1)
        net.corrupt(4)
        net.run(60)
        for v in range(6):
            net.publish(v)
    a, b = twins
    for v in range(6):
        assert not differences(snapshot(a.node[v], Node), snapshot(b.node[v], Node))
    assert a.pubs == b.pubs and a.delivered == b.delivered and len(a.delivered) >= 12


def test_read_only_memory_is_never_written() -> None:
    rng = random.Random(1)
    for system in range(len(k.SYSTEMS)):
        pair = Pair(rng, system)
        before = snapshot(pair.node["protocol"], Node)
        for _ in range(60):
            pair.now += 10**5
            pair.call("hear_hello", (Hello, pair.message(Hello)))
            pair.call("wake", outs=(Hello,))
        after = snapshot(pair.node["protocol"], Node)
        assert all(before[name] == after[name] for name in READ_ONLY)
