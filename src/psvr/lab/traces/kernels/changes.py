"""Changes of parents, rings and tables, and how long what was chosen lasted."""

import re
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from psvr.trace.columns import EVENTS, PARENT_CHANGED, RING_CHANGED, TABLE_CHANGED

from ..batches import Batch
from .measure import Measure, Pieces, Shape, fields
from .tables import array, dense

ROWS = fields("clock", "time", "node", "event", "peer", "detail")
WHAT = {code: EVENTS[code].partition(" ")[0] for code in (PARENT_CHANGED, RING_CHANGED, TABLE_CHANGED)}
NUMBER = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)


class Changes(Measure):
    columns = ROWS.names
    shapes: ClassVar = {"changes": Shape(ROWS, ("node", "event"))}
    schema = pa.schema(
        [
            *fields("clock", "time", "node"),
            pa.field("what", pa.string()),
            *fields("value", "root", "before", "lasted_us"),
        ]
    )

    def take(self, batch: Batch) -> Pieces:
        return {"changes": batch.plain(ROWS.names, batch.of(*WHAT))}

    def finish(self, pieces: Pieces) -> pa.Table:
        rows = pieces["changes"]
        event, detail = array(rows, "event"), pa.array(map(number, rows.column("detail").to_pylist()), pa.int64())
        parent = pa.array(event == PARENT_CHANGED)
        value = pc.if_else(parent, rows.column("peer"), detail)
        root = pc.if_else(parent, detail, pa.scalar(None, pa.int64()))
        rows = rows.append_column("value", value).append_column("root", root)
        [which] = dense(["node", "event"], rows)
        known = value.is_valid().to_numpy()
        order = np.lexsort((array(rows, "value"), known, array(rows, "time"), which))
        rows, which = rows.take(pa.array(order)), which[order]
        same = which[1:] == which[:-1]
        time, count = array(rows, "time"), np.arange(len(order))
        first, last = np.append(True, ~same)[: len(order)], np.append(~same, True)[: len(order)]
        before = rows.column("value").take(pa.array(np.maximum(count - 1, 0), mask=first))
        lasted = pa.array(np.append(np.diff(time), 0)[: len(order)], mask=last)
        what = pa.array([WHAT[code] for code in array(rows, "event").tolist()], pa.string())
        for name, column in (("what", what), ("before", before), ("lasted_us", lasted)):
            rows = rows.append_column(name, column)
        return rows.select(self.schema.names)


def number(text: str | None) -> int | None:
    """A text as a number of 64 bits, or None if it is none."""
    if text is None or not NUMBER.fullmatch(text):
        return None
    found = int(text)
    return found if -(1 << 63) <= found < 1 << 63 else None
