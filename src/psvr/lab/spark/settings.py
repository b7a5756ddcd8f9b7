"""Settings of Spark: our defaults, which those of the user override."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from psvr.errors import BadInput

from .java import archive_options, class_archive
from .master import Master

GIGABYTE = 1 << 30
DRIVER_OPTIONS = "spark.driver.defaultJavaOptions"
LOG4J = Path(__file__).with_name("log4j2.properties")
QUICK_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # enough: trials run in Python and have few rows
FEW_ROWS = {  # for queries over few rows: compiling them and planning them anew takes longer than running them
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
MAX_ATTEMPTS = 4  # of a task whose Python process died, as on a cluster
MAX_SOCKET_FOLDER = 60  # a socket's whole path may have about 100 characters
RESERVED = {  # decided elsewhere, so that two places cannot disagree
    "spark.master": "--master",
    "spark.app.name": "the command",
    "spark.submit.deployMode": "the command",
    "spark.remote": "--master",
    "spark.api.mode": "the command",
}


def parse_conf(texts: Sequence[str]) -> dict[str, str]:
    """Return the user's settings, each given as "KEY=VALUE"."""
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key.startswith("spark.") or any(c.isspace() for c in key):
            raise BadInput(f"--conf {text}: must be KEY=VALUE with a key of Spark, like spark.executor.memory=2g")
        if key in RESERVED:
            raise BadInput(f"--conf {text}: {RESERVED[key]} decides that")
        found[key] = value.strip()
    return found


def default_settings(master: Master, folder: Path, host: str | None) -> dict[str, str]:
    """Return our settings.  Spark writes into the folder only; the host is our address as the master sees it."""
    return {**common(folder), **(local(master, folder) if master.local else remote(master, host))}


def common(folder: Path) -> dict[str, str]:
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": driver_memory(),
        DRIVER_OPTIONS: java_options(folder),
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
        "spark.python.worker.faulthandler.enabled": "true",
        "spark.python.sql.dataFrameDebugging.enabled": "false",  # costs time for every column that is named
    }


def local(master: Master, folder: Path) -> dict[str, str]:
    """Everything on this machine: closed to others, and without the network between Java and Python."""
    sockets = len(str(folder)) <= MAX_SOCKET_FOLDER
    return {
        "spark.master": f"local[{master.cores},{MAX_ATTEMPTS}]",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(2 * master.cores),
        "spark.python.unix.domain.socket.enabled": str(sockets).lower(),
        "spark.python.unix.domain.socket.dir": str(folder),
    }


def remote(master: Master, host: str | None) -> dict[str, str]:
    """Processes on other machines, which must be able to find the driver."""
    reached = {} if host is None else {"spark.driver.host": f"[{host}]" if ":" in host else host}
    return {"spark.master": master.text, **reached}


def java_options(folder: Path) -> str:
    """Return the options of the driver's Java; the user's, spark.driver.extraJavaOptions, come after them."""
    return " ".join(
        [
            f'"-Dlog4j2.configurationFile={LOG4J.as_uri()}"',
            f'"-Djava.io.tmpdir={folder}"',
            "-XX:-UsePerfData",
            *QUICK_START,
        ]
    )


def with_archive(settings: dict[str, str], java_home: Path) -> dict[str, str]:
    """Return the settings of a session, whose driver uses the archive if there is one."""
    file = class_archive(java_home)
    if not file.is_file():
        return settings
    return {**settings, DRIVER_OPTIONS: f"{settings[DRIVER_OPTIONS]} {archive_options(file)}"}


def driver_memory() -> str:
    """Return a quarter of the machine's memory, within bounds: results are small, and trials run in other processes."""
    return f"{min(max(machine_memory() // 4, GIGABYTE), 8 * GIGABYTE) >> 20}m"


def machine_memory(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> int:
    """Return the memory in bytes; in a container, its limit."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(memory, int(limit.read_text()))
    except (OSError, ValueError):
        return memory


def environment_of(master: Master, java: Path, settings: Mapping[str, str], spark: Path, python: str) -> dict[str, str]:
    """Return the environment variables that Spark's processes need."""
    set_by_user = settings.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON")
    found = {"JAVA_HOME": str(java), "PYSPARK_PYTHON": set_by_user or python, "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
    if (spark / "jars").is_dir():
        found["SPARK_HOME"] = str(spark)  # one of another Spark would not fit
    if master.here:
        found["SPARK_LOCAL_IP"] = "127.0.0.1"
    return found
