"""Small draws of a plan: how many, when, whom; each counted."""

import math

import numpy as np
import pytest

from psvr.sim.plan.demand import ANY_NODE, Members, Request, apply_requests
from psvr.sim.plan.draws import chosen, poisson
from psvr.sim.scenario.defaults import micros
from psvr.sim.streams import key, stream

MINUTE = 60_000_000


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_events_come_as_often_as_their_rate_says() -> None:
    """A million minutes at one in five: within 4 standard deviations, which is one percent."""
    times = poisson(0.2, 7 * MINUTE, 1_000_007 * MINUTE, rng())
    assert len(times) == pytest.approx(200_000, abs=4 * math.sqrt(200_000))
    gaps = np.diff(times) / MINUTE
    assert gaps.mean() == pytest.approx(5, rel=0.01) and gaps.std() == pytest.approx(5, rel=0.01)
    assert times.min() >= 7 * MINUTE and times.max() < 1_000_007 * MINUTE and (gaps >= 0).all()


@pytest.mark.parametrize("begin", [0, 5 * MINUTE])
def test_a_later_end_only_adds(begin: int) -> None:
    short, long = (poisson(30.0, begin, begin + end * MINUTE, rng()) for end in (10, 100))
    assert 200 < len(short) < 400 and long[: len(short)].tolist() == short.tolist()
    assert len(long) > 2500 and (long[len(short) :] >= begin + 10 * MINUTE).all()


@pytest.mark.parametrize("rate, begin, end", [(0.0, 0, 100 * MINUTE), (60.0, MINUTE, MINUTE), (60.0, MINUTE, 0)])
def test_without_a_rate_or_time_nothing_happens(rate: float, begin: int, end: int) -> None:
    found = poisson(rate, begin, end, rng())
    assert found.size == 0 and found.dtype == np.int64


def test_whom_it_strikes() -> None:
    assert chosen("all", 4, rng()).tolist() == [0, 1, 2, 3]
    assert chosen((7, 2, 5), 10, rng()).tolist() == [2, 5, 7]
    few, more = chosen(5, 30, rng()).tolist(), chosen(12, 30, rng()).tolist()
    assert few == sorted(few) and more == sorted(more) and set(few) < set(more) and len(set(more)) == 12
    assert chosen(0, 4, rng()).size == 0 and chosen(4, 4, rng()).tolist() == [0, 1, 2, 3]
    assert {chosen(it, 9, rng()).dtype for it in ("all", 3, (1,))} == {np.dtype(np.int32)}


def test_streams_are_told_apart_by_seed_and_name() -> None:
    names = [(1, "a"), (1, "b"), (2, "a"), (11, "a"), (1, "1/a")]
    assert stream(1, "a").random() == stream(1, "a").random()
    assert len({stream(seed, name).random() for seed, name in names}) == len(names)
    keys = [key(seed, name) for seed in range(300) for name in ("loss", "acknowledgements")]
    assert len(set(keys)) == 600 and min(keys) >= 0 and max(keys) < 1 << 31 and max(keys) > 1 << 30


def test_times_are_whole_micros() -> None:
    assert [micros(s) for s in (0, 0.3, 1e-6, 2.5, 1e9)] == [0, 300_000, 1, 2_500_000, 10**15]


def test_members_come_and_go() -> None:
    members = Members(6, np.array([1, 4], np.int32))
    assert members.move(2, True) and not members.move(2, True) and members.count == 3
    assert members.move(1, False) and not members.move(1, False) and members.count == 2
    assert {members.pick(True, c / 8) for c in range(8)} == {2, 4}
    assert {members.pick(False, c / 8) for c in range(8)} == {0, 1, 3, 5}
    for v in (0, 1, 3, 5):
        assert members.move(v, True)
    assert members.count == 6 and {members.pick(True, c / 12) for c in range(12)} == set(range(6))


def churn(time: int, chance: float = 0.0, entry: int = 0) -> Request:
    return Request(time, entry, time, ANY_NODE, chance=chance)


def test_churn_takes_turns_of_its_own_entry() -> None:
    rows = apply_requests(
        [churn(1), churn(2, entry=1), churn(3), churn(4, entry=1)], 3, 4, np.array([0, 1, 2], np.int32)
    )
    assert [(time, place, on) for time, _, place, on in rows] == [(1, 3, 0), (2, 3, 0), (3, 3, 1), (4, 3, 1)]


def test_churn_goes_on_where_all_or_none_subscribe() -> None:
    """Whoever left is back by himself before it is churn's turn to let one join: then one leaves again."""
    everyone = np.array([0, 1], np.int32)
    rows = apply_requests([churn(1), Request(2, -1, 0, 0, True), churn(3)], 0, 2, everyone)
    assert rows == [(1, 0, 0, 0), (2, 0, 0, 1), (3, 1, 0, 0)]
    rows = apply_requests(
        [Request(1, -1, 0, 0, False), Request(1, -1, 1, 1, False), churn(2), churn(3)], 0, 2, everyone
    )
    assert [on for *_, on in rows] == [0, 0, 1, 0]


def test_wishes_that_change_nothing_are_left_out() -> None:
    rows = apply_requests(
        [Request(1, -1, 0, 0, True), Request(2, -1, 1, 0, False), Request(3, -1, 2, 0, False)],
        0,
        3,
        np.array([0], np.int32),
    )
    assert rows == [(2, 0, 0, 0)]
