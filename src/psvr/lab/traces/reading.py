"""Reading a part of a trace within a task, with everything that is read verified; what is wrong names the file."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from psvr.trace.columns import TraceError, one_line
from psvr.trace.files import LINES
from psvr.trace.reading import fragment, provenance

from .batches import Batch, by_run
from .lines import blocks

ROWS = 1 << 17  # of a batch: those of a row group as psvr writes it


@dataclass(frozen=True)
class Piece:
    """A file of a trace, or some of its row groups."""

    file: str
    begin: int = 0
    end: int | None = None  # None: to the last


def read(pieces: Sequence[Piece], columns: Sequence[str]) -> Iterator[Batch]:
    """The rows of these pieces, batch by batch, and split by run."""
    wanted = tuple(dict.fromkeys(["run", "event", *columns]))
    for piece in pieces:
        with named(piece.file):
            for rows in rows_of(piece, wanted):
                yield from by_run(rows)


def rows_of(piece: Piece, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a piece, each text with a dictionary."""
    if piece.file.endswith(LINES):
        for _, table in blocks(Path(piece.file)):
            yield from table.select(list(columns)).to_batches()
        return
    with open_parquet(piece.file) as source:
        groups = range(source.num_row_groups)[piece.begin : piece.end]
        for rows in source.iter_batches(ROWS, row_groups=list(groups), columns=list(columns), use_threads=False):
            rows.validate(full=True)
            check_required(rows)
            yield rows.select(list(columns))


def open_parquet(file: str) -> pq.ParquetFile:
    """A file that says that it is a trace; its pages are verified as they are read."""
    readable(file)
    provenance(fragment(Path(file)))
    return pq.ParquetFile(file, page_checksum_verification=True)


def check_required(rows: pa.RecordBatch) -> None:
    for field in rows.schema:
        if not field.nullable and rows.column(field.name).null_count:
            raise TraceError(f"a row has no {field.name}")


def readable(file: str) -> None:
    """Find out what the system says about a file: pyarrow does not always pass it on."""
    with open(file, "rb") as opened:
        os.fstat(opened.fileno())


@contextmanager
def named(file: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into one line that names it."""
    try:
        yield
    except TraceError as problem:
        text = one_line(problem)
        raise TraceError(text if text.startswith(file) else f"{file}: {text}") from None
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise TraceError(f"{file}: must be a whole trace: {one_line(problem)}") from None
