"""The stages of a study: plan its trials, run them, evaluate their rows, and report on all studies of a folder."""

import platform
import shlex
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from psvr import __version__
from psvr.errors import BadInput
from psvr.lab import strict_json
from psvr.lab.measure.measures import columns_of_measures, measure
from psvr.lab.replay import FAILURE, MAX_SECONDS, command, find_trial, smaller_failure
from psvr.lab.report.claims import Claim, ask_numbers, check, missing, validate
from psvr.lab.report.figures import Drawn, draw_all
from psvr.lab.report.report import About, StudyResult, report
from psvr.lab.run.folder import Request
from psvr.lab.run.manifest import State
from psvr.lab.run.progress import Progress
from psvr.lab.run.provenance import code_digest, code_of_psvr, provenance
from psvr.lab.run.runner import Runner
from psvr.lab.run.work import Work, work_of
from psvr.lab.spark.paths import spark_path
from psvr.lab.spark.sessions import for_few_rows, slots
from psvr.lab.study.study import Study
from psvr.lab.study.texts import filled
from psvr.lab.study.trials import Cell, cells

from .run import folder as folders
from .run import store

UNDRAWN = "the report has no figures of this study: "
MEASURED_AHEAD = 2  # studies at the same time
FEW_TRIALS = 20_000  # whose rows are measured as quickly by queries that are not compiled


@dataclass(frozen=True)
class Prepared:
    """A study with its trials planned, ready to be run or evaluated."""

    study: Study
    request: Request
    cells: list[Cell]
    work: Work
    folder: Path

    @property
    def rows(self) -> Path:
        return self.folder / "trials"

    @property
    def trials(self) -> int:
        """How many trials it has."""
        return sum(cell.grid.repetitions for cell in self.cells)

    @property
    def code(self) -> str:
        return code_digest([*self.study.files, *self.request.systems])


def prepare(study: Study, request: Request, out: Path) -> Prepared:
    """Plan the trials of a study."""
    found = cells(study)
    return Prepared(study, request, found, work_of(study, found, request.systems), out / study.name)


def prepare_all(out: Path, prepared: Sequence[Prepared] = ()) -> list[Prepared]:
    """Return all studies that were run into this folder; those already prepared are not loaded and planned again."""
    ready = {it.folder: it for it in prepared}
    found = []
    for folder in folders.study_folders(out):
        if folder in ready:
            found.append(ready[folder])
        else:
            found += [prepare(study, request, out) for study, request in folders.load_again(folder)]
    return found


def check_claims(spark: SparkSession, prepared: Sequence[Prepared]) -> None:
    """Refuse claims and numbers in texts about columns that the measures of a study will not have."""
    queries = for_few_rows(spark)
    for it in prepared:
        columns = columns_of_measures(it.work.schema, result_columns(it.work))
        validate(it.study.claims, columns, queries, it.study.name, it.study.numbers)


def run(spark: SparkSession, prepared: Prepared, progress: Progress, fail_fast: bool = False) -> int:
    """Run the trials of a study that are not finished yet; return how many of them failed."""
    state = store.opened(prepared.rows, prepared.cells)
    for note in changes(prepared, state):
        progress.say(f"{prepared.study.name}: {note}")
    folders.remember(prepared.folder, prepared.request, prepared.study)
    if prepared.study.needs is not None:
        return 0
    notes = provenance(prepared.study.name, prepared.study.scale, prepared.code) | {"cores": str(slots(spark))}
    runner = Runner(spark, prepared.work, state, prepared.rows, notes, progress, fail_fast)
    runner.run()
    failed = store.failures(prepared.rows, runner.state, prepared.cells)
    for note in [*not_run(prepared, failed), *failures(spark, prepared, runner.state, look_for_smaller=True)]:
        progress.say(f"{prepared.study.name}: {note}")
    return len(failed)


