"""Cubic curves: every line of the picture is one, so that links, ring steps and arrows are treated alike."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Point: TypeAlias = tuple[float, float]
Points: TypeAlias = NDArray[np.float64]

FINE = 257  # samples for cutting off ends


@dataclass(frozen=True)
class Curve:
    """From a to b, leaving towards c and arriving from d."""

    a: Point
    c: Point
    d: Point
    b: Point

    def at(self, t: float) -> Point:
        return mixed(
            mixed(mixed(self.a, self.c, t), mixed(self.c, self.d, t), t),
            mixed(mixed(self.c, self.d, t), mixed(self.d, self.b, t), t),
            t,
        )

    def reversed(self) -> "Curve":
        return Curve(self.b, self.d, self.c, self.a)

    def shifted(self, by: float) -> "Curve":
        """The curve moved sideways, to the right as seen going from a to b."""
        dx, dy = unit(self.a, self.b)
        return Curve(*((x - dy * by, y + dx * by) for x, y in (self.a, self.c, self.d, self.b)))

    def until(self, t: float) -> "Curve":
        """The part before parameter t."""
        ac, cd, db = mixed(self.a, self.c, t), mixed(self.c, self.d, t), mixed(self.d, self.b, t)
        left, right = mixed(ac, cd, t), mixed(cd, db, t)
        return Curve(self.a, ac, left, mixed(left, right, t))

    def part(self, s: float, t: float) -> "Curve":
        """From parameter s to parameter t."""
        return self.until(t).reversed().until((t - s) / t).reversed()

    def samples(self, count: int) -> Points:
        t = np.linspace(0, 1, count)[:, None]
        a, c, d, b = (np.array(point) for point in (self.a, self.c, self.d, self.b))
        return np.asarray((1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * c + 3 * t**2 * (1 - t) * d + t**3 * b)

    def between(self, start: Point, r: float, end: Point, s: float) -> "Curve":
        """The part that lies outside two circles around its ends."""
        points = self.samples(FINE)
        outside = np.flatnonzero((np.hypot(*(points - start).T) >= r) & (np.hypot(*(points - end).T) >= s))
        if outside.size < 2:
            return self.part(0.4, 0.6)
        return self.part(float(outside[0]) / (FINE - 1), float(outside[-1]) / (FINE - 1))

    def before_end(self, length: float) -> float:
        """The parameter at which the last piece of this length begins; at most half of the curve."""
        away = np.hypot(*(self.samples(FINE) - self.b).T)
        near = np.flatnonzero(away > length)
        return max(0.5, float(near[-1]) / (FINE - 1)) if near.size else 0.5


def mixed(p: Point, q: Point, t: float) -> Point:
    return (1 - t) * p[0] + t * q[0], (1 - t) * p[1] + t * q[1]


def unit(a: Point, b: Point) -> Point:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy) or 1.0
    return dx / length, dy / length


def straight(a: Point, b: Point) -> Curve:
    return drawn_to(a, b, mixed(a, b, 0.5))


def drawn_to(a: Point, b: Point, magnet: Point) -> Curve:
    """A curve from a to b, pulled halfway towards a third point."""
    return Curve(a, mixed(a, magnet, 2 / 3), mixed(b, magnet, 2 / 3), b)


def bent(a: Point, b: Point, bend: float) -> Curve:
    """A curve from a to b whose middle is moved to the right by the fraction `bend` of the distance."""
    x, y = mixed(a, b, 0.5)
    return drawn_to(a, b, (x - 2 * bend * (b[1] - a[1]), y + 2 * bend * (b[0] - a[0])))
