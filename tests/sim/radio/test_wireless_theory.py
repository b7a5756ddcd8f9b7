"""The wireless channel against theory: errors of bits and frames, fading."""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from psvr.sim.radio.air import Air
from psvr.sim.radio.errors import (
    CELLS,
    HIGHEST,
    LOG_OK,
    LOWEST,
    NORMAL,
    STEP,
    STEPS,
    bit_error,
    edge_before,
    frame_ok,
    least_ratio,
    log_bit_ok,
)
from psvr.sim.radio.fading import level
from psvr.sim.radio.signal import begin, end
from tests.support.sim.channels import KEEN, SURE, bare, binomial_bounds, metres, way

log_ok: Any = log_bit_ok  # compiled, and without types
RATIOS = [-12.0, -9.0, -6.0, -3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 6.0]  # dB


def exact(decibels: float) -> Decimal:
    """The standard's formula with fifty digits."""
    with localcontext() as context:
        context.prec = 50
        ratio = Decimal(10) ** (Decimal(decibels) / 10)
        terms: list[Decimal] = [
            (-1) ** k * math.comb(16, k) * (20 * ratio * (Decimal(1) / k - 1)).exp() for k in range(2, 17)
        ]
        return Decimal(8) / 15 / 16 * sum(terms)


def exact_log_ok(decibels: float) -> float:
    with localcontext() as context:
        context.prec = 50
        return float((1 - exact(decibels)).ln())


@pytest.mark.parametrize("decibels", RATIOS)
def test_bit_errors_are_those_of_the_standard(decibels: float) -> None:
    assert bit_error(10.0 ** (decibels / 10.0)) == pytest.approx(float(exact(decibels)), rel=1e-11)


@pytest.mark.parametrize("decibels", [*RATIOS, -11.993, 0.013, 7.979])
def test_the_table_errs_by_less_than_a_step(decibels: float) -> None:
    """It holds the value of the step's lower end: never better than the formula, never worse than a step before."""
    found = log_ok(CELLS, 10.0 ** (decibels / 10.0))
    rounding = 1e-12 * abs(found) + 1e-18  # a sum of 15 terms of either sign, up to ten thousand times as large
    assert exact_log_ok(decibels - STEP) - rounding <= found <= exact_log_ok(decibels) + rounding


def test_ends_of_the_table() -> None:
    assert log_ok(CELLS, 0.0) == log_ok(CELLS, -1.0) == log_ok(CELLS, 1e-9) == LOG_OK[0]
    top = LOWEST + STEP * STEPS
    assert log_ok(CELLS, 10.0 ** ((top + 0.01) / 10.0)) == 0.0
    assert 8 * 127 * exact_log_ok(top) > -1e-15  # no frame is lost up there


def test_leading_bits_find_the_same_step_as_a_logarithm() -> None:
    """Anywhere, and on either side of every edge between two steps."""
    edges = [edge_before(step) for step in range(1, STEPS + 1)]
    anywhere = (10.0 ** np.random.default_rng(1).uniform(-2.0, 1.5, 20_000)).tolist()
    for ratio in [*anywhere, *edges, *(math.nextafter(edge, 0.0) for edge in edges)]:
        step = int((10.0 * math.log10(ratio) - LOWEST) / STEP)
        assert log_ok(CELLS, ratio) == (0.0 if ratio >= HIGHEST else LOG_OK[min(max(step, 0), STEPS - 1)])


@pytest.mark.parametrize("length", [5, 30, 127])
@pytest.mark.parametrize("chance", [0.1, 0.5, 0.99])
def test_least_ratio_is_where_the_chance_is(length: int, chance: float) -> None:
    assert frame_ok(least_ratio(length, chance), length) == pytest.approx(chance, rel=1e-9)


def received(air: Air, cut: Any, e: int, v: int, count: int, airtime: int) -> int:
    """How many of so many frames of v arrive over a way when nothing else happens."""
    found = 0
    for i in range(count):
        now = 10_000 * i
        begin(air, cut, v, now)
        air.setting["serial"] += 1
        air.radios["sending"][v] = 0
        found += end(air, e, v, now + airtime)
    return found