def not_run(prepared: Prepared, failed: pa.Table) -> list[str]:
    """Return a note on the trials that could not be run, if there are any."""
    if not len(failed):
        return []
    first = failed.slice(0, 1).to_pylist()[0]
    some = "one trial" if len(failed) == 1 else f"{len(failed):,} trials"
    return [
        f"{some} could not be run, and the same command tries again; {first['trial']} ({first['parameters']}): "
        f"{first['reason']}; see it again: {command(prepared.request, first['trial'])}"
    ]


def failures(spark: SparkSession, prepared: Prepared, state: State, look_for_smaller: bool = False) -> list[str]:
    """Return notes on the trials whose results say that something failed, and how to see the first of them again."""
    if FAILURE not in prepared.work.schema.names:
        return []
    failed = rows_of(spark, prepared, state).where(F.col(FAILURE).isNotNull())
    count, first = failed.count(), failed.orderBy("trial", "system").first()
    if first is None:
        return []
    trial, system = first["trial"], first["system"]
    some = "one trial has failed" if count == 1 else f"{count:,} trials have failed, the first of them {trial}"
    notes = [f"{some} ({system}): {first[FAILURE]}; see it again: {command(prepared.request, trial)}"]
    if look_for_smaller:
        planned = find_trial(prepared.cells, trial)
        changes = smaller_failure(prepared.work, planned, system) if planned is not None else None
        notes.append(
            f"no smaller network that fails was found within {MAX_SECONDS:g} s"
            if changes is None
            else f"a smaller network fails, too: {command(prepared.request, trial, changes)}"
        )
    return notes


def changes(prepared: Prepared, state: State) -> list[str]:
    """Return notes on what has changed since the finished trials were run."""
    previous = folders.recall(prepared.folder)
    ours, others = store.count_finished(state, prepared.cells)
    notes = []
    if previous is not None and previous["described"] != strict_json.plain(prepared.study.description()) and others:
        notes.append(
            f"the study has changed: {ours:,} finished trials belong to it still, {others:,} do not and are left aside"
        )
    asked = prepared.request.study
    if "/" in asked and Path(asked) != prepared.study.folder:
        notes.append(f"the study is no longer in {asked}; this is made by the copy that its run has kept")
    foreign = sum(store.other_code(state, prepared.code).values())
    if foreign:
        notes.append(f"{foreign:,} finished trials come from other code than this; --again runs them anew")
    return notes


def rows_of(spark: SparkSession, prepared: Prepared, state: State | None = None) -> DataFrame:
    """Return the stored rows that belong to the study as it is now."""
    if state is None:
        state = store.opened(prepared.rows, prepared.cells)
    return store.read(spark, prepared.rows, state, prepared.cells, prepared.work.schema)


def result_columns(work: Work) -> list[str]:
    """Return the columns that hold results: those after the system."""
    names: list[str] = work.schema.names
    return names[names.index("system") + 1 :]


def measured(spark: SparkSession, prepared: Prepared) -> tuple[State, pa.Table]:
    """Return what the folder of a study holds, and the measures computed from its rows."""
    state = store.opened(prepared.rows, prepared.cells)
    try:
        rows = rows_of(spark, prepared, state)
        return state, rows.transform(measure, result_columns(prepared.work)).toArrow()
    except Exception as error:
        raise store.find_damage(prepared.rows, state) or error from error


def evaluate(spark: SparkSession, prepared: Prepared, state: State, measures: pa.Table, out: Path) -> StudyResult:
    """Store the measures of a study, and make figures and claims from them."""
    made_by = provenance(prepared.study.name, prepared.study.scale, prepared.code)
    file = store.write_table(measures, prepared.folder / "measures.parquet", made_by)
    stored = spark.read.parquet(spark_path(file))
    numbers = ask_numbers(prepared.study.numbers, stored, prepared.study.name)
    claims = check(prepared.study.claims, stored, prepared.study.name, numbers)
    drawn, wrong = drawn_or_not(prepared, measures.to_pandas(), out)
    failed = store.failures(prepared.rows, state, prepared.cells)
    notes = [*not_run(prepared, failed), *failures(spark, prepared, state), *wrong]
    return study_result(prepared, state, claims, drawn, notes, changes(prepared, state), numbers)


