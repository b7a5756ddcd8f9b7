"""Trials and tasks without Spark: what decides an id, and which rows a task gives."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from psvr.errors import BadInput
from psvr.lab.run.tasks import remaining
from psvr.lab.run.work import Failed, Run, run_all, run_in_child, run_in_process, run_trial, work_of
from psvr.lab.study import Grid, Study, load
from psvr.lab.study import trials as module
from psvr.lab.study.trials import cells, id_of, identity_of, row_schema, seed_of, trials
from tests.support.lab.small_study import STUDY, TRIAL, small_study


def trial_id(study: str, grid: Grid, parameters: dict[str, Any], number: int) -> str:
    return id_of(identity_of(study, grid, parameters), number)


GRID = Grid("main", "settled", ("psvr", "td"), 4, {"n": (5,)}, {"duration": 5})


def one(folder: Path, study: str = STUDY, trial: str = TRIAL) -> Study:
    [found] = load([str(small_study(folder, study, trial=trial))], "paper")
    return found


@pytest.mark.parametrize(
    "other",
    [
        ("other", GRID, {"n": 5}, 0),
        ("gain", dataclasses.replace(GRID, name="second"), {"n": 5}, 0),
        ("gain", dataclasses.replace(GRID, kind="simulated"), {"n": 5}, 0),
        ("gain", dataclasses.replace(GRID, scenario={"duration": 6}), {"n": 5}, 0),
        ("gain", dataclasses.replace(GRID, scenario=None), {"n": 5}, 0),
        ("gain", GRID, {"n": 6}, 0),
        ("gain", GRID, {"m": 5}, 0),
        ("gain", GRID, {"n": "5"}, 0),
        ("gain", GRID, {"n": 5.5}, 0),
        ("gain", GRID, {"n": 5, "s": 1}, 0),
        ("gain", GRID, {"n": 5}, 1),
    ],
)
def test_all_that_decides_a_trial_decides_its_id(other: tuple[Any, ...]) -> None:
    assert trial_id(*other) != trial_id("gain", GRID, {"n": 5}, 0)


@pytest.mark.parametrize(
    "same",
    [
        (dataclasses.replace(GRID, systems=("shen",)), {"n": 5}),
        (dataclasses.replace(GRID, repetitions=9), {"n": 5}),
        (dataclasses.replace(GRID, parameters={"n": (5, 6)}), {"n": 5}),
        (GRID, {"n": 5.0}),
    ],
)
def test_nothing_else_does(same: tuple[Grid, dict[str, Any]]) -> None:
    assert trial_id("gain", *same, 0) == trial_id("gain", GRID, {"n": 5}, 0)


def test_order_of_parameters_does_not_matter() -> None:
    assert trial_id("g", GRID, {"n": 5, "s": 1}, 0) == trial_id("g", GRID, {"s": 1, "n": 5}, 0)


def test_seeds_fit_and_use_all_that_an_id_has() -> None:
    assert seed_of("f" * 16) == 2**63 - 1 and seed_of("0" * 16) == 0 and seed_of("8" + "0" * 15) == 2**62
    assert len({seed_of(trial_id("g", GRID, {"n": n}, r)) for n in range(50) for r in range(50)}) == 2500


def test_two_grids_are_told_apart(tmp_path: Path) -> None:
    second = '[grid.more]\nkind = "own"\nsystems = ["td"]\nn = 5\ns = [1, 2.5]\n[[claim]]'
    study = one(tmp_path, STUDY.replace("[[claim]]", second))
    rows = list(trials(cells(study)))
    assert len({row["trial"] for row in rows}) == len(rows) == 22
    assert [(r["grid"], r["n"], r["s"], r["systems"]) for r in rows[-2:]] == [
        ("more", 5, 1.0, ["td"]),
        ("more", 5, 2.5, ["td"]),
    ]
    assert {type(row["s"]) for row in rows} == {float}, "all of a column are of one type"


def test_a_combination_that_comes_twice_is_run_once(tmp_path: Path) -> None:
    merged = TRIAL.replace('return None if parameters["n"] < parameters["s"] else', 'return {"n": 7, "s": 1} or')
    assert [(c.parameters, c.grid.repetitions) for c in cells(one(tmp_path, trial=merged))] == [({"n": 7, "s": 1}, 4)]


def test_what_a_cell_costs(tmp_path: Path) -> None:
    [first, *_] = cells(one(tmp_path))
    assert first.cost == 0.0005 and first.seconds == pytest.approx(0.0005 * 4 * 2)


def test_too_many_trials_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = one(tmp_path)
    monkeypatch.setattr(module, "MAX_TRIALS", 20)
    assert sum(cell.grid.repetitions for cell in cells(study)) == 20
    monkeypatch.setattr(module, "MAX_TRIALS", 19)
    with pytest.raises(BadInput, match=r"^study small: has more than 19 trials; vary less, or run it in parts$"):
        cells(study)


def test_columns_of_rows(tmp_path: Path) -> None:
    study = one(tmp_path)
    schema = row_schema(study, cells(study))
    assert schema.names == [
        "trial",
        "grid",
        "kind",
        "repetition",
        "seed",
        "n",
        "s",
        "system",
        "nodes",
        "published",
        "messages",
        "hops",
    ]
    for name in ("system", "failed", "hops", "trial", "seed"):
        with pytest.raises(BadInput, match=f"^study small: {name}: is the name of a result"):
            changed = one(tmp_path / name, STUDY.replace("s = [1, 8]", f"s = 1\n{name} = 3"))
            row_schema(changed, cells(changed))


def test_rows_stand_under_the_system_that_they_come_from(tmp_path: Path) -> None:
    study = one(tmp_path)
    found = cells(study)
    work, trial = work_of(study, found), found[0].trial(0)
    for systems in (["psvr/all", "td"], ["td", "psvr/all"], ["td"]):
        rows = run_trial(work, {**trial, "systems": systems})
        draw = trial["seed"] % 1000
        assert [(r["system"], r["messages"] - draw) for r in rows] == [(s, 7 * len(s)) for s in systems]
        assert all(r["trial"] == trial["trial"] and r["seed"] == trial["seed"] and r["n"] == 5 for r in rows)


def everything(study: Study, run: Run = run_trial) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows and failures of all trials."""
    found = cells(study)
    rows, failures = run_all(work_of(study, found), remaining(found, {}), run=run)
    return rows.to_pylist(), failures.to_pylist()


