"""What a host does with publications of its own applications: send, wait for a ring, keep, repeat."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import host, node
from psvr.protocol.host import AGAIN, DELIVER, DROPPED, FORGOTTEN, SEND
from psvr.protocol.host.holding import FREE, IN_FLIGHT, KEPT, WAITING
from psvr.protocol.pubsub.shen import WANTED
from tests.support.protocol.bodies import CHANNEL, FLIGHT, body, done, in_flight, new_ring, states, teach
from tests.support.protocol.hand_made import CHILD, NOW, inner


def test_a_publication_is_sent_kept_and_forgotten() -> None:
    b = body(teach(inner(), 8))
    assert host.publish(b, NOW, CHANNEL, 16, 5) == 1
    sent = done(b)
    assert [kind for kind, _, _ in sent] == [SEND] and states(b)[:2] == [KEPT, IN_FLIGHT]
    flying = b.held[sent[0][1]]
    assert (flying.to, flying.handle, flying.pub.hops, flying.pub.origin, flying.pub.boot) == (CHILD, 5, 1, 9, 3)
    assert flying.pub.again == 0
    host.acknowledged(b, NOW + 1, sent[0][1])
    assert done(b) == [] and states(b)[:2] == [KEPT, FREE]
    assert host.next_due(b, NOW) <= NOW + k.KEEP
    host.scan(b, NOW + k.KEEP)
    assert done(b) == [] and set(states(b)) == {FREE} and b.host.weight == 0


def test_numbers_count_up_and_applications_here_get_it_once() -> None:
    b = body(teach(inner(), 8))
    node.subscribe(b.me, NOW, CHANNEL)
    assert [host.publish(b, NOW, CHANNEL, 1, 0) for _ in range(3)] == [1, 2, 3]
    assert [kind for kind, _, _ in done(b)].count(DELIVER) == 3


def test_it_waits_until_there_is_a_ring() -> None:
    b = body(teach(inner(), 8))
    ring, b.me.ring = b.me.ring, -1
    host.publish(b, NOW, CHANNEL, 1, 0)
    assert done(b) == [] and states(b)[0] == WAITING
    b.me.ring = ring
    host.note_changes(b, NOW + k.SECOND)
    assert host.next_due(b, NOW + k.SECOND) == NOW + k.SECOND
    host.scan(b, NOW + k.SECOND)
    assert [kind for kind, _, _ in done(b)] == [SEND] and b.held[1].pub.age == 1000


@pytest.mark.parametrize("wait, reasons", [(k.KEEP, []), (0, [k.NO_RING])])
def test_whether_it_waits_is_a_policy(wait: int, reasons: list[int]) -> None:
    b = body(inner(), wait=wait, repeat=0)
    b.me.ring = -1
    host.publish(b, NOW, CHANNEL, 1, 0)
    assert [reason for kind, _, reason in done(b) if kind == DROPPED] == reasons


def test_when_the_wait_is_over_it_is_sent_anyway_and_the_loss_is_reported() -> None:
    b = body(inner())
    b.me.ring = -1
    host.publish(b, NOW, CHANNEL, 1, 0)
    host.scan(b, NOW + k.KEEP)
    assert done(b) == [(DROPPED, 0, k.NO_RING), (FORGOTTEN, 0, k.FINE)] and set(states(b)) == {FREE}


def test_what_was_sent_on_a_lost_ring_is_repeated_under_its_number() -> None:
    b = body(teach(inner(), 8))
    host.publish(b, NOW, CHANNEL, 1, 7)
    done(b)
    for times, length in ((1, 18), (2, 16)):
        new_ring(b, 77 + times, length)
        host.note_changes(b, NOW + times)
        host.scan(b, NOW + times)
        kinds = done(b)
        assert [kind for kind, _, _ in kinds] == [AGAIN, SEND]
        again = next(b.held[slot] for kind, slot, _ in kinds if kind == SEND)
        assert (again.pub.again, again.pub.number, again.handle) == (times, 1, 7)


@pytest.mark.parametrize(
    "length, after, settings, repeated",
    [
        (18, FLIGHT, {}, True),  # somebody is gone, and may have had it
        (20, FLIGHT, {}, False),  # all are still there, and responsible for it
        (22, FLIGHT, {}, True),
        (22, FLIGHT + 1, {}, True),  # somebody has come, and may want it
        (18, FLIGHT + 1, {}, False),  # it has arrived, or is with somebody who lives
        (20, FLIGHT, {"custody": 0}, True),
        (18, FLIGHT + 1, {"custody": 0}, True),
        (18, FLIGHT + 1, {"hello": 2 * k.SECOND}, True),
        (18, FLIGHT, {"repeat": 0}, False),
        (18, FLIGHT, {"repeat": FLIGHT}, False),
    ],
)
def test_what_was_under_way_when_a_ring_was_lost_may_be_repeated(
    length: int, after: int, settings: dict[str, int], repeated: bool
) -> None:
    b = body(teach(inner(), 8), **settings)
    host.publish(b, NOW, CHANNEL, 1, 7)
    done(b)
    new_ring(b, -1)
    host.note_changes(b, NOW + after)
    host.scan(b, NOW + after)
    done(b)
    new_ring(b, length=length)
    host.note_changes(b, NOW + after + 5 * k.SECOND)
    host.scan(b, NOW + after + 5 * k.SECOND)
    assert (AGAIN in [kind for kind, _, _ in done(b)]) == repeated


def test_how_long_it_has_been_with_others_counts_from_when_it_was_last_sent() -> None:
    b = body(teach(inner(), 8))
    host.publish(b, NOW, CHANNEL, 1, 7)
    found = []
    for ring, length, now in ((78, 18, NOW + FLIGHT), (79, 16, NOW + FLIGHT + 5 * k.SECOND)):
        done(b)
        new_ring(b, ring, length)
        host.note_changes(b, now)
        host.scan(b, now)
        found.append([kind for kind, _, _ in done(b)])
    assert found == [[AGAIN, SEND]] * 2


def test_what_could_not_be_handed_to_anybody_is_sent_on_the_next_ring() -> None:
    b = body(inner(), doubt=0)
    host.publish(b, NOW, CHANNEL, 1, 7)
    assert done(b) == [] and b.held[0].state == KEPT
    new_ring(b)
    teach(b.me, 8)
    host.note_changes(b, NOW + 1)
    host.scan(b, NOW + 1)
    assert [kind for kind, _, _ in done(b)] == [AGAIN, SEND]


def test_without_a_ring_to_start_over_on_it_is_repeated_though_all_are_still_there() -> None:
    """Under `shen`, nobody can know which part of the tree had it."""
    b = body(teach(inner(), WANTED), system=k.SHEN)
    host.publish(b, NOW, CHANNEL, 1, 7)
    assert [kind for kind, _, _ in done(b)] == [SEND, SEND]
    new_ring(b)
    host.note_changes(b, NOW + 1)
    host.scan(b, NOW + 1)
    assert [kind for kind, _, _ in done(b)] == [AGAIN, SEND, SEND]


def test_a_ring_that_is_gone_and_back_under_its_name_is_another_one() -> None:
    """The name only says who is where, and all may be as it was before; what was on its way is with others or lost."""
    for custody, expected in ((0, [AGAIN, SEND]), (k.KEEP, [])):
        b = body(teach(inner(), 8), custody=custody)
        in_flight(b)
        ring = b.me.ring
        for i, now in enumerate((-1, ring)):
            b.me.ring = now
            host.note_changes(b, NOW + i)
        host.scan(b, NOW + 2)
        assert [kind for kind, _, _ in done(b)] == expected


def test_what_waits_goes_when_the_first_subs_are_out() -> None:
    b = body(teach(inner(), 8))
    node.subscribe(b.me, NOW, 5)
    b.me.bursts = k.BURSTS
    host.note_changes(b, NOW)
    host.publish(b, NOW, CHANNEL, 1, 0)
    assert done(b) == [] and states(b)[0] == WAITING
    b.host.look_at = k.FOREVER
    b.me.bursts = 1
    host.note_changes(b, NOW + 1)
    assert host.scan_is_due(b, NOW + 1)
    host.scan(b, NOW + 1)
    assert [kind for kind, _, _ in done(b)] == [SEND] and b.held[0].doubted == b.held[0].early == 1


def test_many_publications_on_a_new_ring_are_repeated_a_few_at_a_time() -> None:
    """Effects and slots have room for a few at a time."""
    b = body(teach(inner(), 8), slots=100)
    for number in range(60):
        host.publish(b, NOW, CHANNEL, 1, number)
        for kind, slot, _ in done(b):
            if kind == SEND:
                host.acknowledged(b, NOW, slot)
                done(b)
    new_ring(b, length=18)
    host.note_changes(b, NOW + 1)
    again, now, turns = list[int](), NOW + 1, 0
    while host.scan_is_due(b, now) and turns < 100:
        host.scan(b, now)
        effects = done(b)
        assert len(effects) <= len(b.out.effect)
        again += [b.held[slot].handle for kind, slot, _ in effects if kind == AGAIN]
        for kind, slot, _ in effects:
            if kind == SEND:
                host.acknowledged(b, now, slot)
                done(b)
        turns, now = turns + 1, now + k.SCAN_PAUSE
    assert again == list(range(60)) and 3 < turns < 60


@pytest.mark.parametrize("doubt", [0, 1])
def test_one_that_found_no_subscriber_is_repeated_when_there_is_one(doubt: int) -> None:
    b = body(inner(), doubt=doubt)
    host.publish(b, NOW, CHANNEL, 1, 0)
    assert done(b) == [] and b.held[0].doubted == doubt
    teach(b.me, 8)
    host.scan(b, NOW + k.SECOND)
    assert [kind for kind, _, _ in done(b)] == ([AGAIN, SEND] if doubt else [])
