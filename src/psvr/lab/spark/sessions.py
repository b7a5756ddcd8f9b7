"""Start a Spark session, wherever it runs: quiet, with sensible settings, or one line that says why it fails."""

import atexit
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from psvr.errors import BadInput

from . import ship
from .java import java_home
from .jvm import EXIT_TIMEOUT, Jvm
from .master import Master, check_ports, check_surroundings, parse, reach
from .settings import FEW_ROWS, default_settings, environment_of, parse_conf, with_archive

FIRST_WORKER_TIMEOUT = 60.0  # seconds until a worker must have started for us

started: list[Jvm] = []


def session(
    master: str = "local[*]", name: str = "psvr", conf: Sequence[str] = (), compiled: Collection[str] | None = None
) -> SparkSession:
    """Return a session at this master with further settings, "KEY=VALUE" each.  If it needs workers, it has one.

    `compiled` are the files of compiled code that are sent to other machines, None is all of them.
    """
    where, extra = parse(master), parse_conf(conf)
    check_surroundings(where, extra)
    host = reach(where)
    check_ports("127.0.0.1" if where.here else "0.0.0.0", extra)
    if SparkContext._active_spark_context is not None:
        raise BadInput("a Spark session is running in this process already: stop it first, with its stop()")
    stop()
    jvm = Jvm(Path(tempfile.mkdtemp(prefix="psvr-spark-")))
    started.append(jvm)
    try:
        return start(jvm, where, {**default_settings(where, jvm.folder, host), "spark.app.name": name}, extra, compiled)
    except BaseException:
        stop()
        raise


def start(
    jvm: Jvm, master: Master, ours: dict[str, str], extra: dict[str, str], compiled: Collection[str] | None
) -> SparkSession:
    home = java_home()
    settings = {**with_archive(ours, home), **extra}
    if not master.local:
        settings = ship.with_code(settings, jvm.folder, compiled)
    environment = environment_of(master, home, settings, Path(pyspark.__file__).parent, sys.executable)
    jvm.launch(settings, environment)
    spark = jvm.session(settings, environment)
    if not master.local:
        first_job(spark)
        spark.conf.set("spark.sql.shuffle.partitions", extra.get("spark.sql.shuffle.partitions", 2 * slots(spark)))
    return spark


@contextmanager
def for_few_rows(spark: SparkSession) -> Iterator[SparkSession]:
    """Give a session of the same Spark for queries over few rows; afterwards the first is the active one again."""
    other = spark.newSession()
    for name, value in FEW_ROWS.items():
        other.conf.set(name, value)
    try:
        yield other
    finally:
        spark.createDataFrame([], "nothing int")  # this is what makes a session active


def slots(spark: SparkSession) -> int:
    """Return how many tasks can run at once at this moment: workers may come and go."""
    if (spark.sparkContext.master or "").startswith("local"):
        return spark.sparkContext.defaultParallelism
    return max(cores(spark), 1)


def first_job(spark: SparkSession) -> None:
    """Run a job that checks the workers.  It is also what asks for them, where they are started on demand."""
    tag, deadline = "psvr-check", time.monotonic() + FIRST_WORKER_TIMEOUT

    def check() -> None:
        spark.sparkContext.addJobTag(tag)
        ship.check(spark)

    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(check)
        while not wait([job], 0.2).done:
            if time.monotonic() > deadline and cores(spark) == 0:
                spark.sparkContext.cancelJobsWithTag(tag)
                raise BadInput(
                    f"--master {spark.sparkContext.master}: took the job, but no worker has started for it: add a "
                    "worker (docs/cluster.md), or ask for less of one, like --conf spark.executor.memory=512m"
                )
        job.result()


def cores(spark: SparkSession) -> int:
    """Return the cores of all executors that exist at this moment."""
    try:
        found = spark._jsc.sc().statusStore().executorList(True)
        executors = [found.apply(i) for i in range(found.size())]
        return sum(int(e.totalCores()) for e in executors if e.id() != "driver")
    except (Py4JError, OSError):
        raise BadInput(f"--master {spark.sparkContext.master}: has ended the session, or its Java has ended") from None


@atexit.register
def stop(timeout: float = EXIT_TIMEOUT) -> None:
    """End the session, if there is one, and its Java process, and remove its files; also if Java is gone already."""
    while started:
        jvm = started.pop()
        with suppress(Py4JError, OSError):
            if SparkContext._active_spark_context is not None:
                SparkContext._active_spark_context.stop()
        jvm.end(timeout)
