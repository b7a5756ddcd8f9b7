"""A HELLO is recorded; what follows is derived only if it says anything new.  That must make no difference."""

import functools
import random
from typing import Any

import pytest

from psvr.protocol import links, node, ring, tree
from psvr.protocol.layout import blank, restore, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.records import Hello, Node
from tests.support.network import Network
from tests.support.protocol.hand_made import NOW as LATER
from tests.support.protocol.hand_made import PARENT, add_link, follow, inner, started
from tests.support.protocol.states import CAPACITY, NOW, any_node, drawn, reached

FOLLOWS = ("root", "parent", "dist", "seq", "fresh", "size", "digest", "ring", "length", "position", "bursts")


def copy(me: Node) -> Node:
    twin = blank(Node, CAPACITY)
    restore(twin, Node, snapshot(me, Node))
    return twin


def hear_and_derive(me: Node, now: int, hello: Hello) -> None:
    """The rule as in the paper."""
    i = links.hear(me, now, hello)
    if i != NONE:
        tree.hear(me, me.link[i], hello)
        ring.hear(me, me.link[i], hello)
        node.derive(me, now)


def derived(me: Node) -> dict[str, Any]:
    """Return what is derived; a root needs no newer number."""
    found = {name: value for name, value in snapshot(me, Node).items() if name in FOLLOWS}
    return {**found, "fresh": 0 if me.root == me.id else me.fresh}


@drawn(2000, same_links=0.9, of_link=0.3, new=0.05, nothing_new=0.1, only_seq=0.01, triggered=0.02)
def test_nothing_is_missed(rng: random.Random) -> set[str]:
    """From any state in which everything follows from what was heard, whatever is heard next."""
    me, draw = any_node(rng)
    node.derive(me, NOW)
    hello = draw.message(Hello, me)
    for _ in range(rng.randrange(3)):  # the same again, perhaps with another number of the root
        node.hear_hello(me, NOW, hello)
        hello.number, hello.seq = hello.number + 1, hello.seq + rng.choice([0, 0, 1, -1])
        node.derive(me, NOW)
    if rng.random() < 0.5:
        me.fresh = NOW - rng.choice([0, 3, 7]) * me.settings.hello
    if rng.random() < 0.3:
        for link in me.link:  # with one of its fields as it was before
            if link.id == hello.src:
                name = rng.choice(
                    ["root", "parent", "dist", "size", "digest", "ring", "length", "my_start", "my_digest", "keeps_me"]
                )
                setattr(link, name, 0 if name == "keeps_me" else rng.choice([NONE, 1, 5]))
                node.derive(me, NOW)
    before, twin = derived(me), copy(me)
    of_link = links.find(me, hello.src) != NONE
    me.trigger_at = twin.trigger_at = 0
    node.hear_hello(me, NOW, hello)
    hear_and_derive(twin, NOW, hello)
    same_links = [link.id for link in me.link] == [link.id for link in twin.link]
    if same_links:  # else it has just become too bad
        assert derived(me) == derived(twin) and me.trigger_at == twin.trigger_at
    after = derived(me)
    return reached(
        same_links=same_links,
        of_link=of_link,
        new=after != before and after["ring"] != before["ring"],
        nothing_new=of_link and after == before,
        triggered=me.trigger_at != 0,
        only_seq={name for name in FOLLOWS if after[name] != before[name]} == {"seq", "fresh"},
    )


SAID = {
    "size": (1, 4),
    "digest": (0, 2**32 - 1),
    "ring": (0, 2**32 - 1),
    "length": (8, 40),
    "start": (1, 9),
    "dist": (0, 3),
    "root": (0, 2),
    "parent": (0, 6),
}


@functools.cache
def settled(seed: int) -> Network:
    net = Network([(0, 1), (1, 2), (1, 3), (3, 4), (0, 5)], 6, seed=seed)
    net.run(15)
    return net


@pytest.mark.parametrize("name", SAID)
def test_no_single_thing_that_a_tree_neighbour_says_is_missed(name: str) -> None:
    moved = 0
    for seed in range(60):
        rng, net = random.Random(seed), settled(seed % 3)
        v = rng.choice([1, 3, 4])
        me, said = net.copy(Node, net.node[v]), blank(Hello, net.capacity)
        u = rng.choice([u for u in net.near[v] if tree.is_tree(me, me.link[links.find(me, u)])])
        node.write_hello(net.copy(Node, net.node[u]), net.now, said)
        node.hear_hello(me, net.now, said)
        setattr(said, name, rng.randint(*SAID[name]))
        before, twin = derived(me), net.copy(Node, me)
        node.hear_hello(me, net.now, said)
        hear_and_derive(twin, net.now, said)
        assert derived(me) == derived(twin), (seed, name)
        moved += derived(me) != before
    assert moved >= 10, "it matters in some of these networks"


@pytest.mark.parametrize(
    "name",
    ["root", "parent", "dist", "size", "digest", "ring", "length", "my_start", "my_digest", "keeps_me", "position"],
)
def test_no_fault_in_what_is_known_of_a_tree_neighbour_outlasts_its_next_hello(name: str) -> None:
    for v, u in ((1, 0), (3, 1), (4, 3), (1, 3), (1, 2)):
        net = settled(0)
        me, said = net.copy(Node, net.node[v]), blank(Hello, net.capacity)
        link = me.link[links.find(me, u)]
        assert tree.is_tree(me, link)
        node.write_hello(net.copy(Node, net.node[u]), net.now, said)
        node.hear_hello(me, net.now, said)
        if name == "position":
            link.position[0] += 1
        else:
            setattr(link, name, 0 if name == "keeps_me" else getattr(link, name) + 1)
        node.derive(me, net.now)
        twin = net.copy(Node, me)
        node.hear_hello(me, net.now, said)
        hear_and_derive(twin, net.now, said)
        assert derived(me) == derived(twin)


@pytest.mark.parametrize("late", [False, True])
def test_a_newer_number_of_the_root_counts_as_new(late: bool) -> None:
    me = inner()
    me.fresh = LATER - (3 if late else 1) * me.settings.hello
    link = me.link[links.find(me, PARENT)]
    link.dist, link.seq = 1, link.seq + 1
    assert tree.hear_newer_number(me, LATER, link) is late
    assert (me.seq, me.fresh) == (link.seq, LATER)
    assert not tree.hear_newer_number(me, LATER, link)


def test_a_refused_number_does_not_count_as_new() -> None:
    me = started(id=9)
    link = add_link(me, 0, PARENT, root=0, dist=1, seq=7)
    follow(me, PARENT, dist=2)
    me.dead_root, me.dead_seq, me.dead_at = 0, 9, LATER
    assert not tree.hear_newer_number(me, LATER, link) and me.seq == 5


def test_a_settled_network_derives_once_per_period() -> None:
    """As often as nodes say HELLO, and not as often as they hear one."""
    net = Network([(0, 1), (1, 2), (2, 0), (2, 3)], 4, seed=1)
    net.run(30)
    times: list[int] = []
    real = node.follow

    def counted(me: Node, now: int) -> None:
        times.append(now)
        real(me, now)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node, "follow", counted)
        net.run(10)
    assert 35 <= len(times) <= 50
