"""An index of the files of a trace, made by a job of Spark."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from psvr.errors import BadInput
from psvr.lab.spark.errors import spark_errors
from psvr.trace.columns import TraceError
from psvr.trace.reading import files

from .looking import File, look

SCHEMA = (
    "file string, bytes bigint, groups bigint, rows bigint, first bigint, last bigint, runs map<string, bigint>, "
    "events map<string, bigint>, damage string"
)
ARROW = pa.schema(
    [
        pa.field("file", pa.string()),
        *[pa.field(name, pa.int64()) for name in ("bytes", "groups", "rows", "first", "last")],
        *[pa.field(name, pa.map_(pa.string(), pa.int64())) for name in ("runs", "events")],
        pa.field("damage", pa.string()),
    ]
)
TASK_BYTES = 32 << 20  # of files that one task looks into
TASK_FILES = 200
SHOWN = 3  # damaged files that an error names

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Index:
    """The whole files of a trace, and the damaged ones, which were left out."""

    spark: SparkSession
    folder: Path
    files: tuple[File, ...]
    damaged: tuple[File, ...] = ()

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def runs(self) -> dict[str, int]:
        """The rows of each run."""
        found: Counter[str] = Counter()
        for file in self.files:
            found.update(file.runs)
        return dict(found)

    def frame(self) -> DataFrame:
        """The index as a table: a row for each file, with what is damaged in words."""
        return self.spark.createDataFrame(table_of([*self.files, *self.damaged]), SCHEMA)

    def words(self) -> str:
        """What was left out, in one line for each damaged file, below how many there are."""
        if not self.damaged:
            return ""
        heading = f"{self.folder}: {len(self.damaged)} of {len(self.files) + len(self.damaged)} files left out"
        return "\n".join([heading, *(str(file.damage) for file in self.damaged)])


def index(spark: SparkSession, folder: str | Path, deep: bool = False, leave_out: bool = False) -> Index:
    """Look into every file of a folder, in tasks of Spark; with `deep`, at all that is in it.

    A damaged file is an error that names it, unless damaged files are to be left out: then all is looked at, and the
    index says which they are.
    """
    try:
        parts, lines = files(Path(folder).absolute())
    except TraceError as problem:
        raise BadInput(str(problem)) from None
    found = found_by(spark, tasks([str(file) for file in [*parts, *lines]]), deep or leave_out)
    damaged = tuple(file for file in found if file.damage)
    if damaged and not leave_out:
        raise BadInput(refusal(damaged))
    return Index(spark, Path(folder), tuple(file for file in found if not file.damage), damaged)


def refusal(damaged: Sequence[File]) -> str:
    """One line about damaged files."""
    if len(damaged) == 1:
        return str(damaged[0].damage)
    others = ", ".join(Path(file.file).name for file in damaged[1 : SHOWN + 1])
    more = f" and {len(damaged) - 1 - SHOWN} more" if len(damaged) - 1 > SHOWN else ""
    return f"{damaged[0].damage}; damaged, too: {others}{more}"


def tasks(names: Sequence[str]) -> list[list[str]]:
    """Files to look into, in tasks of similar size, the largest first."""
    sizes = sorted(((size(name), name) for name in names), key=lambda pair: (-pair[0], pair[1]))
    found: list[list[str]] = []
    full = TASK_BYTES
    for number, name in sizes:
        if full + number > TASK_BYTES or len(found[-1]) == TASK_FILES:
            found.append([])
            full = 0
        found[-1].append(name)
        full += number
    return found


def size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0


def found_by(spark: SparkSession, work: list[list[str]], deep: bool) -> list[File]:
    with spark_errors("the index of a trace"):
        rows = spark.range(0, len(work), 1, len(work)).mapInArrow(looking(work, deep), SCHEMA).toArrow()
    found = [File(**{**row, "runs": dict(row["runs"]), "events": dict(row["events"])}) for row in rows.to_pylist()]
    return sorted(found, key=lambda file: (file.is_lines, file.file))


def looking(work: list[list[str]], deep: bool) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        for batch in batches:
            for task in batch.column("id").to_pylist():
                yield from table_of([look(name, deep) for name in work[task]]).to_batches()

    return run


def table_of(found: Sequence[File]) -> pa.Table:
    rows = [{**asdict(file), "runs": list(file.runs.items()), "events": list(file.events.items())} for file in found]
    return pa.Table.from_pylist(rows, ARROW)
