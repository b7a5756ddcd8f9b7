"""The slips of the paper that docs/errata.md lists, each by an example as small as possible."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.graphs.graph import from_edges
from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE, closer, covers, inside
from psvr.protocol.pubsub.subscription import sub_is_due
from psvr.protocol.records import Sub
from psvr.protocol.table import clean, find_row, next_subscriber
from psvr.routing.as_printed import READINGS, Entry, Journey, Reading, Routing, is_between, messages, subscribe
from psvr.routing.settled import Settled
from psvr.routing.systems import Publication, route
from tests.routing.test_vectors import example, ids, large, small
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import NOW, SMALL, inner
from tests.support.protocol.one_position import LEASE, P, hear, node_at
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases

ROOT = Path(__file__).parent.parent.parent
SHORTCUTS = st.sampled_from(["all", "nontree"])
CORRECTED, BOTH = READINGS["corrected"], READINGS["printed-publications"]
ENDS = ("()", "(]", "[)", "[]")


def star(leaves: int, *extra: tuple[int, int]) -> Settled:
    """A root, 0, with leaves 1, 2, …; leaf i is at position 2i − 1."""
    links = [(0, v) for v in range(1, leaves + 1)]
    return Settled(from_edges(leaves + 1, [*links, *extra]), 0, [-1, *[0] * leaves])


def line() -> tuple[dict[str, int], Settled]:
    return example("recadbf", ["re", "ec", "ca", "ad", "db", "bf"], [])


def journey(
    settled: Settled, reading: str | Reading, publisher: int, subscribers: Iterable[int], shortcuts: str = "nontree"
) -> Journey:
    """What comes of a publication where the tables are right."""
    read = READINGS[reading] if isinstance(reading, str) else reading
    return Routing(settled, settled.next_subscriber(subscribers).tolist(), read, shortcuts).follow(publisher)


def publication(publisher: int, subscribers: Iterable[int], shortcuts: str = "all") -> Publication:
    return Publication(publisher, np.array(sorted(subscribers), dtype=np.int32), shortcuts)


def once(found: Journey, subscribers: Iterable[int]) -> bool:
    return found.ends and all(found.received[v] == 1 for v in subscribers)


# The pseudo-code as printed can be trusted as a witness


@settings(deadline=None, max_examples=200)
@given(cases(), SHORTCUTS)
def test_corrected_it_is_psvr(case: Case, shortcuts: str) -> None:
    found = messages(case.settled, publication(case.publisher, case.subscribers, shortcuts), CORRECTED)
    assert sorted(found) == sorted(route(case.settled, "psvr", case.publisher, case.subscribers, shortcuts).messages)


@settings(deadline=None, max_examples=200)
@given(cases(), st.data())
def test_corrected_tables_are_those_of_a_settled_network(case: Case, data: st.DataObject) -> None:
    """For several channels at once, and wherever the ends of isBetween and the children make no difference at rest."""
    wants = [data.draw(st.sets(st.sampled_from("xyz")), label=f"channels of {v}") for v in range(case.n)]
    reading = Reading("", renewal=data.draw(st.sampled_from(ENDS)), children_only=data.draw(st.booleans()))
    for c in set().union(*wants):
        expected = case.settled.next_subscriber([v for v in range(case.n) if c in wants[v]]).tolist()
        assert subscribe(case.settled, wants, reading).ns(c) == expected


@settings(deadline=None, max_examples=200)
@given(cases(most=7), SHORTCUTS, st.sampled_from(sorted(READINGS)))
def test_what_never_ends_is_known_exactly(case: Case, shortcuts: str, name: str) -> None:
    """Against playing it out: with at most 12 · 12 different PUBs, a chain of more causes that repeats one."""
    if case.n < 2:
        return
    ns = case.settled.next_subscriber(case.subscribers).tolist()
    routing = Routing(case.settled, ns, READINGS[name], shortcuts)
    found = routing.follow(case.publisher)
    generation, received = {found.first}, Counter[int]()
    for _ in range(case.settled.length**2 + 1):
        sent = [(goal, ep) for pub in generation for _, goal, ep in routing.handle_pub(*pub)]
        received.update({routing.ring[goal] for goal, _ in sent})
        generation = set(sent)
    assert found.ends == (not generation)
    assert set(found.received) == set(received)
    if found.ends and len(found.messages()) < 1000:
        exact = Counter(routing.ring[goal] for _, goal, _ in found.messages())
        assert {v: min(copies, 2) for v, copies in exact.items()} == {v: min(c, 2) for v, c in found.received.items()}


# Algorithm 2


def test_curpos_for_p_never_ends() -> None:
    """Three nodes, no shortcut: leaf 2 publishes to leaf 1, and the publication goes round for ever."""
    settled = star(2)
    assert settled.ring.tolist() == [0, 1, 0, 2]
    found = journey(settled, "printed-curpos", 2, [1])
    assert not found.ends and len(found.messages(5000)) == 5000
    assert once(journey(settled, CORRECTED, 2, [1]), [1])
    assert is_between(1, 0, 3, 4, "()") and not is_between(1, 2, 3, 4, "()")  # from curPos, and from p = 2


def test_curpos_for_p_delivers_twice() -> None:
    found = journey(star(2), "printed-curpos", 0, [1], "all")
    assert found.ends and found.received[1] == 2


def test_outside_of_its_interval_a_node_serves_what_others_serve() -> None:
    """Leaves 1 and 2 are linked; 1 sends to 2 over that link, the root then serves position 2 once more."""
    settled, subscribers = star(3, (1, 2)), [2, 3]
    for shortcuts in ("all", "nontree"):
        found = journey(settled, "printed-everywhere", 1, subscribers, shortcuts)
        assert found.ends and found.received[2] == 2
        assert once(journey(settled, CORRECTED, 1, subscribers, shortcuts), subscribers)


def test_the_second_publisher_of_the_large_example_reaches_c_twice() -> None:
    number, settled = large()
    found = journey(settled, "printed-everywhere", number["b"], ids(number, "cgi"))
    assert found.received[number["c"]] == 2


def test_at_14_the_pseudo_code_sends_three_messages_and_the_text_says_one() -> None:
    number, settled = large()
    ns = settled.next_subscriber(ids(number, "cgi")).tolist()
    assert Routing(settled, ns, BOTH, "nontree").handle_pub(14, 1) == [(8, 9, 12), (12, 13, 14), (14, 15, 0)]
    assert Routing(settled, ns, CORRECTED, "nontree").handle_pub(14, 1) == [(14, 15, 0)]
    assert not covers(14, 1, 8, 20) and not covers(14, 1, 12, 20)  # why 8 and 12 are silent: not their next subscriber
    assert not inside(ns[8], 8, 12, 20) and not inside(ns[12], 12, 14, 20)


def test_with_its_left_end_one_position_is_a_whole_ring() -> None:
    """calcNewEP of a node with one position asks isBetween(p, p, ep)."""
    settled = star(2)
    routing = Routing(settled, settled.next_subscriber([1, 2]).tolist(), READINGS["printed-left-end"])
    assert routing.calc_new_ep(1, 2) == 1
    assert not routing.follow(0).ends
    assert once(journey(settled, CORRECTED, 0, [1, 2]), [1, 2])


def test_with_its_right_end_the_end_point_is_served() -> None:
    """Leaf 1 has next subscriber 2, the root's; its interval ends there, and "neither routed to ep" rules it out."""
    settled = star(2)
    assert not journey(settled, "printed-right-end", 2, [0, 1]).ends
    assert once(journey(settled, CORRECTED, 2, [0, 1]), [0, 1])


