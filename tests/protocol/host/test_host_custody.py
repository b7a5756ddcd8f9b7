"""Custody: what a host does with parts of publications that cannot go on, until they can or are too old."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import host, node, table
from psvr.protocol.host import AGAIN, DELIVER, DROPPED, FORGOTTEN, HEARD, SEND, TAKEN, Body
from psvr.protocol.host.holding import FREE, IN_FLIGHT, STUCK
from tests.support.protocol.bodies import CHANNEL, SLOTS, body, done, heard, new_ring, states, teach
from tests.support.protocol.hand_made import CHILD, NOW, inner


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
