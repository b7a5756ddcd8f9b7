"""The table of slots: chained, counted and scanned in parts, and repaired after a fault."""

import random

import pytest

from psvr.protocol import constants as k
from psvr.protocol import host
from psvr.protocol.host import SEND, TAKEN, Body, holding
from psvr.protocol.host.holding import FREE, IN_FLIGHT, KEPT, STUCK, WAITING, take
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication
from psvr.protocol.records import Hello
from tests.support.protocol.bodies import CHANNEL, SLOTS, SMALL, body, done, heard, in_flight, states, teach
from tests.support.protocol.hand_made import NOW, inner


def test_everything_is_scanned_now_and_then() -> None:
    b, hello = body(inner()), blank(Hello, SMALL)
    b.held[0].state, b.host.top, b.host.look_at = 99, 1, k.FOREVER  # a fault that no rule would ever look at
    now = NOW
    for _ in range(3 * k.HELD_CHECK):
        now = host.next_due(b, now)
        host.wake(b, now, hello)
        done(b)
    assert b.held[0].state == FREE


def test_slots_above_the_top_hold_nothing() -> None:
    b = body(teach(inner(), 8))
    b.held[3].state, b.host.top = STUCK, 0
    assert in_flight(b) == 1 and b.host.top == 2


def test_nothing_is_left_of_what_a_fault_wrote_above_the_top() -> None:
    b = body(teach(inner(), 8))
    b.held[1].state, b.held[1].rounds, b.held[1].detoured = STUCK, k.ROUNDS, 1
    h = b.held[in_flight(b)]
    assert h is b.held[1] and (h.rounds, h.detoured) == (0, 0)


@pytest.mark.parametrize(
    "made, stays",
    [(NOW, True), (NOW - k.MAX_HELD, True), (NOW - k.MAX_HELD - 1, False), (NOW + 1, False), (-1, False)],
)
def test_a_frame_of_no_possible_age_is_not_held(made: int, stays: bool) -> None:
    """Only a fault can have written it; nobody would ever say that it has arrived."""
    b = body(inner())
    b.held[0].state, b.held[0].made, b.host.top = IN_FLIGHT, made, 1
    host.scan(b, NOW)
    assert (b.held[0].state == IN_FLIGHT) == stays


def test_slots_in_use_are_passed_over() -> None:
    b = body(inner())
    for h, state in zip(b.held, (FREE, KEPT, STUCK, WAITING, FREE)):
        h.state = state
    b.host.top = 5
    holding.recount(b.host, b.held)
    assert b.host.used == 3 and [take(b.host, b.held) for _ in range(3)] == [0, 4, 5] and b.host.used == 6


def test_slots_that_are_free_again_are_taken_first() -> None:
    b = body(inner())
    for _ in range(6):
        b.held[take(b.host, b.held)].state = IN_FLIGHT
    for slot in (1, 4, 2):
        holding.free(b.host, b.held, slot)
    assert holding.free_slots(b.host, b.held) == SLOTS - 3
    assert [take(b.host, b.held) for _ in range(4)] == [2, 4, 1, 6] and b.host.used == 7


def full(slots: int = 4) -> Body:
    b, states = body(inner(), slots=slots), (KEPT, IN_FLIGHT, STUCK, WAITING)
    while (slot := take(b.host, b.held)) != NONE:
        b.held[slot].state = states[slot % len(states)]
    return b


@pytest.mark.parametrize("wrong", [NONE, 0, 3, 4, 99, -7])
def test_a_chain_that_leads_nowhere_is_made_anew(wrong: int) -> None:
    """When a table is full except for slots missing from the chain; the count of slots in use is not believed."""
    b = full()
    for slot in (1, 2):
        holding.free(b.host, b.held, slot)
    b.host.next = wrong
    taken = []
    for _ in range(3):
        taken.append(take(b.host, b.held))
        b.held[max(taken[-1], 0)].state = IN_FLIGHT
    assert sorted(taken[:2]) == [1, 2] and taken[2] == NONE


def test_a_chain_that_runs_in_a_circle_ends_where_a_slot_is_in_use() -> None:
    b = full()
    for slot in (1, 2):
        holding.free(b.host, b.held, slot)
    b.held[1].start = 2
    assert [b.held[slot].state for slot in (1, 2)] == [FREE, FREE] and b.host.next == 2
    for wanted in (2, 1, NONE):
        slot = take(b.host, b.held)
        assert slot == wanted
        b.held[max(slot, 0)].state = IN_FLIGHT


