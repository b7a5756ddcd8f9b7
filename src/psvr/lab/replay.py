"""One trial again, in this process and without Spark: to examine what a study has found.

Kinds of trial may say in a result called `failure` what went wrong in a trial.  Whoever reads that wants to see it
happen, and in as small a network as possible.
"""

import json
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psvr.errors import BadInput, did_you_mean, shown

from .columns import TRIAL
from .kinds import kind
from .run.folder import Request
from .run.work import Failed, Work, load_custom_systems, run_trial, work_of
from .study.study import Study
from .study.trials import Cell, cells, id_of

FAILURE = "failure"  # the result that says what went wrong
SEEDS = 4  # of each size that are tried in the search for a smaller network
MAX_SECONDS = 20.0  # of this search


def replay(
    study: Study, trial: str, changes: Mapping[str, Any], systems: tuple[tuple[str, str], ...] = ()
) -> list[dict[str, Any]]:
    """Run one trial of a study again, with some of its parameters changed, and return its rows."""
    work, found = planned(study, trial, systems)
    load_custom_systems(work)
    return rows_of(work, changed(work, found, changes))


def planned(study: Study, trial: str, systems: tuple[tuple[str, str], ...] = ()) -> tuple[Work, dict[str, Any]]:
    """Return what a study's trials need, and the trial with this id."""
    every = cells(study)
    found = find_trial(every, trial)
    if found is None:
        raise BadInput(
            f"study {study.name}: has no trial {shown(trial)} at scale {study.scale}; give --scale and --set as in the "
            "run that had it"
        )
    return work_of(study, every, systems), found


def find_trial(every: Sequence[Cell], trial: str) -> dict[str, Any] | None:
    """Return the trial of these cells that has this id, or None."""
    for cell in every:
        for number in range(cell.grid.repetitions):
            if id_of(cell.identity, number) == trial:
                return cell.trial(number)
    return None


def changed(work: Work, trial: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trial with some of its parameters, or its seed, replaced."""
    grid = trial["grid"]
    allowed = ("seed", *work.parameters[grid])
    for name in changes:
        if name not in allowed:
            raise BadInput(
                f"{name}: no parameter has this name{did_you_mean(name, allowed)}; there are {', '.join(allowed)}"
            )
    parameters = {name: changes.get(name, trial.get(name)) for name in work.parameters[grid]}
    resolved = kind(trial["kind"], work.files).resolve(parameters)
    if resolved is None:
        raise BadInput(f"{', '.join(map(str, changes))}: these parameters do not fit together")
    return {**trial, **resolved, "seed": changes.get("seed", trial["seed"])}


def rows_of(work: Work, trial: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a trial, which must not end with an error."""
    try:
        return run_trial(work, trial)
    except Failed as failed:
        raise BadInput(f"trial {trial['trial']}: {failed}") from None


def read_changes(texts: Sequence[str]) -> dict[str, Any]:
    """Return KEY=VALUE as names and values: numbers, truth values and texts."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(f"{shown(text)}: must be KEY=VALUE, such as n=7")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def smaller_failure(work: Work, trial: dict[str, Any], system: str) -> dict[str, Any] | None:
    """Return changes that turn a failed trial into one in a smaller network that also fails; None if none is found."""
    deadline = time.monotonic() + MAX_SECONDS
    for changes in candidates(work, trial):
        if time.monotonic() > deadline:
            return None
        try:
            [row] = run_trial(work, {**changed(work, trial, changes), "systems": [system]})
        except Failed:
            continue
        if row.get(FAILURE) is not None:
            return changes
    return None


def candidates(work: Work, trial: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield changes that lead to smaller networks, each with several seeds."""
    grid = trial["grid"]
    smaller = getattr(kind(trial["kind"], work.files), "smaller", None)
    parameters = {name: trial.get(name) for name in work.parameters[grid]}
    for other in smaller(parameters) if smaller is not None else ():
        different = {name: value for name, value in other.items() if value != parameters[name]}
        for i in range(SEEDS):
            yield different | ({"seed": (trial["seed"] + i) % (1 << 63)} if i else {})


def command(request: Request, trial: str, changes: Mapping[str, Any] | None = None) -> str:
    """Return the command that replays a trial."""
    words = ["psvr", "lab", "replay", request.study, trial]
    words += [f"{name}={json.dumps(value)}" for name, value in (changes or {}).items()]
    words += ["--scale", request.scale] if request.scale != "quick" else []
    words += [word for text in request.sets for word in ("--set", text)]
    words += [word for name, _ in request.systems for word in ("--system", name)]
    return shlex.join(words)


def without_trial(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row without the columns that only say which trial it is, except for its id."""
    return {name: value for name, value in row.items() if name == "trial" or name not in TRIAL.names}
