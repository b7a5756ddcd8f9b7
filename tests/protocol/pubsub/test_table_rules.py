"""Entries and rows one by one, on a node with one position in a ring of 40."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity
from psvr.protocol.positions import NONE
from psvr.protocol.table import clean, find_row, lease, make_row, next_subscriber, reset, valid, wants, write_back
from tests.support.network import CHANNEL
from tests.support.protocol.one_position import LEASE, LENGTH, P, hear, node_at


def entry_of(me: Any) -> Any:
    return me.row[find_row(me, CHANNEL)].entry[0]


def test_a_nearer_subscriber_clears_the_spare() -> None:
    """The spare was the next best behind another; behind the new one it would be an old tale."""
    me = node_at()
    hear(me, 0, 20)
    hear(me, 2 * LEASE, 30)
    assert (entry_of(me).spare, entry_of(me).spare_since) == (30, 2 * LEASE)
    hear(me, 2 * LEASE + 5, 15)
    entry = entry_of(me)
    assert (entry.ns, entry.since, entry.spare, entry.spare_since) == (15, 2 * LEASE + 5, NONE, 0)


@pytest.mark.parametrize("after, spare", [(LEASE, NONE), (LEASE + 1, 30)])
def test_a_further_subscriber_becomes_the_spare_of_a_stale_entry(after: int, spare: int) -> None:
    me = node_at()
    hear(me, 100, 20)
    hear(me, 100 + after, 30)
    assert (entry_of(me).ns, entry_of(me).since, entry_of(me).spare) == (20, 100, spare)


def test_of_spares_the_nearest_is_kept_and_renewed() -> None:
    me = node_at()
    hear(me, 0, 20)
    hear(me, 2 * LEASE, 30, 25, 35)
    assert (entry_of(me).spare, entry_of(me).spare_since) == (25, 2 * LEASE)
    hear(me, 2 * LEASE + 7, 25)
    assert (entry_of(me).spare, entry_of(me).spare_since) == (25, 2 * LEASE + 7)


def test_the_same_subscriber_renews_its_lease() -> None:
    me = node_at()
    hear(me, 0, 20)
    hear(me, 5, 20)
    assert (entry_of(me).ns, entry_of(me).since) == (20, 5)


@pytest.mark.parametrize(
    "since, spare, now, expected",
    [
        (0, 30, 4 * LEASE, (20, 0, 30, 7)),
        (0, 30, 4 * LEASE + 1, (30, 7, NONE, 0)),  # not renewed: the spare, as old as it is
        (0, NONE, 4 * LEASE + 1, (NONE, 0, NONE, 0)),
        (99 * LEASE, 30, 4 * LEASE, (30, 7, NONE, 0)),  # a time in the future
        (0, P, 4 * LEASE, (20, 0, NONE, 0)),  # a spare that is mine, or off the ring
        (0, LENGTH, 4 * LEASE, (20, 0, NONE, 0)),
    ],
)
def test_write_back(since: int, spare: int, now: int, expected: tuple[int, ...]) -> None:
    me = node_at()
    hear(me, 0, 20)
    entry = entry_of(me)
    entry.since, entry.spare, entry.spare_since = since, spare, 7
    write_back(me, now, entry)
    assert (entry.ns, entry.since, entry.spare, entry.spare_since) == expected


def test_what_is_no_subscriber_gives_way_to_the_spare_at_once() -> None:
    me = node_at()
    hear(me, 0, 20)
    entry = entry_of(me)
    entry.ns, entry.since, entry.spare, entry.spare_since = LENGTH, 50, 30, 40
    write_back(me, 60, entry)
    assert (entry.ns, entry.since, entry.spare) == (30, 40, NONE)


def test_times_of_the_future_are_written_back_as_long_past() -> None:
    me = node_at()
    hear(me, 0, 20)
    entry = entry_of(me)
    entry.since, entry.spare, entry.spare_since = 50, 30, 999
    write_back(me, 60, entry)
    assert (entry.ns, entry.since, entry.spare, entry.spare_since) == (20, 50, 30, 0)


def test_a_spare_of_the_future_is_as_long_past_when_it_takes_over() -> None:
    me = node_at()
    hear(me, 0, 20)
    entry = entry_of(me)
    entry.spare, entry.spare_since = 30, 99 * LEASE
    write_back(me, 4 * LEASE + 1, entry)
    assert (entry.ns, entry.since, entry.spare, entry.spare_since) == (30, 0, NONE, 0)


def test_a_row_stays_while_any_of_its_entries_names_somebody() -> None:
    for j in (0, 1):
        me = node_at()
        me.position = [P, P + 4]
        row = me.row[make_row(me, CHANNEL)]
        row.entry[j].ns = 20
        clean(me, 1)
        assert find_row(me, CHANNEL) != NONE and row.entry[j].ns == 20


def test_vr2015_knows_no_spare() -> None:
    me = node_at()
    me.settings.system = k.VR2015
    hear(me, 0, 20)
    entry = entry_of(me)
    entry.spare, entry.spare_since = 30, 4 * LEASE
    write_back(me, 4 * LEASE + 1, entry)
    assert (entry.ns, entry.spare) == (NONE, NONE)


@pytest.mark.parametrize("position, valid_one", [(0, 0), (39, 39), (40, NONE), (-1, NONE), (P, NONE), (11, 11)])
def test_which_positions_can_belong_to_a_subscriber(position: int, valid_one: int) -> None:
    assert valid(node_at(), position) == valid_one


def test_entries_without_a_position_and_rows_without_a_channel_are_cleared() -> None:
    me = node_at()
    hear(me, 0, 20)
    i = find_row(me, CHANNEL)
    free = (i + 1) % 4
    for entry in (me.row[i].entry[1], me.row[free].entry[0]):
        entry.ns = entry.spare = entry.since = entry.spare_since = 5
    clean(me, 1)
    for entry in (me.row[i].entry[1], me.row[free].entry[0]):
        assert (entry.ns, entry.spare, entry.since, entry.spare_since) == (NONE, NONE, 0, 0)
    assert next_subscriber(me, CHANNEL, 0) == 20


def test_a_new_row_says_nothing_of_the_old_one() -> None:
    me = node_at()
    hear(me, 0, 20)
    i = find_row(me, CHANNEL)
    me.channel[i] = k.NO_CHANNEL
    assert make_row(me, CHANNEL + 4) == i and next_subscriber(me, CHANNEL + 4, 0) == NONE


def test_no_channel_is_neither_wanted_nor_found() -> None:
    me = node_at()
    assert not wants(me, k.NO_CHANNEL) and find_row(me, k.NO_CHANNEL) == make_row(me, k.NO_CHANNEL) == NONE
    me.wants[1] = 5
    assert wants(me, 5) and not wants(me, 9)


def test_a_row_is_searched_for_within_64_places_of_its_hash() -> None:
    me = node_at(capacity=Capacity(links=1, channels=200))
    for i in range(63):
        me.channel[(150 + i) % 200] = 10_000 + i
    assert make_row(me, 150) == 13 and find_row(me, 150) == 13
    me.channel[13] = 20_000
    assert make_row(me, 150) == NONE and me.overflow == 1
    me.channel[14] = 150
    assert find_row(me, 150) == NONE


def test_reset_forgets_all() -> None:
    me = node_at()
    hear(me, 0, 20)
    me.row[0].entry[1].spare = 4
    reset(me)
    assert set(me.channel) == {k.NO_CHANNEL}
    assert {(e.ns, e.spare, e.since, e.spare_since) for row in me.row for e in row.entry} == {(NONE, NONE, 0, 0)}


@pytest.mark.parametrize("length, seconds", [(0, 5), (40, 7), (5900, 300), (5901, 300), (-7, 5), (1 << 31, 300)])
def test_the_lease_of_a_ring(length: int, seconds: int) -> None:
    me = node_at()
    me.settings.lease, me.length = 0, length
    assert lease(me) == seconds * k.SECOND
