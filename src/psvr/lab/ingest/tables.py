"""A piece of a trace as tables of the trace's columns, whether it is lines of JSON or a Parquet file."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from psvr.trace.arrow import schema
from psvr.trace.columns import TraceError, one_line
from psvr.trace.line_files import PLAIN
from psvr.trace.reading import fragment, provenance

from .folders import find, is_part
from .offsets import Range
from .parsing import Bad, parse
from .pieces import Gone, blocks

FLAT = pa.schema([PLAIN.field(field.name).with_nullable(field.nullable) for field in schema()])  # without dictionaries
ROWS = 1 << 17  # of a Parquet file that are read at a time


def tables(folder: Path, piece: Range) -> Iterator[pa.Table | Bad]:
    """Yield the rows of a piece, and what cannot be read in it; `Gone` if its file is no longer there."""
    if is_part(piece.name):
        yield from part(folder, piece)
        return
    for text in blocks(folder, piece):
        for found in parse(text):
            yield found if isinstance(found, Bad) else found.cast(FLAT)


def part(folder: Path, piece: Range) -> Iterator[pa.Table | Bad]:
    """The rows of a Parquet file.  Of a damaged one there are none: all of it is read before any are given away."""
    file = find(folder, piece.name, piece.key)
    if file is None:
        raise Gone(0)
    try:
        found = fragment(file)
        provenance(found)
        for batch in found.to_batches(batch_size=ROWS, batch_readahead=1, use_threads=False):
            batch.validate(full=True)
        for batch in found.to_batches(batch_size=ROWS, batch_readahead=1, use_threads=False):
            yield pa.Table.from_batches([batch]).cast(FLAT)
    except (TraceError, pa.ArrowException, OSError) as problem:
        if not file.exists():
            raise Gone(0) from None
        yield Bad(0, b"", one_line(problem).removeprefix(f"{file}: "))
