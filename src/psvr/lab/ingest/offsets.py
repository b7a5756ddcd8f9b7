"""How far which file has been read, what comes next, and what was lost: functions of what is found, without any disk.

The state says for every content, by its key, up to which byte it was read: all lines that begin before it.  It does
not matter what files are called, in which order they arrive, or how many copies there are.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .contents import Look

KEPT = 10_000  # contents remembered after their files have gone, so that late copies of them are known
NUMBERED = re.compile(r"(.+)-([0-9]{6,})\.jsonl")  # how nodes name their files
REMOVED = "removed before it was read"
REWRITTEN = "cut short and written anew before it was read to its end; what is there by now may lack lines"
ODD = "begins like another file and goes on differently; it is not read"

Removed = Mapping[str, Mapping[int, int]]  # what nodes say: of a series of files, numbers and bytes of those removed


@dataclass(frozen=True)
class Seen:
    """What is known of a content."""

    name: str
    at: int = 0  # all lines that begin before this byte were read
    mark: str = ""  # of the bytes before it
    size: int = 0  # bytes of its whole lines when it was last looked at
    closed: bool = False  # its node was writing another file by then, so this is all of it
    gone: bool = False  # no longer there, and what was not read of it is counted


@dataclass(frozen=True)
class State:
    """How far everything has been read."""

    files: Mapping[str, Seen] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)  # of a series: up to which number removals are counted
    odd: Mapping[str, int] = field(default_factory=dict)  # files that begin like others, which is said once

    def at(self, key: str) -> int:
        return self.files[key].at if key in self.files else 0

    def to_json(self) -> dict[str, Any]:
        files = {key: {k: v for k, v in vars(seen).items() if v} for key, seen in self.files.items()}
        return {"files": files, "counted": dict(self.counted), "odd": dict(self.odd)}

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> "State":
        files = {key: Seen(**seen) for key, seen in stored.get("files", {}).items()}
        return State(files, dict(stored.get("counted", {})), dict(stored.get("odd", {})))


@dataclass(frozen=True)
class Range:
    """Bytes of a file to be read: the lines that begin in them."""

    name: str
    key: str
    begin: int
    end: int


@dataclass(frozen=True)
class Gap:
    """What was lost: from where on, and how much, where that is known."""

    name: str
    begin: int
    bytes: int | None
    reason: str


@dataclass(frozen=True)
class Plan:
    """What to read next, what was found to be lost, and the state once that is done."""

    ranges: tuple[Range, ...]
    gaps: tuple[Gap, ...]
    state: State


def series(name: str) -> tuple[str, int] | None:
    found = NUMBERED.fullmatch(name)
    return (found[1], int(found[2])) if found else None


def plan(state: State, looks: Sequence[Look], removed: Removed, limit: int) -> Plan:
    """Decide what to read next: what was written longest ago comes first, because it is removed first."""
    complete = [look for look in looks if look.key and not look.odd]
    groups = {look.key: look for look in sorted(complete, key=lambda look: preferred(state, look))}
    files, gaps = dict(state.files), list[Gap]()
    counted = count_removed(state, looks, groups, removed, files, gaps)
    count_vanished(looks, groups, files, gaps)
    odd = {look.name: 1 for look in looks if look.odd}
    gaps += [Gap(look.name, 0, look.size, ODD) for look in looks if look.odd and look.name not in state.odd]
    ranges, last = list[Range](), newest(looks)
    for look in sorted(groups.values(), key=lambda look: (look.modified, look.name)):
        room = limit - sum(range.end - range.begin for range in ranges)
        files[look.key] = take(files.get(look.key), look, ranges, gaps, room)
        place = series(look.name)
        if place and place[1] < last[place[0]]:
            files[look.key] = replace(files[look.key], closed=True)
    return Plan(tuple(ranges), tuple(gaps), State(forget(files), counted, odd))


def preferred(state: State, look: Look) -> tuple[int, bool]:
    """A sort key: of several copies the longest counts, and among these the one that was read before."""
    return look.size, look.key in state.files and state.files[look.key].name == look.name


def newest(looks: Sequence[Look]) -> dict[str, int]:
    last: dict[str, int] = {}
    for name, number in filter(None, (series(look.name) for look in looks)):
        last[name] = max(number, last.get(name, 0))
    return last


def take(seen: Seen | None, look: Look, ranges: list[Range], gaps: list[Gap], room: int) -> Seen:
    """Read on in a content, if there is room for it; the first one is always read."""
    before = seen or Seen(look.name)
    if look.size < before.at:
        if look.name != before.name:  # an older copy
            return replace(before, size=max(before.size, look.size), gone=False)
        return Seen(look.name, look.size, look.end_mark, look.size)  # cut short: what follows is new
    if before.at and look.mark != before.mark:
        gaps.append(Gap(look.name, before.at, None, REWRITTEN))
    elif look.end == before.at:
        return replace(before, name=look.name, size=look.size, gone=False)
    if ranges and look.end - before.at > room:
        return replace(before, name=look.name, size=look.size, gone=False, mark=look.mark or before.mark)
    if look.end > before.at:
        ranges.append(Range(look.name, look.key, before.at, look.end))
    return Seen(look.name, look.end, look.end_mark, look.size)


def count_removed(
    state: State,
    looks: Sequence[Look],
    groups: Mapping[str, Look],
    removed: Removed,
    files: dict[str, Seen],
    gaps: list[Gap],
) -> dict[str, int]:
    """Count what nodes say they have removed and we had not read; return up to which number that is done."""
    present, keys = {look.name for look in looks}, {seen.name: key for key, seen in state.files.items()}
    counted = dict(state.counted)
    for name, numbers in removed.items():
        for number in sorted(number for number in numbers if number > counted.get(name, 0)):
            file = f"{name}-{number:06d}.jsonl"
            if file in present:
                break
            counted[name] = number
            key = keys.get(file, "")
            seen = state.files.get(key, Seen(file))
            read = max(seen.at, groups[key].size if key in groups else 0)
            total = seen.size if seen.closed else numbers[number]
            if total > read and not seen.gone:
                gaps.append(Gap(file, read, total - read, REMOVED))
            if key and key not in groups:
                files[key] = replace(seen, gone=True)
    return counted


def count_vanished(looks: Sequence[Look], groups: Mapping[str, Look], files: dict[str, Seen], gaps: list[Gap]) -> None:
    """Count what was there at the last look, was not read, and is no longer there."""
    unreadable = {look.name for look in looks if look.unreadable}
    for key, seen in files.items():
        if key not in groups and not seen.gone and seen.name not in unreadable:
            if seen.size > seen.at:
                gaps.append(Gap(seen.name, seen.at, seen.size - seen.at, REMOVED))
            files[key] = replace(seen, gone=True)


def forget(files: dict[str, Seen]) -> dict[str, Seen]:
    """Drop the oldest contents that have gone, if there are many."""
    gone = [key for key, seen in files.items() if seen.gone]
    for key in gone[: max(0, len(gone) - KEPT)]:
        del files[key]
    return files


def missing(state: State, looks: Sequence[Look]) -> int:
    """How many numbers of series of files are absent without a word: not here yet, or removed by something else."""
    known: dict[str, set[int]] = {}
    for name in (*(seen.name for seen in state.files.values()), *(look.name for look in looks)):
        if place := series(name):
            known.setdefault(place[0], set()).add(place[1])
    first = {name: state.counted.get(name, 0) for name in known}
    return sum(
        len(set(range(first[name] + 1, max(numbers) + 1)) - numbers)
        for name, numbers in known.items()
        if max(numbers) > first[name]
    )
