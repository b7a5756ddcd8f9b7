"""What a host gives up when slots or bytes run short, what it refuses then, and what is left when it stops."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import host, node
from psvr.protocol.host import AGAIN, DELIVER, DROPPED, FORGOTTEN, HEARD, SEND, TAKEN, holding
from psvr.protocol.host.holding import FREE, IN_FLIGHT, KEPT, STUCK
from psvr.protocol.host.slots import make_more_room
from psvr.protocol.positions import NONE
from tests.support.protocol.bodies import CHANNEL, FLIGHT, body, done, heard, in_flight, new_ring, states, teach
from tests.support.protocol.hand_made import NOW, inner


def test_a_kept_publication_makes_room() -> None:
    """Before the table is full: on the ring on which it was sent, it has arrived; otherwise its loss is reported."""
    b = body(teach(inner(), 8), slots=14)
    left = []
    for number in range(1, 8):
        host.publish(b, NOW + number, CHANNEL, 1, number)
        for kind, slot, reason in done(b):
            if kind == SEND:
                host.acknowledged(b, NOW + number, slot)
                done(b)
            else:
                left.append((kind, reason))
    assert left == [] and states(b).count(KEPT) == 5
    for h in b.held:
        h.pub.ring, h.length = (NONE, 18) if h.state == KEPT else (h.pub.ring, 0)
    assert host.make_room(b, NOW + 8, False) and [kind for kind, _, _ in done(b)] == [AGAIN, SEND, FORGOTTEN]
    b.me.ring = -1
    assert not host.make_room(b, NOW + 9, False) and done(b) == []
    assert host.make_room(b, NOW + 9, True) and [reason for _, _, reason in done(b)] == [k.NOT_KEPT]


@pytest.mark.parametrize("bursts, told", [(0, []), (1, [(DROPPED, 0, k.NOT_KEPT)])])
def test_without_a_ring_what_went_out_in_doubt_makes_room_as_a_loss(bursts: int, told: list[Any]) -> None:
    """Others are responsible for what reached them, which need not be all."""
    b = body(teach(inner(), 8))
    b.me.bursts = bursts
    host.publish(b, NOW, CHANNEL, 1, 7)
    done(b)
    new_ring(b, -1)
    b.me.bursts = 0
    host.note_changes(b, NOW + FLIGHT + 1)
    assert host.make_room(b, NOW + FLIGHT + 1, True) and done(b) == told and b.held[0].state == FREE


def test_payloads_in_hand_have_a_bound() -> None:
    """What is kept leaves for it; what is stuck finds no room."""
    b = body(teach(inner(), 8), slots=40)
    load = k.MAX_HELD_BYTES // 4
    for number in range(1, 7):
        host.publish(b, NOW + number, CHANNEL, load, number)
        for kind, slot, _ in done(b):
            if kind == SEND:
                host.acknowledged(b, NOW + number, slot)
                done(b)
    assert b.host.weight == host.weigh(b) == 5 * load and sum(h.state == KEPT for h in b.held) == 5
    b.host.weight = 0  # a fault
    host.scan(b, NOW + 10)
    done(b)
    assert b.host.weight == 5 * load
    host.publish(b, NOW + 11, CHANNEL, load, 7)
    slot = next(slot for kind, slot, _ in done(b) if kind == SEND)
    b.held[slot].rounds, b.held[slot].detoured = k.ROUNDS, 1
    host.failed(b, NOW + 12, slot)
    assert done(b) == [(DROPPED, slot, k.LINK_FAILED)] and b.host.weight == host.weigh(b) == 5 * load


def test_a_complete_lack_of_room_is_reported() -> None:
    b = body(teach(inner(), 8), slots=2)
    for h in b.held:
        h.state = IN_FLIGHT
    b.host.top = b.host.used = 2
    host.publish(b, NOW, CHANNEL, 1, 9)
    assert done(b) == [(DROPPED, HEARD, k.NOT_HELD)]


@pytest.mark.parametrize("system", [k.PSVR, k.FLOOD])
def test_without_slots_a_pub_is_not_taken(system: int) -> None:
    """Applications on this node get it anyway, once; what is flooded does not come again, which is reported."""
    b = body(teach(inner(), 8), slots=6, system=system)
    node.subscribe(b.me, NOW, CHANNEL)
    for h in b.held[:3]:
        h.state, h.made = IN_FLIGHT, NOW
    b.host.top = b.host.used = 3
    assert host.hear_pub(b, NOW, heard(b), 7) == host.NO_SLOTS
    flooded = system == k.FLOOD
    assert done(b) == [(DROPPED, HEARD, k.NOT_HELD) if flooded else (DELIVER, HEARD, k.FINE)]
    assert host.hear_pub(b, NOW, heard(b), 7) == host.NO_SLOTS and len(done(b)) == flooded
    for slot in range(3):
        host.acknowledged(b, NOW, slot)
    done(b)
    assert host.hear_pub(b, NOW, heard(b), 7) == TAKEN


def test_a_repetition_indistinguishable_from_a_new_one_is_reported() -> None:
    b = body(teach(inner(), 8))
    node.subscribe(b.me, NOW, CHANNEL)
    for name in b.names:
        name.origin, name.at = 1, NOW
    assert host.hear_pub(b, NOW, heard(b, again=1), 7) == TAKEN
    assert (DROPPED, HEARD, k.CROWDED) in done(b)


def test_what_a_node_holds_when_it_stops_is_reported() -> None:
    b = body(teach(inner(), 8), slots=60)
    waits, flies = host.begin(b, NOW, CHANNEL, 1, 1), in_flight(b)
    stuck = in_flight(b)
    b.held[stuck].state = STUCK
    while host.stop(b, NOW):
        done(b)
    told = done(b)
    assert {slot: reason for kind, slot, reason in told if kind == DROPPED} == {
        waits: k.NO_RING,
        flies: k.LINK_FAILED,
        stuck: k.LINK_FAILED,
    }
    assert set(states(b)) == {FREE} and len(told) == 3, "those that went out on this ring are not lost"


def test_in_a_large_table_room_is_made_for_some_at_a_time() -> None:
    b, slots = body(teach(inner(), 8), slots=640), 640
    most = 0
    for number in range(1, 1300):
        host.publish(b, NOW + number, CHANNEL, 1, number)
        for kind, slot, _ in done(b):
            assert kind == SEND
            host.acknowledged(b, NOW + number, slot)
        most = max(most, states(b).count(KEPT))
    needed = host.slots_needed(b)
    assert most == slots - needed + 1 and states(b).count(KEPT) >= slots - needed - slots // host.EVICTION_SHARE
    assert min(h.handle for h in b.held if h.state == KEPT) > 1299 - most - 8, "the oldest have left"


@pytest.mark.parametrize("ring, doubted, left", [(77, 0, 0), (77, 1, 8), (78, 0, 8), (NONE, 0, 8)])
def test_what_may_have_to_be_repeated_does_not_leave_with_others(ring: int, doubted: int, left: int) -> None:
    b = body(inner(), slots=8 * host.EVICTION_SHARE)
    b.me.ring = 77 if ring != NONE else NONE
    for h in b.held[:8]:
        h.state, h.pub.ring, h.doubted, h.made = KEPT, ring, doubted, NOW
    b.host.top = 8
    holding.recount(b.host, b.held)
    make_more_room(b)
    assert states(b).count(KEPT) == left and b.host.used == left and done(b) == []
