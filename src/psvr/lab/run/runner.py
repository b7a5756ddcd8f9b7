"""Run the trials of a study that have not been run yet, and store their rows.

Tasks go to Spark in batches, two at a time, so that no core is idle at the end of a batch.  Each batch comes back to
this process and becomes one file: what is in files is finished, whatever happens to Spark, this process or the machine.
"""

import errno
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from psvr.errors import BadInput
from psvr.lab.spark.errors import spark_may_stop
from psvr.lab.spark.sessions import slots
from psvr.lab.study.study import Study

from . import store
from .progress import Progress
from .provenance import timestamp
from .steps import cut, plan, remaining, simulate
from .work import Work

TASK_SECONDS = 1.0  # that a task should take
TASKS_PER_CORE = 2  # of a batch
MAX_JOBS = 2  # batches under way at the same time
MAX_PARTITIONS = 1_000_000


class Stopped(Exception):
    """The user asked to stop."""


@dataclass(frozen=True)
class Batch:
    """The outcome of a batch of tasks."""

    trials: int
    seconds: float
    failed: list[dict[str, Any]]


@dataclass
class Runner:
    """A study with everything needed to run its trials."""

    spark: SparkSession
    study: Study
    trials: pa.Table
    done: pa.Table  # finished trials and systems
    work: Work
    folder: Path  # of the rows
    notes: dict[str, str]
    progress: Progress

    def tasks(self) -> pa.Table:
        """Return what is left to do, a row for each task."""
        done = self.spark.createDataFrame(self.done.select(["trial", "system"]))
        return plan(self.spark, self.trials).transform(remaining(done)).transform(cut(TASK_SECONDS)).toArrow()

    def run(self) -> None:
        """Run everything that is left.  `Stopped` after Ctrl-C, BadInput if it cannot go on; what is stored stays."""
        self.folder.mkdir(parents=True, exist_ok=True)
        store.remove_partial(self.folder)
        with spark_may_stop():
            tasks = self.tasks()
            workers = self.spark.newSession()  # one partition per task, and only here
            workers.conf.set("spark.sql.leafNodeDefaultParallelism", str(MAX_PARTITIONS))
            size = TASKS_PER_CORE * slots(self.spark)
        left = sum(len(t) for t in tasks.column("trials").to_pylist())
        self.progress.start(len(self.trials) - left, len(self.trials), sum(tasks.column("seconds").to_pylist()))
        batches = (tasks.slice(start, size) for start in range(0, len(tasks), size))
        with ThreadPoolExecutor(MAX_JOBS) as pool:
            try:
                self.drive(workers, pool, batches)
            except BaseException:
                cancel(self.spark)
                raise
        self.progress.finish()

    def drive(self, workers: SparkSession, pool: ThreadPoolExecutor, batches: Iterator[pa.Table]) -> None:
        """Run all batches, MAX_JOBS of them at a time."""
        pending: set[Future[Batch]] = set()
        try:
            with spark_may_stop():
                while True:
                    while len(pending) < MAX_JOBS and (batch := next(batches, None)) is not None:
                        pending.add(pool.submit(self.run_batch, workers, batch))
                    if not pending:
                        return
                    finished, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in finished:
                        self.take(future.result())
        except KeyboardInterrupt:
            raise Stopped from None
        except OSError as error:
            raise write_error(error, self.folder) from error

    def run_batch(self, workers: SparkSession, tasks: pa.Table) -> Batch:
        """Run a batch of tasks, store their rows, and return its outcome."""
        began = time.time()
        answer = workers.createDataFrame(tasks).transform(simulate(self.work)).toArrow().cast(self.work.answer)
        bad = pc.is_valid(answer.column("failed"))
        rows = answer.filter(pc.invert(bad)).drop_columns("failed")
        if len(rows):
            span = {"began": timestamp(began), "written": timestamp(time.time())}
            store.write(rows, self.folder, {**self.notes, **span})
        return Batch(
            pc.count_distinct(rows.column("trial")).as_py(),
            sum(tasks.column("seconds").to_pylist()),
            answer.filter(bad).to_pylist(),
        )

    def take(self, batch: Batch) -> None:
        """Count what a batch has done; BadInput with the first failure if a trial of it failed."""
        self.progress.add(batch.trials, batch.seconds)
        if batch.failed:
            first = batch.failed[0]
            about = ", ".join(f"{k} = {first[k]}" for k in self.work.parameters[first["grid"]])
            raise BadInput(f"study {self.study.name}: trial {first['trial']} ({about}) failed: {first['failed']}")


def cancel(spark: SparkSession) -> None:
    """Cancel all jobs: nobody waits for their results any more."""
    with suppress(Py4JError, PySparkException, OSError):  # Spark may be gone already
        spark.sparkContext.cancelAllJobs()


def write_error(error: OSError, folder: Path) -> BadInput:
    """Return the message for a folder that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BadInput(f"{folder}: no space left; what is finished is stored: make room and give the same command")
    return BadInput(f"{folder}: cannot be written: {error.strerror or error}")