def test_no_choice_of_ends_suits_all_three_uses() -> None:
    def routes(ends: str) -> bool:
        return once(journey(star(2), Reading("", ends=ends), 2, [0, 1]), [0, 1]) and once(
            journey(star(2), Reading("", ends=ends), 0, [1, 2]), [1, 2]
        )

    def renews(ends: str) -> bool:
        entry = Entry(ns=3, ts=0.0)
        entry.update(3, 1, now=0.5, lease=1.0, length=8, ends=ends)
        return entry.ts == 0.5

    assert [(routes(ends), renews(ends)) for ends in ENDS] == [
        (True, False),
        (False, True),
        (False, False),
        (False, True),
    ]
    assert closer(3, 1, 3, 8) and not inside(3, 1, 3, 8)  # ours are two


def test_the_text_tests_goal_where_the_algorithm_tests_next_s() -> None:
    """At 16, with end point 19: the goal 17 lies within, so by the text i would send; the example says it does not."""
    number, settled = large()
    ns = settled.next_subscriber(ids(number, "cgi")).tolist()
    routing = Routing(settled, ns, CORRECTED, "nontree")
    assert routing.goal(16) == 17 and inside(17, 16, routing.calc_new_ep(16, 19), 20)
    assert routing.handle_pub(16, 19) == []


