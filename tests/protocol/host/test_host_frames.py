"""Frames of a host: those that fail, and PUBs that are heard, twice, too early, or after a restart."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import host, node
from psvr.protocol.host import DELIVER, DROPPED, FORGOTTEN, REFUSED, SEND, TAKEN, holding
from psvr.protocol.host.holding import FREE, IN_FLIGHT, RETRYING, STUCK, WAITING, take
from psvr.protocol.host.profiles import policies
from psvr.protocol.host.scanning import hear_again
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication
from tests.support.protocol.bodies import CHANNEL, SLOTS, body, done, heard, in_flight, new_ring, states, teach
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, inner


def test_a_failed_frame_takes_a_detour_then_is_retried_then_is_stuck() -> None:
    b = body(teach(inner(), 16))
    slot = in_flight(b)
    h = b.held[slot]
    assert h.to == OTHER
    host.failed(b, NOW, slot)
    assert done(b) == [(SEND, slot, k.FINE)] and (h.to, h.pub.hops, h.detoured) == (PARENT, 1, 1)
    for i in range(k.ROUNDS):
        host.failed(b, NOW + i * k.ROUND_PAUSE, slot)
        assert done(b) == [] and h.state == RETRYING
        host.scan(b, NOW + (i + 1) * k.ROUND_PAUSE - 1)
        assert h.state == RETRYING
        host.scan(b, NOW + (i + 1) * k.ROUND_PAUSE)
        assert done(b) == [(SEND, slot, k.FINE)] and h.state == IN_FLIGHT
    host.failed(b, NOW + 3 * k.SECOND, slot)
    assert done(b) == [] and (h.state, h.reason) == (STUCK, k.LINK_FAILED)
    host.scan(b, NOW + 4 * k.SECOND)
    assert done(b) == [(SEND, slot, k.FINE)] and h.to == OTHER
    host.failed(b, NOW + k.KEEP, slot)  # the second best again …
    done(b)
    for _ in range(3):
        host.failed(b, NOW + k.KEEP, slot)
        host.scan(b, NOW + k.KEEP + 3 * k.SECOND)
    assert (DROPPED, slot, k.LINK_FAILED) in done(b) and h.state == FREE


def test_under_the_paper_a_frame_that_failed_is_lost() -> None:
    b = body(teach(inner(), 16), **policies("paper"))
    host.publish(b, NOW, CHANNEL, 16, 5)
    kinds = done(b)
    assert kinds[0][0] == SEND and kinds[1][0] == FORGOTTEN
    host.failed(b, NOW, kinds[0][1])
    assert done(b) == [(DROPPED, kinds[0][1], k.LINK_FAILED)] and set(states(b)) == {FREE}


def test_on_another_ring_a_frame_that_failed_means_nothing() -> None:
    b = body(teach(inner(), 16))
    slot = in_flight(b)
    new_ring(b)
    host.failed(b, NOW, slot)
    assert done(b) == [] and (b.held[slot].state, b.held[slot].reason) == (STUCK, k.OTHER_RING)
    b = body(teach(inner(), 16), custody=0)
    slot = in_flight(b)
    new_ring(b)
    host.failed(b, NOW, slot)
    assert done(b) == [(DROPPED, slot, k.OTHER_RING)]


def test_reports_about_a_slot_not_in_flight_are_ignored() -> None:
    b = body(inner())
    for slot in (-1, 0, SLOTS - 1, SLOTS, 1 << 20):
        host.acknowledged(b, NOW, slot)
        host.failed(b, NOW, slot)
    assert done(b) == []


@pytest.mark.parametrize(
    "then, known",
    [
        ({}, True),
        ({"number": 2}, False),
        ({"boot": 2}, False),
        ({"origin": 3}, False),
        ({"again": 1}, False),
        ({"hops": 4}, False),
        ({"ep": 2}, False),
        ({"cur": 10}, False),
        ({"ring": 50}, False),
        ({"src": CHILD}, True),
    ],
)
def test_a_pub_that_was_taken_goes_no_further_when_it_arrives_again(then: dict[str, int], known: bool) -> None:
    """Its acknowledgement was lost.  Any other part of it, or the same that was sent anew, is another PUB."""
    b = body(teach(inner(), 8), slots=60)
    for said in ({}, then):
        first = len(done(b))
        assert host.hear_pub(b, NOW, heard(b, **said), 6) == TAKEN
    assert first == 1 and (b.outcome.reason == k.REPEATED) == known and (done(b) == [] or not known)


def test_what_was_taken_is_known_for_as_long_as_anybody_may_send_it_again() -> None:
    for custody, later, sent in ((k.KEEP, k.KEEP, 1), (k.KEEP, k.KEEP + 1, 2), (0, 1, 2)):
        b = body(teach(inner(), 8), slots=60, custody=custody)
        host.hear_pub(b, NOW, heard(b), 6)
        host.hear_pub(b, NOW + later, heard(b), 6)
        assert [kind for kind, _, _ in done(b)].count(SEND) == sent


def test_what_was_taken_before_a_restart_is_not_here_any_more() -> None:
    b = body(teach(inner(), 8), slots=60)
    for boot in (4, 5):
        host.start(b, NOW, boot)
        assert host.hear_pub(b, NOW, heard(b), 6) == TAKEN and [kind for kind, _, _ in done(b)] == [SEND]


def test_one_that_was_refused_was_not_taken() -> None:
    b = body(teach(inner(), 8))
    b.me.link[0].keeps_me = 0
    assert host.hear_pub(b, NOW, heard(b), 6) == REFUSED
    b.me.link[0].keeps_me = 1
    assert host.hear_pub(b, NOW, heard(b), 6) == TAKEN and [kind for kind, _, _ in done(b)] == [SEND]


def test_one_that_was_sent_anew_too_often_to_be_counted_is_never_taken_for_another() -> None:
    b = body(teach(inner(), 8), slots=60)
    for _ in range(2):
        host.hear_pub(b, NOW, heard(b, again=k.MAX_AGAIN), 6)
    assert [kind for kind, _, _ in done(b)].count(SEND) == 2


def test_one_that_came_before_its_ring_is_heard_again() -> None:
    b = body(teach(inner(), 8))
    node.subscribe(b.me, NOW, CHANNEL)
    assert host.hear_pub(b, NOW, heard(b, ring=78), 6) == TAKEN
    assert done(b) == [] and b.held[0].state == STUCK
    b.me.ring = 78
    for link in b.me.link:
        link.ring = 78
    host.scan(b, NOW + k.SECOND)
    kinds = done(b)
    assert (DELIVER, 0, k.FINE) in kinds and (FORGOTTEN, 0, k.FINE) in kinds and len(kinds) == 3


def test_one_that_came_before_its_ring_waits_for_slots_too() -> None:
    b = body(teach(inner(), 8), slots=12)
    assert host.hear_pub(b, NOW, heard(b, ring=78), 6) == TAKEN
    new_ring(b)
    while (slot := take(b.host, b.held)) != NONE:
        holding.hold(b.host, b.held[slot], WAITING)
    hear_again(b, NOW + k.SECOND, 0)
    assert done(b) == [] and b.held[0].state == STUCK
    for slot in range(1, 12):
        holding.free(b.host, b.held, slot)
    hear_again(b, NOW + k.SECOND, 0)
    assert [kind for kind, _, _ in done(b)] == [SEND, FORGOTTEN]


def test_a_stranger_is_refused() -> None:
    b = body(teach(inner(), 8))
    assert host.hear_pub(b, NOW, heard(b, src=1234), 6) == REFUSED and done(b) == []


def test_what_is_older_than_this_start_is_not_handed_over() -> None:
    for age, wanted in ((0, 1), (500, 1), (1500, 0)):
        b = body(inner())
        b.host.born = NOW - k.SECOND
        node.subscribe(b.me, NOW, CHANNEL)
        host.hear_pub(b, NOW, heard(b, age=age), 6)
        assert [kind for kind, _, _ in done(b)].count(DELIVER) == wanted


def test_nothing_is_handed_over_twice() -> None:
    b = body(inner())
    node.subscribe(b.me, NOW, CHANNEL)
    for i in range(3):
        publication.forget(b.me.seen[0])  # the layer below has forgotten it
        host.hear_pub(b, NOW + i, heard(b, again=i), 6)
    assert [kind for kind, _, _ in done(b)].count(DELIVER) == 1


@pytest.mark.parametrize("remembers, times", [(1, 1), (0, 3)])
def test_whether_hosts_remember_what_they_handed_over_is_a_policy(remembers: int, times: int) -> None:
    b = body(inner(), memory=remembers)
    node.subscribe(b.me, NOW, CHANNEL)
    for i in range(3):
        for seen in b.me.seen:
            publication.forget(seen)  # the layer below has forgotten it
        host.hear_pub(b, NOW + i, heard(b, again=i), 6)
    assert [kind for kind, _, _ in done(b)].count(DELIVER) == times
