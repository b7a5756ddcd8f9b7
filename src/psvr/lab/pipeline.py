"""The first stages of a study: plan its trials, run them, read their rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from psvr.lab import strict_json
from psvr.lab.measure.measures import columns_of_measures
from psvr.lab.replay import FAILURE, MAX_SECONDS, command, find_trial, smaller_failure
from psvr.lab.report.claims import validate
from psvr.lab.run.folder import Request
from psvr.lab.run.manifest import State
from psvr.lab.run.progress import Progress
from psvr.lab.run.provenance import code_digest, provenance
from psvr.lab.run.runner import Runner
from psvr.lab.run.work import Work, work_of
from psvr.lab.spark.sessions import for_few_rows, slots
from psvr.lab.study.study import Study
from psvr.lab.study.trials import Cell, cells

from .run import folder as folders
from .run import store


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
    with for_few_rows(spark) as queries:
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


def set_all_aside(prepared: Sequence[Prepared]) -> None:
    """Set the finished trials of these studies aside."""
    for it in prepared:
        folders.set_aside(it.rows)
