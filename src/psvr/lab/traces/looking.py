"""Looking into one file of a trace: which runs, how many rows, when, which events, and what is wrong with it."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from psvr.trace.columns import COLUMNS, EVENTS, TraceError
from psvr.trace.files import LINES

from .reading import Piece, named, open_parquet, read

LIGHT = ("run", "time", "clock", "event")


@dataclass(frozen=True)
class File:
    """What is in a file.  If it is damaged, `damage` says how, in one line that names it, and nothing else is known."""

    file: str
    bytes: int
    groups: int = 1  # row groups, of Parquet
    rows: int = 0
    first: int | None = None  # time of its rows in µs, from …
    last: int | None = None  # … to
    runs: dict[str, int] = field(default_factory=dict)  # rows of each
    events: dict[str, int] = field(default_factory=dict)
    damage: str | None = None

    @property
    def is_lines(self) -> bool:
        return self.file.endswith(LINES)


def look(file: str, deep: bool) -> File:
    """Read a file, all its columns if `deep`: whatever is damaged in these is found."""
    size = 0
    try:
        with named(file):
            size = Path(file).stat().st_size
            groups = 1 if file.endswith(LINES) else max(1, open_parquet(file).num_row_groups)
        return File(file, size, groups, **counts(file, tuple(COLUMNS) if deep else LIGHT))
    except TraceError as problem:
        return File(file, size, damage=str(problem))


def counts(file: str, columns: tuple[str, ...]) -> dict[str, Any]:
    runs: Counter[str] = Counter()
    events = np.zeros(len(EVENTS), np.int64)
    times: list[int] = []
    for batch in read([Piece(file)], columns):
        time = batch.rows.column("time").to_numpy()
        runs[batch.run] += len(time)
        events += np.bincount(batch.events, minlength=len(EVENTS))
        times = [min([*times, int(time.min())]), max([*times, int(time.max())])]
    return {
        "rows": runs.total(),
        "first": times[0] if times else None,
        "last": times[-1] if times else None,
        "runs": dict(runs),
        "events": {name: int(number) for name, number in zip(EVENTS, events) if number},
    }
