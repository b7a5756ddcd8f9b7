"""What an executor does with a task: run its trials, write their files, and answer with what a manifest will say."""

import errno
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

from .parts import parts_of, write
from .tasks import Tasks
from .work import Work, load_custom_systems, run_all, run_in_child, run_trial

ANSWER = pa.schema([("part", pa.string()), ("content", pa.binary())])  # content: of the file, unless it was written
Step = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def execute(work: Work, tasks: Tasks, folder: Path | None, notes: Mapping[str, str]) -> Step:
    """Return the function that Spark calls with numbers of tasks; without a folder, it answers with whole files."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        load_custom_systems(work)
        context = TaskContext.get()
        again = context.attemptNumber() if context is not None else 0  # its process died: a trial may have killed it
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield answer(work, tasks, task, folder, notes, again)

    return run


def answer(
    work: Work, tasks: Tasks, task: int, folder: Path | None, notes: Mapping[str, str], again: int
) -> pa.RecordBatch:
    """Run a task, and return a row for each file that it makes."""
    pieces = tasks[task]
    rows, failures = run_all(work, pieces, again + 1, run_in_child if again else run_trial)
    answers = []
    for part, content in parts_of(work, pieces, rows, failures, notes):
        if folder is not None:
            write(folder, part, content)
        answers.append({"part": part.as_json(), "content": content if folder is None else None})
    return pa.RecordBatch.from_pylist(answers, ANSWER)


def shares(spark: SparkSession, folder: Path) -> bool:
    """Return whether executors can write into a folder of this process."""
    if (spark.sparkContext.master or "").startswith("local"):
        return True
    probe = folder / f".half-{secrets.token_hex(6)}"

    def sees(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"sees": [is_writable(probe)]})

    probe.write_bytes(b"")
    try:
        number = 2 * spark.sparkContext.defaultParallelism
        return all(row.sees for row in spark.range(0, number, 1, number).mapInArrow(sees, "sees boolean").collect())
    finally:
        probe.unlink(missing_ok=True)


def is_writable(probe: Path) -> bool:
    """Return whether this process sees a file of another, and can write beside it."""
    try:
        with probe.open("r+b"):
            beside = probe.with_name(f"{probe.name}-{secrets.token_hex(4)}")
            beside.touch(exist_ok=False)
            beside.unlink()
            return True
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        return False
