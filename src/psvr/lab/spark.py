"""A session of Spark, wherever it runs: quiet, with sober settings, or one line that says why there is none."""

import atexit
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from psvr.errors import BadInput

from . import ship
from .java import java_home
from .jvm import Jvm
from .master import Master, check_ports, check_surroundings, parse, reach
from .settings import environment_of, given, sober

FIRST_WORKER = 60.0         # seconds until some worker must have started for us
SETTLED = 1.0               # seconds without a new one after which all are there

started: list[Jvm] = []


def session(master: str = "local[*]", name: str = "psvr", conf: Sequence[str] = ()) -> SparkSession:
    """A session at this master with further settings, "KEY=VALUE" each.  If it needs workers, it has one."""
    where, extra = parse(master), given(conf)
    check_surroundings(where, extra)
    host = reach(where)
    check_ports("127.0.0.1" if where.here else "0.0.0.0", extra)
    if SparkContext._active_spark_context is not None:
        raise BadInput("a Spark session is running in this process already: stop it first, with its stop()")
    stop()
    jvm = Jvm(Path(tempfile.mkdtemp(prefix="psvr-spark-")))
    started.append(jvm)
    try:
        return start(jvm, where, {**sober(where, jvm.folder, host), "spark.app.name": name}, extra)
    except BaseException:
        stop()
        raise


def start(jvm: Jvm, master: Master, ours: dict[str, str], extra: dict[str, str]) -> SparkSession:
    settings = {**ours, **extra}
    if not master.local:
        settings = ship.with_code(settings, jvm.folder)
    environment = environment_of(master, java_home(), settings, Path(pyspark.__file__).parent, sys.executable)
    jvm.launch(settings, environment)
    spark = jvm.session(settings, environment)
    if not master.local:
        cores = slots(spark)
        ship.check(spark)
        spark.conf.set("spark.sql.shuffle.partitions", extra.get("spark.sql.shuffle.partitions", 2 * cores))
    return spark


def slots(spark: SparkSession, patience: float | None = None) -> int:
    """How many tasks can run at the same time.  Waits for the first worker, then for others as long as they come."""
    deadline = time.monotonic() + (FIRST_WORKER if patience is None else patience)
    if (spark.sparkContext.master or "").startswith("local"):
        return spark.sparkContext.defaultParallelism
    before = 0
    while time.monotonic() < deadline or before:
        now = cores(spark)
        if now and now == before:
            return now
        before = now
        time.sleep(SETTLED if now else 0.1)
    raise BadInput(f"--master {spark.sparkContext.master}: took the job, but no worker has started for it: add a "
                   "worker (docs/cluster.md), or ask for less of one, like --conf spark.executor.memory=512m")


def cores(spark: SparkSession) -> int:
    """Of all executors that are there at this moment."""
    try:
        found = spark._jsc.sc().statusStore().executorList(True)
        executors = [found.apply(i) for i in range(found.size())]
        return sum(int(e.totalCores()) for e in executors if e.id() != "driver")
    except (Py4JError, OSError):
        raise BadInput(f"--master {spark.sparkContext.master}: has ended the session, or its Java has ended") from None


@atexit.register
def stop() -> None:
    """End the session, if there is one, and its Java process, and leave nothing; also if Java is gone already."""
    while started:
        jvm = started.pop()
        with suppress(Py4JError, OSError):
            if SparkContext._active_spark_context is not None:
                SparkContext._active_spark_context.stop()
        jvm.end()
