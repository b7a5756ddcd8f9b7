"""Measures of whole traces as jobs of Spark, whose tasks read the files themselves."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from .collecting import cut, heaps, pieces_of
from .index import Index
from .kernels.measure import Measure, with_run
from .kernels.tables import from_bytes, to_bytes
from .reading import Piece, read
from .units import Units, units

PIECES = "run string, bucket bigint, piece string, data binary"
PARTS = "run string, data binary"
PIECES_ARROW = pa.schema(
    [
        pa.field("run", pa.string()),
        pa.field("bucket", pa.int64()),
        pa.field("piece", pa.string()),
        pa.field("data", pa.binary()),
    ]
)
PARTS_ARROW = pa.schema([pa.field("run", pa.string()), pa.field("data", pa.binary())])
AT_ONCE = 1 << 16  # rows of a result that go to Spark at a time
MOST = 1 << 18  # rows of a piece that are kept as one value

Batches = Iterator[pa.RecordBatch]
Step = Callable[[Batches], Batches]


def measured(index: Index, measure: Measure, work: Units | None = None) -> DataFrame:
    """A measure of all runs of a trace, as a table that is computed when it is asked for."""
    spark = index.spark
    if work is None:
        work = units(index.files, spark.sparkContext.defaultParallelism)
    schema = from_arrow_schema(result(measure))
    frames = []
    if work.whole or not work.parts:
        frames.append(tasks(index, len(work.whole)).mapInArrow(whole(measure, work.whole), schema))
    if work.parts:
        pieces = tasks(index, len(work.parts)).mapInArrow(parts(measure, work.parts, work.buckets), PIECES)
        frames.append(pieces.transform(merged(measure)))
    return frames[0] if len(frames) == 1 else frames[0].unionByName(frames[1])


def tasks(index: Index, number: int) -> DataFrame:
    """A row for each task, in a partition of its own."""
    return index.spark.range(0, number, 1, max(number, 1))


def result(measure: Measure) -> pa.Schema:
    return pa.schema([pa.field("run", pa.string()), *measure.schema])


def whole(measure: Measure, work: Sequence[Sequence[Piece]]) -> Step:
    """Tasks that have everything of their runs."""

    def run(batches: Batches) -> Batches:
        for task in numbers(batches):
            for name, pieces in pieces_of(measure, read(work[task], measure.columns)):
                found = measure.total(measure.finish(pieces))
                yield from with_run(name, found).cast(result(measure)).to_batches(AT_ONCE)

    return run


def parts(measure: Measure, work: Sequence[Sequence[Piece]], buckets: Mapping[str, int]) -> Step:
    """Tasks that have some files of their runs: their pieces, cut into buckets."""

    def run(batches: Batches) -> Batches:
        for task in numbers(batches):
            for name, pieces in pieces_of(measure, read(work[task], measure.columns)):
                for bucket, piece, table in cut(measure, pieces, buckets[name]):
                    for begin in range(0, table.num_rows, MOST):
                        data = to_bytes(table.slice(begin, MOST))
                        yield pa.RecordBatch.from_arrays(
                            [pa.array([value]) for value in (name, bucket, piece)] + [pa.array([data], pa.binary())],
                            schema=PIECES_ARROW,
                        )

    return run


def numbers(batches: Batches) -> Iterator[int]:
    for batch in batches:
        yield from batch.column("id").to_pylist()


def merged(measure: Measure) -> Callable[[DataFrame], DataFrame]:
    """Put the pieces of each bucket together; and the buckets of each run, if a result is of the run as a whole."""

    def step(pieces: DataFrame) -> DataFrame:
        schema = from_arrow_schema(result(measure))
        found = pieces.groupBy("run", "bucket")
        if not has_total(measure):
            return found.applyInArrow(rows_of_bucket(measure), schema)
        return found.applyInArrow(part_of_bucket(measure), PARTS).groupBy("run").applyInArrow(row_of(measure), schema)

    return step


def has_total(measure: Measure) -> bool:
    return type(measure).total is not Measure.total


def rows_of_bucket(measure: Measure) -> Callable[[pa.Table], pa.Table]:
    def run(data: pa.Table) -> pa.Table:
        found = measure.finish(collected(measure, data))
        return with_run(data.column("run")[0].as_py(), found).cast(result(measure))

    return run


def part_of_bucket(measure: Measure) -> Callable[[pa.Table], pa.Table]:
    def run(data: pa.Table) -> pa.Table:
        found = to_bytes(measure.finish(collected(measure, data)))
        return pa.table([data.column("run")[:1].combine_chunks(), pa.array([found], pa.binary())], schema=PARTS_ARROW)

    return run


def row_of(measure: Measure) -> Callable[[pa.Table], pa.Table]:
    def run(data: pa.Table) -> pa.Table:
        found = pa.concat_tables(from_bytes(each) for each in data.column("data").to_pylist())
        return with_run(data.column("run")[0].as_py(), measure.total(found)).cast(result(measure))

    return run


def collected(measure: Measure, data: pa.Table) -> dict[str, pa.Table]:
    """The pieces of a bucket, from all tasks that had some."""
    found = heaps(measure)
    for name, bytes_ in zip(data.column("piece").to_pylist(), data.column("data")):
        found[name].add(from_bytes(bytes_.as_buffer()))
    return {name: heap.combined() for name, heap in found.items()}
