"""What becomes of a PUB, whatever the system: why it stops, whether it is delivered, what is carried on."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import blank, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication
from psvr.protocol.records import Node, Outcome, Pub, Send
from psvr.protocol.table import make_row
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, SMALL, inner, put_on_ring, started

RING_SYSTEMS = (k.PSVR, k.VR2015, k.RING)


def heard(**said: int) -> Pub:
    """A PUB of node 3, from the parent to my position 4, for the whole ring."""
    pub = blank(Pub, SMALL)
    pub.src, pub.cur, pub.ep, pub.ring, pub.channel, pub.hops = PARENT, 4, 4, 77, CHANNEL, 2
    pub.origin, pub.boot, pub.number, pub.load = 3, 6, 8, 11
    for name, value in said.items():
        setattr(pub, name, value)
    return pub


def handled(me: Node, pub: Pub) -> Outcome:
    out = blank(Outcome, SMALL)
    out.deliver, out.sends, out.reason = 1, 3, k.ECHO  # remains of the last one
    publication.handle(me, NOW, pub, out)
    return out


def subscriber_at(me: Node, *ns: int) -> None:
    for entry, s in zip(me.row[make_row(me, CHANNEL)].entry, ns):
        entry.ns, entry.since = s, NOW


# --- why it stops


@pytest.mark.parametrize(
    "said, reason",
    [
        ({}, k.FINE),
        ({"src": 99}, k.NOT_A_LINK),
        ({"src": OTHER}, k.FINE),
        ({"src": 99, "hops": 0}, k.FINE),
        ({"hops": -1}, k.OUT_OF_RANGE),
        ({"origin": -1}, k.OUT_OF_RANGE),
        ({"boot": -1}, k.OUT_OF_RANGE),
        ({"number": -1}, k.OUT_OF_RANGE),
        ({"ring": 78}, k.OTHER_RING),
        ({"ring": -1}, k.OTHER_RING),
        ({"cur": 5}, k.NOT_MY_POSITION),
        ({"cur": NONE}, k.NOT_MY_POSITION),
        ({"cur": 10}, k.FINE),
        ({"origin": 0, "boot": 0, "number": 0}, k.FINE),
        ({"ep": 0}, k.FINE),
        ({"ep": 19}, k.FINE),
        ({"ep": 20}, k.NOT_MY_POSITION),
        ({"ep": NONE}, k.NOT_MY_POSITION),
        ({"hops": 20}, k.FINE),
        ({"hops": 21}, k.TOO_MANY_HOPS),
        ({"hops": k.MAX_HOPS}, k.TOO_MANY_HOPS),
    ],
)
@pytest.mark.parametrize("system", RING_SYSTEMS)
def test_why_a_pub_is_not_handled(said: dict[str, int], reason: int, system: int) -> None:
    """And then it is neither delivered nor sent on."""
    me = inner(system=system)
    me.wants[CHANNEL % 4] = CHANNEL
    assert publication.reason_to_stop(me, heard(**said)) == reason
    out = handled(me, heard(**said))
    if reason != k.FINE:
        assert (out.deliver, out.sends, out.reason) == (0, 0, reason)
    else:
        assert out.deliver == 1


@pytest.mark.parametrize("system", [k.SHEN, k.FLOOD])
@pytest.mark.parametrize(
    "said, reason",
    [
        ({"ring": 78, "cur": NONE, "ep": NONE}, k.FINE),
        ({"number": -1}, k.OUT_OF_RANGE),
        ({"hops": 21}, k.FINE),
        ({"hops": k.MAX_HOPS - 1}, k.FINE),
        ({"hops": k.MAX_HOPS}, k.TOO_MANY_HOPS),
    ],
)
def test_systems_without_a_ring_do_not_ask_for_one(system: int, said: dict[str, int], reason: int) -> None:
    assert publication.reason_to_stop(inner(system=system), heard(**said)) == reason


@pytest.mark.parametrize("system", range(5))
def test_a_flood_is_heard_from_whoever_is_there(system: int) -> None:
    assert publication.reason_to_stop(inner(system=system), heard(src=99)) == (
        k.FINE if system == k.FLOOD else k.NOT_A_LINK
    )


def test_a_pub_from_a_one_way_link_is_not_handled() -> None:
    me = inner()
    me.link[0].keeps_me = 0
    assert publication.reason_to_stop(me, heard()) == k.NOT_A_LINK


def test_a_pub_that_comes_without_a_ring() -> None:
    me = inner()
    me.ring, me.wants[CHANNEL % 4] = -1, CHANNEL
    out = handled(me, heard(ring=-1))
    assert (out.deliver, out.sends, out.reason) == (0, 0, k.NO_RING)


@pytest.mark.parametrize("hops, reason", [(0, k.TOO_MANY_HOPS), (-1, k.TOO_MANY_HOPS), (1, k.NO_SUBSCRIBER)])
def test_what_is_heard_has_made_a_hop(hops: int, reason: int) -> None:
    out = blank(Outcome, SMALL)
    out.deliver, out.sends = 1, 2
    node.hear_pub(inner(), NOW, heard(hops=hops), out)
    assert (out.deliver, out.sends, out.reason) == (0, 0, reason)


# --- delivery


def test_a_publication_is_delivered_once_and_goes_on_every_time() -> None:
    me = inner()
    me.wants[CHANNEL % 4] = CHANNEL
    subscriber_at(me, 8, 15)
    first, second = handled(me, heard()), handled(me, heard())
    assert (first.deliver, first.sends, first.reason) == (1, 2, k.FINE)
    assert (second.deliver, second.sends, second.reason) == (0, 2, k.FINE)


def test_the_last_subscriber_does_not_wait_for_others_to_pass_it_on_to() -> None:
    """Neither the first time, nor when it had the publication already."""
    me = inner()
    me.wants[CHANNEL % 4] = CHANNEL
    for _ in range(2):
        out = handled(me, heard())
        assert (out.sends, out.stuck, out.reason) == (0, 0, k.FINE)


@pytest.mark.parametrize("other", [{"origin": 4}, {"boot": 7}, {"number": 9}])
def test_a_publication_is_known_by_origin_boot_and_number(other: dict[str, int]) -> None:
    """After a restart an origin counts from the beginning: its boot distinguishes the numbers."""
    me = inner()
    me.wants[CHANNEL % 4] = CHANNEL
    assert [handled(me, x).deliver for x in (heard(), heard(**other), heard(), heard(**other))] == [1, 1, 0, 0]


def test_what_is_not_wanted_is_not_delivered_and_takes_no_place_in_the_window() -> None:
    me = inner()
    before = [snapshot(s, type(s)) for s in me.seen]
    assert handled(me, heard()).deliver == 0 and [snapshot(s, type(s)) for s in me.seen] == before


def test_the_window_forgets_the_oldest() -> None:
    me = started()
    assert all(publication.is_new(me, NOW, heard(number=i)) for i in range(5)) and me.seen_next == 1
    assert not publication.is_new(me, NOW, heard(number=4)) and not publication.is_new(me, NOW, heard(number=1))
    assert publication.is_new(me, NOW, heard(number=0)) and publication.is_new(me, NOW, heard(number=1))


@pytest.mark.parametrize("at, place, following", [(-3, 0, 1), (99, 3, 0), (2, 2, 3)])
def test_a_window_with_a_wrong_place_still_works(at: int, place: int, following: int) -> None:
    me = started()
    me.seen_next = at
    assert publication.is_new(me, NOW, heard()) and me.seen[place].number == 8 and me.seen_next == following


@pytest.mark.parametrize("name", ["origin", "boot", "number"])
def test_what_cannot_have_been_seen_is_forgotten(name: str) -> None:
    me = started()
    for s in me.seen:
        s.origin, s.boot, s.number, s.at = 3, 6, 8, NOW
    setattr(me.seen[1], name, -5)
    setattr(me.seen[2], name, 0)
    kept = me.seen[2].origin, me.seen[2].boot, me.seen[2].number
    me.seen_next = 77
    publication.tidy(me, NOW)
    assert [(s.origin, s.boot, s.number) for s in me.seen] == [(3, 6, 8), (k.NOBODY, 0, 0), kept, (3, 6, 8)]
    assert me.seen_next == 3


@pytest.mark.parametrize(
    "at, known", [(NOW, True), (NOW - k.NAME_LIFE, True), (NOW - k.NAME_LIFE - 1, False), (NOW + 1, False), (-1, False)]
)
def test_a_name_is_known_for_a_while(at: int, known: bool) -> None:
    """A fault may have written a name that is still to come, even with a time in the future."""
    me = started()
    s = me.seen[1]
    s.origin, s.boot, s.number, s.at = 3, 6, 8, at
    assert publication.is_new(me, NOW, heard(origin=3, boot=6, number=8)) != known
    publication.tidy(me, NOW)
    assert (me.seen[1].origin == 3) == known


# --- publications of my own


@pytest.mark.parametrize("system, cur", [(k.PSVR, 4), (k.VR2015, 4), (k.RING, 4), (k.SHEN, NONE), (k.FLOOD, NONE)])
def test_a_publication_of_mine_starts_at_my_first_position_for_the_whole_ring(system: int, cur: int) -> None:
    me, pub = inner(system=system), heard(again=1)
    publication.start(me, CHANNEL, 2, 30, 40, pub)
    assert (pub.src, pub.origin, pub.boot, pub.number, pub.channel, pub.load) == (9, 9, 2, 30, CHANNEL, 40)
    assert (pub.hops, pub.again, pub.ring, pub.cur, pub.ep) == (0, 0, 77, cur, cur)


def test_without_a_ring_a_publication_of_mine_has_no_position() -> None:
    me, pub = inner(), heard()
    me.ring = -1
    publication.start(me, CHANNEL, 2, 30, 40, pub)
    assert (pub.ring, pub.cur, pub.ep) == (-1, NONE, NONE)


@pytest.mark.parametrize("ring, said", [(-9, -1), (1 << 40, (1 << 32) - 1)])
def test_whatever_a_node_remembers_its_pubs_name_a_ring_in_range(ring: int, said: int) -> None:
    me, pub, on = inner(), blank(Pub, SMALL), blank(Pub, SMALL)
    me.ring = ring
    publication.start(me, CHANNEL, 2, 30, 40, pub)
    publication.carry(me, pub, blank(Send, SMALL), on)
    assert pub.ring == on.ring == said


@pytest.mark.parametrize("alone, reason", [(True, k.FINE), (False, k.NO_RING)])
def test_without_a_ring_a_publication_of_mine_is_delivered_at_home(alone: bool, reason: int) -> None:
    me, pub, out = started() if alone else inner(), blank(Pub, SMALL), blank(Outcome, SMALL)
    me.ring = -1
    me.wants[CHANNEL % 4] = CHANNEL
    node.publish(me, NOW, CHANNEL, 1, 1, 0, pub, out)
    assert (out.deliver, out.sends, out.reason) == (1, 0, reason)
    node.publish(me, NOW, CHANNEL + 4, 1, 2, 0, pub, out)
    assert out.deliver == 0


def test_a_root_that_has_children_and_no_ring_is_not_alone() -> None:
    me, pub, out = started(), blank(Pub, SMALL), blank(Outcome, SMALL)
    me.size = 2
    node.publish(me, NOW, CHANNEL, 1, 1, 0, pub, out)
    assert out.reason == k.NO_RING


@pytest.mark.parametrize("again, then", [(0, 1), (1, 2), (6, 7), (7, 7), (-5, 1), (99, 7)])
def test_what_starts_over_keeps_its_name_and_says_so(again: int, then: int) -> None:
    me, pub = inner(), heard(src=20, ring=50, cur=NONE, ep=NONE, hops=12, again=again)
    subscriber_at(me, 8, 15)
    publication.start_over(me, pub)
    assert (pub.origin, pub.boot, pub.number, pub.channel, pub.load) == (3, 6, 8, CHANNEL, 11)
    assert (pub.src, pub.again, pub.ring, pub.cur, pub.ep, pub.hops) == (9, then, 77, 4, 4, 0)
    assert handled(me, pub).sends == 2


def test_what_is_carried_on() -> None:
    me, pub, send, out = inner(), heard(again=1), blank(Send, SMALL), blank(Pub, SMALL)
    send.to, send.at, send.goal, send.ep = OTHER, 10, 16, 3
    publication.carry(me, pub, send, out)
    assert (out.src, out.cur, out.ep, out.hops, out.ring) == (9, 16, 3, 3, 77)
    assert (out.origin, out.boot, out.number, out.channel, out.load, out.again) == (3, 6, 8, CHANNEL, 11, 1)
    pub.hops, pub.again = k.MAX_HOPS + 5, 0
    publication.carry(me, pub, send, out)
    assert (out.hops, out.again) == (k.MAX_HOPS, 0)


# --- by system


def routed(system: int, ep: int = 4) -> list[tuple[int, int, int, int]]:
    me = inner(system=system)
    subscriber_at(me, 8, 15)
    if system == k.SHEN:
        for entry in me.row[make_row(me, CHANNEL)].entry:
            entry.ns, entry.since = 0, NOW
    out = handled(me, heard(ep=ep))
    return [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]]


def test_each_system_goes_on_in_its_own_way() -> None:
    assert routed(k.PSVR) == [(CHILD, 4, 7, 10), (OTHER, 10, 14, 4)]
    assert routed(k.VR2015) == [(CHILD, 4, 7, 4)]
    assert routed(k.RING) == [] and routed(k.RING, 12) == [(CHILD, 4, 5, 12)]  # back where it started, and not yet
    assert routed(k.SHEN) == [(CHILD, NONE, NONE, NONE)]
    assert routed(k.FLOOD) == [(k.NOBODY, NONE, NONE, NONE)]


def test_a_flood_passes_a_node_once_wanted_or_not() -> None:
    me = inner(system=k.FLOOD)
    first, second = handled(me, heard()), handled(me, heard())
    assert (first.sends, first.deliver, second.sends, second.reason) == (1, 0, 0, k.REPEATED)


@pytest.mark.parametrize("system", range(5))
def test_a_second_way_where_positions_lead(system: int) -> None:
    me, out = inner(system=system), blank(Outcome, SMALL)
    subscriber_at(me, 8, 15)
    out.deliver, out.sends, out.reason = 1, 3, k.ECHO
    publication.detour(me, NOW, heard(cur=14, ep=4), 10, OTHER, out)
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == (
        [(PARENT, 10, 11, 4)] if system in (k.PSVR, k.VR2015, k.RING) else []
    )
    assert (out.deliver, out.reason) == (0, k.FINE)


def test_positions_do_not_outlive_a_ring() -> None:
    me = inner()
    put_on_ring(me, 20, 6, 8)
    assert publication.reason_to_stop(me, heard(cur=4)) == k.NOT_MY_POSITION
