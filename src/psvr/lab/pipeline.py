"""The whole way of a study: trials, rows, measures, figures, claims, and the report over all studies of a folder."""

import platform
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from psvr import __version__

from . import folder as folders
from . import store
from .claims import Claim, check, missing
from .figures import Drawn, draw_all
from .folder import Asked
from .measure import measure
from .progress import Progress
from .provenance import code_digest, code_of_psvr, provenance
from .report import About, StudyResult, report
from .run import Runner
from .steps import plan
from .study import Study
from .trials import trial_table
from .work import Work, work_of


@dataclass(frozen=True)
class Prepared:
    """A study with its trials, ready to be run or read."""

    study: Study
    asked: Asked
    trials: pa.Table
    work: Work
    folder: Path

    @property
    def rows(self) -> Path:
        return self.folder / "trials"

    @property
    def code(self) -> str:
        return code_digest([*self.study.files, *self.asked.systems])


def prepare(study: Study, asked: Asked, out: Path) -> Prepared:
    trials = trial_table(study)
    return Prepared(study, asked, trials, work_of(study, trials, asked.systems), out / study.name)


def run(spark: SparkSession, it: Prepared, progress: Progress) -> None:
    """Run what is left of a study."""
    for note in changes(it):
        progress.say(f"{it.study.name}: {note}")
    folders.remember(it.folder, it.asked, it.study)
    if it.study.needs is None:
        Runner(spark, it.study, it.trials, it.work, it.rows,
               provenance(it.study.name, it.study.scale, it.code), progress).run()


def changes(it: Prepared) -> list[str]:
    """What is different from when the finished trials were run, in words."""
    done = store.finished(it.rows)
    before, planned = folders.recalled(it.folder), set(it.trials.column("trial").to_pylist())
    have = set(done.column("trial").to_pylist())
    notes = []
    if before is not None and before["described"] != it.study.described() and have - planned:
        notes.append(f"the study has changed: {len(have & planned):,} finished trials belong to it still, "
                     f"{len(have - planned):,} do not and are left aside")
    foreign = sum(store.other_code(done, it.code).values())
    if foreign:
        notes.append(f"{foreign:,} finished trials come from other code than this; --again runs them anew")
    return notes


def rows_of(spark: SparkSession, it: Prepared) -> DataFrame:
    """The stored rows that belong to the study as it is now."""
    wanted = plan(spark, it.trials).select("trial", F.explode("systems").alias("system"))
    return store.read(spark, it.rows, it.work.schema).join(wanted, ["trial", "system"], "left_semi").select(
        it.work.schema.names)


def results(work: Work) -> list[str]:
    """The columns that are neither parameters nor about the trial."""
    names: list[str] = work.schema.names
    return names[names.index("system") + 1:]


def result(spark: SparkSession, it: Prepared, out: Path) -> StudyResult:
    """Measures, figures and claims from the stored rows."""
    if it.study.needs is not None:
        return described(it, 0, missing(it.study.claims, it.study.name), [], [])
    try:
        measures = rows_of(spark, it).transform(measure, results(it.work)).toArrow()
    except Exception as error:
        raise store.blame(it.rows) or error from error
    notes = provenance(it.study.name, it.study.scale, it.code)
    file = store.write_whole(measures, it.folder / "measures.parquet", notes)
    claims = check(it.study.claims, spark.read.parquet(str(file)), it.study.name)
    drawn = draw_all(it.study.folder, it.study.name, measures.to_pandas(), out / "figures")
    done = set(store.finished(it.rows).column("trial").to_pylist()) & set(it.trials.column("trial").to_pylist())
    return described(it, len(done), claims, drawn, changes(it))


def described(it: Prepared, done: int, claims: list[Claim], drawn: list[Drawn], notes: list[str]) -> StudyResult:
    s = it.study
    return StudyResult(
        name=s.name, title=s.title, figure=s.figure, question=s.texts["Question"], method=s.texts["Method"],
        paper=s.texts["The paper"], scale=s.scale, planned=len(it.trials), done=done, claims=claims, figures=drawn,
        notes=notes, rerun=rerun(it.asked), missing=s.needs)


def rerun(asked: Asked) -> str:
    """The command that runs a study again."""
    words = ["psvr", "lab", "run", asked.study, "--scale", asked.scale]
    words += [word for text in asked.sets for word in ("--set", text)]
    words += [word for name, _ in asked.systems for word in ("--system", name)]
    return shlex.join(words)


def again(prepared: Sequence[Prepared]) -> None:
    """Set all finished trials aside."""
    for it in prepared:
        folders.set_aside(it.rows)


def report_on(spark: SparkSession, studies: Sequence[tuple[Study, Asked]], out: Path, master: str) -> list[Claim]:
    """Make the report over these studies; their claims."""
    results = [result(spark, prepare(study, asked, out), out) for study, asked in studies]
    report(results, out, about(spark, sorted({study.scale for study, _ in studies}), master))
    return [claim for found in results for claim in found.claims]


def about(spark: SparkSession, scales: list[str], master: str) -> About:
    jvm = spark.sparkContext._jvm
    java = jvm.System.getProperty("java.version") if jvm is not None else "unknown"
    return About(psvr=__version__, scale=", ".join(scales), master=master,
                 made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), cores=spark.sparkContext.defaultParallelism,
                 python=platform.python_version(), spark=spark.version, java=str(java), code=code_of_psvr())