@pytest.mark.parametrize("length", [20, 60, 127])
@pytest.mark.parametrize("decibels", [-2.0, -1.0, -0.5, 0.0, 0.5, 1.5])
def test_lost_frames_are_as_many_as_the_formula_says(decibels: float, length: int) -> None:
    air, cut = bare([[0, 0], [metres(100.0 - decibels), 0]], pathloss="free-space", device=KEEN)
    assert 10 * math.log10(air.ways["level"][0]) == pytest.approx(decibels - 100.0, abs=1e-9)
    chance = math.exp(8 * length * exact_log_ok(decibels))
    least, most = binomial_bounds(2000, chance)
    assert least <= received(air, cut, way(air, 0, 1), 0, 2000, 32 * length) <= most


def test_below_its_sensitivity_a_receiver_hears_nothing() -> None:
    for sensitivity, arrives in ((-90.1, True), (-89.9, False)):
        air, cut = bare([[0, 0], [metres(90.0), 0]], pathloss="free-space", device={**KEEN, "sensitivity": sensitivity})
        assert received(air, cut, way(air, 0, 1), 0, 50, 2000) == (50 if arrives else 0)


TAU, SAMPLES, EVERY = 1.0, 20_000, 100_000  # s, how many, µs apart
PHI = math.exp(-EVERY / 1e6 / TAU)


@pytest.fixture(scope="module")
def fading() -> Any:
    """dB of fading over time, [way, sample], of all ways between four nodes; and the air."""
    air, _ = bare([[0, 0], [20, 0], [0, 20], [20, 20]], fading=3, fading_time=TAU)
    found = np.empty((len(air.ways), SAMPLES))
    for i in range(SAMPLES):
        for e in range(len(air.ways)):
            found[e, i] = level(air, e, EVERY * (i + 1))
    return air, 10 * np.log10(found) - air.ways["mean"][:, None]


def test_fading_has_its_variance(fading: Any) -> None:
    """The sample variance of an AR(1) process deviates by σ²·√(2/N · (1 + φ²)/(1 − φ²))."""
    _, decibels = fading
    deviation = math.sqrt(2 / SAMPLES * (1 + PHI**2) / (1 - PHI**2))
    assert np.abs((decibels**2).mean(axis=1) / 9 - 1).max() < SURE * deviation
    assert np.abs(decibels.mean(axis=1)).max() < SURE * 3 * math.sqrt((1 + PHI) / (1 - PHI) / SAMPLES)


@pytest.mark.parametrize("lag", [1, 3, 10, 30])
def test_fading_forgets_with_its_time_constant(fading: Any, lag: int) -> None:
    """Bartlett's formula gives the deviation of an autocorrelation."""
    _, decibels = fading
    wanted = math.exp(-lag * EVERY / 1e6 / TAU)
    found = (decibels[:, :-lag] * decibels[:, lag:]).mean(axis=1) / (decibels**2).mean(axis=1)
    variance = ((1 + PHI**2) * (1 - PHI ** (2 * lag)) / (1 - PHI**2) - 2 * lag * PHI ** (2 * lag)) / SAMPLES
    assert np.abs(found - wanted).max() < SURE * math.sqrt(variance)


def test_fading_is_the_same_in_both_directions_and_another_for_each_pair(fading: Any) -> None:
    air, decibels = fading
    pairs = [(v, u) for v in range(4) for u in range(v)]
    for v, u in pairs:
        assert decibels[way(air, v, u)] == pytest.approx(decibels[way(air, u, v)], abs=1e-9)
    rows = decibels[[way(air, v, u) for v, u in pairs]]
    between = np.corrcoef(rows)[np.triu_indices(len(pairs), 1)]
    assert np.abs(between).max() < SURE * math.sqrt((1 + PHI**2) / (1 - PHI**2) / SAMPLES)


def test_fading_is_held_for_a_fiftieth_of_its_time() -> None:
    air, _ = bare([[0, 0], [20, 0]], fading=3, fading_time=TAU)
    first = level(air, 0, 1_000_000)
    assert level(air, 0, 1_019_999) == first != level(air, 0, 1_020_000)


def test_draws_are_normal() -> None:
    assert NORMAL.mean() == pytest.approx(0, abs=1e-12) and (NORMAL**2).mean() == pytest.approx(1, rel=1e-12)
    assert (NORMAL**4).mean() == pytest.approx(3, rel=0.02)  # the ends of the tails are cut
