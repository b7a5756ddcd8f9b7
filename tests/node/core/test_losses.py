"""What is counted as dropped: everything that can no longer be made good, once, and nothing else."""

from typing import Any

import pytest

from psvr.node.core import host as module
from psvr.node.core import losses
from psvr.node.core.losses import Loss, Losses
from psvr.protocol import constants as k
from psvr.protocol import host as rules
from psvr.protocol.host.holding import KEPT, RETRYING, STUCK
from psvr.protocol.links import find
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub.publication import is_filling
from psvr.protocol.records import Link, Node, Pub
from psvr.protocol.ring import has_ring
from psvr.protocol.table import next_subscriber
from psvr.protocol.wire.names import channel_hash
from tests.support.node.virtual import Virtual

Name = tuple[int, int, int]
LIFE = k.REPEAT_LIFE / k.SECOND
ALONE, NOT_FILLED, NOT_KEPT = (k.REASONS[reason] for reason in (k.ALONE, k.NOT_FILLED, k.NOT_KEPT))


def counted(net: Virtual, v: int) -> dict[Name, str]:
    """Publications that node v has counted, each once, and why."""
    rows = [(name_of(row), row["reason"]) for u, event, row in net.rows if u == v and event == "dropped"]
    assert len(rows) == len(dict(rows)), "each once"
    return dict(rows)


def name_of(row: dict[str, Any]) -> Name:
    pub = row["pub"]
    return pub.origin, pub.boot, pub.number


def got(net: Virtual, *nodes: int) -> set[Name]:
    return {name for v in nodes for _, _, name in net.got[v]}


def cut(net: Virtual, v: int) -> set[int]:
    """Cut a node off from all others; return those that it could hear."""
    before, net.near[v] = net.near[v], set()
    for u in before:
        net.near[u].discard(v)
    return before


def join(net: Virtual, v: int, others: set[int]) -> None:
    net.near[v] = set(others)
    for u in others:
        net.near[u].add(v)


def publish(net: Virtual, v: int) -> Name:
    """Publish as an application does, waiting if it has to."""
    host = net.hosts[v]
    slot = host.begin("c", b"", net.now)
    number = host.body.host.number
    while host.waits_for(slot) is not None:
        net.run(0.005)
    host.go(slot, net.now)
    return v, net.boots[v], number


def publish_for(net: Virtual, v: int, seconds: float, rate: int = 10) -> list[Name]:
    made, end = [], net.now + round(seconds * k.SECOND)
    while net.now < end:
        made.append(publish(net, v))
        net.run(1 / rate)
    return made


def keep_at_most(monkeypatch: pytest.MonkeyPatch, publications: int) -> None:
    """Hosts made from now on keep so many of their own; the other slots are for what is on its way."""
    net = Virtual([], 1)
    for name in ("SLOTS", "MAX_SLOTS"):
        monkeypatch.setattr(module, name, publications + rules.slots_needed(net.hosts[0].body) - 1)


EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]