def test_subscribers_are_not_the_only_ones_that_forward() -> None:
    number, settled = large()
    senders = {settled.ring[at] for at, _, _ in route(settled, "psvr", number["a"], ids(number, "cgi")).messages}
    assert senders - {number["a"]} and not senders & set(ids(number, "cgi"))


# Algorithm 1


def wanted(n: int, **channels: Iterable[int]) -> list[list[str]]:
    return [[c for c, nodes in channels.items() if v in nodes] for v in range(n)]


def test_with_the_receiver_s_channels_only_subscribers_learn() -> None:
    """The line: the figure says that d, b and f change to 9; by the printed loop they learn nothing."""
    number, settled = line()
    wants = wanted(7, c=ids(number, "ca"))
    found = subscribe(settled, wants, READINGS["printed-own-channels"]).ns("c")
    for name in "redbf":
        assert {found[p] for p in settled.positions(number[name])} == {NONE}
    right = subscribe(settled, wants, CORRECTED).ns("c")
    assert {right[p] for name in "dbf" for p in settled.positions(number[name])} == {9}
    sent = publication(number["f"], ids(number, "ca"))
    assert messages(settled, sent, CORRECTED) and not messages(settled, sent, READINGS["as-printed"])


def test_with_the_receiver_s_channels_tables_become_false() -> None:
    """Of two nodes each wants another channel, and each takes the other for a subscriber of its own."""
    settled, wants = star(1), wanted(2, x=[0], y=[1])
    found = subscribe(settled, wants, READINGS["printed-own-channels"])
    assert (found.ns("x"), found.ns("y")) == ([1, NONE], [NONE, 0])
    right = subscribe(settled, wants, CORRECTED)
    assert (right.ns("x"), right.ns("y")) == ([NONE, 0], [1, NONE])


def test_a_root_with_one_child_sends_its_sub_back() -> None:
    """The line: r has a child, c's SUB comes from it, and the only one to hear r discards it."""
    number, settled = line()
    wants = wanted(7, c=[number["c"]])
    printed = subscribe(settled, wants, Reading("", children_only=True))
    ours = subscribe(settled, wants, CORRECTED)
    assert printed.ns("c") == ours.ns("c")
    assert [sub for sub in printed.subs if sub not in ours.subs] == [(number["r"], number["e"], frozenset("c"))]


def test_a_node_with_a_parent_and_one_child_forwards_by_either_rule() -> None:
    number, settled = line()
    wants = wanted(7, c=[number["f"]])
    for children_only in (True, False):
        senders = [u for u, _, _ in subscribe(settled, wants, Reading("", children_only=children_only)).subs]
        assert {number[name] for name in "bdace"} <= set(senders)


