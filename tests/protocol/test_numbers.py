"""Arithmetic of both forms: times that may be corrupt, ranges, hashes and spread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.protocol import constants as k
from psvr.protocol.numbers import LOW32, MAX_COUNT, clip, count, due, elapsed, mix, spread, stir
from psvr.protocol.wire.names import channel_hash


@pytest.mark.parametrize(
    "now, then, time",
    [(100, 100, 0), (100, 40, 60), (100, 0, 100), (100, 101, k.FOREVER), (100, -1, k.FOREVER), (0, 0, 0)],
)
def test_a_time_in_the_future_is_long_past(now: int, then: int, time: int) -> None:
    assert elapsed(now, then) == time


@pytest.mark.parametrize(
    "when, reached", [(99, True), (100, True), (101, False), (150, False), (151, True), (-5, True)]
)
def test_a_deadline_is_reached_or_further_than_any_rule_would_put_it(when: int, reached: bool) -> None:
    assert due(100, when, 50) == reached


@pytest.mark.parametrize("x, clipped", [(-9, 2), (1, 2), (2, 2), (5, 5), (7, 7), (8, 7)])
def test_clip(x: int, clipped: int) -> None:
    assert clip(x, 2, 7) == clipped


@pytest.mark.parametrize("x, following", [(0, 1), (41, 42), (-7, 1), (MAX_COUNT, MAX_COUNT), (1 << 63, MAX_COUNT)])
def test_counters_stay_in_range(x: int, following: int) -> None:
    assert count(x) == following


def test_stirring_loses_nothing() -> None:
    values = [*range(5000), *range(LOW32 - 5000, LOW32)]
    assert len({stir(x) for x in values}) == len(values)
    assert all(0 <= stir(x) <= LOW32 for x in values)


@given(st.integers(0, LOW32), st.integers(-(2**63), 2**63 - 1), st.integers(0, 63))
def test_a_hash_depends_on_every_bit_and_on_the_order(h: int, x: int, bit: int) -> None:
    assert 0 <= mix(h, x) <= LOW32
    assert mix(h, x) != mix(h, x ^ 1 << bit) and mix(h, x) != mix(h ^ 1 << bit % 32, x)


def test_hashes_are_the_same_on_every_machine_and_in_every_version() -> None:
    """Names of rings travel between nodes: a change here splits a network."""
    assert [mix(0, 0), mix(0, 1), mix(1, 0), mix(7, 2**40 + 3), mix(LOW32, -1)] == [
        3663078064,
        1717794626,
        2810817471,
        3782984763,
        988222721,
    ]
    assert channel_hash("weather") == -4742855065129440040


def test_spread_reaches_both_ends_and_differs_between_nodes_moments_and_purposes() -> None:
    drawn = [spread(id, 1000, 3, -2, 4) for id in range(500)]
    assert set(drawn) == set(range(-2, 5))
    assert len({spread(5, now, 3, 0, 10**6) for now in range(100)}) > 95
    assert len({spread(5, 1000, salt, 0, 10**6) for salt in range(100)}) > 95
    assert spread(5, 1000, 3, 6, 6) == 6
