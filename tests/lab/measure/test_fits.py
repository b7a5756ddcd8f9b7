"""Lines through the values of several cells: their slopes, and bounds that cover the true one."""

import math
import random
from statistics import fmean, stdev

import pytest

from psvr.lab.measure.fits import FITS, LINE, POWER, TENFOLD, Point, fit
from psvr.lab.measure.student import quantile


def parts(points: list[Point], form: str) -> tuple[float, float, float]:
    """The value of a fit, and its bounds."""
    found = fit(points, form)
    assert found is not None and found.value is not None and found.low is not None and found.high is not None
    return found.value, found.low, found.high


def exact(x: float, value: float) -> Point:
    return Point(x, value, value, value)


def test_points_on_a_line() -> None:
    assert parts([exact(x, 3 - 2 * x) for x in (0.0, 1.0, 5.0)], LINE) == pytest.approx((-2, -2, -2))
    powers = [exact(x, 7 * x**1.5) for x in (2.0, 10.0, 30.0, 31.0)]
    assert parts(powers, POWER) == pytest.approx((1.5, 1.5, 1.5))
    assert parts(powers, TENFOLD) == pytest.approx([10**1.5] * 3)


def test_points_beside_the_line_count_by_least_squares() -> None:
    assert parts([exact(0, 0), exact(1, 3), exact(2, 2)], LINE)[0] == pytest.approx(1)
    assert parts([exact(1, 0), exact(1, 4), exact(3, 8)], LINE)[0] == pytest.approx(3)


def test_the_ends_of_the_line_pull_most() -> None:
    """By how much the slope may be off: the errors of the points, by how far they are from the middle."""
    points = [Point(0, 0, -1, 1), Point(1, 1, -9, 11), Point(2, 2, 0, 3)]  # of uneven ends the larger one counts
    error = math.hypot(1, 2) / 2
    assert parts(points, LINE) == pytest.approx((1, 1 - error, 1 + error))
    logarithms = [Point(1, 10, 9, 11), Point(math.e**2, 20, 19, 21)]
    slope, error = math.log(2) / 2, math.hypot(0.1, 0.05) / 2
    assert parts(logarithms, POWER) == pytest.approx((slope, slope - error, slope + error))
    assert parts(logarithms, TENFOLD) == pytest.approx((10**slope, 10 ** (slope - error), 10 ** (slope + error)))


@pytest.mark.parametrize("form", FITS)
def test_what_is_not_known(form: str) -> None:
    one = exact(1, 2)
    assert fit([], form) is None and fit([one], form) is None and fit([one, exact(1, 3)], form) is None
    unknown = fit([one, Point(3, 4, None, None)], form)
    assert unknown is not None and (unknown.low, unknown.high) == (None, None)
    assert unknown.value is not None and unknown.value > 0
    endless = fit([one, exact(2, 2), Point(3, 2, 1, math.inf)], form)
    assert endless is not None and endless.value == pytest.approx(1 if form == TENFOLD else 0)
    assert (endless.low, endless.high) == (0 if form == TENFOLD else -math.inf, math.inf)
    middle = fit([one, Point(2, 2, 1, math.inf), exact(3, 2)], form)  # also where it would not pull at all
    assert middle is not None and middle.high == math.inf


@pytest.mark.parametrize("form", [POWER, TENFOLD])
@pytest.mark.parametrize("bad", [exact(0, 1), exact(-1, 1), exact(3, 0), exact(3, -2)])
def test_what_has_no_logarithm(form: str, bad: Point) -> None:
    with pytest.raises(ValueError, match="above zero"):
        fit([exact(1, 1), exact(2, 2), bad], form)


def test_the_order_of_the_points_changes_no_bit() -> None:
    rng = random.Random(4)
    points = [Point(x, rng.random(), -rng.random(), 1 + rng.random()) for x in (0.1, 0.7, 1.3, 2.9, 3.1)]
    assert len({fit(rng.sample(points, 5), LINE) for _ in range(30)}) == 1


def test_bounds_cover_the_true_slope() -> None:
    """In at least 95 % of all cases, and not in nearly all, which would be bounds that are too wide."""
    rng, trials, inside = random.Random(7), 8, 0
    for _ in range(1000):
        points = []
        for x in (0.0, 1.0, 2.0, 3.0):
            drawn = [rng.gauss(0.5 * x, 1 + x) for _ in range(trials)]
            half = quantile(trials - 1) * stdev(drawn) / math.sqrt(trials)
            points.append(Point(x, fmean(drawn), fmean(drawn) - half, fmean(drawn) + half))
        _, low, high = parts(points, LINE)
        inside += low < 0.5 < high
    assert 945 <= inside <= 990
