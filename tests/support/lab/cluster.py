"""A real standalone cluster on this machine, from the installed pyspark: one master and some workers."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pyspark

from psvr.lab.spark.java import archive_options, class_archive, java_home

TIMEOUT = 60.0
QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # for executors: spark.executor.extraJavaOptions
# Ends the whole group when this process does, however that ends: then there is no more to read.
GUARD = '"$@" </dev/null & echo $! >"$0"; read line; kill -9 0'


class Process:
    """A Java process of Spark with its log; it leads its own process group, which includes its executors."""

    def __init__(self, log: Path, environment: Mapping[str, str], *words: str) -> None:
        self.log = log
        home = Path(pyspark.__file__).parent
        surroundings = {
            **os.environ,
            "SPARK_HOME": str(home),
            "JAVA_HOME": str(java_home()),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
            "JAVA_TOOL_OPTIONS": archive_options(class_archive(java_home())).replace('"', ""),
            **environment,
        }
        with log.open("wb") as out:
            self.guard = subprocess.Popen(
                ["sh", "-c", GUARD, log.with_suffix(".pid"), home / "bin" / "spark-class", *words],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                env=surroundings,
                cwd=log.parent,
                process_group=0,
            )

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait for a line of its log with this pattern."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.log.read_text("utf-8", "replace")):
                return found
            time.sleep(0.05)
        raise AssertionError(f"{self.log} never said {pattern!r}:\n{self.log.read_text('utf-8', 'replace')[-900:]}")

    @property
    def pid(self) -> int:
        return int(self.log.with_suffix(".pid").read_text())

    def end(self) -> None:
        """Kill it with all its executors, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.guard.pid, signal.SIGKILL)
        self.guard.wait()
        assert self.guard.stdin
        self.guard.stdin.close()


class Cluster:
    """`with Cluster(tmp_path) as cluster: session(cluster.master, …)`."""

    def __init__(self, folder: Path, workers: int = 2, cores: int = 1, memory: str = "1g", **environment: str) -> None:
        self.folder, self.cores, self.memory, self.environment = folder, cores, memory, environment
        self.processes: list[Process] = []
        try:
            self.start(workers)
        except BaseException:
            self.stop()
            raise

    def start(self, workers: int) -> None:
        first = Process(
            self.folder / "master.log",
            self.environment,
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--webui-port",
            "0",
        )
        self.processes.append(first)
        self.master = first.wait_for(r"Starting Spark master at (spark://[\d.:]+)")[1]
        for _ in range(workers):
            self.add_worker()
        for worker in self.processes[1:]:
            worker.wait_for("Successfully registered with master")

    def add_worker(self) -> None:
        number = len(self.processes)
        self.processes.append(
            Process(
                self.folder / f"worker{number}.log",
                self.environment,
                "org.apache.spark.deploy.worker.Worker",
                "--host",
                "127.0.0.1",
                "-c",
                str(self.cores),
                "-m",
                self.memory,
                "--webui-port",
                "0",
                "-d",
                str(self.folder / f"work{number}"),
                self.master,
            )
        )

    @property
    def workers(self) -> list[int]:
        """Process ids."""
        return [worker.pid for worker in self.processes[1:]]

    def kill(self, i: int) -> None:
        """Worker i dies with its executors, as a machine does."""
        self.processes[1 + i].end()

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.end()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
