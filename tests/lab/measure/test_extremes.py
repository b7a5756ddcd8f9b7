"""Bounds of extremes hold for all cells together, and are as wide as that needs."""

import math
import random
from statistics import fmean, stdev

import pytest

from psvr.lab.measure.extremes import FARTHEST, HIGHEST, LOWEST, Cell, Extreme, extreme, widening
from psvr.lab.measure.student import exact_quantile, quantile

MANY = 10**6  # trials: widening is then that of the normal distribution


def parts(cells: list[Cell], which: str) -> tuple[float, float, float, int]:
    """The value of an extreme, its bounds, and its place."""
    found = extreme(cells, which)
    assert found.low is not None and found.high is not None
    return found.value, found.low, found.high, found.place


def test_quantiles_of_any_confidence() -> None:
    assert exact_quantile(1, 0.999) == pytest.approx(math.tan(0.4995 * math.pi))  # far beyond where the search begins
    assert exact_quantile(4, 0.99) == pytest.approx(4.604094871, abs=1e-9)
    assert quantile(101, 0.9975) == pytest.approx(exact_quantile(101, 0.9975), abs=1e-7)
    assert quantile(4) == exact_quantile(4)


def test_widening() -> None:
    assert widening(5, 1) == 1
    assert widening(MANY, 20) == pytest.approx(3.02334 / 1.95996, abs=1e-4)  # one in 400 on each side, and one in 40
    assert widening(3, 20) > widening(10, 20) > widening(MANY, 20) > widening(MANY, 2) > 1


CELLS = [Cell(1.0, 0.5, 1.5, MANY), Cell(-3.0, -3.5, -2.5, MANY), Cell(2.0, 1.0, 4.0, MANY)]


def test_the_extreme_and_where_it_is() -> None:
    by = widening(MANY, 3)
    assert parts(CELLS, HIGHEST) == pytest.approx((2.0, 2 - by, 2 + 2 * by, 2))
    assert parts(CELLS, LOWEST) == pytest.approx((-3.0, -3 - by / 2, -3 + by / 2, 1))
    assert parts(CELLS, FARTHEST) == pytest.approx((-3.0, -2 - 2 * by, -3 + by / 2, 1))


def test_each_end_is_the_furthest_of_all_cells() -> None:
    """The true highest may be in another cell than the highest value."""
    cells = [Cell(5.0, 0.0, 10.0, MANY), Cell(4.0, 3.9, 4.1, MANY)]
    by = widening(MANY, 2)
    assert parts(cells, HIGHEST) == pytest.approx((5.0, 4 - 0.1 * by, 5 + 5 * by, 0))


def test_what_may_be_on_both_sides_of_zero() -> None:
    cells = [Cell(-0.5, -0.7, 0.1, MANY), Cell(0.2, -0.2, 0.6, MANY)]
    by = widening(MANY, 2)
    assert parts(cells, FARTHEST) == pytest.approx((-0.5, -0.5 - 0.2 * by, 0.2 + 0.4 * by, 0))
    above = extreme([Cell(0.5, 0.4, 0.6, MANY), cells[1]], FARTHEST)
    assert above.low is not None and 0.3 < above.low < 0.5


def test_what_is_not_known() -> None:
    assert extreme([*CELLS, Cell(9.0, None, None, 1)], HIGHEST) == Extreme(9.0, None, None, 3)
    assert extreme([Cell(0.0, 0.0, 0.0, 7), Cell(0.0, 0.0, 0.0, None)], HIGHEST) == Extreme(0.0, 0.0, 0.0, 0)
    assert extreme([Cell(1.0, 0.5, math.inf, 7)], HIGHEST).high == math.inf


@pytest.mark.parametrize("which", [HIGHEST, LOWEST, FARTHEST])
def test_bounds_cover_the_true_extreme(which: str) -> None:
    """Of 20 cells with the same true mean, in at least 95 % of all cases; the ends of the extreme cell alone do not."""
    rng, covered, alone, cases = random.Random(7), 0, 0, 400
    truth = 3.0
    for _ in range(cases):
        cells = [mean_of([rng.gauss(truth, 1) for _ in range(6)]) for _ in range(20)]
        found = extreme(cells, which)
        assert found.low is not None and found.high is not None
        covered += found.low <= truth <= found.high
        single = cells[found.place]
        assert single.low is not None and single.high is not None
        alone += single.low <= truth <= single.high
    assert covered / cases > 0.93 and alone / cases < 0.8


def mean_of(values: list[float]) -> Cell:
    margin = exact_quantile(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Cell(fmean(values), fmean(values) - margin, fmean(values) + margin, len(values))
