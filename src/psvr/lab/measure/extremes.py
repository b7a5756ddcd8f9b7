"""The extreme of many cells, with bounds that hold for all of them together.

Each cell comes with the interval of its own mean.  The largest of twenty such means is large by chance, too, so before
they are compared all intervals are widened as Bonferroni says: together they contain all true values in 95 % of all
cases, and then the true extreme lies between the extremes of their ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from .student import CONFIDENCE, quantile

HIGHEST, LOWEST, FARTHEST = "highest", "lowest", "farthest"  # farthest from zero
EXTREMES = (HIGHEST, LOWEST, FARTHEST)


@dataclass(frozen=True)
class Cell:
    """A value with its interval, which is that of a mean over so many trials; an end may be unknown."""

    value: float
    low: float | None
    high: float | None
    trials: int | None


@dataclass(frozen=True)
class Extreme:
    """The extreme value, its bounds if they are known, and which of the cells it comes from."""

    value: float
    low: float | None
    high: float | None
    place: int


class Bounds(NamedTuple):
    low: float
    high: float


def widening(trials: int, cells: int) -> float:
    """Return by how much an interval of one cell is widened, so that those of so many hold together."""
    return quantile(trials - 1, 1 - (1 - CONFIDENCE) / cells) / quantile(trials - 1)


def together(cells: Sequence[Cell]) -> list[Bounds] | None:
    """Return the intervals of all cells, widened so that they hold together; None if one of them is unknown."""
    found = []
    for cell in cells:
        if cell.low is None or cell.high is None:
            return None
        by = widening(cell.trials, len(cells)) if cell.trials is not None and cell.trials > 1 else 1.0
        found.append(Bounds(cell.value - by * (cell.value - cell.low), cell.value + by * (cell.high - cell.value)))
    return found


def extreme(cells: Sequence[Cell], which: str) -> Extreme:
    """Return the extreme of at least one cell."""
    if which == FARTHEST:
        place = max(range(len(cells)), key=lambda i: abs(cells[i].value))
    else:
        best = max if which == HIGHEST else min
        place = best(range(len(cells)), key=lambda i: cells[i].value)
    value, bounds = cells[place].value, together(cells)
    if bounds is None:
        return Extreme(value, None, None, place)
    low, high = farthest(bounds, value) if which == FARTHEST else ends(bounds, which)
    return Extreme(value, low, high, place)


def ends(bounds: Sequence[Bounds], which: str) -> tuple[float, float]:
    best = max if which == HIGHEST else min
    return best(map(attrgetter("low"), bounds)), best(map(attrgetter("high"), bounds))


def farthest(bounds: Sequence[Bounds], value: float) -> tuple[float, float]:
    """Return the bounds of the value that is farthest from zero, on its side of zero if any cell is surely off it."""
    least = max(max(b.low, -b.high) for b in bounds)  # how far from zero the one that is farthest is at least, …
    most = max(max(-b.low, b.high) for b in bounds)  # … and how far any may be
    if least <= 0:
        return min(b.low for b in bounds), max(b.high for b in bounds)
    return (least, most) if value > 0 else (-most, -least)
