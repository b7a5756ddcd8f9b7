"""The rows of one run in one batch, with the events as numbers, so that masks over them are cheap."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from psvr.trace.columns import CLOCKS, EVENTS, TraceError

Mask = NDArray[np.bool_]
CODES = {name: code for code, name in enumerate(EVENTS)}


class Batch:
    """Rows of one run, and the number of each one's event."""

    def __init__(self, run: str, rows: pa.RecordBatch, events: NDArray[np.int8]) -> None:
        self.run, self.rows, self.events = run, rows, events

    def of(self, *events: int) -> Mask:
        """Which rows have one of these events."""
        mask: Mask = self.events == events[0]
        for event in events[1:]:
            mask |= self.events == event
        return mask

    def present(self, name: str) -> Mask:
        """Which rows have a value in a column."""
        column = self.rows.column(name)
        if not column.null_count:
            return np.ones(len(column), np.bool_)
        mask: Mask = column.is_valid().to_numpy(zero_copy_only=False)
        return mask

    def table(self, columns: Sequence[str], mask: Mask | None = None) -> pa.Table:
        """Columns of some rows; `event` as a number, texts still with their dictionaries."""
        arrays = [pa.array(self.events) if name == "event" else self.rows.column(name) for name in columns]
        found = pa.RecordBatch.from_arrays(arrays, list(columns))
        return pa.Table.from_batches([found if mask is None or mask.all() else found.filter(pa.array(mask))])

    def plain(self, columns: Sequence[str], mask: Mask) -> pa.Table:
        """The same with texts as such: for few rows, that are kept."""
        return plain(self.table(columns, mask))


def plain(table: pa.Table) -> pa.Table:
    """A table without dictionaries, which differ from batch to batch."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))
    return table


def used(column: pa.DictionaryArray) -> list[str | None]:
    """The words of a dictionary that rows have."""
    known = column.dictionary.to_pylist()
    times = np.bincount(column.indices.to_numpy(zero_copy_only=False), minlength=len(known))
    return [known[place] for place in np.flatnonzero(times).tolist()]


def numbers(column: pa.DictionaryArray, codes: dict[str, int], what: str) -> NDArray[np.int8]:
    """The number of each word; TraceError if a row has another one."""
    table = np.array([codes.get(word, -1) for word in column.dictionary.to_pylist()] or [-1], np.int8)
    found: NDArray[np.int8] = table[column.indices.to_numpy(zero_copy_only=False)]
    if len(found) and found.min() < 0:
        wrong = sorted({repr(word) for word in used(column) if word not in codes})
        raise TraceError(f"{what} must be one of {', '.join(codes)}, not {wrong[0]}")
    return found


def check_clock(rows: pa.RecordBatch) -> None:
    for word in used(rows.column("clock")):
        if word not in CLOCKS:
            raise TraceError(f"clock must be one of {', '.join(CLOCKS)}, not {word!r}")


def by_run(rows: pa.RecordBatch) -> Iterator[Batch]:
    """The rows of each run; TraceError for words that no trace has.  The columns `run` and `event` must be there."""
    if not len(rows):
        return
    if "clock" in rows.schema.names:
        check_clock(rows)
    events = numbers(rows.column("event"), CODES, "event")
    run = rows.column("run")
    names = used(run)
    if len(names) == 1:
        yield Batch(str(names[0]), rows, events)
        return
    for name in dict.fromkeys(names):
        mask = pc.equal(run.cast(pa.string()), name)
        yield Batch(str(name), rows.filter(mask), events[mask.to_numpy(zero_copy_only=False)])
