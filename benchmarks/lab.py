"""The lab on `local[2]` against two bare processes that run the same tasks; and publications per second of `gain`."""

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from psvr.lab.pipeline import Prepared, prepare
from psvr.lab.run.folder import request_for
from psvr.lab.run.manifest import State
from psvr.lab.run.progress import Progress
from psvr.lab.run.runner import Runner, task_seconds
from psvr.lab.run.tasks import Piece, Tasks, remaining, seconds_of
from psvr.lab.run.work import Work, run_all
from psvr.lab.spark.sessions import session, stop
from psvr.lab.study import load

from .timing import table

ON_REQUEST = True  # several minutes
CORES = 2
GAIN = ["n=100", "p=0.1", "s=10", "publications=1000", 'systems=["psvr/all", "td"]']
STUDIES = [  # study, title, and parameters that make it take several minutes
    ("gain", "gain", ["main.repetitions=40000", *(f"main.{text}" for text in GAIN)]),
    ("throughput", "throughput, full stack", ["repetitions=200"]),
]


def prepared(name: str, sets: list[str], out: Path) -> Prepared:
    [study] = load([name], "quick", sets)
    only = [grid for grid in study.grids if grid.name == "main"]
    study = study.__class__(**{**study.__dict__, "grids": tuple(only)})
    return prepare(study, request_for(study, [], []), out)


def with_spark(spark: Any, it: Prepared) -> tuple[float, Tasks]:
    """Seconds of a study on Spark, everything from the plan to the stored rows; and its tasks."""
    runner = Runner(spark, it.work, State(), it.rows, {}, Progress(it.study.name))
    begin = time.perf_counter()
    runner.run()
    spent = time.perf_counter() - begin
    pieces = remaining(it.cells, {})
    return spent, Tasks(pieces, task_seconds(seconds_of(pieces), CORES))


def alone(job: tuple[Work, Sequence[Piece]]) -> int:
    return int(run_all(*job)[0].num_rows)


def bare(work: Work, tasks: Tasks) -> float:
    """Seconds that the same tasks take in two processes that do nothing else."""
    jobs = [(work, tasks[task]) for task in range(len(tasks))]
    with multiprocessing.get_context("spawn").Pool(CORES) as pool:
        pool.map(alone, jobs[-CORES:], chunksize=1)  # import, and load compiled code
        begin = time.perf_counter()
        rows = sum(pool.imap_unordered(alone, jobs, chunksize=1))
        spent = time.perf_counter() - begin
    print(f"{rows:,} rows in bare processes in {spent:.1f} s", file=sys.stderr)
    return spent


def run() -> None:
    spark = session(f"local[{CORES}]", "benchmark")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, title, sets in STUDIES:
            warm = prepared(name, [*sets, "main.repetitions=4"], Path(folder) / f"warm-{name}")
            with_spark(spark, warm)
            it = prepared(name, sets, Path(folder) / name)
            lab, tasks = with_spark(spark, it)
            plain = bare(it.work, tasks)
            publications = it.study.grids[0].parameters.get("publications", (0,))[0]
            assert isinstance(publications, int)
            per_second = it.trials * publications / lab
            rows.append(
                [
                    title,
                    f"{it.trials:,}",
                    f"{len(tasks):,}",
                    f"{lab:.1f}",
                    f"{plain:.1f}",
                    f"{plain / lab:.2f}",
                    f"{per_second:,.0f}" if per_second else "–",
                ]
            )
    stop()
    print(table(["study", "trials", "tasks", "Spark, s", "two bare processes, s", "ratio", "publications/s"], rows))