@pytest.mark.parametrize("publisher, loss, kept", [(4, 0.0, 4096), (0, 0.1, 4096), (4, 0.1, 50)])
def test_a_publisher_that_is_cut_off_for_a_minute(
    publisher: int, loss: float, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts what nobody got, and nothing that somebody did, whether it can keep all of 20 s or not."""
    keep_at_most(monkeypatch, kept)
    net = Virtual(EDGES, 5, loss=loss, seed=publisher)
    wanted = [v for v in (1, 4) if v != publisher]
    for v in wanted:
        net.hosts[v].subscribe("c", net.now)
    net.run(12)
    made = publish_for(net, publisher, 3)
    near = cut(net, publisher)
    made += publish_for(net, publisher, 60)
    join(net, publisher, near)
    made += publish_for(net, publisher, 10)
    net.run(60)
    missing = set(made) - got(net, *wanted)
    assert 300 < len(missing) < 600
    assert set(counted(net, publisher)) == missing
    for v in range(5):
        assert not net.hosts[v].losses.noted
        assert v == publisher or not counted(net, v)


@pytest.mark.parametrize("here", [False, True])
def test_a_node_without_neighbours(here: bool) -> None:
    """Nobody got anything; where an application of its own did, and nobody else was ever there, nothing is lost."""
    net = Virtual([], 1)
    if here:
        net.hosts[0].subscribe("c", net.now)
    made = publish_for(net, 0, 10, rate=20)
    net.run(LIFE)
    assert counted(net, 0) == ({} if here else dict.fromkeys(made, ALONE))
    assert got(net, 0) == (set(made) if here else set())


def test_a_node_that_was_left_counts_although_its_own_application_wants_it() -> None:
    net = Virtual([(0, 1)], 2)
    for v in (0, 1):
        net.hosts[v].subscribe("c", net.now)
    net.run(8)
    cut(net, 0)
    net.run(5)
    made = publish_for(net, 0, 1)
    assert net.hosts[0].losses.reasons() == {ALONE: 10} and counted(net, 0) == {}
    net.run(LIFE)
    assert counted(net, 0) == dict.fromkeys(made, ALONE) and got(net, 0) == set(made)


def test_what_a_node_published_alone_arrives_if_a_neighbour_comes_in_time() -> None:
    net = Virtual([], 2)
    net.hosts[1].subscribe("c", net.now)
    made = publish_for(net, 0, 10)
    join(net, 0, {1})
    net.run(8)
    assert has_ring(net.hosts[0].me) and got(net, 1) == set(made) and not net.hosts[0].losses.noted
    net.run(60)
    assert counted(net, 0) == {}


def test_a_publication_without_subscribers_on_a_settled_ring_is_no_loss() -> None:
    net = Virtual([(0, 1), (1, 2)], 3)
    net.run(12)
    publish_for(net, 0, 2)
    cut(net, 0)  # and it stays alone
    net.run(60)
    assert counted(net, 0) == {}


def while_tables_are_filled(subscriber: bool) -> tuple[Virtual, Name]:
    """A publication of which nobody knows yet who wants it."""
    net = Virtual([(0, 1)], 2)
    if subscriber:
        net.hosts[1].subscribe("c", net.now)
    me = net.hosts[0].me
    while not has_ring(me) or me.bursts > 1:
        net.run(0.01)
    me.channel = [k.NO_CHANNEL] * len(me.channel)  # as if that SUB had been lost
    return net, net.publish(0)


def test_a_publication_that_went_out_before_tables_were_filled_is_one() -> None:
    """A subscriber was not known yet; then the ring was lost, for good."""
    net, made = while_tables_are_filled(subscriber=True)
    cut(net, 0)
    net.run(60)
    assert got(net, 1) == set() and counted(net, 0) == {made: NOT_FILLED}


def test_it_is_one_too_if_the_node_stops_before_it_knows_more() -> None:
    net, made = while_tables_are_filled(subscriber=True)
    net.hosts[0].end(net.now)
    assert counted(net, 0) == {made: NOT_FILLED}


@pytest.mark.parametrize("subscriber", [False, True])
def test_it_is_none_once_tables_are_filled(subscriber: bool) -> None:
    net, made = while_tables_are_filled(subscriber)
    net.run(60)
    assert counted(net, 0) == {} and got(net, 1) == ({made} if subscriber else set())


def test_what_waited_for_a_ring_until_it_was_too_old_is_counted() -> None:
    net = Virtual([(0, 1)], 2)
    net.run(8)
    cut(net, 1)
    host = net.hosts[1]
    host.me.ring = -1  # it still follows the root
    made = [net.publish(1) for _ in range(3)]
    assert host.waiting() == 3
    net.now += k.KEEP
    rules.scan(host.body, net.now)
    host.drain(net.now)
    assert host.waiting() == 0 and host.losses.reasons() == {k.REASONS[k.NO_RING]: 3}
    net.run(LIFE)
    assert counted(net, 1) == dict.fromkeys(made, k.REASONS[k.NO_RING])


@pytest.mark.parametrize("same", [True, False])
def test_a_link_that_fails_and_a_repetition_that_arrives(same: bool) -> None:
    """Nothing is counted, neither where it was made nor where it failed."""
    net = Virtual([(0, 1), (1, 2), (2, 3), (3, 4)], 5)
    net.hosts[4].subscribe("c", net.now)
    net.run(15)
    near = cut(net, 4)
    made = publish_for(net, 0, 1) + publish_for(net, 3, 1)
    if not same:
        net.run(6)  # long enough for another ring
        assert net.hosts[0].me.length == 6
    assert net.hosts[3].count_in_state(STUCK) + net.hosts[3].count_in_state(RETRYING) > 0
    join(net, 4, near)
    net.run(60)
    assert got(net, 4) == set(made)
    assert [counted(net, v) for v in range(5)] == [{}] * 5


def test_all_that_is_pending_is_counted_when_a_node_stops() -> None:
    net = Virtual([(0, 1)], 2)
    net.hosts[1].subscribe("c", net.now)
    net.run(8)
    cut(net, 0)
    on_its_way = publish_for(net, 0, 0.5)
    net.run(8)
    alone = publish_for(net, 0, 0.5)
    assert counted(net, 0) == {}
    net.hosts[0].end(net.now)
    found = counted(net, 0)
    assert set(found) == {*on_its_way, *alone} and {found[name] for name in alone} == {ALONE}


def test_what_must_make_room_before_it_was_sent_again_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_at_most(monkeypatch, 30)
    net = Virtual([(0, 1), (1, 2)], 3)
    net.hosts[2].subscribe("c", net.now)
    net.run(12)
    before = publish_for(net, 0, 2)
    net.run(1)
    assert got(net, 2) == set(before)
    cut(net, 0)
    net.run(6)
    alone = publish_for(net, 0, 5)
    assert net.hosts[0].count_in_state(KEPT) == 30
    join(net, 0, {1})
    net.run(LIFE)
    assert got(net, 2) == {*before, *alone[-30:]} and counted(net, 0) == dict.fromkeys(alone[:-30], ALONE)


def test_what_makes_room_while_its_ring_is_laid_anew_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_at_most(monkeypatch, 20)
    net = Virtual([(0, 1), (1, 2)], 3)
    net.hosts[2].subscribe("c", net.now)
    net.run(12)
    host, made = net.hosts[1], publish_for(net, 1, 2)
    made.append(net.publish(1))  # on the ring that all are on: who makes room has arrived
    net.run(0.1)
    assert len(made) == 21 and got(net, 2) == set(made) and not host.losses.noted
    host.me.ring = -1
    while rules.has_slots(host.body):
        net.publish(1)
    assert not host.losses.noted and host.is_full() and host.count_in_state(KEPT) == 20 and host.waiting() > 5
    for _ in range(5):  # by an application that does not wait
        net.publish(1)
    assert list(host.losses.noted) == made[1:6] and host.losses.reasons() == {NOT_KEPT: 5}


def test_what_is_to_be_repeated_is_before_it_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_at_most(monkeypatch, 5)
    net = Virtual([(0, 1)], 2)
    net.hosts[1].subscribe("c", net.now)
    net.run(8)
    made = publish_for(net, 0, 0.5)
    net.run(1)
    host = net.hosts[0]
    for held in host.body.held:
        held.pub.ring, held.length = 0, 99  # as if the ring had changed since, and a node were gone
    again, host.losses.again = list[Name](), lambda pub, now: again.append(losses.name_of(pub))  # type: ignore
    for _ in range(3):
        net.publish(0)
        net.run(0.005)
    assert again == made[:3] and host.count_in_state(KEPT) == 5 and not host.losses.noted


def test_what_makes_room_while_tables_are_filled_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even though it was sent to the subscribers that were known."""
    keep_at_most(monkeypatch, 3)
    net = Virtual([(0, 1)], 2)
    net.hosts[1].subscribe("c", net.now)
    host = net.hosts[0]
    me = host.me
    while not has_ring(me) or me.bursts > 1 or next_subscriber(me, channel_hash("c"), 0) == NONE:
        net.run(0.01)
    made = []
    while rules.has_slots(host.body):
        made.append(net.publish(0))
        net.run(0.01)
    assert not host.losses.noted
    for _ in range(2):
        net.publish(0)
        net.run(0.01)
    assert is_filling(me) and list(host.losses.noted) == made[:2] and host.losses.reasons() == {NOT_KEPT: 2}


def test_an_eager_publisher_of_which_little_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits where something would have to make room: all arrives, though a node dies."""
    keep_at_most(monkeypatch, 350)  # and the frames of some hundred, until it is known that their link failed
    net = Virtual([(0, 1), (1, 2), (0, 3), (3, 2)], 4)
    net.hosts[2].subscribe("c", net.now)
    net.run(12)
    host = net.hosts[0]
    gone = 1 if host.me.parent == 1 or net.hosts[2].me.parent == 1 else 3
    made = [net.publish(0) for _ in range(100)]
    net.alive[gone] = False
    for _ in range(200):
        made.append(publish(net, 0))
        net.run(0.04)
    net.run(60)
    assert got(net, 2) == set(made) and counted(net, 0) == {}


@pytest.mark.parametrize("changed", [False, True])
def test_what_failed_on_a_ring_that_is_no_more_takes_no_other_way(changed: bool) -> None:
    """Its positions mean nothing on another ring."""
    net = Virtual([(u, v) for u in range(4) for v in range(u)], 4)
    net.hosts[3].subscribe("c", net.now)
    net.run(10)
    host, net.rows = net.hosts[1], []
    net.publish(1)
    those: list[Node | Link] = [host.me, *host.me.link]
    for one in those:
        one.ring += changed
    host.transport.leave(3, net.now)
    ways = [row["peer"] for _, event, row in net.rows if event == "sent"]
    assert ways[0] == 3 and len(ways) == (1 if changed else 2) and not host.losses.noted
    if changed:
        assert [h.reason for h in host.body.held if h.state == STUCK] == [k.OTHER_RING]
    else:
        host.transport.leave(ways[-1], net.now)
        assert not host.losses.noted and host.count_in_state(RETRYING) == 1, "it is tried again"


def test_what_finds_no_way_on_its_way_goes_on_when_there_is_one() -> None:
    net = Virtual([(0, 1), (1, 2)], 3)
    net.hosts[2].subscribe("c", net.now)
    net.run(8)
    made, me = net.publish(0), net.hosts[1].me
    me.link[find(me, 2)].length = 0  # until its next HELLO
    net.run(1)
    assert got(net, 2) == {made} and net.hosts[1].count_in_state(STUCK) == 0
    assert [counted(net, v) for v in range(3)] == [{}] * 3 and not net.hosts[1].losses.noted


def test_what_finds_no_way_for_too_long_is_counted_where_it_got_stuck() -> None:
    net = Virtual([(0, 1), (1, 2)], 3, options={"host": {"profile": "full", "custody": 2}})
    net.hosts[2].subscribe("c", net.now)
    net.run(8)
    made, me = net.publish(0), net.hosts[1].me
    end = net.now + 3 * k.SECOND
    while net.now < end:
        me.link[find(me, 2)].length = 0
        net.run(0.001)
    net.run(LIFE)
    assert got(net, 2) == set()
    assert counted(net, 1) == {made: k.REASONS[k.NO_WAY]} and counted(net, 0) == {}


def loss(number: int, reason: str = "x", when: int = 0) -> Loss:
    pub = Pub()
    pub.origin, pub.boot, pub.number = 1, 1, number
    return Loss(pub, "c", reason, None, when)


def test_a_failure_that_began_before_it_was_sent_again_is_none() -> None:
    told: list[Loss] = []
    them = Losses(told.append)
    them.again(loss(1).pub, 100)
    them.note(loss(1, when=150), 90)
    assert not them.noted
    them.note(loss(1, when=150), 100)
    assert list(them.noted) == [(1, 1, 1)] and them.next_due() == 150 + k.REPEAT_LIFE
    them.again(loss(1).pub, 200)
    assert them.next_due() is None
    them.count_overdue(k.FOREVER)
    assert told == []


def test_each_is_counted_once_with_its_first_reason() -> None:
    told: list[Loss] = []
    them = Losses(told.append)
    for reason in "abc":
        them.note(loss(1, reason), 0)
    them.count_overdue(k.REPEAT_LIFE)
    them.note(loss(1, "d"), 0)
    them.end()
    assert [one.reason for one in told] == ["a"]


def test_what_is_remembered_has_a_bound_and_nothing_is_forgotten_uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MAX_NOTED", 50)
    told: list[Loss] = []
    them = Losses(told.append)
    for number in range(200):
        them.note(loss(number, when=number), number)
        them.again(loss(number + 1000).pub, number)
    assert [len(table) for table in (them.noted, them.sent_again, them.counted)] == [50] * 3
    them.count_overdue(199 + k.REPEAT_LIFE)
    assert [one.pub.number for one in told] == list(range(200))
