"""Files of results as a task makes them: named after their content, so that doing a task twice makes the same files."""

import hashlib
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from psvr.atomic import atomic_write
from psvr.lab.study.trials import digest_of

from .intervals import Interval, without
from .tasks import Piece
from .work import FAILURES, Work

PREFIX = b"psvr."
ROWS, FAILED = "rows", "failures"


@dataclass(frozen=True)
class Span:
    """Trials of a cell, by its key, that were run under some systems."""

    cell: str
    systems: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True)
class Part:
    """A file of rows or failures, and which trials they are of."""

    file: str
    holds: str  # ROWS or FAILED
    rows: int
    bytes: int
    checksum: str
    form: str  # a digest of its columns
    spans: tuple[Span, ...]

    @property
    def trials(self) -> int:
        return sum(span.last - span.first for span in self.spans)

    def as_json(self) -> str:
        return json.dumps(asdict(self))


def part_of(table: Mapping[str, Any]) -> Part:
    """Return the part that a JSON object describes, which may say more."""
    spans = tuple(Span(s["cell"], tuple(s["systems"]), s["first"], s["last"]) for s in table["spans"])
    return Part(**{field.name: table[field.name] for field in fields(Part)} | {"spans": spans})


def encoded(table: pa.Table, notes: Mapping[str, str]) -> bytes:
    """Return a table as a Parquet file that says where it comes from."""
    marked = table.replace_schema_metadata({PREFIX + k.encode(): v.encode() for k, v in notes.items()})
    file = io.BytesIO()
    pq.write_table(marked, file, compression="zstd", write_page_checksum=True)
    return file.getvalue()


def notes_of(schema: pa.Schema) -> dict[str, str]:
    """Return what the schema of such a file says of where it comes from."""
    return {k[len(PREFIX) :].decode(): v.decode() for k, v in (schema.metadata or {}).items() if k.startswith(PREFIX)}


def made(table: pa.Table, holds: str, spans: Iterable[Span], notes: Mapping[str, str]) -> tuple[Part, bytes]:
    """Return a part and the content of its file."""
    content = encoded(table, notes)
    checksum = checksum_of(content)
    name = f"part-{checksum}.parquet" if holds == ROWS else f"failed/part-{checksum}.parquet"
    return Part(name, holds, table.num_rows, len(content), checksum, form_of(table.schema), tuple(spans)), content


def checksum_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def form_of(schema: pa.Schema) -> str:
    """Return a digest of names and types of the columns."""
    return digest_of(schema.remove_metadata().to_string())


def parts_of(
    work: Work, pieces: Sequence[Piece], rows: pa.RecordBatch, failures: pa.RecordBatch, notes: Mapping[str, str]
) -> Iterator[tuple[Part, bytes]]:
    """Yield what has become of these pieces: a part of rows and one of failures, as far as there are any."""
    failed: dict[str, list[Interval]] = defaultdict(list)
    for cell, number in zip(failures.column("cell").to_pylist(), failures.column("repetition").to_pylist()):
        failed[cell].append((number, number + 1))
    if rows.num_rows:
        done = [
            Span(key, piece.systems, first, last)
            for piece in pieces
            for key in [work.cells[piece.cell].key]
            for first, last in without((piece.first, piece.last), failed[key])
        ]
        yield made(pa.Table.from_batches([rows]), ROWS, done, notes)
    if failures.num_rows:
        spans = [
            Span(row["cell"], tuple(row["systems"]), row["repetition"], row["repetition"] + 1)
            for row in failures.to_pylist()
        ]
        yield made(pa.Table.from_batches([failures.cast(FAILURES)]), FAILED, spans, notes)


def write(folder: Path, part: Part, content: bytes) -> None:
    """Write the file of a part, unless it is there: what has its name is the same to the last byte."""
    file = folder / part.file
    if not file.is_file() or file.stat().st_size != part.bytes:
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(file) as half:
            half.write(content)
