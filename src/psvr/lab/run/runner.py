"""Run the trials of a study that have not been run yet, and store their rows.

Tasks go to Spark in batches, two at a time, so that no core is idle at the end of a batch.  Executors write the files
of their tasks; this process commits them to a manifest, batch by batch.  What a manifest names is finished, whatever
happens to Spark, this process or the machine.
"""

import errno
import json
import secrets
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from psvr.errors import BadInput
from psvr.lab.spark.errors import spark_may_stop
from psvr.lab.spark.sessions import slots

from . import manifest, parts, store
from .compacting import compact
from .executing import ANSWER, execute, shares
from .manifest import State
from .parts import Part
from .progress import Progress
from .provenance import timestamp
from .tasks import Tasks, count_done, remaining, seconds_of
from .work import Work

TASK_SECONDS = (1.0, 10.0)  # that a task should take, in a short study and in a long one
TASKS_PER_SLOT = 100  # in a study whose tasks are neither
BATCH = 2  # tasks per slot in a batch
MAX_JOBS = 2  # batches under way at the same time


class Stopped(Exception):
    """The user asked to stop."""


class TrialFailed(Exception):
    """A trial failed, and the user wants to stop then."""


@dataclass(frozen=True)
class Batch:
    """What has become of a batch of tasks."""

    parts: list[Part]
    trials: int
    seconds: float  # of work, as estimated before
    began: float


@dataclass
class Runner:
    """A study with everything needed to run its trials."""

    spark: SparkSession
    work: Work
    state: State
    folder: Path  # of the rows
    notes: dict[str, str]
    progress: Progress
    fail_fast: bool = False
    tag: str = field(default_factory=lambda: f"psvr-{secrets.token_hex(4)}")

    def run(self) -> None:
        """Run everything that is left.  `Stopped` after Ctrl-C, BadInput if it cannot go on; what is stored stays."""
        pieces = remaining(self.work.cells, self.state.done)
        total, left = sum(c.grid.repetitions for c in self.work.cells), seconds_of(pieces)
        self.progress.start(count_done(self.work.cells, self.state.done), total, left)
        if pieces:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                manifest.sweep(self.folder, manifest.read(self.folder))
                with spark_may_stop():
                    self.drive(Tasks(pieces, task_seconds(left, slots(self.spark))))
                self.state = compact(self.folder, self.state)
            except KeyboardInterrupt:
                raise Stopped from None
            except OSError as error:
                raise write_error(error, self.folder) from error
        self.progress.finish()

    def drive(self, tasks: Tasks) -> None:
        """Run all tasks, MAX_JOBS batches of them at a time."""
        shared = shares(self.spark, self.folder)
        if not shared:
            self.progress.say("executors do not see the folder of results: rows are collected here")
        pending: set[Future[Batch]] = set()
        begin = 0
        with ThreadPoolExecutor(MAX_JOBS) as pool:
            try:
                while begin < len(tasks) or pending:
                    while begin < len(tasks) and len(pending) < MAX_JOBS:
                        end = min(begin + BATCH * slots(self.spark), len(tasks))
                        pending.add(pool.submit(self.run_batch, tasks, begin, end, shared))
                        begin = end
                    finished, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in finished:
                        self.take(future.result())
            except BaseException:
                self.cancel()
                raise

    def run_batch(self, tasks: Tasks, begin: int, end: int, shared: bool) -> Batch:
        """Run the tasks from `begin` up to but not including `end`, and return what they made."""
        began, context = time.time(), self.spark.sparkContext
        context.addJobTag(self.tag)
        context.setJobDescription(f"{self.work.study}: tasks {begin:,} to {end - 1:,} of {len(tasks):,}")
        run = execute(self.work, tasks, self.folder if shared else None, self.notes)
        rows = self.spark.range(begin, end, 1, end - begin).mapInArrow(run, from_arrow_schema(ANSWER)).toArrow()
        made = []
        for row in rows.to_pylist():
            made.append(parts.part_of(json.loads(row["part"])))
            if row["content"] is not None:
                parts.write(self.folder, made[-1], row["content"])
        pieces = [piece for task in range(begin, end) for piece in tasks[task]]
        return Batch(made, sum(piece.trials for piece in pieces), seconds_of(pieces), began)

    def take(self, batch: Batch) -> None:
        """Commit what a batch has made, and count it."""
        times = [[timestamp(batch.began), timestamp(time.time())]]
        self.state = manifest.commit(self.folder, self.state, batch.parts, [{**self.notes, "times": times}])
        self.progress.add(batch.trials, batch.seconds)
        if self.fail_fast and any(part.holds == parts.FAILED for part in batch.parts):
            first = store.failures(self.folder, self.state, self.work.cells).slice(0, 1).to_pylist()[0]
            raise TrialFailed(f"trial {first['trial']} ({first['parameters']}) failed: {first['reason']}")

    def cancel(self) -> None:
        """Cancel our jobs: nobody waits for their results any more."""
        with suppress(Py4JError, PySparkException, OSError):  # Spark may be gone already
            self.spark.sparkContext.cancelJobsWithTag(self.tag)


def task_seconds(left: float, slots: int) -> float:
    """Return how long a task should take: not so short that there are many small files, nor so long that cores wait."""
    shortest, longest = TASK_SECONDS
    return min(max(left / (TASKS_PER_SLOT * slots), shortest), longest)


def write_error(error: OSError, folder: Path) -> BadInput:
    """Return the message for a folder that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BadInput(f"{folder}: no space left; what is finished is stored: make room and give the same command")
    return BadInput(f"{folder}: cannot be written: {error.strerror or error}")
