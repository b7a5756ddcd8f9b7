"""How tasks are handed to Spark: who writes, how many at a time, and what a stop cancels."""

import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from psvr.lab.run import executing, manifest, runner
from psvr.lab.run.manifest import State
from psvr.lab.run.progress import Progress
from psvr.lab.run.runner import Runner, Stopped, task_seconds
from psvr.lab.run.work import run_in_process, work_of
from psvr.lab.study import Study, load
from psvr.lab.study.trials import cells
from tests.support.lab.lab_process import KEYS
from tests.support.lab.small_study import STUDY, small_study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    [found] = load([str(small_study(tmp_path_factory.mktemp("study")))], "paper", ["repetitions=40"])
    return found


def runner_for(spark: SparkSession, study: Study, folder: Path) -> Runner:
    progress = Progress("small", quiet=True)
    return Runner(spark, work_of(study, cells(study)), State(), folder, {"code": "c"}, progress)


def rows(folder: Path) -> pa.Table:
    files = [pq.read_table(folder / name) for name in manifest.read(folder).parts]
    return pa.concat_tables(files).sort_by(KEYS).replace_schema_metadata(None)


@pytest.mark.parametrize("shared", [True, False])
def test_rows_are_the_same_whether_executors_write_them_or_send_them(
    spark: SparkSession, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    said: list[str] = []
    asked: list[Path | None] = []
    real = executing.execute

    def execute(work: Any, tasks: Any, folder: Path | None, notes: Any) -> Any:
        asked.append(folder)
        return real(work, tasks, folder, notes)

    monkeypatch.setattr(runner, "execute", execute)
    monkeypatch.setattr(runner, "shares", lambda spark, folder: shared)
    monkeypatch.setattr(runner, "TASK_SECONDS", (0.02, 0.02))
    it = runner_for(spark, study, tmp_path)
    monkeypatch.setattr(it.progress, "say", said.append)
    it.run()
    assert rows(tmp_path).equals(run_in_process(study).sort_by(KEYS)) and len(asked) > 2
    assert set(asked) == ({tmp_path} if shared else {None}) and len(said) == (not shared)


def test_workers_that_come_later_get_work(
    spark: SparkSession, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = Runner.run_batch

    def run_batch(self: Runner, tasks: Any, begin: int, end: int, shared: bool) -> Any:
        sizes.append(end - begin)
        return real(self, tasks, begin, end, shared)

    monkeypatch.setattr(Runner, "run_batch", run_batch)
    monkeypatch.setattr(runner, "slots", lambda spark: 1 if len(sizes) < 3 else 4)
    monkeypatch.setattr(runner, "TASK_SECONDS", (0.008, 0.008))
    it = runner_for(spark, study, tmp_path)
    it.run()
    assert sizes[:3] == [2, 2, 2] and set(sizes[3:-1]) == {8} and rows(tmp_path).num_rows == 400


def test_a_stop_cancels_our_jobs_and_nobody_elses(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [study] = load([str(small_study(tmp_path, STUDY.replace("s = [1, 8]", "s = 1\nsleep = 1")))], "paper")
    found: list[Any] = []

    def somebody_elses() -> None:
        slow = spark.range(0, 1, 1, 1).mapInArrow(sleeping, "id bigint")
        found.extend(row.id for row in slow.collect())

    def sleeping(batches: Any) -> Any:
        import time

        time.sleep(4)
        yield from batches

    def interrupted(self: Runner, batch: Any) -> None:
        raise KeyboardInterrupt

    other = threading.Thread(target=somebody_elses)
    other.start()
    monkeypatch.setattr(Runner, "take", interrupted)
    with pytest.raises(Stopped):
        runner_for(spark, study, tmp_path / "out").run()
    tracker = spark.sparkContext.statusTracker()
    other.join(60)
    assert found == [0] and tracker.getActiveJobsIds() == []


def test_tasks_are_longer_in_long_studies() -> None:
    assert [task_seconds(left, 2) for left in (10.0, 200.0, 1000.0, 1e6)] == [1.0, 1.0, 5.0, 10.0]


def test_the_folder_is_shared_if_workers_can_write_there(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = tmp_path / ".half-probe"
    assert not executing.is_writable(probe), "another machine does not see it"
    probe.touch()
    assert executing.is_writable(probe) and [file.name for file in tmp_path.iterdir()] == [".half-probe"]
    assert executing.shares(spark, tmp_path / "none"), "a local session needs no probe"
