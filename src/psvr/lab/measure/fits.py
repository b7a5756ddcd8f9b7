"""A straight line through the values of several cells, by least squares: how fast something grows.

The bounds of its slope follow from the intervals of the values, which come from different trials; how far the values
lie from the line is not looked at.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LINE, POWER, TENFOLD = "line", "power", "tenfold"
FITS = (LINE, POWER, TENFOLD)
LOGARITHMS = (POWER, TENFOLD)  # the line goes through the logarithms of x and of the values


@dataclass(frozen=True)
class Point:
    """The value at a place x, with its interval; an end may be unknown, or infinite."""

    x: float
    value: float
    low: float | None
    high: float | None

    @property
    def error(self) -> float | None:
        return None if self.low is None or self.high is None else max(self.high - self.value, self.value - self.low)


@dataclass(frozen=True)
class Fit:
    """What a line says, and its bounds if they are known."""

    value: float | None
    low: float | None
    high: float | None


class Spot(NamedTuple):
    """A point as the line sees it: as it is, or as logarithms."""

    x: float
    y: float
    error: float | None


def fit(points: Sequence[Point], form: str) -> Fit | None:
    """Return what the line through these points says; None if they are at fewer than two places.

    LINE: by how much the value grows with x.  POWER: the power of x with which it grows.  TENFOLD: how many times as
    large it is where x is ten times as large.  With an infinite end of any point both bounds are infinite.
    """
    spots = list(logarithms(points) if form in LOGARITHMS else (Spot(p.x, p.value, p.error) for p in points))
    if len({spot.x for spot in spots}) < 2:
        return None
    middle = math.fsum(spot.x for spot in spots) / len(spots)
    spread = math.fsum((spot.x - middle) ** 2 for spot in spots)
    slope = math.fsum((spot.x - middle) * spot.y for spot in spots) / spread
    error = error_of_slope(spots, middle, spread)
    low, high = (None, None) if error is None else (slope - error, slope + error)
    return Fit(tenfold(slope), tenfold(low), tenfold(high)) if form == TENFOLD else Fit(slope, low, high)


def error_of_slope(spots: Sequence[Spot], middle: float, spread: float) -> float | None:
    errors = [spot.error for spot in spots if spot.error is not None]
    if len(errors) < len(spots):
        return None
    if not all(map(math.isfinite, errors)):
        return math.inf
    return math.sqrt(math.fsum(((spot.x - middle) * error) ** 2 for spot, error in zip(spots, errors))) / spread


def logarithms(points: Sequence[Point]) -> Iterator[Spot]:
    """Yield the points as logarithms; ValueError if one has none."""
    for p in points:
        if p.x <= 0 or p.value <= 0:
            raise ValueError("x and value must be above zero")
        yield Spot(math.log(p.x), math.log(p.value), None if p.error is None else p.error / p.value)


def tenfold(power: float | None) -> float | None:
    """Return ten to this power."""
    if power is None:
        return None
    return 10**power if power < sys.float_info.max_10_exp else math.inf
