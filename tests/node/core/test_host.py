"""Whole networks of hosts in virtual time: what the live node does, without sockets."""

import random

import pytest

from psvr.node.core import host
from psvr.node.core.host import MAX_SLOTS, Payload
from psvr.node.core.naming import pack
from psvr.node.core.peer import EARLY, TAKEN
from psvr.node.core.transport import OWN_LIMIT
from psvr.protocol import constants as k
from psvr.protocol import host as rules
from psvr.protocol.host.holding import KEPT, STUCK
from psvr.protocol.layout import blank
from psvr.protocol.links import find
from psvr.protocol.pubsub import publication
from psvr.protocol.records import Sub
from psvr.protocol.ring import has_ring
from psvr.protocol.table import find_row
from psvr.protocol.tree import is_tree
from psvr.protocol.wire import messages
from psvr.protocol.wire.names import channel_hash
from tests.support.node.virtual import Virtual

MANY = 2 * MAX_SLOTS


def ring_of(net: Virtual) -> set[int]:
    return {h.me.ring if has_ring(h.me) else -1 for h, alive in zip(net.hosts, net.alive) if alive}


def settled(net: Virtual) -> bool:
    found = ring_of(net)
    return len(found) == 1 and -1 not in found


def geometric(n: int, seed: int, reach: float = 0.38) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    places = [(rng.random(), rng.random()) for _ in range(n)]
    near = [(u, v) for u in range(n) for v in range(u) if abs(complex(*places[u]) - complex(*places[v])) < reach]
    return near + [(v, v - 1) for v in range(1, n) if not any(v in e for e in near)]


def names(net: Virtual, v: int) -> list[tuple[int, int, int]]:
    return [name for _, _, name in net.got[v]]


@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_all_subscribers_get_every_publication_once(loss: float) -> None:
    net = Virtual(geometric(12, 1), 12, loss=loss, seed=3, twice=0.05)
    net.run(12)
    assert settled(net)
    for v in (1, 4, 7, 11):
        assert net.hosts[v].subscribe("c", net.now)
    net.run(8)
    made = []
    for i in range(60):
        made.append(net.publish(i % 12, data=bytes([i])))
        net.run(0.2)
    net.run(8)
    for v in (1, 4, 7, 11):
        assert sorted(names(net, v)) == sorted(made)
    assert not any(net.got[v] for v in range(12) if v not in (1, 4, 7, 11))


def test_large_payloads_cross_several_hops() -> None:
    net = Virtual([(0, 1), (1, 2), (2, 3)], 4, loss=0.1, seed=5)
    net.hosts[3].subscribe("c", net.now)
    net.run(15)
    load = random.Random(1).randbytes(65_536)
    net.publish(0, data=load)
    net.run(10)
    assert [data for _, data, _ in net.got[3]] == [load]


def test_publications_wait_for_a_ring() -> None:
    net = Virtual([(0, 1), (1, 2)], 3)
    net.hosts[2].subscribe("c", net.now)
    while not publication.should_wait(net.hosts[1].me):
        net.run(0.02)
    made = [net.publish(1), net.publish(1)]
    assert net.hosts[1].waiting() == 2
    net.run(15)
    assert names(net, 2) == made and not net.hosts[1].waiting()


@pytest.mark.parametrize("victim", [0, 5])
def test_what_is_published_while_a_node_dies_arrives_all_the_same(victim: int) -> None:
    """This includes the root; and what arrives twice is not delivered twice."""
    net = Virtual(geometric(14, 2, 0.5), 14, loss=0.05, seed=1)
    wanted = [v for v in (2, 3, 9, 12) if v != victim]
    for v in wanted:
        net.hosts[v].subscribe("c", net.now)
    net.run(15)
    assert settled(net)
    made = []
    for i in range(80):
        if i == 10:
            net.alive[victim] = False
        v = (1, 4, 8, 13)[i % 4]
        made.append(net.publish(v))
        net.run(0.1)
    net.run(20)
    assert settled(net)
    for v in wanted:
        assert sorted(names(net, v)) == sorted(made), v


