"""Any state × any message: nodes with arbitrary memory, for tests of single rules.

A state that the first rule wipes clean shows nothing.  So states are drawn from a mixture: noise, small numbers, lies
that look true, whole states of nodes in settled networks (this one's, another's, another moment's), such states with
some fields changed, and states of which every part is of another kind.  `drawn` counts what they led to, and fails
where that becomes too little.
"""

import functools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import Capacity, blank, dtype, restore, snapshot
from psvr.protocol.pubsub import publication
from psvr.protocol.records import READ_ONLY, Hello, Node, Outcome, Pub, Sub
from psvr.protocol.tree import is_tree
from psvr.sim.faults import memory
from tests.support.network import CHANNEL, Network, anything_of

CAPACITY = Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2)
NOW = 10**9
NOISE, SMALL, LIES, WHOLE, CHANGED, BLENDED = range(6)
SHARES = (1, 1, 6, 4, 4, 2)  # of these, among the states that are drawn
IDS = ((0, 1, 2, 3, 4, 5, 6), (3, 5, 8, 9, 12, 20, 2**40))
EDGES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (3, 5), (4, 5), (5, 6)]


def drawn(times: int = 300, **least: float) -> Callable[[Callable[[random.Random], set[str]]], Callable[[], None]]:
    """Make a test of that many draws.  It returns what each draw has reached: each in at least such a share of them."""

    def over(test: Callable[[random.Random], set[str]]) -> Callable[[], None]:
        @functools.wraps(test)
        def run() -> None:
            reached: Counter[str] = Counter()
            for seed in range(times):
                try:
                    reached.update(test(random.Random(seed)))
                except Exception as error:
                    error.add_note(f"seed {seed}")
                    raise
            for name, share in least.items():
                assert reached[name] >= share * times, f"only {reached[name]} of {times} draws reached {name}"

        del run.__wrapped__  # pytest would look for a fixture rng
        return run

    return over


def reached(**found: bool) -> set[str]:
    return {name for name, value in found.items() if value}


@functools.cache
def lived() -> list[tuple[Any, dict[type, list[dict[str, Any]]]]]:
    """Moments of settled networks: all nodes as records, times moved to NOW, and messages of that moment."""
    found = []
    for i, ids in enumerate(IDS):
        net = Network(EDGES, 7, seed=i, capacity=CAPACITY, settings={"links": 4}, ids=list(ids))
        net.subscribe(2, 5, 6)
        net.subscribe(0, 5, channel=5)
        for seconds in (7, 6, 6):
            net.run(seconds)
            messages = {cls: [snapshot(m, cls) for m in said] for cls, said in spoken(net).items()}
            net.publish(net.random.randrange(7))
            records = np.zeros(7, dtype(Node, CAPACITY))
            for v in range(7):
                restore(records[v], Node, snapshot(net.node[v], Node))
            memory.rebase(records, Node, NOW - net.now)
            found.append((records, messages))
    return found


def spoken(net: Network) -> dict[type, list[Any]]:
    """What the nodes of a network would say at this moment."""
    said: dict[type, list[Any]] = {Hello: [], Sub: [], Pub: []}
    for v, me in enumerate(net.node):
        twin, hello = net.copy(Node, me), blank(Hello, CAPACITY)
        sub, relayed = blank(Sub, CAPACITY), blank(Sub, CAPACITY)
        node.write_hello(twin, net.now, hello)
        node.write_sub(twin, net.now, 0, sub)
        said[Hello].append(hello)
        for u in net.near[v] if sub.channels else ():
            node.hear_sub(net.copy(Node, net.node[u]), net.now, sub, relayed)
            said[Sub] += [sub, net.copy(Sub, relayed)] if relayed.channels else [sub]
        pub, out = blank(Pub, CAPACITY), blank(Outcome, CAPACITY)
        node.publish(twin, net.now, CHANNEL, 1, v, 0, pub, out)
        for send in out.send[: out.sends]:
            carried = blank(Pub, CAPACITY)
            publication.carry(twin, pub, send, carried)
            said[Pub].append(carried)
    return said


