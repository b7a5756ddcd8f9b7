"""The steps from trials to rows, each alone on tiny frames, and together against a plain run."""

from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from psvr.lab.run.steps import cut, plan, remaining, simulate
from psvr.lab.run.work import run_in_process, work_of
from psvr.lab.study import load
from psvr.lab.study.trials import trial_table
from tests.support.lab.small_study import STUDY, small_study

TRIALS = pa.table(
    {
        "trial": ["a", "b", "c", "d"],
        "cost": [0.1, 2.0, 0.3, 0.3],
        "n": [1, 2, 3, 4],
        "systems": pa.array([["x", "y"], ["x", "y"], ["y"], ["y", "x"]], pa.list_(pa.string())),
    }
)


def done(spark: SparkSession, *pairs: tuple[str, str]):  # type: ignore[no-untyped-def]
    return spark.createDataFrame(list(pairs), "trial string, system string")


def left(spark: SparkSession, *pairs: tuple[str, str]) -> dict[str, list[str]]:
    rows = plan(spark, TRIALS).transform(remaining(done(spark, *pairs))).collect()
    return {row.trial: row.systems for row in rows}


def test_nothing_done_leaves_everything_in_the_order_of_systems(spark: SparkSession) -> None:
    assert left(spark) == {"a": ["x", "y"], "b": ["x", "y"], "c": ["y"], "d": ["y", "x"]}


def test_finished_systems_of_a_trial_are_not_run_again(spark: SparkSession) -> None:
    assert left(spark, ("a", "x"), ("c", "y"), ("c", "y"), ("zz", "x"), ("d", "z")) == {
        "a": ["y"],
        "b": ["x", "y"],
        "d": ["y", "x"],
    }


def test_all_done_leaves_nothing(spark: SparkSession) -> None:
    assert left(spark, *((t, s) for t in "abcd" for s in "xy")) == {}


def test_columns_stay(spark: SparkSession) -> None:
    assert plan(spark, TRIALS).transform(remaining(done(spark))).columns == TRIALS.column_names


def tasks(spark: SparkSession, seconds: float) -> list[tuple[float, list[str]]]:
    rows = plan(spark, TRIALS).transform(cut(seconds)).collect()
    return [(round(row.seconds, 9), [t.trial for t in row.trials]) for row in rows]


def test_costly_trials_come_first_and_cheap_ones_share_a_task(spark: SparkSession) -> None:
    assert tasks(spark, 1.0) == [(4.0, ["b"]), (1.1, ["d", "c", "a"])]
    assert tasks(spark, 100.0) == [(5.1, ["b", "d", "c", "a"])]
    assert tasks(spark, 0.01) == [(4.0, ["b"]), (0.6, ["d"]), (0.3, ["c"]), (0.2, ["a"])]


def test_all_steps_together_equal_a_plain_run(spark: SparkSession, tmp_path: Path) -> None:
    [study] = load([str(small_study(tmp_path))], "paper")
    trials = trial_table(study)
    work = work_of(study, trials)
    rows = (
        plan(spark, trials)
        .transform(remaining(done(spark)))
        .transform(cut(0.003))
        .transform(simulate(work))
        .toArrow()
        .cast(work.answer)
    )
    keys = [("trial", "ascending"), ("system", "ascending")]
    assert rows.sort_by(keys).equals(run_in_process(study).sort_by(keys))


def test_a_trial_that_cannot_be_run_says_why_and_the_others_are_run(spark: SparkSession, tmp_path: Path) -> None:
    [study] = load([str(small_study(tmp_path, STUDY.replace("s = [1, 8]", "s = 1\nbroken = 10")))])
    trials = trial_table(study)
    rows = plan(spark, trials).transform(cut(1.0)).transform(simulate(work_of(study, trials))).collect()
    assert {(row.n, row.failed) for row in rows} == {(5, None), (10, "n: this one is not possible"), (20, None)}
