"""What a task of the ingestion does: read pieces, write Parquet files out of sight, and report them.

Nothing that a task leaves behind counts until the driver has committed it, so tasks may be killed, repeated, and run
twice at once.
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .offsets import Range
from .parsing import KEPT, Bad
from .pieces import Gone
from .tables import FLAT, tables

DAY = 86_400_000_000  # µs
FIRST_DAY, LAST_DAY = (int(np.datetime64(text, "D").astype(int)) for text in ("0001-01-01", "9999-12-31"))
MOST_OPEN = 32  # files at a time, for pieces with many runs or days
LONGEST = 200  # bytes of the name of a folder, of which file systems take 255
SPECIAL = re.compile(r"""[\x00-\x1f"#%'*/:=?\\{}\[\]^\x7f]""")
STAMP = pa.timestamp("us", tz="UTC")
TRACE = pa.schema([FLAT.field("time").with_name("timestamp").with_type(STAMP), *(f for f in FLAT if f.name != "run")])
BAD = pa.schema([("file", pa.string()), ("offset", pa.int64()), ("line", pa.binary()), ("reason", pa.string())])
GAPS = pa.schema(
    [
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("bytes", pa.int64()),
        ("reason", pa.string()),
        ("noticed", STAMP),
    ]
)
TEXTS = [f.name for f in TRACE if f.type == pa.string()]


@dataclass
class Report:
    """What a task has done: hidden files with the folders they belong to, and what it could not read."""

    files: list[tuple[str, str]] = field(default_factory=list)
    rows: int = 0
    bad: int = 0
    gone: list[tuple[str, int, int]] = field(default_factory=list)  # file, first byte and number of bytes

    def to_json(self) -> str:
        return json.dumps(vars(self))

    @staticmethod
    def from_json(text: str) -> "Report":
        return Report(**json.loads(text))


class Files:
    """The Parquet files that a task writes, one for each folder; on the disk before the task reports them."""

    def __init__(self, incoming: Path) -> None:
        self.incoming = incoming
        self.open: dict[str, tuple[pa.OSFile, pq.ParquetWriter]] = {}
        self.written = list[tuple[str, str]]()

    def write(self, folder: str, table: pa.Table) -> None:
        if folder not in self.open:
            if len(self.open) >= MOST_OPEN:
                self.close(next(iter(self.open)))
            name = f"{secrets.token_hex(8)}.half"  # no reader takes it for a part
            sink = pa.OSFile(str(self.incoming / name), "wb")
            writer = pq.ParquetWriter(
                sink,
                table.schema,
                compression="zstd",
                use_dictionary=[name for name in table.schema.names if name in TEXTS],
                write_page_checksum=True,
            )
            self.open[folder] = sink, writer
            self.written.append((name, folder))
        self.open[folder][1].write_table(table)

    def close(self, folder: str) -> None:
        sink, writer = self.open.pop(folder)
        writer.close()
        sink.close()

    def finish(self) -> list[tuple[str, str]]:
        for folder in list(self.open):
            self.close(folder)
        for name, _ in self.written:
            handle = os.open(self.incoming / name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        return self.written


def write(folder: Path, pieces: Sequence[Range], incoming: Path) -> Report:
    """Read pieces and write what is in them."""
    files, report = Files(incoming), Report()
    bad = list[dict[str, Any]]()
    for piece in pieces:
        try:
            for found in tables(folder, piece):
                if isinstance(found, Bad):
                    bad.append({"file": printable(piece.name), **vars(found)})
                    continue
                good, others = with_place(found)
                bad += [{"file": printable(piece.name), "offset": None, **row} for row in others]
                for place, rows in by_place(good):
                    files.write(place, rows)
                    report.rows += rows.num_rows
        except Gone as gone:
            report.gone.append((piece.name, gone.at, piece.end - gone.at))
        if len(bad) >= 1000:
            report.bad += set_apart(files, bad)
    report.bad += set_apart(files, bad)
    report.files = files.finish()
    return report


def set_apart(files: Files, bad: list[dict[str, Any]]) -> int:
    count = len(bad)
    if bad:
        files.write("bad", pa.Table.from_pylist(bad, BAD))
        bad.clear()
    return count


def printable(name: str) -> str:
    """A file's name as text, also if it is none."""
    return os.fsencode(name).decode(errors="replace")


def with_place(table: pa.Table) -> tuple[pa.Table, list[dict[str, Any]]]:
    """Rows that a folder can be found for, and the others as bad lines: there is no date, or no name, for them."""
    days = np.floor_divide(table["time"].to_numpy(), DAY)
    dated = (days >= FIRST_DAY) & (days <= LAST_DAY)
    names = [run for run in table["run"].unique().to_pylist() if not 0 < len(escaped(run).encode()) <= LONGEST]
    named = np.ones(len(dated), bool) if not names else ~np.isin(table["run"].to_pylist(), names)
    if dated.all() and named.all():
        return table, []
    bad = [as_bad(row, "run: must be a name that can be that of a folder") for row in rows_where(table, ~named)]
    bad += [as_bad(row, "time: must be in the years 1 to 9999") for row in rows_where(table, named & ~dated)]
    return table.filter(pa.array(dated & named)), bad


def rows_where(table: pa.Table, mask: np.ndarray[Any, np.dtype[Any]]) -> list[dict[str, Any]]:
    return table.filter(pa.array(mask)).to_pylist()  # type: ignore[no-any-return]


def as_bad(row: dict[str, Any], reason: str) -> dict[str, Any]:
    text = json.dumps({name: value for name, value in row.items() if value is not None}, ensure_ascii=False)
    return {"line": text.encode()[:KEPT], "reason": reason}


def by_place(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Split rows by run and date, in their order, with a timestamp and without the run."""
    if not table.num_rows:
        return
    days = np.floor_divide(table["time"].to_numpy(), DAY)
    codes = table["run"].combine_chunks().dictionary_encode()
    pairs = np.stack([codes.indices.to_numpy(), days])
    found, which = (
        np.unique(pairs, axis=1, return_inverse=True) if (pairs != pairs[:, :1]).any() else (pairs[:, :1], None)
    )
    stamped = pa.Table.from_arrays(
        [table["time"].cast(STAMP), *(table[f.name] for f in FLAT if f.name != "run")], schema=TRACE
    )
    for i, (code, day) in enumerate(found.T):
        rows = stamped if which is None else stamped.filter(pa.array(which.ravel() == i))
        yield f"trace/run={escaped(codes.dictionary[int(code)].as_py())}/date={np.datetime64(int(day), 'D')}", rows


def escaped(run: str) -> str:
    """A run's name as the name of a folder, with the escapes that Spark, Arrow and DuckDB undo."""
    return SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", run)


def task(
    folder: str, bundles: Sequence[Sequence[Range]], incoming: str
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What Spark calls in a task, with the number of its bundle."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                report = write(Path(folder), bundles[number], Path(incoming))
                yield pa.RecordBatch.from_pydict({"report": [report.to_json()]})

    return run
