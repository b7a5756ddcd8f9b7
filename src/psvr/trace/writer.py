"""Rows in, finished files out, in bounded memory."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from .arrow import Array, Encoder, Names
from .columns import CLOCKS, VERSION, TraceError, is_text, one_line
from .files import part_name, to_metadata
from .part import Part
from .rows import ROW

GROUP = 1 << 17  # rows encoded at a time: 10 MB, larger groups are no faster
ROWS_PER_FILE = 1_000_000  # some 10 MB: what a kill can cost at most, and still few files


class Writer:
    """The trace of one run.  An error from `write` or `close` ends it; parts finished before stay.

    Names that numbers stand for: of channels, of reasons, of faults (`details`), and of frames sent and received.
    """

    def __init__(
        self,
        folder: str | Path,
        run: str,
        clock: str = "sim",
        channels: Sequence[str] = (),
        reasons: Sequence[str] = (),
        details: Sequence[str] = (),
        provenance: Mapping[str, str] | None = None,
        rows_per_file: int = ROWS_PER_FILE,
        frames: Sequence[str] = (),
    ) -> None:
        check(run, clock, rows_per_file)
        names = Names("channels", channels)
        self.channels = names.list  # the host may append to it
        self.folder, self.run, self.rows_per_file = Path(folder), run, rows_per_file
        self.encoder = Encoder(
            run, clock, names, Names("reasons", reasons), Names("details", details), Names("frames", frames)
        )
        self.schema = self.encoder.schema.with_metadata(metadata(run, clock, provenance or {}))
        self.buffer, self.filled = np.empty(min(GROUP, rows_per_file), ROW), 0
        self.number, self.closed = 0, False
        with as_trace_error(self.folder):  # opened at once, to learn before a long run whether it can be
            self.folder.mkdir(parents=True, exist_ok=True)
            self.part: Part | None = self.next_part()

    def next_part(self) -> Part:
        return Part(self.folder / part_name(self.run, self.number), self.schema)

    def write(self, rows: Array) -> None:
        """Add rows of `ROW`; they are copied, so the array may be used again."""
        if self.closed:
            raise TraceError(f"{self.folder}: the trace is closed")
        if rows.dtype != ROW or rows.ndim != 1:
            raise TraceError("rows: must be an array of psvr.trace.ROW with one dimension")
        begin = 0
        while begin < len(rows):
            count = min(len(rows) - begin, self.room() - self.filled)
            self.buffer[self.filled : self.filled + count] = rows[begin : begin + count]
            self.filled += count
            begin += count
            if self.filled == self.room():
                self.flush()

    def room(self) -> int:
        """Rows that the next group may have."""
        return min(len(self.buffer), self.rows_per_file - (self.part.rows if self.part else 0))

    def flush(self) -> None:
        """Encode what is collected, and finish the part if it is full."""
        with self.ends_on_error():
            batch = self.encoder.encode(self.buffer[: self.filled])
            self.part = self.part or self.next_part()
            self.filled = 0  # before, so that an interrupt cannot make `close` write these rows again
            self.part.write(batch)
            if self.part.rows == self.rows_per_file:
                self.finish()

    def finish(self) -> None:
        if self.part is not None:
            self.part.finish()
            self.part = None
            self.number += 1

    def close(self) -> None:
        """Write what is left.  A run without events leaves an empty part: it is a run all the same."""
        if self.closed:
            return
        if self.filled:
            self.flush()
        with self.ends_on_error():
            self.finish()
        self.closed = True

    @contextlib.contextmanager
    def ends_on_error(self) -> Iterator[None]:
        """Close the trace after any error, and give up the part being written."""
        try:
            with as_trace_error(self.folder):
                yield
        except Exception:
            self.closed = True
            if self.part is not None:
                self.part.abandon()
                self.part = None
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check(run: str, clock: str, rows_per_file: int) -> None:
    """Refuse arguments of a writer that make no trace."""
    if not isinstance(run, str) or not run or not run.isprintable():
        raise TraceError(f"run: must be a name of printable characters, not {run!r}")
    if clock not in CLOCKS:
        raise TraceError(f"clock: must be {' or '.join(CLOCKS)}, not {clock!r}")
    if rows_per_file < 1:
        raise TraceError(f"rows_per_file: must be 1 or more, not {rows_per_file}")


def metadata(run: str, clock: str, provenance: Mapping[str, str]) -> dict[str, str]:
    """What every file of the trace says about its run."""
    own = {"run": run, "clock": clock, "schema": VERSION, "pyarrow": pa.__version__}
    for key, value in provenance.items():
        if key in own:
            raise TraceError(f"provenance: must not have {', '.join(own)}, which the trace says itself")
        if not is_text(key) or not is_text(value):
            raise TraceError(f"provenance.{key}: must be Unicode text, not {value!r}")
    return to_metadata({**provenance, **own})


@contextlib.contextmanager
def as_trace_error(folder: Path) -> Iterator[None]:
    """Raise an error of the system as a TraceError that names the folder."""
    try:
        yield
    except OSError as problem:
        raise TraceError(f"{folder}: the trace cannot be written: {one_line(problem)}") from problem
