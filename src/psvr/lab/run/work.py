"""Running trials, one after the other, on an executor or in this process, with the same results.

A trial that fails gives a row that says why, and the others go on.  One that takes its process with it is found when
its task is tried again: then each trial is run in a process of its own.
"""

import faulthandler
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from psvr.errors import BadInput
from psvr.lab import strict_json
from psvr.lab.code import file_of
from psvr.lab.columns import TRIAL
from psvr.lab.kinds import kind
from psvr.lab.study.study import Study
from psvr.lab.study.trials import Cell, cells, row_schema, trials

from .tasks import Piece

MAX_REASON = 300  # characters of the reason why a trial failed
FAILURES = pa.schema(
    [
        *TRIAL,
        ("cell", pa.string()),
        ("systems", pa.list_(pa.string())),
        ("parameters", pa.string()),  # as JSON
        ("reason", pa.string()),
        ("attempts", pa.int64()),
    ]
)
Run = Callable[["Work", dict[str, Any]], list[dict[str, Any]]]  # `run_trial`, or something more careful


class Failed(Exception):
    """A trial cannot be run, and why; running it again would not help."""


@dataclass(frozen=True)
class Work:
    """Everything a process must know to run trials of a study; it travels with every task."""

    study: str
    cells: tuple[Cell, ...]
    scenarios: dict[str, dict[str, Any] | None]  # by grid
    parameters: dict[str, tuple[str, ...]]  # by grid
    schema: pa.Schema  # of the rows
    files: tuple[tuple[str, str], ...]  # of the study
    systems: tuple[tuple[str, str], ...]  # files of custom systems


def work_of(study: Study, found: list[Cell], systems: tuple[tuple[str, str], ...] = ()) -> Work:
    schema = row_schema(study, found)
    parameters = {g.name: tuple(n for n in schema.names if n in g.parameters) for g in study.grids}
    scenarios = {g.name: g.scenario for g in study.grids}
    return Work(study.name, tuple(found), scenarios, parameters, schema, study.files, systems)


def run_trial(work: Work, trial: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one trial; `Failed` if it cannot be run."""
    grid = trial["grid"]
    parameters = {name: trial.get(name) for name in work.parameters[grid]}
    known = {name: trial[name] for name in TRIAL.names} | parameters
    try:
        results = kind(trial["kind"], work.files).run(
            parameters, work.scenarios[grid], trial["seed"], list(trial["systems"])
        )
        if len(results) != len(trial["systems"]):
            raise Failed(f"gave {len(results)} results for {len(trial['systems'])} systems")
        return [{**known, "system": system, **result} for system, result in zip(trial["systems"], results)]
    except (MemoryError, Failed):
        raise
    except BadInput as error:
        raise Failed(str(error)) from None
    except Exception as error:
        raise Failed(reason(error)) from None


def reason(error: BaseException) -> str:
    """Return what an error says, on one line."""
    return " ".join("".join(traceback.format_exception_only(error)).split())[:MAX_REASON]


def batch_of(work: Work, rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
    """Return rows in the form in which they are stored; `Failed` if some result is not of the type it should have."""
    try:
        return pa.RecordBatch.from_pylist(rows, schema=work.schema)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise Failed(f"has results of another type than RESULTS says: {reason(error)}") from None


def run_here(work: Work, trial: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a trial, run in this process, which can all be stored."""
    rows = run_trial(work, trial)
    batch_of(work, rows)
    return rows


def run_in_child(work: Work, trial: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a trial, run in a process of its own, which may die."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            faulthandler.disable()  # the reason is reported with the trial
            with open(writer, "wb") as answer:
                pickle.dump(outcome(work, trial), answer)
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    try:
        found = pickle.loads(said)
    except (EOFError, pickle.UnpicklingError):
        raise Failed(f"its process died: {cause_of_death(status)}") from None
    if isinstance(found, str):
        raise Failed(found)
    return found  # type: ignore[no-any-return]


def outcome(work: Work, trial: dict[str, Any]) -> list[dict[str, Any]] | str:
    """Return the rows of a trial, or why there are none."""
    try:
        return run_here(work, trial)
    except Failed as failed:
        return str(failed)
    except BaseException as error:
        return reason(error)


def cause_of_death(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit code {os.waitstatus_to_exitcode(status)}"


def run_all(
    work: Work, pieces: Sequence[Piece], attempts: int = 1, run: Run = run_trial
) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Run the trials of these pieces, and return rows and failures."""
    rows: list[dict[str, Any]] = []
    failures = []
    for cell, trial in trials_of(work, pieces):
        try:
            rows += run(work, trial)
        except Failed as failed:
            failures.append({"cell": cell, "attempts": attempts, **failure(work, trial, str(failed))})
    try:
        return batch_of(work, rows), pa.RecordBatch.from_pylist(failures, FAILURES)
    except Failed:  # which trial it was is found more slowly
        return run_all(work, pieces, attempts, run_here)


def trials_of(work: Work, pieces: Sequence[Piece]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the trials of these pieces, each with the key of its cell."""
    for piece in pieces:
        cell = work.cells[piece.cell]
        key = cell.key
        for number in range(piece.first, piece.last):
            yield key, cell.trial(number, piece.systems)


def failure(work: Work, trial: dict[str, Any], why: str) -> dict[str, Any]:
    """Return what is stored of a trial that failed."""
    parameters = {name: trial.get(name) for name in work.parameters[trial["grid"]]}
    known = {name: trial[name] for name in (*TRIAL.names, "systems")}
    return {**known, "parameters": strict_json.dumps(parameters), "reason": why[:MAX_REASON]}


def load_custom_systems(work: Work) -> None:
    """Load the custom systems in this process."""
    if work.systems:
        from psvr.routing.custom import load_systems

        load_systems([file_of(name, text) for name, text in work.systems], replace=True)


def run_in_process(study: Study, systems: tuple[tuple[str, str], ...] = ()) -> pa.Table:
    """Run all trials of a study, one after the other, without Spark, and return their rows; `Failed` if one fails."""
    found = cells(study)
    work = work_of(study, found, systems)
    load_custom_systems(work)
    return pa.Table.from_batches([batch_of(work, [row for trial in trials(found) for row in run_trial(work, trial)])])
