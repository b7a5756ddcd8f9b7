"""What is left to do, and how it is cut into tasks: by arithmetic, so that millions of trials take no room anywhere.

A piece is an interval of a cell's trials.  Pieces in a row, the costly ones first, are a line of work; a task is the
part of it between two points.  Whoever knows the pieces can tell what is in a task from its number alone.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from psvr.lab.study.trials import Cell

from .intervals import Interval, size, without

MIN_COST = 1e-6  # seconds: no trial takes less
Done = Mapping[tuple[str, str], Sequence[Interval]]  # numbers of finished trials, by the key of a cell and a system


@dataclass(frozen=True)
class Piece:
    """Trials of a cell to be run under some of its systems: from the first up to but not including the last."""

    cell: int  # its place among the cells of the study
    systems: tuple[str, ...]
    first: int
    last: int
    cost: float  # seconds of one trial under all of these systems

    @property
    def trials(self) -> int:
        return self.last - self.first

    @property
    def seconds(self) -> float:
        return self.trials * self.cost


def remaining(cells: Sequence[Cell], done: Done) -> list[Piece]:
    """Return what has not been run yet, the costly trials first."""
    found = [piece for i, cell in enumerate(cells) for piece in pieces_of(i, cell, done)]
    return sorted(found, key=lambda piece: (-piece.cost, piece.cell, piece.first))


def pieces_of(place: int, cell: Cell, done: Done) -> Iterator[Piece]:
    """Yield the pieces of a cell: between two bounds, the same systems are missing."""
    key, everything = cell.key, (0, cell.grid.repetitions)
    missing = {system: without(everything, done.get((key, system), ())) for system in cell.grid.systems}
    bounds = sorted({bound for intervals in missing.values() for interval in intervals for bound in interval})
    for first, last in pairwise(bounds):
        systems = tuple(s for s, intervals in missing.items() if any(a <= first < b for a, b in intervals))
        if systems:
            yield Piece(place, systems, first, last, max(cell.cost * len(systems), MIN_COST))


def count_done(cells: Sequence[Cell], done: Done) -> int:
    """Return how many trials of these cells have been run under all of their systems."""
    found = 0
    for i, cell in enumerate(cells):
        found += cell.grid.repetitions - size((p.first, p.last) for p in pieces_of(i, cell, done))
    return found


@dataclass(frozen=True)
class Tasks:
    """Pieces of work, cut into tasks of about as many seconds; a trial that takes longer is a task of its own."""

    pieces: Sequence[Piece]
    seconds: float

    @cached_property
    def alone(self) -> list[int]:
        """The number of tasks before each of the leading pieces whose trials are tasks of their own, and after them."""
        leading = [piece.trials for piece in self.pieces if piece.cost >= self.seconds]
        return list(accumulate(leading, initial=0))

    @cached_property
    def begins(self) -> list[float]:
        """The seconds of work before each of the other pieces, and after the last."""
        return list(accumulate((piece.seconds for piece in self.others), initial=0.0))

    @property
    def others(self) -> Sequence[Piece]:
        return self.pieces[len(self.alone) - 1 :]

    def __len__(self) -> int:
        return self.alone[-1] + math.ceil(self.begins[-1] / self.seconds)

    def __getitem__(self, task: int) -> list[Piece]:
        """Return the pieces in a task."""
        if not 0 <= task < len(self):
            raise IndexError(task)
        if task < self.alone[-1]:
            i = bisect_right(self.alone, task) - 1
            return [part(self.pieces[i], task - self.alone[i], task - self.alone[i] + 1)]
        number, last = task - self.alone[-1], task == len(self) - 1
        return list(self.between(number * self.seconds, math.inf if last else (number + 1) * self.seconds))

    def between(self, begin: float, end: float) -> Iterator[Piece]:
        """Yield what begins between two points of the line of work."""
        for i in range(max(bisect_right(self.begins, begin) - 1, 0), len(self.others)):
            if self.begins[i] >= end:
                return
            piece = self.others[i]
            first, last = (beginning_by(piece, time - self.begins[i]) for time in (begin, end))
            if first < last:
                yield part(piece, first, last)


def beginning_by(piece: Piece, seconds: float) -> int:
    """Return how many trials of a piece begin before this time, counted from its own beginning."""
    return piece.trials if seconds == math.inf else min(max(math.ceil(seconds / piece.cost), 0), piece.trials)


def part(piece: Piece, first: int, last: int) -> Piece:
    """Return some of the trials of a piece."""
    return Piece(piece.cell, piece.systems, piece.first + first, piece.first + last, piece.cost)


def seconds_of(pieces: Iterable[Piece]) -> float:
    return sum(piece.seconds for piece in pieces)
