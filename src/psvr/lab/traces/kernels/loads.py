"""What nodes and links had to carry."""

from typing import ClassVar

import numpy as np
import pyarrow as pa

from psvr.trace.columns import DELIVERED, DROPPED, PUBLISHED, RECEIVED, SENT

from ..batches import Batch
from .measure import Measure, Pieces, Shape, fields
from .tables import array, counted, grouped

NODE, LINK = ("node", "event", "pub"), ("node", "peer")
COUNTED = {  # column, event, and whether only rows with a publication count (True), without (False), or both (None)
    "published": (PUBLISHED, None),
    "delivered": (DELIVERED, None),
    "sent": (SENT, True),
    "received": (RECEIVED, True),
    "dropped": (DROPPED, None),
    "control_sent": (SENT, False),
    "control_received": (RECEIVED, False),
}


class NodeLoad(Measure):
    columns = ("node", "sequence")
    shapes: ClassVar = {"counts": Shape(fields(*NODE, "n"), ("node",))}
    schema = fields("node", *COUNTED)

    def take(self, batch: Batch) -> Pieces:
        rows = batch.table(["node", "event"]).append_column("pub", pa.array(batch.present("sequence").view(np.int8)))
        return {"counts": counted(rows, NODE)}

    def combine(self, name: str, piece: pa.Table) -> pa.Table:
        return grouped(piece, NODE, n="sum")

    def finish(self, pieces: Pieces) -> pa.Table:
        piece = pieces["counts"]
        event, pub, n = (array(piece, name) for name in ("event", "pub", "n"))
        columns = {
            name: np.where((event == code) & (True if about is None else pub == about), n, 0)
            for name, (code, about) in COUNTED.items()
        }
        table = pa.table({"node": piece.column("node"), **columns})
        return grouped(table, ["node"], **dict.fromkeys(columns, "sum"))


class LinkLoad(Measure):
    columns = ("node", "peer", "sequence")
    shapes: ClassVar = {"counts": Shape(fields(*LINK, "n"), LINK)}
    schema = fields(*LINK, "messages")

    def take(self, batch: Batch) -> Pieces:
        return {"counts": counted(batch.table(LINK, batch.of(SENT) & batch.present("sequence")), LINK)}

    def combine(self, name: str, piece: pa.Table) -> pa.Table:
        return grouped(piece, LINK, n="sum")

    def finish(self, pieces: Pieces) -> pa.Table:
        return pieces["counts"].rename_columns([*LINK, "messages"])
