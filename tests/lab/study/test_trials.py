"""Trials and tasks without Spark: what decides an id, and which rows a task gives."""

import dataclasses
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from psvr.errors import BadInput
from psvr.lab.run.work import run_in_process, run_task, run_trial, work_of
from psvr.lab.study import Grid, Study, load
from psvr.lab.study import trials as module
from psvr.lab.study.trials import cells, row_schema, seed_of, trial_id, trial_table
from tests.support.lab.small_study import STUDY, TRIAL, small_study

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
    rows = trial_table(study).to_pylist()
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
    assert len(trial_table(study)) == 20
    monkeypatch.setattr(module, "MAX_TRIALS", 19)
    with pytest.raises(BadInput, match=r"^study small: has more than 19 trials; vary less, or run it in parts$"):
        trial_table(study)


def test_columns_of_rows(tmp_path: Path) -> None:
    study = one(tmp_path)
    schema = row_schema(study, trial_table(study))
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
    for name in ("system", "failed", "hops"):
        with pytest.raises(BadInput, match=f"^study small: {name}: is the name of a result"):
            changed = one(tmp_path / name, STUDY.replace("s = [1, 8]", f"s = 1\n{name} = 3"))
            row_schema(changed, trial_table(changed))


def test_rows_stand_under_the_system_that_they_come_from(tmp_path: Path) -> None:
    study = one(tmp_path)
    table = trial_table(study)
    work, trial = work_of(study, table), table.to_pylist()[0]
    for systems in (["psvr/all", "td"], ["td", "psvr/all"], ["td"]):
        rows = run_trial(work, {**trial, "systems": systems})
        draw = trial["seed"] % 1000
        assert [(r["system"], r["messages"] - draw) for r in rows] == [(s, 7 * len(s)) for s in systems]
        assert all(r["trial"] == trial["trial"] and r["seed"] == trial["seed"] and r["n"] == 5 for r in rows)


@pytest.mark.parametrize(
    "raised, said",
    [('BadInput("n: no")', "n: no"), ('KeyError("n")', "KeyError: 'n'"), ('ValueError("x")', "ValueError: x")],
)
def test_a_trial_that_fails_says_why(raised: str, said: str, tmp_path: Path) -> None:
    study = one(tmp_path, trial=TRIAL.replace("    draw = seed % 1000", f"    raise {raised}"))
    rows = run_in_process(study).to_pylist()
    assert {row["failed"] for row in rows} == {said} and {row["messages"] for row in rows} == {None}
    assert len(rows) == 20, "one for each trial, not for each system"


def test_a_trial_without_memory_may_have_it_elsewhere(tmp_path: Path) -> None:
    study = one(tmp_path, trial=TRIAL.replace("    draw = seed % 1000", "    raise MemoryError"))
    table = trial_table(study)
    with pytest.raises(MemoryError):
        run_task(work_of(study, table), table.to_pylist())


def test_a_kind_that_forgets_a_system_is_noticed(tmp_path: Path) -> None:
    study = one(tmp_path, trial=TRIAL.replace("for s in systems]", "for s in systems[:1]]"))
    table = trial_table(study)
    with pytest.raises(ValueError, match="zip"):
        run_task(work_of(study, table), table.to_pylist())


def test_rows_have_the_columns_of_their_schema(tmp_path: Path) -> None:
    study = one(tmp_path)
    rows = run_in_process(study)
    assert rows.schema.equals(work_of(study, trial_table(study)).answer) and rows.schema.names[-1] == "failed"
    assert rows.num_rows == 40 and isinstance(rows, pa.Table)
