"""What became of each publication."""

from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from psvr.trace.columns import DELIVERED, DROPPED, PUBLISHED, RECEIVED, SENT

from ..batches import Batch
from .measure import Measure, Pieces, Shape, fields
from .tables import KEY, array, grouped, where

COUNTS = fields(*KEY, "event", "channel", "clock", "n", "time")
COUNTED = {"messages": SENT, "receptions": RECEIVED, "deliveries": DELIVERED, "drops": DROPPED}


def counts(batch: Batch) -> pa.Table:
    """How often each event happened to each publication, and when first.

    Rows are grouped by the places of texts in their dictionaries, which is faster than by texts.
    """
    rows = batch.table([*KEY, "event", "time", "channel", "clock"], batch.present("sequence"))
    if not rows.num_rows:
        return COUNTS.empty_table()
    words = {name: rows.column(name).chunk(0) for name in ("channel", "clock")}
    for name, column in words.items():
        rows = rows.set_column(rows.schema.get_field_index(name), name, [column.indices])
    rows = rows.append_column("n", pa.array(np.ones(rows.num_rows, np.int64)))
    found = grouped(rows, [*KEY, "event", "channel", "clock"], n="sum", time="min")
    for name, column in words.items():
        texts = column.dictionary.cast(pa.string()).take(found.column(name).combine_chunks())
        found = found.set_column(found.schema.get_field_index(name), name, texts)
    return found


def combined(piece: pa.Table) -> pa.Table:
    return grouped(piece, [*KEY, "event", "channel", "clock"], n="sum", time="min")


def pivoted(piece: pa.Table) -> pa.Table:
    """One row per publication that was published as far as the trace says."""
    event, n = array(piece, "event"), array(piece, "n")
    published = pc.if_else(pa.array(event == PUBLISHED), piece.column("time"), pa.scalar(None, pa.int64()))
    columns = {name: np.where(event == code, n, 0) for name, code in COUNTED.items()}
    table = pa.table({name: piece.column(name) for name in (*KEY, "clock", "channel")} | {"time": published} | columns)
    found = grouped(table, KEY, clock="min", channel="min", time="min", **dict.fromkeys(columns, "sum"))
    return where(found, found.column("time").is_valid().to_numpy())


class Publications(Measure):
    columns = (*KEY, "event", "time", "channel", "clock")
    shapes: ClassVar = {"counts": Shape(COUNTS, KEY)}
    schema = fields(*KEY, "clock", "channel", "time", *COUNTED)

    def take(self, batch: Batch) -> Pieces:
        return {"counts": counts(batch)}

    def combine(self, name: str, piece: pa.Table) -> pa.Table:
        return combined(piece)

    def finish(self, pieces: Pieces) -> pa.Table:
        return pivoted(pieces["counts"])