class Draw:
    """One network, of which a node is drawn, and messages to it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.numpy = rng, np.random.default_rng(rng.getrandbits(64))
        self.records, self.messages = rng.choice(lived())
        self.ids = self.records["id"]
        self.lie = memory.draw_lie(self.numpy, self.ids)
        self.v = rng.randrange(7)

    def truth(self) -> memory.Truth:
        near = [self.ids[u if w == self.v else w] for w, u in EDGES if self.v in (w, u)]
        return memory.Truth(
            int(self.ids[self.v]),
            NOW,
            k.SECOND,
            self.ids,
            np.array(near),
            np.array([CHANNEL, 5]),
            np.array([[3, 1, 1001], [0, 1, 1002]]),
        )

    def node(self, system: int | None = None) -> Node:
        """Arbitrary memory, but for what is read-only."""
        record = self.records[self.v : self.v + 1].copy()
        kind = self.rng.choices(range(6), SHARES)[0]
        if kind == NOISE:
            memory.draw_bytes(record, self.numpy, READ_ONLY)
        elif kind == SMALL:
            self.small(record)
        elif kind == LIES:
            self.lies(record)
        elif kind == WHOLE:
            self.whole(record)
        elif kind == CHANGED:
            other = record.copy()
            self.rng.choice([self.small, self.lies, self.whole])(other)
            memory.change(record, other, self.numpy)
        else:
            memory.blend(record, [self.small, self.lies, self.whole], self.numpy)
        me = blank(Node, CAPACITY)
        restore(
            me,
            Node,
            {**snapshot(record[0], Node), "wants": [self.rng.choice([k.NO_CHANNEL, CHANNEL, 5]) for _ in me.wants]},
        )
        self.settings(me, system)
        return me

    def settings(self, me: Node, system: int | None) -> None:
        node.default_settings(me.settings)
        me.settings.lease, me.settings.links = self.rng.choice([0, k.SECOND]), self.rng.choice([3, 4, 4])
        me.settings.depth, me.settings.shortcuts = 8, self.rng.randint(0, 1)
        me.settings.system = self.rng.choice([k.PSVR, k.PSVR, *range(5)]) if system is None else system

    def small(self, record: memory.Record) -> None:
        restore(
            record[0],
            Node,
            {
                **anything_of(self.rng, Node, CAPACITY),
                **{name: value for name, value in snapshot(record[0], Node).items() if name in READ_ONLY},
            },
        )

    def lies(self, record: memory.Record) -> None:
        memory.draw_plausible(record, Node, self.truth(), self.lie, self.numpy, READ_ONLY)

    def whole(self, record: memory.Record) -> None:
        """Its own of another moment or network, or another node's."""
        records = self.rng.choice(lived())[0]
        memory.take_over(record, records[self.rng.choice([self.v, self.rng.randrange(7)])][None])

    def message(self, cls: type, me: Node) -> Any:
        """Noise, a lie, or a genuine message of this or another moment or network; often from a link, on its ring."""
        made: Any = blank(cls, CAPACITY)
        kind = self.rng.random()
        if kind < 0.15:
            restore(made, cls, anything_of(self.rng, cls, CAPACITY))
        elif kind < 0.5:
            record = np.zeros(1, dtype(cls, CAPACITY))
            memory.draw_plausible(record, cls, self.truth(), self.lie, self.numpy)
            restore(made, cls, snapshot(record[0], cls))
        else:
            others = self.messages[cls] if self.rng.random() < 0.6 else self.rng.choice(lived())[1][cls]
            restore(made, cls, self.rng.choice(others))
        if self.rng.random() < 0.7:
            self.address(made, me)
        return made

    def address(self, made: Any, me: Node) -> None:
        """Let a message come from a link of this node, often of the tree, on its ring or about it."""
        near = [link.id for link in me.link if link.id != k.NOBODY] or [k.NOBODY]
        tree = [link.id for link in me.link if is_tree(me, link)] or near
        made.src = self.rng.choice(near if self.rng.random() < 0.4 else tree)
        if isinstance(made, Hello):
            made.links = self.rng.randint(1, 4)
            made.children = self.rng.randint(0, made.links)
            self.rng.choice(made.link[: made.links]).id = me.id
            return
        made.ring = me.ring if self.rng.random() < 0.8 else made.ring
        if isinstance(made, Pub) and me.length > 0 and self.rng.random() < 0.8:
            made.cur, made.ep = (self.rng.choice([p for p in me.position if p >= 0] or [0]) for _ in range(2))
            made.ep = self.rng.choice([made.ep, self.rng.randrange(me.length)])
            made.hops = self.rng.randint(1, 5)


def any_node(rng: random.Random, system: int | None = None) -> tuple[Node, Draw]:
    draw = Draw(rng)
    return draw.node(system), draw
