"""What a measure is: how rows become pieces, how pieces are put together, and what follows from all of a run's.

A piece is a table, small against the rows it comes from.  A run is measured in one task, or its files in several: then
pieces are cut into buckets by their keys, and what belongs together meets again in one bucket.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from ..batches import Batch

TYPES = {
    "run": pa.string(),
    "clock": pa.string(),
    "channel": pa.string(),
    "detail": pa.string(),
    "event": pa.int8(),
    "boot": pa.int32(),
    "sequence": pa.int32(),
    "hops": pa.int32(),
    "copy": pa.int32(),
}
Pieces = Mapping[str, pa.Table]


def fields(*names: str) -> pa.Schema:
    """A schema of columns by name; all that are not columns of texts, or short, are 64 bits long."""
    return pa.schema([pa.field(name, TYPES.get(name, pa.int64())) for name in names])


@dataclass(frozen=True)
class Shape:
    """The columns of a piece, and the keys by which it is cut into buckets; without any it goes to every bucket."""

    schema: pa.Schema
    keys: tuple[str, ...] = ()


class Measure(ABC):
    columns: ClassVar[tuple[str, ...]]  # of the trace
    shapes: ClassVar[Mapping[str, Shape]]
    schema: ClassVar[pa.Schema]  # of the result, without the run

    @abstractmethod
    def take(self, batch: Batch) -> Pieces:
        """The pieces of some rows."""

    def combine(self, name: str, piece: pa.Table) -> pa.Table:
        """A piece that was put together from several, made smaller where it can be."""
        return piece

    @abstractmethod
    def finish(self, pieces: Pieces) -> pa.Table:
        """The result for all pieces of a run, or of one of its buckets."""

    def total(self, parts: pa.Table) -> pa.Table:
        """The result for the results of all buckets of a run."""
        return parts


def with_run(run: str, table: pa.Table) -> pa.Table:
    return table.add_column(0, "run", pa.repeat(pa.scalar(run), table.num_rows))
