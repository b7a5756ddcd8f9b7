"""Manifests: which files of a folder hold results.  Only what a manifest names exists.

Every commit is one more manifest, numbered, that names new files and those that they replace.  It appears as a whole
or not at all, and never in the place of another.  Whatever died before its commit has left files that nobody reads.
"""

import json
import os
import re
import secrets
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from psvr.atomic import flush_to_disk, sync_folder
from psvr.errors import BadInput

from .intervals import Interval, union
from .parts import ROWS, Part, part_of

FOLDER = "manifest"
LOOKS = 20  # at a folder whose manifests are being summed up
NUMBERED = re.compile(r"(\d{8})\.json")
Notes = dict[str, Any]  # where files come from, and under "times" from when to when they were made


@dataclass(frozen=True)
class State:
    """What a folder holds: its parts by the name of their file, and for each the places of its notes."""

    number: int = 0  # of the last manifest
    parts: Mapping[str, Part] = field(default_factory=dict)
    notes: Sequence[Notes] = ()
    of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def holding(self, what: str) -> list[Part]:
        return [part for part in self.parts.values() if part.holds == what]

    @property
    def done(self) -> dict[tuple[str, str], list[Interval]]:
        """Numbers of finished trials, by the key of a cell and a system."""
        found: dict[tuple[str, str], list[Interval]] = defaultdict(list)
        for part in self.holding(ROWS):
            for span in part.spans:
                for system in span.systems:
                    found[span.cell, system].append((span.first, span.last))
        return {key: union(intervals) for key, intervals in found.items()}

    def only(self, files: Collection[str]) -> "State":
        """Return what of this is in these files."""
        kept = {name: part for name, part in self.parts.items() if name in files}
        return replace(self, parts=kept)

    def notes_of(self, part: Part) -> list[Notes]:
        return [self.notes[i] for i in self.of[part.file]]


def read(folder: Path) -> State:
    """Return what the manifests of a folder say, in their order."""
    for _ in range(LOOKS):
        try:
            return fold(folder)
        except FileNotFoundError as error:  # summed up in the meantime by a run that is at work here
            gone = error.filename
    raise BadInput(f"{gone}: cannot be read: No such file or directory")


def fold(folder: Path) -> State:
    parts: dict[str, Part] = {}
    of: dict[str, tuple[int, ...]] = {}
    notes: list[Notes] = []
    files = manifests(folder)
    for _, file in files:
        found = parsed(file)
        if found["whole"]:
            parts, of, notes = {}, {}, []
        for name in found["removed"]:
            parts.pop(name, None)
        base = len(notes)
        notes += found["notes"]
        for table in found["parts"]:
            part = part_of(table)
            parts[part.file] = part
            of[part.file] = tuple(base + i for i in table["notes"])
    return State(files[-1][0] if files else 0, parts, notes, of)


def manifests(folder: Path) -> list[tuple[int, Path]]:
    """Return numbers and files of all manifests, in order."""
    place = folder / FOLDER
    names = os.listdir(place) if place.is_dir() else []
    return sorted((int(found[1]), place / name) for name in names if (found := NUMBERED.fullmatch(name)))


def parsed(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
        found["parts"] = [table for table in found["parts"] if part_of(table)]
        complete = isinstance(found["notes"], list) and isinstance(found["removed"], list) and "whole" in found
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        complete = False
    if not complete:
        raise BadInput(f"{file}: is damaged, so that nobody knows what was finished; restore it, or use another folder")
    return found  # type: ignore[no-any-return]


def commit(
    folder: Path, state: State, parts: Sequence[Part], notes: Sequence[Notes], removed: Sequence[str] = ()
) -> State:
    """Add parts, to all of which these notes apply, and take others away; return what the folder holds then."""
    notes, _ = merged(notes)
    places = list(range(len(notes)))
    tables = [{**asdict(part), "notes": places} for part in parts]
    append(folder, state.number + 1, {"whole": False, "removed": sorted(removed), "notes": notes, "parts": tables})
    first = len(state.notes)
    kept = {name: part for name, part in state.parts.items() if name not in removed}
    of = {**state.of, **{part.file: tuple(first + i for i in places) for part in parts}}
    return State(state.number + 1, kept | {part.file: part for part in parts}, [*state.notes, *notes], of)


def sum_up(folder: Path, state: State) -> State:
    """Write a manifest that names everything, and remove those before it."""
    notes, places = merged(state.notes)
    table = {
        "whole": True,
        "removed": [],
        "notes": notes,
        "parts": [
            {**asdict(part), "notes": sorted({places[i] for i in state.of[part.file]})} for part in state.parts.values()
        ],
    }
    append(folder, state.number + 1, table)
    for number, file in manifests(folder):
        if number <= state.number:
            file.unlink(missing_ok=True)
    return read(folder)


def merged(notes: Sequence[Notes]) -> tuple[list[Notes], list[int]]:
    """Return notes with those united that differ in their times only, and for each of the old ones its new place."""
    found: dict[str, Notes] = {}
    names = [json.dumps({k: v for k, v in note.items() if k != "times"}, sort_keys=True) for note in notes]
    for name, note in zip(names, notes):
        known = found.setdefault(name, {**note, "times": []})
        known["times"] = [list(time) for time in union(map(tuple, [*known["times"], *note.get("times", [])]))]
    order = list(found)
    return list(found.values()), [order.index(name) for name in names]


def append(folder: Path, number: int, table: Mapping[str, Any]) -> None:
    """Write a manifest if there is none of this number."""
    place = folder / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    half = place / f".half-{secrets.token_hex(6)}"
    file = place / f"{number:08}.json"
    try:
        with half.open("xb") as handle:
            handle.write(json.dumps(table).encode())
            flush_to_disk(handle)
        os.link(half, file)  # unlike renaming, this never replaces another
    except FileExistsError:
        raise BadInput(f"{file}: another run has written it; let only one at a time write into a folder") from None
    finally:
        half.unlink(missing_ok=True)
    sync_folder(place)


def sweep(folder: Path, state: State) -> list[str]:
    """Remove files that no manifest names, left by what was killed; return their names."""
    names = {file: file.relative_to(folder).as_posix() for file in folder.rglob("*")}
    orphans = [
        file
        for file, name in names.items()
        if file.name.startswith(".half-") or (file.suffix == ".parquet" and name not in state.parts)
    ]
    for file in orphans:
        file.unlink(missing_ok=True)
    return sorted(names[file] for file in orphans)
