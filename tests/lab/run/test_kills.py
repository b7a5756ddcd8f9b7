"""Driver, executor or worker killed at a random moment of a run on a real cluster; the same command then completes it.

Three times here; `make kill-test` does it twenty times.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from psvr.cli import main
from psvr.lab.run.work import run_in_process
from psvr.lab.study import load
from tests.support.lab.cluster import Cluster
from tests.support.lab.lab_process import KEYS, lab, start, stored
from tests.support.lab.small_study import STUDY, small_study

SLOW = STUDY.replace("s = [1, 8]", "s = 1\nsleep = 0.1").replace("repetitions = 4", "repetitions = 20")
KINDS = ("gain", "stabilize", "churn")  # studies with settled networks, simulated ones, and a trial of their own
TIMEOUT = 300.0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--kills")))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    with Cluster(folder, XDG_CACHE_HOME=str(folder / "cache")) as started:
        yield started


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_study(tmp_path_factory.mktemp("study"), SLOW)


@pytest.fixture(scope="module")
def plain(study: Path) -> pa.Table:
    """Undisturbed, in one process."""
    return run_in_process(load([str(study)], "paper")[0]).sort_by(KEYS)


def command(cluster: Cluster, study: Path, out: Path) -> tuple[object, ...]:
    return "run", study, "--scale", "paper", "--out", out, "--master", cluster.master, "--quiet"


@pytest.fixture(scope="module")
def whole(cluster: Cluster, study: Path, tmp_path_factory: pytest.TempPathFactory) -> float:
    """The seconds that a run takes here and now if nobody disturbs it."""
    begun = time.monotonic()
    done = lab(*command(cluster, study, tmp_path_factory.mktemp("undisturbed")))
    assert done.returncode == 0, done.stderr
    return time.monotonic() - begun


def executors(worker: int) -> list[int]:
    """The executors that a worker has started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                os.getpgid(int(entry.name)) == worker
                and b"CoarseGrainedExecutorBackend" in (entry / "cmdline").read_bytes()
            ):
                found.append(int(entry.name))
        except (ValueError, OSError):
            continue
    return found


def strike(what: str, cluster: Cluster, driver: int, random: random.Random) -> None:
    worker = random.randrange(len(cluster.workers) - 2, len(cluster.workers))
    if what == "driver":
        os.kill(driver, signal.SIGKILL)
    elif what == "executor":
        for pid in executors(cluster.workers[worker]):
            os.kill(pid, signal.SIGKILL)
    else:
        cluster.kill(worker)
        cluster.add_worker()


def test_nothing_is_lost_or_counted_twice(
    cluster: Cluster, study: Path, plain: pa.Table, whole: float, tmp_path: Path, seed: int
) -> None:
    random_moment = random.Random(seed)
    what = ("driver", "executor", "worker")[seed % 3]
    words = command(cluster, study, tmp_path / "out")
    run = start(*words)
    time.sleep(random_moment.uniform(0, whole))
    strike(what, cluster, run.pid, random_moment)
    said = run.communicate(timeout=TIMEOUT)[1]
    assert what == "driver" or run.returncode == 0, said
    again = lab(*words)
    assert again.returncode == 0, again.stderr
    assert stored(tmp_path / "out" / "small").cast(plain.schema).equals(plain)


def test_a_cluster_gives_the_same_rows_as_local_processes(
    cluster: Cluster, tmp_path: Path, spark: SparkSession
) -> None:
    """With the compiled code that it was sent: it had to compile nothing itself."""
    words = ("run", *KINDS, "--set", "repetitions=1", "--set", "n=12", "--quiet", "--out")
    done = lab(*words, tmp_path / "cluster", "--master", cluster.master)
    assert done.returncode == 0, done.stderr
    assert main(["lab", *words, str(tmp_path / "local")]) == 0, "in the session of this process"
    for name in KINDS:
        rows = stored(tmp_path / "cluster" / name)
        assert rows.num_rows and rows.equals(stored(tmp_path / "local" / name)), name
    kept = cluster.folder / "cache" / "psvr"
    assert kept.is_dir() and not list(kept.rglob("*.nbc"))