def test_a_node_that_restarts_is_part_of_it_again() -> None:
    net = Virtual([(0, 1), (1, 2), (2, 3), (3, 0)], 4)
    net.run(8)
    net.alive[2] = False
    net.run(6)
    net.boot(2)
    net.hosts[2].subscribe("c", net.now)
    net.run(12)
    made = net.publish(0)
    net.run(2)
    assert settled(net) and names(net, 2) == [made]


def test_a_partition_delivers_inside_each_part_and_heals() -> None:
    net = Virtual([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], 6)
    for v in (0, 5):
        net.hosts[v].subscribe("c", net.now)
    net.run(12)
    net.near[2].discard(3)
    net.near[3].discard(2)
    net.run(12)
    left, right = net.publish(2), net.publish(3)
    net.run(5)
    assert names(net, 0) == [left] and names(net, 5) == [right]
    net.near[2].add(3)
    net.near[3].add(2)
    net.run(15)
    whole = net.publish(1)
    net.run(5)
    assert names(net, 0)[-1] == names(net, 5)[-1] == whole
    assert all(len(got) == len(set(got)) for got in (names(net, 0), names(net, 5)))


def test_neighbours_that_meet_again_while_one_is_forgetting_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "FORGET_AFTER", 5_000_000)
    one_sided = 0
    for ms in range(4800, 5300, 25):
        net = Virtual([(0, 1), (1, 2), (2, 3)], 4, seed=ms)
        for v in (0, 3):
            net.hosts[v].subscribe("c", net.now)
        net.run(12)
        for _ in range(50):
            net.publish(1)  # numbers that a neighbour remembers
            net.publish(2)
        net.run(25)  # until they are not repeated any more
        ways = [(net.hosts[1].transport, 2), (net.hosts[2].transport, 1)]
        before = [transport.peers[id] for transport, id in ways]
        net.near[1].discard(2)
        net.near[2].discard(1)
        net.run(ms / 1000)
        net.near[1].add(2)
        net.near[2].add(1)
        net.run(15)
        kept = [transport.peers[id] is peer for (transport, id), peer in zip(ways, before)]
        one_sided += kept[0] != kept[1]
        made = {net.publish(1), net.publish(2)}
        net.run(5)
        assert made <= set(names(net, 0)) and made <= set(names(net, 3)), (ms, kept)
    assert one_sided > 0


def test_neighbours_that_say_little_are_not_forgotten() -> None:
    net = Virtual([(0, 1), (1, 2)], 3, hello=100, options={"lease": 1000})
    net.hosts[2].subscribe("c", net.now)
    net.run(70)
    net.boot(1)  # whose timing is different from now on
    net.run(3000)
    made = []
    for _ in range(20):
        made.append(net.publish(0))
        net.run(10)
    assert names(net, 2) == made


def test_more_channels_than_a_table_begins_with() -> None:
    net = Virtual([(0, 1), (1, 2)], 3, options={"channels": 1000})
    net.run(6)
    for i in range(600):
        assert net.hosts[2].subscribe(f"channel {i}", net.now)
    net.run(10)
    assert sum(c != k.NO_CHANNEL for c in net.hosts[0].me.channel) == 600
    made = [net.publish(0, f"channel {i}") for i in range(600)]
    net.run(5)
    assert sorted(names(net, 2)) == sorted(made)
    assert not all(net.hosts[2].subscribe(f"more {i}", net.now) for i in range(1000))


def test_two_names_with_one_hash_are_told_apart() -> None:
    """A PUB whose name does not fit its hash is of no use to anybody; it is not passed on either."""
    net = Virtual([(0, 1)], 2)
    net.hosts[1].subscribe("c", net.now)
    net.run(5)
    net.publish(0)
    net.run(1)
    own = next(held for held in net.hosts[0].body.held if held.state == KEPT)
    own.handle = Payload("another", pack("another", b"x"))  # type: ignore[assignment]
    own.pub.number += 1
    own.pub.ring = own.length = 0  # as if a node had joined: it is repeated, now with the wrong name
    net.run(5)
    assert len(net.got[1]) == 1 and sum(event == "sent" for _, event, _ in net.rows) > 1


