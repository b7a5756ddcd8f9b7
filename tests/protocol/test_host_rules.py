"""The host: what becomes of publications, from any memory, and after everything that can happen to a frame."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from psvr.protocol import constants as k
from psvr.protocol import host, node, table
from psvr.protocol.host import (
    AGAIN,
    DELIVER,
    DROPPED,
    FORGOTTEN,
    HEARD,
    KNOWN,
    REFUSED,
    SEND,
    TAKEN,
    Body,
    holding,
)
from psvr.protocol.host.holding import ENDED, FREE, IN_FLIGHT, KEPT, RETRYING, STUCK, WAITING, take
from psvr.protocol.host.profiles import policies
from psvr.protocol.host.scanning import hear_again
from psvr.protocol.host.slots import make_more_room
from psvr.protocol.layout import Capacity, blank, dtype, restore, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication
from psvr.protocol.pubsub.shen import WANTED
from psvr.protocol.records import Effects, Handed, Held, Hello, Node, Outcome, Pub
from psvr.protocol.records import Host as Memory
from psvr.sim.faults import memory
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, inner
from tests.support.protocol.states import Draw, drawn, reached

SMALL = Capacity(links=4, candidates=4, channels=4, batch=4, window=4, relays=3, effects=40)
CHANNEL = 77
SLOTS = 24


def body(me: Node, slots: int = SLOTS, **settings: int) -> Body:
    for name, value in settings.items():
        setattr(me.settings, name, value)
    b = Body(
        me,
        blank(Memory, SMALL),
        [blank(Held, SMALL) for _ in range(slots)],
        [blank(Handed, SMALL) for _ in range(16)],
        blank(Effects, SMALL),
        blank(Outcome, SMALL),
    )
    host.start(b, NOW - 1000 * k.SECOND, 3)
    me.bursts = 0
    return b


def teach(me: Node, position: int, channel: int = CHANNEL) -> Node:
    """Let there be a subscriber at a position of the ring."""
    i = table.make_row(me, channel)
    for j, p in enumerate(me.position):
        if p != NONE:
            me.row[i].entry[j].ns, me.row[i].entry[j].since = position, NOW
    return me


def done(b: Body) -> list[tuple[int, int, int]]:
    """Return what the rules ask for, and report it as done."""
    found = [(e.kind, e.slot, e.reason) for e in b.out.effect[: b.out.count]]
    host.drained(b)
    return found


def states(b: Body) -> list[int]:
    return [h.state for h in b.held]


def heard(b: Body, src: int = PARENT, **said: int) -> Pub:
    pub = blank(Pub, SMALL)
    pub.src, pub.origin, pub.boot, pub.number, pub.channel, pub.hops = src, 2, 1, 1, CHANNEL, 3
    pub.ring, pub.cur, pub.ep, pub.load = b.me.ring, 4, 3, 16
    for name, value in said.items():
        setattr(pub, name, value)
    return pub


def new_ring(b: Body, ring: int = 78, length: int = 20) -> None:
    b.me.ring, b.me.length = ring, length
    for link in b.me.link:
        link.ring, link.length = ring, length


# --- one publication after the other


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


FLIGHT = k.FLIGHT * k.SECOND


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


# --- frames that fail


def in_flight(b: Body) -> int:
    host.publish(b, NOW, CHANNEL, 16, 5)
    ((_, slot, _),) = done(b)
    return slot


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


# --- frames that are heard


def test_custody_of_a_part_that_leads_nowhere() -> None:
    b = body(teach(inner(), 8))
    b.me.link[1].ring = 99  # the child has not got the ring yet
    assert host.hear_pub(b, NOW, heard(b), 6) == TAKEN
    assert done(b) == [] and (b.held[0].state, b.held[0].reason, b.held[0].handle) == (STUCK, k.NO_WAY, 6)
    host.scan(b, NOW + k.SECOND)
    assert done(b) == [] and b.held[0].state == STUCK
    b.me.link[1].ring = b.me.ring
    host.scan(b, NOW + 2 * k.SECOND)
    assert done(b) == [(SEND, 0, k.FINE)] and (b.held[0].to, b.held[0].pub.hops) == (CHILD, 4)


def stuck(b: Body, **said: int) -> None:
    """A PUB that was on its way to a child that has another ring."""
    b.me.link[1].ring = 99
    assert host.hear_pub(b, NOW, heard(b, **said), 6) == TAKEN
    assert done(b) == [] and b.held[0].state == STUCK


def test_on_a_new_ring_a_custodian_starts_it_over() -> None:
    """All of the new ring is served, as nobody knows which part was; applications here may have it, too."""
    b = body(teach(inner(), 8))
    stuck(b, again=1)
    new_ring(b)
    b.me.position[0] = 2
    node.subscribe(b.me, NOW, CHANNEL)
    now, kinds = scan_until_done(b, NOW + k.SECOND)
    assert [kind for kind, _, _ in kinds] == [AGAIN, DELIVER, SEND, FORGOTTEN] and kinds[3][1] == 0
    pub = b.held[kinds[2][1]].pub
    assert (pub.ring, pub.src, pub.hops, pub.again, pub.origin, pub.number) == (78, 9, 1, 2, 2, 1)
    assert b.held[kinds[2][1]].start == 2 and b.held[kinds[2][1]].made == NOW and pub.age == (now - NOW) // 1000


def scan_until_done(b: Body, now: int) -> tuple[int, list[tuple[int, int, int]]]:
    """One in four scans, a quarter of a second apart, lets a publication start over."""
    for _ in range(40):
        host.scan(b, now)
        if kinds := done(b):
            return now, kinds
        now += k.STUCK_PAUSE
    return now, []


def test_custodians_start_over_one_after_the_other_within_seconds() -> None:
    times = []
    for id in range(100, 200):
        b = body(teach(inner(), 8))
        b.me.id = id
        b.me.link[1].parent = id
        stuck(b)
        new_ring(b)
        times.append((scan_until_done(b, NOW)[0] - NOW) // k.STUCK_PAUSE)
    assert 15 < times.count(0) < 35 and 2 < sum(times) / 100 < 4 and max(times) < 30


@pytest.mark.parametrize(
    "said, left",
    [
        ({"again": 1}, True),
        ({"again": 0}, False),
        ({"again": 1, "number": 2}, False),
        ({"again": 1, "boot": 2}, False),
        ({"again": 1, "origin": 3}, False),
    ],
)
def test_a_node_that_hears_it_sent_anew_leaves_it_to_others(said: dict[str, int], left: bool) -> None:
    b = body(teach(inner(), 8))
    stuck(b)
    new_ring(b)
    host.hear_pub(b, NOW, heard(b, hops=9, **said), 6)
    assert ((FORGOTTEN, 0, k.FINE) in done(b)) == left and (b.held[0].state == STUCK) != left


@pytest.mark.parametrize("said, left", [({"again": 2}, True), ({"again": 1}, False), ({"again": 2, "ring": 79}, False)])
def test_it_is_left_only_to_a_later_sender_on_this_ring(said: dict[str, int], left: bool) -> None:
    b = body(teach(inner(), 8))
    stuck(b, again=1)
    new_ring(b)
    host.hear_pub(b, NOW, heard(b, hops=9, **said), 6)
    assert (b.held[0].state == STUCK) != left


def test_what_is_stuck_on_this_ring_is_not_left_to_others() -> None:
    b = body(teach(inner(), 8))
    stuck(b)
    host.hear_pub(b, NOW, heard(b, again=1), 6)
    assert b.held[0].state == STUCK
    b.me.link[1].ring = b.me.ring  # there is a way for what comes now
    host.hear_pub(b, NOW, heard(b, again=2), 6)
    assert b.outcome.reason == k.FINE and b.held[0].state == STUCK


@pytest.mark.parametrize("known", [True, False])
def test_before_it_is_too_old_it_starts_over_if_there_is_anybody(known: bool) -> None:
    """Though tables are still being filled; without subscribers it was for a node that is gone, which is reported."""
    b = body(teach(inner(), 8))
    node.subscribe(b.me, NOW, 5)
    stuck(b)
    new_ring(b)
    b.me.bursts = 1
    if not known:
        table.reset(b.me)
    for i in range(40):
        host.scan(b, NOW + i * k.SECOND // 2)
    assert done(b) == []
    host.scan(b, NOW + k.KEEP)
    assert [kind for kind, _, _ in done(b)] == ([AGAIN, SEND, FORGOTTEN] if known else [DROPPED])


@pytest.mark.parametrize("system", [k.PSVR, k.VR2015, k.RING])
def test_all_ring_systems_start_over(system: int) -> None:
    b = body(teach(inner(system=system), 8))
    stuck(b)
    new_ring(b)
    assert [kind for kind, _, _ in scan_until_done(b, NOW)[1]] == [AGAIN, SEND, FORGOTTEN]


@pytest.mark.parametrize("state", ["no ring", "filling", "nobody known"])
def test_it_does_not_start_over_before_subscribers_are_known(state: str) -> None:
    b = body(teach(inner(), 8))
    stuck(b)
    new_ring(b, -1 if state == "no ring" else 78)
    b.me.bursts = 1 if state == "filling" else 0
    if state == "nobody known":
        table.reset(b.me)
    host.scan(b, NOW + k.SECOND)
    assert done(b) == [] and b.held[0].state == STUCK
    new_ring(b)
    b.me.bursts = 0
    teach(b.me, 8)
    assert SEND in [kind for kind, _, _ in scan_until_done(b, NOW + 2 * k.SECOND)[1]]


def test_it_does_not_start_over_on_a_ring_that_is_hardly_announced() -> None:
    """Not even at the last moment."""
    b = body(teach(inner(), 8))
    stuck(b)
    new_ring(b)
    b.me.bursts = k.BURSTS
    host.scan(b, NOW + k.KEEP)
    assert done(b) == [(DROPPED, 0, k.NO_WAY)]


def test_it_does_not_start_over_before_there_are_slots_for_all_its_frames() -> None:
    b = body(teach(inner(), 8))
    stuck(b)
    new_ring(b)
    for h in b.held[1:]:
        h.state, h.made = IN_FLIGHT, NOW
    b.host.top = b.host.used = SLOTS
    now, kinds = scan_until_done(b, NOW)
    assert kinds == [] and b.held[0].state == STUCK
    for slot in range(1, SLOTS):
        host.acknowledged(b, now, slot)
        done(b)
    assert [kind for kind, _, _ in scan_until_done(b, now)[1]] == [AGAIN, SEND, FORGOTTEN]


def test_a_pub_whose_ring_does_not_come_starts_over_on_mine() -> None:
    b = body(teach(inner(), 8))
    assert host.hear_pub(b, NOW, heard(b, ring=78), 6) == TAKEN
    host.scan(b, NOW + k.MAX_EARLY)
    assert done(b) == [] and b.held[0].state == STUCK
    assert [kind for kind, _, _ in scan_until_done(b, NOW + k.MAX_EARLY + 1)[1]] == [AGAIN, SEND, FORGOTTEN]


def test_custody_ends_with_age_and_is_reported() -> None:
    b = body(teach(inner(), 8))
    b.me.link[1].ring = 99
    host.hear_pub(b, NOW, heard(b, age=15_000), 6)
    host.scan(b, NOW + 4 * k.SECOND)
    assert b.held[0].state == STUCK
    host.scan(b, NOW + 5 * k.SECOND)
    assert done(b) == [(DROPPED, 0, k.NO_WAY)]


def test_what_is_too_old_is_not_sent_though_there_is_a_way_now() -> None:
    b = body(teach(inner(), 8))
    stuck(b)
    b.me.link[1].ring = b.me.ring
    host.scan(b, NOW + k.KEEP)
    assert done(b) == [(DROPPED, 0, k.NO_WAY)]


def test_custody_ends_when_the_subscriber_has_left() -> None:
    """Or its SUB was lost, and it will be heard of again; if not, nothing is lost."""
    b = body(teach(inner(), 8))
    stuck(b)
    table.reset(b.me)
    host.scan(b, NOW + k.SECOND)
    assert done(b) == [] and (b.held[0].state, b.held[0].reason) == (STUCK, k.NO_SUBSCRIBER)
    host.scan(b, NOW + k.KEEP)
    assert done(b) == [(FORGOTTEN, 0, k.FINE)]


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


def test_where_no_subscriber_is_known_it_waits_for_one() -> None:
    """Until it is too old; then whoever was known elsewhere has left, and nothing is lost."""
    for comes in (True, False):
        b = body(inner())
        assert host.hear_pub(b, NOW, heard(b), 7) == TAKEN and done(b) == []
        assert [h.reason for h in b.held if h.state == STUCK] == [k.NO_SUBSCRIBER]
        if comes:
            teach(b.me, 8)
            host.note_table_change(b, NOW)
            host.note_table_change(b, NOW + 1)
            assert b.host.look_at == NOW + k.LEARNT_PAUSE
            host.scan(b, NOW + k.LEARNT_PAUSE)
            assert [kind for kind, _, _ in done(b)] == [SEND]
        else:
            late = NOW + k.KEEP
            b.host.look_at = late
            host.scan(b, late)
            assert [(kind, reason) for kind, _, reason in done(b)] == [(FORGOTTEN, k.FINE)]


def test_a_subscriber_need_not_know_any_other() -> None:
    b = body(inner())
    b.me.wants[0] = CHANNEL
    assert host.hear_pub(b, NOW, heard(b), 7) == TAKEN
    assert [kind for kind, _, _ in done(b)] == [DELIVER] and STUCK not in states(b)


@pytest.mark.parametrize("custody, slots", [(0, SLOTS), (k.KEEP, 9)])
def test_an_unknown_subscriber_is_not_waited_for_without_room(custody: int, slots: int) -> None:
    b = body(inner(), slots, custody=custody)
    assert host.hear_pub(b, NOW, heard(b), 7) == TAKEN and done(b) == [] and STUCK not in states(b)


def test_without_custody_it_is_dropped() -> None:
    b = body(teach(inner(), 8), custody=0)
    b.me.link[1].ring = 99
    host.hear_pub(b, NOW, heard(b), 6)
    assert done(b) == [(DROPPED, HEARD, k.NO_WAY)] and set(states(b)) == {FREE}


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


# --- room


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


# --- from any memory


class Lies(Draw):
    """A node, and a host whose tables hold anything."""

    def body(self) -> Body:
        me = self.node()
        me.settings.custody, me.settings.repeat = self.rng.choice([0, k.KEEP]), self.rng.choice([0, k.KEEP])
        me.settings.wait, me.settings.rounds = self.rng.choice([0, k.KEEP]), self.rng.choice([0, 2])
        cap = Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2, effects=60)
        b = Body(
            me,
            blank(Memory, cap),
            [blank(Held, cap) for _ in range(24)],
            [blank(Handed, cap) for _ in range(16)],
            blank(Effects, cap),
            blank(Outcome, cap),
        )
        for table_of, cls in (([b.host], Memory), (b.held, Held), (b.names, Handed)):
            for x in table_of:
                restore(x, cls, self.some(cls, cap))
        return b

    def some(self, cls: type, cap: Capacity) -> dict[str, Any]:
        record: Any = np.zeros(1, dtype(cls, cap))
        if self.rng.random() < 0.3:
            memory.draw_bytes(record, self.numpy, ())
        else:
            memory.draw_plausible(record, cls, self.truth(), self.lie, self.numpy)
        return snapshot(record[0], cls)


def happen(b: Body, draw: Lies, now: int, hello: Hello, before: list[Pub]) -> list[tuple[int, tuple[int, ...], int]]:
    """Anything; a PUB that is heard may be one that was heard before.  Effects, with the names they are about."""
    rng, what, pub = draw.rng, draw.rng.randrange(6), blank(Pub, SMALL)
    if what == 0:
        host.publish(b, now, rng.choice([CHANNEL, 5]), 16, 1)
    elif what == 1:
        pub = rng.choice(before) if before and rng.random() < 0.4 else draw.message(Pub, b.me)
        before.append(pub)
        host.hear_pub(b, now, pub, 1)
    elif what == 2:
        host.hear_hello(b, now, draw.message(Hello, b.me))
    elif what == 3:
        host.acknowledged(b, now, rng.randrange(-1, 30))
    elif what == 4:
        host.failed(b, now, rng.randrange(-1, 30))
    else:
        host.wake(b, now, hello)
    found: list[tuple[int, tuple[int, ...], int]] = []
    for kind, slot, reason in [(e.kind, e.slot, e.reason) for e in b.out.effect[: b.out.count]]:
        assert HEARD <= slot < len(b.held) and SEND <= kind <= KNOWN and 0 <= reason < len(k.REASONS)
        it = b.held[slot].pub if slot >= 0 else pub
        found.append((kind, (it.origin, it.boot, it.number), reason))
    done(b)
    return found


@drawn(400, sends=0.1, delivers=0.2, drops=0.05, held=0.5, again=0.03)
def test_no_memory_and_no_event_is_too_much(rng: random.Random) -> set[str]:
    """No exception, effects name what there is, and nothing is handed over twice."""
    draw = Lies(rng)
    b, now, found = draw.body(), 10**9, Counter[int]()
    b.me.settings.memory = 1
    given, before = set[tuple[int, ...]](), list[Pub]()
    hello = blank(Hello, Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2))
    held = any(0 < h.state < ENDED for h in b.held[: max(0, min(b.host.top, 24))])
    for _ in range(30):
        now += rng.choice([0, 1000, 100_000, k.SECOND])
        for kind, name, _ in happen(b, draw, now, hello, before):
            assert kind != DELIVER or name not in given, "handed over twice"
            found[kind] += 1
            given |= {name} if kind == DELIVER else set()
    return reached(
        sends=found[SEND] > 0, delivers=found[DELIVER] > 0, drops=found[DROPPED] > 0, held=held, again=found[KNOWN] > 0
    )


@drawn(150, held=0.5, lies=0.5)
def test_whatever_is_held_is_gone_after_a_while(rng: random.Random) -> set[str]:
    """Two minutes, plus the time until it is scanned, if nothing else happens."""
    draw = Lies(rng)
    b, now = draw.body(), 10**9
    hello = blank(Hello, Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2))
    held = any(0 < h.state < ENDED for h in b.held[: max(0, min(b.host.top, 24))])
    end = now + k.MAX_HELD + 2 * k.HELD_CHECK * b.me.settings.hello
    lies = {(h.origin, h.boot, h.number, h.at) for h in b.names if h.at > end}
    while now < end:
        now = max(now, host.next_due(b, now)) + 1
        host.wake(b, now, hello)
        for kind, slot, _ in done(b):
            if kind == SEND:
                host.acknowledged(b, now, slot)
                done(b)
    assert all(h.state == FREE for h in b.held[: b.host.top])
    assert not lies & {(h.origin, h.boot, h.number, h.at) for h in b.names} and all(h.at <= now for h in b.names)
    return reached(held=held, lies=bool(lies))
