"""Spark sessions: which masters there are, what a session leaves behind, and messages when it cannot start."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from psvr.errors import BadInput
from psvr.lab.spark import master as masters
from psvr.lab.spark.sessions import session, slots
from psvr.lab.spark.settings import GIGABYTE, default_settings, driver_memory, machine_memory, parse_conf


def error_line(code: str, **environment: str) -> str:
    """Return the message of BadInput in a fresh process; nothing else may be printed there."""
    lines = [
        "import psvr.lab.spark.sessions as lab, psvr.lab.spark.jvm as jvm",
        "from psvr.errors import BadInput",
        "try:",
        *(f"    {line}" for line in code.splitlines()),
        "except BadInput as error:",
        "    print(error)",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    assert done.stderr == ""
    [line] = done.stdout.splitlines()
    return line


@pytest.mark.parametrize(
    "text, kind, cores, addresses, here",
    [
        ("local", "local", 1, (), True),
        ("local[3]", "local", 3, (), True),
        ("local[*]", "local", os.cpu_count(), (), True),
        ("spark://127.0.0.1:7077", "spark", 0, (("127.0.0.1", 7077),), True),
        ("spark://a:1,b:2", "spark", 0, (("a", 1), ("b", 2)), False),
        ("spark://[::1]:7077", "spark", 0, (("::1", 7077),), True),
        ("yarn", "yarn", 0, (), False),
        ("k8s://https://there:6443", "k8s", 0, (("there", 6443),), False),
        ("k8s://there", "k8s", 0, (("there", 443),), False),
        ("k8s://http://localhost", "k8s", 0, (("localhost", 80),), True),
    ],
)
def test_masters(text: str, kind: str, cores: int, addresses: tuple[tuple[str, int], ...], here: bool) -> None:
    found = masters.parse(text)
    assert (found.kind, found.cores, found.addresses, found.here) == (kind, cores, addresses, here)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "here",
        "local[0]",
        "local[-1]",
        "local[2",
        "Local",
        "local-cluster[2,1,1024]",
        "spark://",
        "spark://host",
        "spark://host:port",
        "spark://host:70000",
        "spark://a:1,",
        "k8s://",
        "k8s://https://a:b",
        "k8s://a:0",
        "yarn-client",
        "sc://host:15002",
        "spark://ho st:7077",
        "spark://user@host:7077",
    ],
)
def test_other_masters_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--master") as error:
        masters.parse(text)
    assert "\n" not in str(error.value)


def test_settings_of_the_user() -> None:
    assert parse_conf(["spark.a=b=c", " spark.executor.memory = 2g"]) == {
        "spark.a": "b=c",
        "spark.executor.memory": "2g",
    }
    for text in ("spark.a", "a=1", "=1", "spark.master=local", "spark.a b=1"):
        with pytest.raises(BadInput, match="--conf"):
            parse_conf([text])


@pytest.mark.parametrize("place", ["127.0.0.1:1", "no-such-host.invalid:7077"])
def test_a_master_that_is_not_there(place: str) -> None:
    with pytest.raises(BadInput, match="cannot be reached") as error:
        session(f"spark://{place}")
    assert place in str(error.value) and "\n" not in str(error.value)


def test_what_a_master_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(BadInput, match="HADOOP_CONF_DIR"):
        session("yarn")
    with pytest.raises(BadInput, match=r"spark\.kubernetes\.container\.image"):
        session("k8s://https://127.0.0.1:1")
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    with pytest.raises(BadInput, match="SPARK_REMOTE"):
        session("local[2]")


@pytest.mark.parametrize("name", ["spark.driver.port", "spark.ui.port"])
def test_a_port_that_is_taken(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BadInput, match=rf"{name}={port}.*cannot be had"):
            session("local[2]", conf=[f"{name}={port}"])
    with pytest.raises(BadInput, match="must be a port"):
        session("local[2]", conf=[f"{name}=high"])


def test_memory_of_the_driver(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text("max\n")
    whole = machine_memory(limit)
    limit.write_text(f"{GIGABYTE}\n")
    assert machine_memory(limit) == GIGABYTE < whole == machine_memory(tmp_path / "none")
    assert GIGABYTE >> 20 <= int(driver_memory().removesuffix("m")) <= 8 * GIGABYTE >> 20


def test_only_loopback_for_what_is_here(tmp_path: Path) -> None:
    near, far = masters.parse("local[2]"), masters.parse("spark://there:7077")
    assert default_settings(near, tmp_path, None)["spark.driver.bindAddress"] == "127.0.0.1"
    assert default_settings(far, tmp_path, "10.0.0.5")["spark.driver.host"] == "10.0.0.5"
    assert "spark.driver.bindAddress" not in default_settings(far, tmp_path, "10.0.0.5")
    assert default_settings(far, tmp_path, "fd00::5")["spark.driver.host"] == "[fd00::5]"


def test_the_session_of_the_tests(spark: SparkSession) -> None:
    assert slots(spark) == 2
    assert spark.conf.get("spark.sql.shuffle.partitions") == "4"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    [row] = spark.sql("SELECT current_timezone() AS zone, try_divide(1, 0) AS none").collect()
    assert (row.zone, row.none) == ("UTC", None)
    assert spark.sparkContext.uiWebUrl is None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(BadInput, match="already"):
        session("local[2]")


WHOLE = """
import os, signal, sys, time
from psvr.lab.spark import sessions as lab

