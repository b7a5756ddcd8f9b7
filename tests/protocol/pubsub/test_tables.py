"""Leases: how entries are renewed, replaced and forgotten, on a node with one position in a ring of 40."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity
from psvr.protocol.positions import NONE
from psvr.protocol.table import clean, find_row, lease, make_row, next_subscriber
from tests.support.network import CHANNEL
from tests.support.protocol.one_position import LEASE, LENGTH, P, hear, node_at


def test_nearer_subscriber_takes_over_and_further_one_does_not() -> None:
    me = node_at()
    hear(me, 0, 20)
    assert next_subscriber(me, CHANNEL, 0) == 20
    hear(me, 1, 30)
    assert next_subscriber(me, CHANNEL, 0) == 20
    hear(me, 2, 15)
    assert next_subscriber(me, CHANNEL, 0) == 15
    hear(me, 3, 5)  # all around the ring
    assert next_subscriber(me, CHANNEL, 0) == 15


def run(me: Any, start: int, end: int, talking: dict[int, int]) -> list[tuple[int, int]]:
    """From start to end, each subscriber repeats its SUB every lease until its own end; when the table changed."""
    changes = [(start, next_subscriber(me, CHANNEL, 0))]
    step = LEASE // k.CLEANS
    for now in range(start, end, step):
        for s, until in talking.items():
            if now < until and now % LEASE == 0:
                hear(me, now, s)
        clean(me, now)
        if next_subscriber(me, CHANNEL, 0) != changes[-1][1]:
            changes.append((now, next_subscriber(me, CHANNEL, 0)))
    return changes


def test_unsubscription_is_forgotten_within_write_back_and_clean_and_nobody_is_skipped() -> None:
    """The subscriber at 15 leaves at 100 s; the one at 30 stays and is served from then on without a gap."""
    me, leaves = node_at(), 100 * k.SECOND
    hear(me, 0, 15, 30)
    changes = run(me, 0, 400 * k.SECOND, {15: leaves, 30: 10**12})
    assert [s for _, s in changes] == [15, 30]
    assert changes[1][0] - leaves <= k.WRITE_BACK * LEASE + LEASE // k.CLEANS


def test_the_spare_keeps_its_own_age() -> None:
    """The spare falls silent before it is written back: it is forgotten one write-back after its own last word."""
    me = node_at()
    hear(me, 0, 15, 30)
    gone = 35 * k.SECOND
    changes = run(me, 0, 400 * k.SECOND, {15: k.SECOND, 30: gone})
    assert [s for _, s in changes] == [15, 30, NONE]
    assert changes[2][0] - gone <= k.WRITE_BACK * LEASE + LEASE // k.CLEANS


def test_last_subscriber_gone_frees_the_row() -> None:
    me = node_at()
    hear(me, 0, 15)
    assert find_row(me, CHANNEL) != NONE
    run(me, 0, 60 * k.SECOND, {})
    assert find_row(me, CHANNEL) == NONE and all(c == k.NO_CHANNEL for c in me.channel)


def test_row_of_an_own_subscription_stays() -> None:
    me = node_at()
    me.wants[0] = CHANNEL
    hear(me, 0, 15)
    run(me, 0, 60 * k.SECOND, {})
    assert find_row(me, CHANNEL) != NONE


def test_a_time_in_the_future_is_stale() -> None:
    me = node_at()
    hear(me, 0, 15)
    me.row[find_row(me, CHANNEL)].entry[0].since = 1 << 61
    clean(me, k.SECOND)
    assert next_subscriber(me, CHANNEL, 0) == NONE


def test_own_and_foreign_positions_are_no_subscribers() -> None:
    me = node_at()
    hear(me, 0, P, LENGTH, LENGTH + 3, -1)
    assert next_subscriber(me, CHANNEL, 0) == NONE


def test_overflow_is_counted() -> None:
    me = node_at(capacity=Capacity(links=2, channels=2))
    assert [make_row(me, c) != NONE for c in (11, 12, 13, 11, 14)] == [True, True, False, True, False]
    assert me.overflow == 2


@given(st.lists(st.integers(1, 10**6) | st.integers(-(2**63), -1), unique=True, max_size=200))
def test_rows_are_found_again_in_a_table_twice_as_large(channels: list[int]) -> None:
    me = node_at(capacity=Capacity(links=1, channels=2 * len(channels) + 1))
    places = [make_row(me, c) for c in channels]
    assert len(set(places)) == len(channels) and NONE not in places
    assert [find_row(me, c) for c in channels] == places


def test_lease_follows_the_ring() -> None:
    me = node_at()
    assert lease(me) == LEASE
    me.settings.lease = 0
    assert lease(me) == 7 * k.SECOND  # 5 s + 0.05 s · 40
    me.length = 10**6
    assert lease(me) == 300 * k.SECOND