def test_what_is_given_up_is_said() -> None:
    net = Virtual([(0, 1), (1, 2)], 3)
    net.hosts[2].subscribe("c", net.now)
    net.run(10)
    net.alive[2] = False
    net.publish(1)
    net.run(6)
    assert net.hosts[1].count_in_state(STUCK) == 1 and not net.hosts[1].losses.noted
    net.run(k.KEEP / k.SECOND)
    assert net.hosts[1].losses.noted and not [event for _, event, _ in net.rows if event == "dropped"]
    net.run(k.REPEAT_LIFE / k.SECOND)
    reasons = [row["reason"] for v, event, row in net.rows if event == "dropped" and v == 1]
    assert len(reasons) == 1 and set(reasons) <= {"all tries on the link failed", *k.REASONS}


def test_an_eager_publisher_loses_nothing_when_the_ring_is_laid_anew() -> None:
    """Much more than is kept is published, as fast as the node takes it, while tables on a new ring are still empty."""
    net = Virtual([(0, 1), (1, 2), (0, 3), (3, 2)], 4)
    net.hosts[2].subscribe("c", net.now)
    net.run(10)
    assert settled(net)
    made, host = list[tuple[int, int, int]](), net.hosts[0]
    gone = 1 if host.me.parent == 1 or net.hosts[2].me.parent == 1 else 3
    net.alive[gone] = False
    for _ in range(500):
        while not host.is_full() and not host.transport.full(OWN_LIMIT) and len(made) < MANY:
            made.append(net.publish(0))
        net.run(0.02)
    net.run(15)
    assert len(made) == MANY and sorted(names(net, 2)) == sorted(made)


def test_what_was_lost_is_repeated_on_a_ring_that_is_the_same_again() -> None:
    """The name of a ring stands for who is where: when all is again as it was, so is the name."""
    net = Virtual([(0, 1), (1, 2)], 3)
    net.hosts[2].subscribe("c", net.now)
    net.run(10)
    host, ring = net.hosts[0], net.hosts[0].me.ring
    made = [net.publish(0)]
    net.queue.clear()  # it is lost with the ring
    host.transport.leave(1, net.now)
    for now in (-1, ring):  # which is back before anybody looks
        host.me.ring = now
        rules.note_changes(host.body, net.now)
    net.run(3)
    assert host.me.ring == ring and names(net, 2) == made


def test_a_sub_that_comes_too_early_is_not_acknowledged() -> None:
    """Its ring is not known here yet, or its sender is no neighbour in the tree yet: it comes again."""
    net = Virtual([(0, 1), (1, 2), (2, 0), (2, 3)], 4)
    net.hosts[3].subscribe("c", net.now)
    net.run(8)
    me, sender = net.hosts[1], 2 if net.hosts[1].me.parent == 0 else 0
    aside = net.hosts[2] if sender == 2 else net.hosts[0]
    assert me.is_neighbour(sender) and not is_tree(me.me, me.me.link[find(me.me, sender)])

    def answer(src: int, ring: int) -> int:
        sub = blank(Sub, me.capacity)
        sub.src, sub.to, sub.back, sub.ring, sub.limit, sub.channels = src, k.NOBODY, k.NOBODY, ring, 6, 1
        sub.position = [aside.me.position[0]] + [-1] * (len(sub.position) - 1)
        sub.channel[0] = channel_hash("early")
        return me.take(src, messages.encode_sub(sub, host.ID_BYTES, host.POSITION_BYTES), net.now)

    ring, parent = me.me.ring, me.me.parent
    assert answer(parent, ring + 1) == answer(sender, ring) == answer(3, ring) == EARLY
    assert find_row(me.me, channel_hash("early")) == -1
    assert answer(parent, ring) == TAKEN and find_row(me.me, channel_hash("early")) != -1
    me.me.ring = -1
    assert answer(parent, ring) == EARLY
