"""Traces as they should not be, and files of every kind that hold them."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from psvr.lab.traces import jobs
from psvr.lab.traces.kernels.measure import Measure
from psvr.lab.traces.looking import look
from psvr.lab.traces.units import Units, units
from psvr.trace import COLUMNS, EVENTS, json_line, schema

Row = dict[str, Any]
SECOND = 1_000_000
DETAILS = [None, "7", "-3", " 12 ", "+4", "x", "", "1.5", "99999999999999999999", "crash"]
BUSY = [
    "published",
    "published",
    "sent",
    "received",
    "delivered",
    "delivered",
    "delivered",
    "subscribed",
    "unsubscribed",
]


def mostly(value: Any, *others: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from([value] * 12 + list(others))


@st.composite
def rows(draw: st.DrawFn, runs: Sequence[str] = ("one", "two [x]", "three"), most: int = 60) -> list[Row]:
    """Rows in any order: few nodes, publications and times, so that everything meets; some values are missing."""
    row = st.fixed_dictionaries(
        {
            "run": st.sampled_from(runs),
            "time": st.integers(0, 12).map(lambda time: time * 5 * SECOND),
            "clock": mostly("sim", "unix"),
            "node": st.integers(0, 4),
            "event": st.sampled_from([*BUSY, *EVENTS]),
            "peer": st.sampled_from([None, 0, 1, 2]),
            "channel": st.sampled_from(["a", "a", "a", "b", "", None]),
            "origin": mostly(0, 0, 1, 1, 2, None),
            "boot": mostly(0, 1, None),
            "sequence": mostly(1, 1, 2, 2, None),
            "hops": st.sampled_from([None, 0, 1, 2, 5]),
            "detail": st.sampled_from(DETAILS),
        }
    )
    return [{**dict.fromkeys(COLUMNS), **each} for each in draw(st.lists(row, max_size=most))]


def dense(seed: int, number: int = 500) -> list[Row]:
    """Many rows about few publications, so that everything happens several times, in one order or another."""
    choose = random.Random(seed).choice
    return [
        {
            **dict.fromkeys(COLUMNS),
            "run": choose(["one", "one", "one", "two [x]", "three"]),
            "time": choose(range(13)) * 5 * SECOND,
            "clock": choose(["sim"] * 20 + ["unix"]),
            "node": choose(range(5)),
            "event": choose([*BUSY, *EVENTS]),
            "peer": choose([None, 0, 1, 2]),
            "channel": choose(["a", "a", "a", "b", "", None]),
            "origin": choose([0, 0, 0, 1, 1, 2, None]),
            "boot": choose([0, 0, 0, 0, 1, None]),
            "sequence": choose([1, 1, 1, 2, 2, 3, None]),
            "hops": choose([None, 0, 1, 2, 5]),
            "detail": choose(DETAILS),
        }
        for _ in range(number)
    ]


def write_parquet(file: Path, some: Sequence[Row], group: int = 1 << 17, version: str = "1") -> None:
    table = pa.Table.from_pylist(list(some), schema()).replace_schema_metadata(
        {"psvr.run": "several", "psvr.schema": version}
    )
    pq.write_table(table, file, row_group_size=group, write_page_checksum=True)


def write_lines(file: Path, some: Sequence[Row]) -> None:
    file.write_text("".join(json_line({k: v for k, v in row.items() if v is not None}) for row in some))


def answer(measure: Measure, files: Sequence[Path], **limits: int) -> list[Row]:
    """A measure, by the functions that Spark calls, called in this process; small limits read every run in parts."""
    work = units([look(str(file), deep=True) for file in files], 2, **limits)
    return [*whole(measure, work), *in_parts(measure, work)]


def ids(number: int) -> Any:
    return iter([pa.RecordBatch.from_pydict({"id": list(range(number))})])


def whole(measure: Measure, work: Units) -> list[Row]:
    return [row for batch in jobs.whole(measure, work.whole)(ids(len(work.whole))) for row in batch.to_pylist()]


def in_parts(measure: Measure, work: Units) -> list[Row]:
    batches = list(jobs.parts(measure, work.parts, work.buckets)(ids(len(work.parts))))
    pieces = pa.Table.from_batches(batches, jobs.PIECES_ARROW)
    if not jobs.has_total(measure):
        return [
            row for each in groups(pieces, "run", "bucket") for row in jobs.rows_of_bucket(measure)(each).to_pylist()
        ]
    parts = [jobs.part_of_bucket(measure)(each) for each in groups(pieces, "run", "bucket")]
    if not parts:
        return []
    return [row for each in groups(pa.concat_tables(parts), "run") for row in jobs.row_of(measure)(each).to_pylist()]


def groups(table: pa.Table, *keys: str) -> list[pa.Table]:
    """What `groupBy` makes of a table."""
    values = list(zip(*(table.column(key).to_pylist() for key in keys)))
    return [table.filter(pa.array([value == each for value in values])) for each in dict.fromkeys(values)]
