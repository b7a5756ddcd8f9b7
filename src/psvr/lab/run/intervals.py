"""Sets of whole numbers as sorted intervals [first, last) that neither meet nor overlap."""

from collections.abc import Iterable
from typing import Any

Interval = tuple[int, int]


def union(intervals: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return the numbers, or times, that are in any of these."""
    found: list[tuple[Any, Any]] = []
    for first, last in sorted(intervals):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        elif first < last:
            found.append((first, last))
    return found


def without(whole: Interval, taken: Iterable[Interval]) -> list[Interval]:
    """Return the numbers of an interval that are in none of the others."""
    found, (at, end) = [], whole
    for first, last in union(taken):
        if at < min(first, end):
            found.append((at, min(first, end)))
        at = max(at, last)
    return [*found, (at, end)] if at < end else found


def size(intervals: Iterable[Interval]) -> int:
    return sum(last - first for first, last in intervals)
