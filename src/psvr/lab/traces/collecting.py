"""Putting pieces together within a task, in memory that does not grow with the number of rows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from .batches import Batch
from .kernels.measure import Measure, Pieces
from .kernels.tables import buckets

PENDING = 1 << 20  # rows of pieces that are put together at a time


class Heap:
    """The tables of one piece: put together, and made smaller, whenever there is as much again."""

    def __init__(self, measure: Measure, name: str) -> None:
        self.measure, self.name = measure, name
        self.tables: list[pa.Table] = []
        self.rows, self.most = 0, PENDING

    def add(self, table: pa.Table) -> None:
        if not table.num_rows:
            return
        self.tables.append(table)
        self.rows += table.num_rows
        if self.rows > self.most:
            self.tables = [self.combined()]
            self.rows = self.tables[0].num_rows
            self.most = max(PENDING, 2 * self.rows)

    def combined(self) -> pa.Table:
        """All tables as one, in as few chunks as can be."""
        schema = self.measure.shapes[self.name].schema
        if not self.tables:
            return schema.empty_table()
        found = pa.concat_tables(table.cast(schema) for table in self.tables)
        return self.measure.combine(self.name, found).select(schema.names).cast(schema).combine_chunks()


def heaps(measure: Measure) -> dict[str, Heap]:
    return {name: Heap(measure, name) for name in measure.shapes}


def pieces_of(measure: Measure, batches: Iterable[Batch]) -> Iterator[tuple[str, Pieces]]:
    """The pieces of each run."""
    runs: dict[str, dict[str, Heap]] = defaultdict(lambda: heaps(measure))
    for batch in batches:
        for name, table in measure.take(batch).items():
            runs[batch.run][name].add(table)
    for run in list(runs):
        yield run, {name: heap.combined() for name, heap in runs.pop(run).items()}


def cut(measure: Measure, pieces: Pieces, number: int) -> Iterator[tuple[int, str, pa.Table]]:
    """The pieces for each bucket."""
    for name, table in pieces.items():
        keys = measure.shapes[name].keys
        if not keys:
            yield from ((bucket, name, table) for bucket in range(number) if table.num_rows)
            continue
        place = buckets(table, keys, number)
        order = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[order], np.arange(number + 1))
        table = table.take(pa.array(order))
        for bucket in range(number):
            if ends[bucket] < ends[bucket + 1]:
                yield bucket, name, table.slice(ends[bucket], ends[bucket + 1] - ends[bucket])