@pytest.mark.parametrize(("each", "saved"), [("x", 1), ("xy", 2), ("xyz", 3)])
def test_one_sub_for_all_channels_saves_a_factor_of_the_channels_of_a_node(each: str, saved: int) -> None:
    """Not of n_c, all channels there are: here six, of which the node wants one to three."""
    number, settled = line()
    others = {c: [number["r"]] for c in "uvw"}
    together = subscribe(settled, wanted(7, **{c: [number["a"]] for c in each}, **others), CORRECTED)
    apart = [subscribe(settled, wanted(7, **{c: [number["a"]]}), CORRECTED) for c in each]
    ours = [sub for sub in together.subs if sub[2] & set(each)]
    assert sum(len(found.subs) for found in apart) == saved * len(ours)


def test_a_node_without_subscriptions_sends_no_sub() -> None:
    """As the text has it; the printed timer goes on after the last subscription has ended."""
    me, sub = inner(), blank(Sub, SMALL)
    for change, channels in ((node.subscribe, 1), (node.unsubscribe, 0)):
        change(me, NOW, CHANNEL)
        node.write_sub(me, NOW, 0, sub)
        assert sub.channels == channels


@pytest.mark.parametrize("at", [-(1 << 60), -1, NOW - k.SECOND, 1 << 60])
def test_a_sub_is_due_whatever_the_timer_says(at: int) -> None:
    """The printed timer_sub is set by subscribe() and by itself alone: once lost, it never comes back."""
    me = inner()
    node.subscribe(me, NOW, CHANNEL)
    me.sub_at = at
    assert sub_is_due(me, NOW)


def test_senders_of_the_line_figure() -> None:
    """It prints r = 1 and r = 4, numbers that stand for a and d in its source; as positions they are e's and d's."""
    number, settled = line()
    subs = subscribe(settled, wanted(7, c=ids(number, "ca")), CORRECTED).subs
    from_a = [(u, r) for u, r, _ in subs if u == number["a"] or r in ids(number, "ad")]
    assert (number["a"], NONE) in from_a
    assert {(number["d"], number["a"]), (number["b"], number["d"])} <= set(from_a)
    assert [settled.ring[p] for p in (1, 4)] == ids(number, "ed")


def test_a_points_to_10_from_both_of_its_positions() -> None:
    """The line before a subscribes: printed as 10, 2."""
    number, settled = line()
    before = subscribe(settled, wanted(7, c=[number["c"]]), CORRECTED).ns("c")
    assert [before[p] for p in (3, 9)] == [10, 10]
    assert not closer(2, 9, 10, settled.length)


# Algorithm 3: the numbers are those of the paper's own example, with a lease of 1


def test_without_its_right_end_a_lease_is_not_renewed() -> None:
    """And the text says so: only "a SUB message with a ccw closer subscriber position" renews the time stamp."""
    for ends, renewed in (("()", 0.0), ("(]", 0.9)):
        entry = Entry(ns=14, ts=0.0)
        entry.update(14, 5, 0.9, 1.0, 22, ends)
        assert entry.ts == renewed


def changes_of(*talking: tuple[int, float, int], write_back: float = 4.0) -> list[tuple[float, int]]:
    """When ns changes at position 5, as printed, if positions repeat their SUB every 1.1: (position, end, phase)."""
    entry, changes = Entry(), list[tuple[float, int]]()
    for tick in range(300):
        now = tick / 10
        for sp, end, phase in talking:
            if tick % 11 == phase and now < end:
                entry.update(sp, 5, now, 1.0, 22, "(]")
        entry.clean(now, write_back)
        if not changes or changes[-1][1] != entry.ns:
            changes.append((now, entry.ns))
    return changes


def test_a_subscriber_with_two_positions_is_its_own_successor() -> None:
    """ns 7 is renewed by every SUB, and nstmp becomes 3 just before: it is never reset, and outlives its subscriber."""
    changes = changes_of((3, 10.0, 0), (7, 10.0, 0))
    assert [ns for _, ns in changes] == [7, 3, NONE]
    (_, _), (first, _), (second, _) = changes
    assert 3 < first - 10 <= 4.2 and 7 < second - 10 <= 8.4  # T_w/back is 4


