"""When SUBs are sent and rows are cleaned; which system's rules are asked."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import blank
from psvr.protocol.numbers import LOW32, MAX_COUNT
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import subscription
from psvr.protocol.records import Node, Sub
from psvr.protocol.table import find_row, lease, make_row, next_subscriber
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, NOW, PARENT, SMALL, assign, inner

LEASE = 6 * k.SECOND  # 5 s + 0.05 s · 20, the ring of `inner`


def test_which_systems_send_subs() -> None:
    assert [subscription.announces(inner(system=s)) for s in range(5)] == [True, True, False, True, False]
    assert [subscription.sub_is_due(inner(system=s), NOW) for s in range(5)] == [True, True, False, True, False]


@pytest.mark.parametrize(
    "at, due", [(NOW, True), (NOW + 1, False), (NOW + 2 * LEASE, False), (NOW + 2 * LEASE + 1, True)]
)
def test_a_sub_is_due_at_its_time_or_if_that_is_further_than_any_rule_puts_it(at: int, due: bool) -> None:
    me = inner()
    me.sub_at = at
    assert subscription.sub_is_due(me, NOW) == due


def test_a_new_ring_is_announced_three_times_and_then_by_lease() -> None:
    me = inner()
    subscription.on_new_ring(me, NOW)
    assert me.bursts == 3 and k.BURST_MIN <= me.sub_at - NOW <= k.BURST_MAX
    pauses = []
    for _ in range(4):
        subscription.after_sub(me, NOW)
        pauses.append((me.bursts, me.sub_at - NOW))
    assert pauses[:2] == [(2, k.BURST_SECOND), (1, k.BURST_THIRD)]
    assert min(k.BURST_SECOND, k.BURST_THIRD) > k.RELAY_PAUSE  # else nobody passes them on
    assert all(bursts == 0 and 0.9 * LEASE <= pause <= LEASE for bursts, pause in pauses[2:])


@pytest.mark.parametrize("bursts, following", [(0, 0), (-9, 0), (4, 2), (99, 2)])
def test_bursts_out_of_range(bursts: int, following: int) -> None:
    me = inner()
    me.bursts = bursts
    subscription.after_sub(me, NOW)
    assert me.bursts == following


def test_leases_are_renewed_up_to_a_tenth_early_and_never_late() -> None:
    me, pauses = inner(), set()
    for when in range(2000):
        subscription.after_sub(me, NOW + when)
        pauses.add(me.sub_at - NOW - when)
    assert 0.9 * LEASE <= min(pauses) < 0.91 * LEASE and 0.99 * LEASE < max(pauses) <= LEASE


def test_first_subs_on_a_new_ring_are_spread() -> None:
    me, pauses = inner(), set()
    for when in range(2000):
        subscription.on_new_ring(me, NOW + when)
        pauses.add(me.sub_at - NOW - when)
    assert 50_000 <= min(pauses) < 55_000 and 445_000 < max(pauses) <= 450_000


@pytest.mark.parametrize("system", [k.PSVR, k.VR2015, k.SHEN])
def test_a_new_ring_empties_the_table_but_shen_s_which_is_of_links(system: int) -> None:
    me = inner(system=system)
    make_row(me, CHANNEL)
    subscription.on_new_ring(me, NOW)
    assert (find_row(me, CHANNEL) != NONE) == (system == k.SHEN)


@pytest.mark.parametrize(
    "key, at, stays",
    [(0, NOW, True), (LOW32, NOW - 9, True), (-1, NOW, False), (LOW32 + 1, NOW, False), (5, NOW + 1, False)],
)
def test_relays_that_cannot_have_been_are_forgotten(key: int, at: int, stays: bool) -> None:
    me = inner()
    me.relayed[1].key, me.relayed[1].at = key, at
    subscription.tidy(me, NOW)
    assert (me.relayed[1].key, me.relayed[1].at) == ((key, at) if stays else (0, 0))


@pytest.mark.parametrize("value, bursts, overflow", [(-5, 0, 0), (2, 2, 2), (1 << 63, 3, MAX_COUNT)])
def test_counts_come_back_into_range(value: int, bursts: int, overflow: int) -> None:
    me = inner()
    me.bursts = me.overflow = value
    subscription.tidy(me, NOW)
    assert (me.bursts, me.overflow) == (bursts, overflow)


def test_rows_are_cleaned_ten_times_per_lease_by_the_rules_of_the_system() -> None:
    for system in (k.PSVR, k.SHEN):
        me = inner(system=system)
        row = me.row[make_row(me, CHANNEL)]
        row.entry[1].ns, row.entry[1].since = 0, NOW  # of position 10: 0; of the second link: it wants it
        row.entry[0].ns, row.entry[0].since = 4, NOW  # of position 4: itself; of the first link: nothing
        subscription.clean(me, NOW)
        assert me.clean_at == NOW + LEASE // 10 and lease(me) == LEASE
        assert (row.entry[0].ns, row.entry[1].ns) == (NONE, 0)
        me.link[1].parent = 4  # no longer a tree link
        subscription.clean(me, NOW)
        assert row.entry[1].ns == (NONE if system == k.SHEN else 0)


@pytest.mark.parametrize(
    "system, learns, relays",
    [
        (k.PSVR, True, True),
        (k.VR2015, True, True),
        (k.SHEN, True, False),
        (k.RING, False, False),
        (k.FLOOD, False, False),
    ],
)
def test_which_nodes_learn_from_a_sub_and_which_relay_it(system: int, learns: bool, relays: bool) -> None:
    me, sub, out = inner(system=system), blank(Sub, SMALL), blank(Sub, SMALL)
    sub.src, sub.to, sub.back, sub.limit, sub.ring = 20, 9 if system == k.SHEN else k.NOBODY, k.NOBODY, 9, 77
    sub.channels, sub.channel[0], sub.position = 1, CHANNEL, [7, NONE, NONE, NONE]
    out.channels = 3
    assert node.hear_sub(me, NOW, sub, out) == k.FINE
    assert (find_row(me, CHANNEL) != NONE, out.channels > 0) == (learns, relays)
    if system == k.PSVR:
        assert next_subscriber(me, CHANNEL, 0) == 7


@pytest.mark.parametrize("system, to", [(k.PSVR, k.NOBODY), (k.VR2015, k.NOBODY), (k.SHEN, 5)])
def test_what_a_sub_is_written_for(system: int, to: int) -> None:
    me, out = inner(system=system), blank(Sub, SMALL)
    me.wants[1] = 5
    node.write_sub(me, NOW, 0, out)
    assert (out.to, out.channels, out.channel[0]) == (to, 1, 5)


def sub_of(me: Node, **said: int) -> Sub:
    sub = blank(Sub, SMALL)
    sub.src, sub.to, sub.back = me.id, k.NOBODY, k.NOBODY
    assign(sub, said)
    return sub


@pytest.mark.parametrize(
    "quality, copies", [(1.0, 2), (0.91, 2), (0.89, 3), (0.8, 3), (0.7, 4), (0.61, 5), (0.3, 5), (0.0, 5)]
)
def test_a_sub_is_broadcast_until_few_would_miss_it(quality: float, copies: int) -> None:
    """The chance that a tree neighbour misses all is at most a hundredth, or there are as many as are allowed."""
    me = inner()
    me.link[0].q_out, me.link[1].q_out = k.QUALITY_ONE, round(quality * k.QUALITY_ONE)
    assert subscription.copies(me, sub_of(me)) == copies
    assert (1 - quality) ** copies <= 0.0101 or copies == k.SUB_COPIES


def test_only_links_that_a_sub_is_for_count() -> None:
    me = inner()
    me.link[0].q_out = me.link[2].q_out = 0  # the parent, and one beside the tree
    assert subscription.copies(me, sub_of(me)) == 5
    assert subscription.copies(me, sub_of(me, back=PARENT)) == 2
    assert subscription.copies(me, sub_of(me, to=CHILD)) == 2 and subscription.copies(me, sub_of(me, to=PARENT)) == 5


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_copies_are_a_setting(most: int) -> None:
    me = inner(sub_copies=most)
    assert subscription.copies(me, sub_of(me)) == min(most, 2)
    me.link[0].q_out = -7
    assert subscription.copies(me, sub_of(me)) == most
