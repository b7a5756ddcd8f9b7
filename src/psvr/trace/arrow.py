"""The schema in Arrow's terms, and rows of numbers turned into it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import COLUMNS, EVENTS, FAULT, RECEIVED, REQUIRED, SENT, TraceError, is_text
from .rows import NONE

Array = np.ndarray[Any, np.dtype[Any]]

TEXT = pa.dictionary(pa.int32(), pa.string())
TYPES = {"int32": pa.int32(), "int64": pa.int64(), "string": TEXT}
FIELDS = {"from": "from_", "end_point": "ep"}  # of ROW, where they are not named as the column
EVENT_NAMES = pa.array(EVENTS, pa.string())


def schema() -> pa.Schema:
    """The columns of every trace, in order."""
    return pa.schema([pa.field(name, TYPES[kind], name not in REQUIRED) for name, kind in COLUMNS.items()])


class Names:
    """What the numbers of a column stand for; more names may be added at the end at any time."""

    def __init__(self, column: str, names: Sequence[str]) -> None:
        self.column, self.list = column, list(names)
        self.known = pa.array([], pa.string())
        self.arrow()

    def arrow(self) -> pa.Array:
        """All names so far, as an Arrow array."""
        if len(self.known) != len(self.list):
            for name in self.list[len(self.known) :]:
                if not is_text(name):
                    raise TraceError(f"{self.column}: must be Unicode texts, not {name!r}")
            self.known = pa.array(self.list, pa.string())
        return self.known


def same(text: str, count: int) -> pa.Array:
    """A column with the same text in every row."""
    return pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), pa.array([text], pa.string()))


def numbers(values: Array) -> pa.Array:
    """Numbers as an Arrow array, with nulls where there is no value."""
    values = np.ascontiguousarray(values)
    missing = values == NONE
    return pa.array(values, mask=missing if missing.any() else None)


def named(column: str, places: Array, names: pa.Array, least: int = NONE) -> pa.Array:
    """The name at each of these places of a list."""
    for place in (places.min(initial=least), places.max(initial=least)):
        if not least <= place < len(names):
            raise TraceError(f"{column}: must be from {least} to {len(names) - 1}, the numbers of names, not {place}")
    return pa.DictionaryArray.from_arrays(numbers(places.astype(np.int32)), names)


def decimal(values: Array) -> pa.Array:
    """Numbers as texts."""
    encoded = numbers(values).dictionary_encode()
    return pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.cast(pa.string()))


def reason(rows: Array, names: pa.Array) -> pa.Array:
    """Names of reasons, or decimal numbers if there are no names."""
    return named("reason", rows["reason"], names) if len(names) else decimal(rows["reason"])


def detail(rows: Array, faults: pa.Array, frames: pa.Array) -> pa.Array:
    """Names of faults, and of frames that were sent or received, if there are names; decimal numbers for all else."""
    event = rows["event"]
    fault = (event == FAULT) & bool(len(faults))
    frame = ((event == SENT) | (event == RECEIVED)) & bool(len(frames))
    column = decimal(np.where(fault | frame, NONE, rows["detail"]))
    for which, names in ((fault, faults), (frame, frames)):
        if which.any():
            texts = named("detail", np.where(which, rows["detail"], NONE), names)
            column = pc.if_else(which, texts.cast(pa.string()), column.cast(pa.string())).dictionary_encode()
    return column


class Encoder:
    """Turns the rows of one run into columns."""

    def __init__(self, run: str, clock: str, channels: Names, reasons: Names, details: Names, frames: Names) -> None:
        self.schema = schema()
        self.text: dict[str, Callable[[Array], pa.Array]] = {
            "run": lambda rows: same(run, len(rows)),
            "clock": lambda rows: same(clock, len(rows)),
            "event": lambda rows: named("event", rows["event"], EVENT_NAMES, least=0),
            "channel": lambda rows: named("channel", rows["channel"], channels.arrow()),
            "reason": lambda rows: reason(rows, reasons.arrow()),
            "detail": lambda rows: detail(rows, details.arrow(), frames.arrow()),
        }

    def column(self, name: str, rows: Array) -> pa.Array:
        if name in self.text:
            return self.text[name](rows)
        values = rows[FIELDS.get(name, name)]
        return pa.array(np.ascontiguousarray(values)) if name in REQUIRED else numbers(values)

    def encode(self, rows: Array) -> pa.RecordBatch:
        columns = [self.column(name, rows) for name in COLUMNS]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)
