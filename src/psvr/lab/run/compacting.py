"""Unite many small files of rows to few large ones, and many manifests to one."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from . import manifest
from .intervals import union
from .manifest import State
from .parts import Part, Span, made, notes_of, write
from .reading import readable
from .store import NOT_WHOLE

LARGE = 64 << 20  # bytes: a file of this size is left alone
MOST = 128 << 20  # bytes of files that become one
KEYS = [("trial", "ascending"), ("system", "ascending")]


def compact(folder: Path, state: State) -> State:
    """Unite small files, and return what the folder holds then; a kill at any moment loses nothing."""
    for group in groups(state):
        notes = [note for part in group for note in state.notes_of(part)]
        state = manifest.commit(folder, state, [unite(folder, group)], notes, [part.file for part in group])
    if len(manifest.manifests(folder)) > 1:
        state = manifest.sum_up(folder, state)
    manifest.sweep(folder, state)
    return state


def groups(state: State) -> Iterator[list[Part]]:
    """Yield files that should be one: small ones, alike in columns, code and what they hold."""
    alike: dict[tuple[str, ...], list[Part]] = defaultdict(list)
    for part in state.parts.values():
        if part.bytes < LARGE:
            codes = sorted({note.get("code", "") for note in state.notes_of(part)})
            alike[part.holds, part.form, *codes].append(part)
    for small in alike.values():
        yield from (group for group in filled(small) if len(group) > 1)


def filled(small: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield files in groups that are as large as they may be."""
    group: list[Part] = []
    for part in small:
        if group and sum(other.bytes for other in group) + part.bytes > MOST:
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def unite(folder: Path, group: Sequence[Part]) -> Part:
    """Write one file with the rows of these, and return it."""
    tables = []
    for part in group:
        with readable(folder / part.file, NOT_WHOLE):
            tables.append(pq.read_table(folder / part.file, page_checksum_verification=True))
    notes = notes_of(tables[-1].schema)
    table = pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    keys = [key for key in KEYS if key[0] in table.column_names]
    part, content = made(table.sort_by(keys), group[0].holds, joined(group), notes)
    write(folder, part, content)
    return part


def joined(group: Sequence[Part]) -> list[Span]:
    """Return the spans of all these files; those that meet become one."""
    found: dict[tuple[str, tuple[str, ...]], list[tuple[int, int]]] = defaultdict(list)
    for part in group:
        for span in part.spans:
            found[span.cell, span.systems].append((span.first, span.last))
    return [Span(*key, *interval) for key, intervals in found.items() for interval in union(intervals)]
