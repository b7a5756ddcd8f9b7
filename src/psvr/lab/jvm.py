"""The Java process that is Spark's driver: started, watched while it starts, and ended.

All that Spark writes, its log too, lies in one folder, which goes with the process.
"""

import logging
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from psvr.errors import BadInput

NOISE = r"WARNING|at |\S+ \S+ (WARN|INFO) |Picked up |\S*/spark-class: "
LAST_WORDS = 20.0       # seconds for a Java process that was told to end
ASKED, ANSWERED = "Connecting to master", "Connected to Spark cluster"      # what Spark logs
ANSWER = 25.0           # seconds between them at most


@dataclass
class Jvm:
    """A Java process with its folder."""

    folder: Path
    gateway: Any = None
    refusal: str = ""           # why it was ended

    def launch(self, settings: Mapping[str, str], environment: Mapping[str, str]) -> None:
        """Its output goes to a file, unless the user wants to see it; Ctrl-C at the terminal is not for it."""
        forget()
        logging.getLogger().addFilter(not_of_py4j)
        shown = "spark.log.level" in settings
        with surrounded(environment), self.log.open("wb") as log:
            output = {} if shown else {"stdout": log, "stderr": log}
            try:
                self.gateway = launch_gateway(conf_of(settings), {**output, "process_group": 0})  # type: ignore[no-untyped-call]
            except PySparkRuntimeError:
                raise BadInput(f"Java does not start: {self.complaint()}") from None
        self.leave_nothing()

    def session(self, settings: Mapping[str, str], environment: Mapping[str, str]) -> SparkSession:
        done = threading.Event()
        threading.Thread(target=self.watch, args=[done], daemon=True).start()
        try:
            with surrounded(environment), interrupts_kept():
                return SparkSession(SparkContext(conf=conf_of(settings), gateway=self.gateway))
        except (Py4JError, OSError) as error:
            reason = self.refusal or root_cause(error) or self.complaint()
            raise BadInput(f"Spark does not start at {settings['spark.master']}: {reason}") from None
        finally:
            done.set()

    def watch(self, done: threading.Event) -> None:
        """Spark asks a master for more than a minute that never answers; end that sooner."""
        asked = None
        while not done.wait(0.5):
            said = self.log.read_text("utf-8", "replace")
            if ANSWERED in said:
                return
            if asked is None and ASKED in said:
                asked = time.monotonic()
            if asked is not None and time.monotonic() - asked > ANSWER:
                self.refusal = "what is there does not answer like a master (is it the port of its web page?)"
                self.gateway.proc.kill()
                return

    def leave_nothing(self) -> None:
        """Java removes the folder too when it ends, in case that this process is killed and cannot."""
        jvm = self.gateway.jvm
        jvm.org.apache.spark.util.ShutdownHookManager.registerShutdownDeleteDir(jvm.java.io.File(str(self.folder)))

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def complaint(self) -> str:
        """The first lines of the log that are more than warnings and places in code."""
        lines = [line.strip() for line in self.log.read_text("utf-8", "replace").splitlines() if line.strip()]
        telling = [line for line in lines if not re.match(NOISE, line)]
        return "; ".join(telling[:2])[:300] or "no reason given"

    def end(self) -> None:
        """Java goes when its standard input does; the folder after it, for it writes there to the last."""
        if self.gateway is not None:
            process = self.gateway.proc
            self.gateway._gateway_client.is_connected = False       # objects that are collected later say so to nobody
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(LAST_WORDS)
            except TimeoutExpired:
                process.kill()
                process.wait()
            if SparkContext._gateway is self.gateway:
                forget()
        shutil.rmtree(self.folder, ignore_errors=True)


def forget() -> None:
    """pyspark keeps the last Java process for the next session, though that may have other settings."""
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None


def not_of_py4j(record: logging.LogRecord) -> bool:
    """py4j prints where in its code it lost Java; the error reaches us anyway."""
    return "py4j" not in Path(record.pathname).parts


def conf_of(settings: Mapping[str, str]) -> SparkConf:
    return SparkConf(loadDefaults=False).setAll(list(settings.items()))


@contextmanager
def surrounded(environment: Mapping[str, str]) -> Iterator[None]:
    """With these variables, as long as it lasts."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        for name in environment:
            os.environ.pop(name)
            if name in before:
                os.environ[name] = before[name]


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """pyspark answers Ctrl-C by a call into Java, in the midst of whatever goes on there; Python's own way stays."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def root_cause(error: Exception) -> str:
    """What the innermost exception in Java says."""
    if not isinstance(error, Py4JJavaError):
        return ""
    with suppress(Py4JError, OSError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        return " ".join(str(cause.getMessage() or cause.toString()).split())[:300]
    return ""