def test_ours_forgets_it_within_one_write_back() -> None:
    me = node_at()
    for now in range(0, 10 * LEASE, LEASE + 1):
        hear(me, now, P - 2, P + 5)
    assert next_subscriber(me, CHANNEL, 0) == P + 5
    clean(me, now + k.WRITE_BACK * LEASE + 1)
    assert next_subscriber(me, CHANNEL, 0) == NONE


def test_a_time_in_the_future_is_never_stale_as_printed() -> None:
    entry = Entry(ns=7, ts=1e9)
    entry.clean(1e6, 4.0)
    assert entry.ns == 7
    me = node_at()
    hear(me, 0, 15)
    me.row[find_row(me, CHANNEL)].entry[0].since = 1 << 60
    clean(me, LEASE)
    assert next_subscriber(me, CHANNEL, 0) == NONE


@pytest.mark.parametrize(("write_back", "skipped"), [(1.05, True), (1.85, True), (2.3, False), (4.0, False)])
def test_a_write_back_of_less_than_two_leases_skips_a_subscriber(write_back: float, skipped: bool) -> None:
    """7 leaves and 14 stays.  The text says that nobody is skipped, and not that this takes T_w/back > 2 δ_S."""
    changes = changes_of((7, 10.0, 0), (14, 99.0, 9), write_back=write_back)
    assert (NONE in [ns for now, ns in changes if now > 1]) == skipped and changes[-1][1] == 14


def test_an_error_may_last_two_write_backs() -> None:
    """A false ns and a false nstmp just before it: each gets a full lease."""
    entry, now = Entry(ns=6, ts=0.0, nstmp=8), 0.0
    while entry.ns in (6, 8):
        now += 0.1
        if round(10 * now) % 11 == 0:
            entry.update(14, 5, now, 1.0, 22, "(]")
        entry.clean(now, 4.0)
    assert entry.ns == 14 and 8 < now < 8.4


def test_the_node_of_the_interval_example_cannot_exist() -> None:
    """Positions 5, 12, 18 have both parities, and with a subscriber at 3 and 7 they are interlaced."""
    assert len({p % 2 for p in (5, 12, 18)}) == 2
    assert interlaced((5, 12, 18), (3, 7)) and interlaced((5, 12, 18), (14, 20))


def interlaced(some: Iterable[int], others: Iterable[int]) -> bool:
    """Whether two of `others` lie on different sides of two of `some`."""
    return any(
        (low < x < high) != (low < y < high)
        for low, high in combinations(sorted(some), 2)
        for x, y in combinations(others, 2)
    )


# The ring


@settings(deadline=None, max_examples=200)
@given(cases())
def test_positions_of_a_node_have_one_parity_and_are_never_interlaced(case: Case) -> None:
    own = [case.settled.positions(v).tolist() for v in range(case.n)]
    assert all(len({p % 2 for p in positions}) <= 1 for positions in own)
    assert not any(interlaced(a, b) for a, b in combinations(own, 2))


@settings(deadline=None, max_examples=200)
@given(cases())
def test_every_visit_recorded_is_one_too_many(case: Case) -> None:
    """The walk comes back to the root once more than the root has neighbours; l = 2(n − 1) leaves that visit out."""
    visits: list[int] = []

    def visit(v: int) -> None:
        visits.append(v)
        for child in (u for u in range(case.n) if case.parent[u] == v):
            visit(child)
            visits.append(v)

    visit(case.root)
    assert len(visits) == 2 * case.n - 1 and visits[:-1] == case.settled.ring.tolist()
    tree = case.settled.tree
    assert all(case.settled.positions(v).size == tree.neighbours(v).size for v in range(case.n))