def drawn_or_not(prepared: Prepared, measures: pd.DataFrame, out: Path) -> tuple[list[Drawn], list[str]]:
    """Return the figures of a study, or what is wrong with the file that draws them."""
    try:
        return draw_all(prepared.study.folder, prepared.study.name, measures, out / "figures"), []
    except BadInput as error:
        return [], [f"{UNDRAWN}{error}"]


def evaluate_all(spark: SparkSession, studies: Sequence[Prepared], out: Path) -> list[StudyResult]:
    """Evaluate all studies, in their order, while those that come next are measured: planning keeps one core busy."""
    queries = for_few_rows(spark)
    with ThreadPoolExecutor(MEASURED_AHEAD) as pool:
        ahead = {
            it.folder: pool.submit(measured, queries if it.trials <= FEW_TRIALS else spark, it)
            for it in studies
            if it.study.needs is None
        }
        try:
            return [
                evaluate(queries, it, *ahead[it.folder].result(), out)
                if it.folder in ahead
                else study_result(it, State(), missing(it.study.claims, it.study.name))
                for it in studies
            ]
        finally:
            pool.shutdown(cancel_futures=True)


def study_result(
    prepared: Prepared,
    state: State,
    claims: list[Claim],
    drawn: Sequence[Drawn] = (),
    notes: Sequence[str] = (),
    changed: Sequence[str] = (),
    numbers: Mapping[str, Any] | None = None,
) -> StudyResult:
    """Return what the report says about a study, with the numbers in its texts."""
    s = prepared.study
    said = {section: filled(text, numbers or {}) for section, text in s.texts.items()}
    return StudyResult(
        name=s.name,
        title=s.title,
        figure=s.figure,
        question=said["Question"],
        method=said["Method"],
        paper=said["The paper"],
        meaning=said["What it means"],
        scale=s.scale,
        planned=prepared.trials,
        done=store.count_finished(state, prepared.cells)[0],
        claims=claims,
        figures=list(drawn),
        notes=list(notes),
        changes=list(changed),
        rerun=rerun(prepared.request),
        origin=store.origin_of(state),
        missing=s.needs,
    )


def rerun(request: Request) -> str:
    """Return the command that runs a study again."""
    words = ["psvr", "lab", "run", request.study, "--scale", request.scale]
    words += [word for text in request.sets for word in ("--set", text)]
    words += [word for name, _ in request.systems for word in ("--system", name)]
    return shlex.join(words)


def set_all_aside(prepared: Sequence[Prepared]) -> None:
    """Set the finished trials of these studies aside."""
    for it in prepared:
        folders.set_aside(it.rows)


def report_on(spark: SparkSession, studies: Sequence[Prepared], out: Path, master: str) -> list[Claim]:
    """Make the report over these studies, and return their claims."""
    results = evaluate_all(spark, studies, out)
    report(results, out, about(spark, sorted({it.study.scale for it in studies}), master))
    undrawn = [note for result in results for note in result.notes if note.startswith(UNDRAWN)]
    if undrawn:
        raise BadInput(undrawn[0])
    return [claim for result in results for claim in result.claims]


def about(spark: SparkSession, scales: list[str], master: str) -> About:
    """Return what the report says about how it was made."""
    jvm = spark.sparkContext._jvm
    java = jvm.System.getProperty("java.version") if jvm is not None else "unknown"
    return About(
        psvr=__version__,
        scale=", ".join(scales),
        master=master,
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        cores=spark.sparkContext.defaultParallelism,
        python=platform.python_version(),
        spark=spark.version,
        java=str(java),
        code=code_of_psvr(),
    )
