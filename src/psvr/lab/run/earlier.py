"""Results of versions before there were manifests: files of rows, of which each that is whole counts."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from psvr.lab.study.trials import Cell, id_of

from . import manifest
from .intervals import union
from .manifest import Notes, State
from .parts import ROWS, Part, Span, made, notes_of, write
from .reading import readable

NOT_WHOLE = "is not a whole Parquet file; remove it, and the same command runs its trials again"
Pair = tuple[str, str]  # a trial and a system


def adopt(folder: Path, cells: Sequence[Cell]) -> State:
    """Name the files of a folder without manifests in its first one, and return what it holds.

    Trials of other cells than these stay stored, but nobody can tell any more what they are.
    """
    parts: dict[str, Part] = {}
    notes: list[Notes] = []
    of: dict[str, tuple[int, ...]] = {}
    seen: set[Pair] = set()
    places = {
        id_of(cell.identity, number): (cell.key, number) for cell in cells for number in range(cell.grid.repetitions)
    }
    for file in sorted(folder.glob("part-*.parquet")):
        with readable(file, NOT_WHOLE):
            rows = pq.read_table(file, page_checksum_verification=True)
            pairs = list(zip(rows.column("trial").to_pylist(), rows.column("system").to_pylist()))
        about = notes_of(rows.schema)
        new = pa.array([pair not in seen for pair in pairs], pa.bool_())
        spans = spans_of([pair for pair in pairs if pair not in seen], places)
        seen.update(pairs)
        part, content = made(rows.filter(new).replace_schema_metadata(None), ROWS, spans, about)
        write(folder, part, content)
        parts[part.file], of[part.file] = part, (len(notes),)
        times = [[about["began"], about["written"]]] if "began" in about and "written" in about else []
        notes.append({**about, "times": times})
    return manifest.sum_up(folder, State(0, parts, notes, of)) if parts else State()


def spans_of(pairs: Sequence[Pair], places: dict[str, tuple[str, int]]) -> list[Span]:
    """Return the spans of these trials, as far as they are known."""
    systems: dict[tuple[str, int], list[str]] = defaultdict(list)
    for trial, system in pairs:
        if trial in places:
            systems[places[trial]].append(system)
    numbers: dict[tuple[str, tuple[str, ...]], list[tuple[int, int]]] = defaultdict(list)
    for (cell, number), found in systems.items():
        numbers[cell, tuple(found)].append((number, number + 1))
    return [Span(*key, *interval) for key, intervals in numbers.items() for interval in union(intervals)]