def test_one_node_has_no_ring_and_two_have_one_without_a_hamiltonian_cycle() -> None:
    alone = Settled(from_edges(1, []), 0, [-1])
    assert alone.length == 0 and route(alone, "psvr", 0, [0]).messages == []
    assert star(1).ring.tolist() == [0, 1]


def test_a_root_with_a_child_has_one_position() -> None:
    """The proof of Lemma 1: several positions if and only if there are children."""
    number, settled = small()
    assert settled.positions(number["r"]).tolist() == [0]
    assert [u for u in range(settled.graph.n) if settled.parent[u] == number["r"]] == [number["e"]]


def test_the_trivial_scheme_ends_at_the_position_and_not_at_the_node_it_came_from() -> None:
    settled = star(2)
    goals = [goal for _, goal, _ in route(settled, "ring", 0, [2]).messages]
    assert len(goals) == settled.length and 2 in settled.ring[goals]
    back = next(i for i, p in enumerate(goals) if settled.ring[p] == 0)  # where it first "returns to its originator"
    assert 2 not in settled.ring[goals[:back]]


# The detailed example


def test_position_18_is_silent_for_another_end_point() -> None:
    """The text names 0; b at 15 has made it 19 already."""
    number, settled = large()
    sent = route(settled, "psvr", number["a"], ids(number, "cgi"), "nontree").messages
    assert (14, 15, 0) in sent and (15, 16, 19) in sent


def test_position_5_is_silent_with_either_end_point() -> None:
    """Not "because the ep was changed from 7 to 6": its next subscriber is 16."""
    number, settled = large()
    ns = settled.next_subscriber(ids(number, "cgi")).tolist()
    routing = Routing(settled, ns, CORRECTED, "nontree")
    assert ns[5] == 16 and routing.handle_pub(5, 6) == routing.handle_pub(5, 7) == []


def test_e_of_the_schedule_is_j_of_the_topology() -> None:
    number, settled = large()
    assert settled.ring[13] == number["j"] and settled.positions(number["e"]).tolist() == [9, 11]


def test_twelve_messages_of_2015_only_from_position_7() -> None:
    number, settled = large()
    counts = {p: route(settled, "vr2015", number["a"], ids(number, "cgi"), "nontree", p).count for p in (1, 3, 7)}
    assert counts == {1: 14, 3: 13, 7: 12}


def test_what_is_saved_are_other_positions_than_8_to_12_and_17() -> None:
    """Both start 7 → 13 and skip 8 to 12; of the positions that only 2015 visits the text names 17 alone."""
    number, settled = large()
    wanted_by = ids(number, "cgi")
    ours = {goal for _, goal, _ in route(settled, "psvr", number["a"], wanted_by, "nontree").messages}
    theirs = {goal for _, goal, _ in route(settled, "vr2015", number["a"], wanted_by, "nontree", 7).messages}
    assert not theirs & {*range(8, 13)} and theirs - ours == {3, 6, 17, 18, 19} and ours < theirs


def test_everything_else_in_the_large_example_is_right() -> None:
    """Its table of RS.ns, and the schedules of a and b."""
    number, settled = large()
    table = {
        "r": [2, 16, 16, 16],
        "h": [16],
        "a": [2, 5, 16],
        "j": [16],
        "c": [5],
        "b": [16, 2],
        "d": [5, 16],
        "i": [2, 2],
        "g": [16],
        "f": [18],
        "e": [16, 16],
    }
    ns = settled.next_subscriber(ids(number, "cgi"))
    assert {name: ns[settled.positions(number[name])].tolist() for name in table} == table
    routing = Routing(settled, ns.tolist(), CORRECTED, "nontree")
    assert routing.handle_pub(1, 1) == [(1, 2, 3), (3, 4, 7), (7, 13, 1)]
    assert sorted(routing.handle_pub(15, 15)) == [(15, 16, 19), (19, 2, 15)]


