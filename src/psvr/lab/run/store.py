"""The stored rows of a study: what its manifests name, as a table of Spark."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from psvr.atomic import replace
from psvr.errors import BadInput
from psvr.lab.spark.paths import spark_path
from psvr.lab.study.trials import Cell, id_of

from . import manifest, parts
from .earlier import adopt
from .intervals import Interval, size, union
from .manifest import State
from .parts import FAILED, ROWS, Part, Span
from .provenance import Origin, origin
from .reading import readable
from .tasks import Done
from .work import FAILURES

NOT_WHOLE = "is not as it was written; remove it, and the same command runs its trials again"
VERIFIED = {"parquet.page.verify-checksum.enabled": "true"}


def opened(folder: Path, cells: Sequence[Cell]) -> State:
    """Return what a folder holds.  A file that was removed does not count; one of another size is reported."""
    state, gone = manifest.read(folder), set()
    if state.number == 0:
        state = adopt(folder, cells)
    for part in state.parts.values():
        file = folder / part.file
        if not file.exists() and not file.is_symlink():
            gone.add(part.file)
            continue
        with readable(file, NOT_WHOLE):
            if file.stat().st_size != part.bytes:
                raise ValueError(part.file)
    return state.only(state.parts.keys() - gone)


def write_table(table: pa.Table, file: Path, notes: Mapping[str, str]) -> Path:
    """Write a table with its provenance, and return the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(file, parts.encoded(table, notes))
    return file


def origin_of(state: State) -> Origin:
    """Return where the rows of a study come from."""
    return origin([note for part in state.holding(ROWS) for note in state.notes_of(part)])


def read(spark: SparkSession, folder: Path, state: State, cells: Sequence[Cell], schema: pa.Schema) -> DataFrame:
    """Return the stored rows of these cells, in this form; files of earlier forms may have other columns."""
    known = {cell.key: cell for cell in cells}
    groups: dict[tuple[str, bool], list[Part]] = defaultdict(list)
    for part in state.holding(ROWS):
        spans = spans_within(part, known)
        if spans:
            groups[part.form, spans == list(part.spans)].append(part)
    frames = [spark.createDataFrame([], from_arrow_schema(schema))]
    for (_, whole), found in groups.items():
        rows = spark.read.options(**VERIFIED).parquet(*[spark_path(folder / part.file) for part in found])
        if not whole:
            spans = [span for part in found for span in spans_within(part, known)]
            rows = rows.join(pairs(spark, spans, known), ["trial", "system"], "left_semi")
        frames.append(with_schema(rows, schema))
    return reduce(DataFrame.unionByName, frames)


def spans_within(part: Part, known: Mapping[str, Cell]) -> list[Span]:
    """Return what of a part belongs to these cells."""
    found = []
    for span in part.spans:
        grid = known[span.cell].grid if span.cell in known else None
        systems = tuple(s for s in span.systems if grid is not None and s in grid.systems)
        if grid is not None and systems and span.first < grid.repetitions:
            found.append(Span(span.cell, systems, span.first, min(span.last, grid.repetitions)))
    return found


def pairs(spark: SparkSession, spans: Sequence[Span], known: Mapping[str, Cell]) -> DataFrame:
    """Return the ids and systems of all trials in these spans."""
    rows = [(known[s.cell].identity, list(s.systems), s.first, s.last) for s in spans]

    def ids(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                trials = [id_of(row["identity"], n) for n in range(row["first"], row["last"]) for _ in row["systems"]]
                systems = row["systems"] * (row["last"] - row["first"])
                yield pa.RecordBatch.from_pydict({"trial": trials, "system": systems})

    frame = spark.createDataFrame(rows, "identity string, systems array<string>, first bigint, last bigint")
    return frame.mapInArrow(ids, "trial string, system string")


def with_schema(rows: DataFrame, schema: pa.Schema) -> DataFrame:
    """Return rows with the columns of this schema, null where they have none."""
    types = from_arrow_schema(schema)
    return rows.select(
        [
            (F.col(f.name) if f.name in rows.columns else F.lit(None)).cast(f.dataType).alias(f.name)
            for f in types.fields
        ]
    )


def failures(folder: Path, state: State, cells: Sequence[Cell]) -> pa.Table:
    """Return the trials of these cells that have failed whenever they were tried, each once."""
    known, done = {cell.key: cell for cell in cells}, state.done
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for part in state.holding(FAILED):
        with readable(folder / part.file, NOT_WHOLE):
            rows = pq.read_table(folder / part.file, page_checksum_verification=True).to_pylist()
        for row in rows:
            if still_fails(row, known, done):
                key = row["cell"], row["repetition"]
                row["attempts"] += found[key]["attempts"] if key in found else 0
                found[key] = row
    return pa.Table.from_pylist(sorted(found.values(), key=lambda row: row["trial"]), FAILURES)


def still_fails(row: Mapping[str, Any], known: Mapping[str, Cell], done: Done) -> bool:
    """Return whether a trial is one of these cells, and has not been run since."""
    cell, number = known.get(row["cell"]), row["repetition"]
    if cell is None or number >= cell.grid.repetitions:
        return False
    return any(
        not any(first <= number < last for first, last in done.get((cell.key, system), ()))
        for system in row["systems"]
        if system in cell.grid.systems
    )


def find_damage(folder: Path, state: State) -> BadInput | None:
    """Return which file cannot be read and why, after Spark failed to read; None if all can be read."""
    for part in state.holding(ROWS):
        try:
            with readable(folder / part.file, NOT_WHOLE):
                if parts.checksum_of((folder / part.file).read_bytes()) != part.checksum:
                    raise ValueError(part.file)
        except BadInput as error:
            return error
    return None


def count_finished(state: State, cells: Sequence[Cell]) -> tuple[int, int]:
    """Return how many trials have finished under any system: those of these cells, and others."""
    limits, ours, others = {cell.key: cell.grid.repetitions for cell in cells}, 0, 0
    trials: dict[str, list[Interval]] = defaultdict(list)
    for part in state.holding(ROWS):
        for span in part.spans:
            trials[span.cell].append((span.first, span.last))
    for key, intervals in trials.items():
        limit, found = limits.get(key, 0), union(intervals)
        inside = size((first, min(last, limit)) for first, last in found if first < limit)
        ours, others = ours + inside, others + size(found) - inside
    return ours, others


def other_code(state: State, code: str) -> dict[str, int]:
    """Return the number of trials that were finished by each other code."""
    found: Counter[str] = Counter()
    for part in state.holding(ROWS):
        for note in state.notes_of(part):
            if note.get("code", "") != code:
                found[note.get("code", "")] += part.trials
    return dict(found)
