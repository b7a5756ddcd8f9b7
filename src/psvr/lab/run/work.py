"""Tasks: trials that are run one after the other, on an executor or in this process, with the same results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from psvr.errors import BadInput
from psvr.lab.code import file_of
from psvr.lab.columns import TRIAL
from psvr.lab.kinds import kind
from psvr.lab.study.study import Study
from psvr.lab.study.trials import row_schema, trial_table

FAILED = pa.field("failed", pa.string())  # instead of results: why there are none


@dataclass(frozen=True)
class Work:
    """Everything a process must know to run trials of a study; it travels with every task."""

    study: str
    kinds: dict[str, str]  # by grid
    scenarios: dict[str, dict[str, Any] | None]
    parameters: dict[str, tuple[str, ...]]
    schema: pa.Schema  # of the rows
    files: tuple[tuple[str, str], ...]  # of the study
    systems: tuple[tuple[str, str], ...]  # files of custom systems

    @property
    def answer(self) -> pa.Schema:
        """The schema of what a task returns: rows, and failures."""
        return self.schema.append(FAILED)


def work_of(study: Study, trials: pa.Table, systems: tuple[tuple[str, str], ...] = ()) -> Work:
    schema = row_schema(study, trials)
    return Work(
        study.name,
        {g.name: g.kind for g in study.grids},
        {g.name: g.scenario for g in study.grids},
        {g.name: tuple(n for n in trials.column_names if n in g.parameters) for g in study.grids},
        schema,
        study.files,
        systems,
    )


def run_trial(work: Work, trial: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one trial.  A trial that cannot be run says why; running it again would not help."""
    grid = trial["grid"]
    parameters = {name: trial[name] for name in work.parameters[grid]}
    known = {name: trial[name] for name in (*TRIAL.names, *parameters)}
    try:
        results = kind(work.kinds[grid], work.files).run(
            parameters, work.scenarios[grid], trial["seed"], list(trial["systems"])
        )
    except MemoryError:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
        return [{**known, "failed": text}]
    return [{**known, "system": system, **result} for system, result in zip(trial["systems"], results, strict=True)]


def run_task(work: Work, trials: list[dict[str, Any]]) -> pa.RecordBatch:
    rows = [row for trial in trials for row in run_trial(work, trial)]
    return pa.RecordBatch.from_pylist(rows, schema=work.answer)


def load_custom_systems(work: Work) -> None:
    """Load the custom systems in this process."""
    if work.systems:
        from psvr.routing.custom import load_systems

        load_systems([file_of(name, text) for name, text in work.systems], replace=True)


def tasks_to_rows(work: Work) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that Spark calls with the tasks of a partition; every row of them has a list of trials."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        load_custom_systems(work)
        for batch in batches:
            for trials in batch.column("trials").to_pylist():
                yield run_task(work, trials)

    return run


def run_in_process(study: Study, systems: tuple[tuple[str, str], ...] = ()) -> pa.Table:
    """Run all trials of a study, one after the other, without Spark, and return their rows."""
    trials = trial_table(study)
    work = work_of(study, trials, systems)
    load_custom_systems(work)
    return pa.Table.from_batches([run_task(work, trials.to_pylist())], schema=work.answer)
