"""What hosts rely on: names of rings, frames that can be encoded, copies that do not multiply, delivery at home."""

import itertools
import random
from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import Capacity, blank, fields
from psvr.protocol.numbers import mix
from psvr.protocol.records import Hello, Node, Outcome, Pub, Sub
from psvr.protocol.wire import messages
from tests.support.network import CHANNEL, Network
from tests.support.protocol.states import CAPACITY, NOW, any_node


def digest(tree: tuple[Any, ...]) -> int:
    """The digest of a tree written as (id, subtree, …)."""
    value = mix(0, tree[0])
    for child in sorted(tree[1:]):
        value = mix(value, digest(child))
    return value


def test_different_trees_have_different_names() -> None:
    chains = [(a, (b, (c,))) for a, b, c in itertools.permutations(range(4), 3)]
    stars = [(a, (b,), (c,)) for a, b, c in itertools.permutations(range(4), 3) if b < c]
    pairs = [(a, (b,)) for a, b in itertools.permutations(range(30), 2)]
    trees = chains + stars + pairs
    assert len({digest(t) for t in trees}) == len(trees) and 0 not in {digest((v,)) for v in range(1000)}


@pytest.mark.parametrize("seed", range(300))
def test_whatever_a_node_says_can_be_encoded(seed: int) -> None:
    """From any memory, and again from a settled one in which a few fields are flipped: no frame is out of range."""
    rng = random.Random(seed)
    me, _ = any_node(rng)
    me.id = 3
    for name in rng.sample([f.name for f in fields(Node)], 20):
        held = getattr(me, name)
        if isinstance(held, int) and name != "id":
            setattr(me, name, rng.randint(-(2**31), 2**31 - 1))
    hello, sub, pub, out = blank(Hello, CAPACITY), blank(Sub, CAPACITY), blank(Pub, CAPACITY), blank(Outcome, CAPACITY)
    part = node.write_sub(me, NOW, 0, sub)
    messages.encode_sub(sub, 8, 8)
    while part:
        part = node.write_sub(me, NOW, part, sub)
        messages.encode_sub(sub, 8, 8)
    node.publish(me, NOW, CHANNEL, 1, 1, 0, pub, out)
    messages.encode_pub(pub, b"", 8, 8)
    if node.wake(me, NOW, hello) & node.SAY_HELLO:
        messages.encode_hello(hello, 8, 8)


def test_copies_of_subs_do_not_multiply() -> None:
    """A line on which everyone subscribes to a channel of its own: each SUB crosses each link twice, no more."""
    n, sent = 24, 0
    line = [(v, v + 1) for v in range(n - 1)]
    net = Network(line, n, capacity=Capacity(channels=64), settings={"lease": k.LEASE_MAX})
    net.run(20)
    original = net.send_sub

    def counted(v: int, sub: object, copies: int = k.MIN_SUB_COPIES) -> None:
        nonlocal sent
        sent += 1
        original(v, sub, copies)

    net.send_sub = counted  # type: ignore[method-assign]
    for v in range(n):
        net.subscribe(v, channel=100 + v)
    net.run(2)
    assert n * (n - 1) <= sent <= 2 * n * n


def test_own_publication_is_delivered_at_home_once_even_before_there_is_a_ring() -> None:
    net = Network([(0, 1), (1, 2)], 3)
    net.run(10)
    me, pub, out = net.node[1], blank(Pub, net.capacity), blank(Outcome, net.capacity)
    net.subscribe(1)
    me.ring = -1
    node.publish(me, net.now, CHANNEL, 1, 5, 0, pub, out)
    assert (out.deliver, out.sends, out.reason) == (1, 0, k.NO_RING)
    net.run(3)
    node.publish(me, net.now, CHANNEL, 1, 5, 0, pub, out)
    assert (out.deliver, out.reason) == (0, k.FINE)