def test_next_subscribers_of_figure_2() -> None:
    """Subscribers at 7 and 9, which are leaves: 9 for [7, 9), 7 for all others."""
    ns = star(6).next_subscriber([4, 5]).tolist()
    assert ns[3:11] == [7, 7, 7, 7, 9, 9, 7, 7]


def test_the_table_of_the_small_example_is_that_of_nontree() -> None:
    """Its goals go by ring successors and by shortcuts beside the tree; from 9, `all` would reach 2 instead of 0."""
    number, settled = small()
    ns = settled.next_subscriber(ids(number, "abc")).tolist()
    goals = {s: [Routing(settled, ns, CORRECTED, s).goal(p) for p in range(10)] for s in ("nontree", "all")}
    assert goals["nontree"] == [1, 2, 3, 4, 6, 6, 7, 8, 2, 0]
    assert goals["all"][9] == 2


# Statements about sizes


@settings(deadline=None, max_examples=200)
@given(cases())
def test_entries_per_channel_are_fewer_than_two_per_node(case: Case) -> None:
    """(2 + 4)·C_N bytes are an upper limit for one channel, far from typical; and every channel has its own row."""
    own = [case.settled.positions(v).size for v in range(case.n)]
    assert sum(own) == 2 * (case.n - 1) < 2 * case.n
    subscribed = subscribe(case.settled, [["x", "y"]] * case.n, CORRECTED)
    assert sum(map(len, subscribed.table.values())) == 2 * sum(own)


@settings(deadline=None, max_examples=100)
@given(cases(), st.data())
def test_a_sub_needs_as_many_hops_as_the_tree_is_wide(case: Case, data: st.DataObject) -> None:
    """O(n) is right, and only for long thin trees not coarse."""
    s = data.draw(st.integers(0, case.n - 1))
    hops = {s: 0}
    for u, r, _ in subscribe(case.settled, wanted(case.n, c=[s]), CORRECTED).subs:
        for v in case.settled.tree.neighbours(u).tolist():
            if v != r:
                hops.setdefault(v, hops[u] + 1)
    distances = nx.single_source_shortest_path_length(naive.tree_network(case.parent), s)
    assert hops == distances and max(hops.values()) <= case.n - 1


@settings(deadline=None, max_examples=100)
@given(cases(), SHORTCUTS)
def test_if_all_subscribe_the_links_are_those_of_the_tree(case: Case, shortcuts: str) -> None:
    """ "Resembles" is modest: every tree link once, no other, as under Shen."""
    settled = case.settled
    ring = settled.ring.tolist()
    psvr = route(settled, "psvr", case.publisher, range(case.n), shortcuts).messages
    shen = route(settled, "shen", case.publisher, range(case.n)).messages
    assert sorted((ring[at], ring[goal]) for at, goal, _ in psvr) == sorted(shen)


# The systems that anyone can load


def test_readings_as_systems_say_when_they_never_end() -> None:
    settled = star(2)
    assert [name for name, r in READINGS.items() if r == Reading(r.text)] == ["corrected"]
    sent = publication(2, [1], "nontree")
    assert len(messages(settled, sent, READINGS["printed-curpos"])) == 1000
    assert messages(settled, sent, CORRECTED) == [(3, 0, 3), (0, 1, 2)]


# The page


def test_the_page_names_tests_that_exist_and_all_of_these() -> None:
    page, here = ROOT / "docs" / "errata.md", Path(__file__)
    text = page.read_text("utf-8")
    elsewhere = re.findall(r"\]\(([^)]+\.py)\)`::(test_\w+)`", text)
    assert len(elsewhere) > 10
    for file, name in elsewhere:
        assert f"def {name}(" in (page.parent / file).read_text("utf-8"), (file, name)
    named = set(re.findall(r"(?<!::)`(test_\w+)`", text))
    mine = set(re.findall(r"^def (test_\w+)", here.read_text("utf-8"), re.M))
    assert named == mine - {"test_the_page_names_tests_that_exist_and_all_of_these"}