@pytest.mark.parametrize("wrong", [0, 3, 1 << 30, -5])
def test_a_scan_counts_the_slots_in_use(wrong: int) -> None:
    b = full(12)
    for h in b.held:
        h.state, h.made = IN_FLIGHT, NOW
    for slot in (3, 11, 5):
        holding.free(b.host, b.held, slot)
    b.host.used, b.host.next, b.host.look_at = wrong, 7, NOW
    host.scan(b, NOW)
    assert (b.host.used, b.host.top, b.host.next) == (9, 11, 3) and b.held[3].start == 5 and b.held[5].start == NONE


@pytest.mark.parametrize("wrong", [SLOTS, 1 << 30, -5])
def test_a_count_that_cannot_be_right_refuses_nobody(wrong: int) -> None:
    """Not even until the next scan."""
    b = body(teach(inner(), 8))
    b.held[take(b.host, b.held)].state = IN_FLIGHT
    b.host.used = wrong
    assert host.hear_pub(b, NOW, heard(b), 6) == TAKEN and [kind for kind, _, _ in done(b)] == [SEND]


def test_nothing_is_taken_twice_and_none_is_lost_by_many_hands() -> None:
    rng, b, held = random.Random(1), body(inner(), slots=40), set[int]()
    for _ in range(3000):
        if held and rng.random() < 0.5:
            slot = rng.choice(sorted(held))
            held.remove(slot)
            holding.free(b.host, b.held, slot)
        elif (slot := take(b.host, b.held)) != NONE:
            assert slot not in held
            held.add(slot)
            b.held[slot].state = IN_FLIGHT
        else:
            assert len(held) == 40
        assert b.host.used == len(held)


def many(slots: int) -> Body:
    """As many as that are stuck, and there is no way for any."""
    b = body(teach(inner(), 8), slots=slots)
    b.me.link[1].ring = 99
    for _ in range(slots):
        h = b.held[take(b.host, b.held)]
        publication.copy(heard(b), h.pub)
        h.to, h.start, h.made, h.since = k.NOBODY, 4, NOW, NOW
        holding.hold(b.host, h, STUCK)
        h.due = 0
    return b


def test_thousands_of_slots_are_scanned_in_parts() -> None:
    b, now = many(3 * k.SCAN_SLOTS - 5), NOW
    b.host.look_at = now
    for parts in (1, 2):
        host.scan(b, now)
        assert sum(h.due > 0 for h in b.held) == parts * k.SCAN_SLOTS and b.host.look_at == now + k.SCAN_PAUSE
        now = b.host.look_at
    host.scan(b, now)
    assert all(h.due > 0 for h in b.held) and b.host.seen == 0
    assert b.host.look_at == NOW + k.STUCK_PAUSE, "for those of the first part"


def test_a_new_ring_in_the_middle_of_a_scan_restarts_it() -> None:
    b = many(2 * k.SCAN_SLOTS)
    host.scan(b, NOW)
    b.me.ring = 12
    host.note_changes(b, NOW + 1)
    assert (b.host.seen, b.host.look_at) == (0, NOW + 1)


def test_what_is_learnt_in_the_middle_of_a_scan_leads_to_another() -> None:
    b = many(2 * k.SCAN_SLOTS)
    host.scan(b, NOW)
    host.note_table_change(b, NOW + 1)
    assert b.host.look_at == NOW + k.SCAN_PAUSE
    host.scan(b, b.host.look_at)
    assert b.host.look_at == NOW + 1 + k.LEARNT_PAUSE


def test_a_scan_begun_by_a_fault_does_not_delay_others() -> None:
    b, hello = body(inner()), blank(Hello, SMALL)
    b.held[take(b.host, b.held)].state = 99
    b.host.seen, b.host.look_at, b.host.later, now = 1, k.FOREVER, k.FOREVER, NOW
    for _ in range(3 * k.HELD_CHECK):
        now = host.next_due(b, now)
        host.wake(b, now, hello)
        done(b)
    assert b.held[0].state == FREE and b.host.seen == 0


def test_what_is_kept_for_too_long_leaves_with_others() -> None:
    """A scan of thousands of kept publications is expensive: there is not one for each of them."""
    b, looks, now = body(teach(inner(), 8), slots=200), 0, NOW
    for number in range(100):
        now = NOW + number * 10 * k.MILLISECOND
        host.publish(b, now, CHANNEL, 1, number)
        for _, slot, _ in done(b):
            host.acknowledged(b, now, slot)
    while states(b).count(KEPT) > 0:
        assert now < NOW + k.KEEP + 2 * k.SECOND
        now = b.host.look_at
        host.scan(b, now)
        looks += 1
        oldest = min([h.made for h in b.held if h.state == KEPT], default=now)
        assert now - oldest <= k.KEEP + k.KEPT_PAUSE
    assert looks <= 1 + (k.SECOND + k.KEPT_PAUSE) // k.KEPT_PAUSE
