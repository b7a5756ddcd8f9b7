"""The last stages of a study: evaluate its rows, and report on all studies of a folder."""

import platform
import shlex
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession

from psvr import __version__
from psvr.errors import BadInput

from .measure.measures import measure
from .pipeline import Prepared, changes, failures, not_run, result_columns, rows_of
from .report.claims import Claim, ask_numbers, check, missing
from .report.figures import Drawn, draw_all
from .report.report import About, StudyResult, report
from .run import store
from .run.folder import Request
from .run.manifest import State
from .run.provenance import code_of_psvr, provenance
from .spark.paths import spark_path
from .spark.sessions import for_few_rows
from .study.texts import filled

UNDRAWN = "the report has no figures of this study: "
MEASURED_AHEAD = 2  # studies at the same time
FEW_TRIALS = 20_000  # whose rows are measured as quickly by queries that are not compiled


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
    with for_few_rows(spark) as queries, ThreadPoolExecutor(MEASURED_AHEAD) as pool:
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