@pytest.mark.parametrize(
    "raised, said",
    [('BadInput("n: no")', "n: no"), ('KeyError("n")', "KeyError: 'n'"), ('ValueError("x\\ny")', "ValueError: x y")],
)
def test_a_trial_that_fails_says_why_and_the_others_go_on(raised: str, said: str, tmp_path: Path) -> None:
    failing = f"    if parameters['n'] == 10 and seed % 2:\n        raise {raised}\n    draw = seed % 1000"
    study = one(tmp_path, trial=TRIAL.replace("    draw = seed % 1000", failing))
    odd = {t["trial"]: t for t in trials(cells(study)) if t["n"] == 10 and t["seed"] % 2}
    for run in (run_trial, run_in_child):
        rows, failures = everything(study, run)
        assert {f["trial"] for f in failures} == set(odd) and len(rows) == 2 * (20 - len(odd)) and 0 < len(odd) < 8
        for failure in failures:
            assert failure["reason"] == said and failure["attempts"] == 1
            assert json.loads(failure["parameters"]) == {"n": 10, "s": odd[failure["trial"]]["s"]}
    with pytest.raises(Failed):
        run_in_process(study)


@pytest.mark.parametrize(
    "act, said",
    [
        ("os._exit(7)", "its process died: exit code 7"),
        ("os.kill(os.getpid(), 11)", "its process died: SIGSEGV"),
        ("raise MemoryError", "MemoryError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_a_trial_that_takes_its_process_with_it_is_found_in_a_child(act: str, said: str, tmp_path: Path) -> None:
    when = "if parameters['n'] == 20 and parameters['s'] == 8:"
    deadly = f"    {when}\n        import os\n        {act}\n    draw = seed % 1000"
    study = one(tmp_path, trial=TRIAL.replace("    draw = seed % 1000", deadly))
    rows, failures = everything(study, run_in_child)
    assert [(f["reason"], json.loads(f["parameters"])) for f in failures] == [(said, {"n": 20, "s": 8})] * 4
    assert len(rows) == 2 * 16


def test_a_trial_without_memory_may_have_it_elsewhere(tmp_path: Path) -> None:
    study = one(tmp_path, trial=TRIAL.replace("    draw = seed % 1000", "    raise MemoryError"))
    with pytest.raises(MemoryError):
        everything(study)


@pytest.mark.parametrize(
    "wrong, said",
    [
        ("for s in systems[:1]]", "gave 1 results for 2 systems"),
        (
            "for s in systems] if seed % 3 else [{'nodes': 'many'}, {}]",
            "has results of another type than RESULTS says: ",
        ),
        ("for s in systems] if seed % 3 else None", "TypeError: "),
    ],
)
def test_results_that_cannot_be_stored_are_those_of_one_trial(wrong: str, said: str, tmp_path: Path) -> None:
    study = one(tmp_path, trial=TRIAL.replace("for s in systems]", wrong))
    rows, failures = everything(study)
    assert failures and all(failure["reason"].startswith(said) for failure in failures)
    assert len(rows) + 2 * len(failures) == 40


def test_rows_have_the_columns_of_their_schema(tmp_path: Path) -> None:
    study = one(tmp_path)
    rows = run_in_process(study)
    assert rows.schema.equals(work_of(study, cells(study)).schema)
    assert rows.num_rows == 40 and isinstance(rows, pa.Table)