def double(batches):
    import pyarrow as pa, pyarrow.compute as pc
    for batch in batches:
        yield pa.RecordBatch.from_arrays([pc.multiply(batch["id"], 2)], ["id"])

for cores in map(int, sys.argv[2:]):        # each with a Java process of its own
    spark = lab.session(f"local[{cores}]", conf=["spark.sql.shuffle.partitions=3"])
    total = spark.range(10).mapInArrow(double, "id long").groupBy().sum("id").collect()[0][0]
    java = lab.started[0].gateway.proc.pid
    print(total, lab.slots(spark), spark.conf.get("spark.sql.shuffle.partitions"), java, flush=True)
    if cores == 2:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        time.sleep(60)
    spark.stop()
"""


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Path]:
    """A machine without Java but for that of PyPI, and folders in which nothing may stay."""
    for name in ("now", "tmp", "bin"):
        (tmp_path / name).mkdir()
    for name in ("bash", "sh", "dirname", "cat", "ls", "rm", "uname", "env", "head", "mkdir", "chmod", "kill"):
        (tmp_path / "bin" / name).symlink_to(f"/bin/{name}")
    yield tmp_path
    assert list((tmp_path / "now").iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("end, cores", [("SIGINT", "1 2"), ("SIGKILL", "2")])
def test_quiet_and_leaves_nothing_however_it_ends(empty: Path, end: str, cores: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", WHOLE, end, *cores.split()],
        cwd=empty / "now",
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "PATH": str(empty / "bin"), "TMPDIR": str(empty / "tmp")},
    )
    sessions = [line.split() for line in done.stdout.splitlines()]
    assert [it[:3] for it in sessions] == [["90", c, "3"] for c in cores.split()]
    for it in sessions:
        wait_until_gone(Path(f"/proc/{it[3]}"))
    assert done.returncode == -getattr(signal, end)
    assert [line for line in done.stderr.splitlines() if not line.startswith((" ", "Traceback", "Keyboard"))] == []


def wait_until_gone(process: Path) -> None:
    deadline = time.monotonic() + 60
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()


def test_something_that_is_no_master() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        place = f"spark://127.0.0.1:{other.getsockname()[1]}"
        line = error_line(f"jvm.ANSWER_TIMEOUT = 1\nlab.session({place!r})")
    assert line.startswith(f"Spark does not start at {place}: what is there does not answer like a master")


def test_a_java_that_does_not_start(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"""#!/bin/sh
case "$*" in *-version*) echo '    java.home = {tmp_path}
openjdk version "17.0.1"' >&2; exit 0;; esac
echo 'Out of luck' >&2
exit 1
""")
    java.chmod(0o755)
    assert error_line("lab.session('local[2]')", JAVA_HOME=str(tmp_path)) == "Java does not start: Out of luck"


def test_a_setting_that_spark_refuses() -> None:
    line = error_line("lab.session('local[2]', conf=['spark.task.cpus=many'])")
    assert "spark.task.cpus" in line and "many" in line
