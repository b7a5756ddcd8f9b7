"""The Java process that is Spark's driver: started, watched while it starts, and ended.

All that Spark writes, including its log, is in one folder, which is removed with the process.
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
EXIT_TIMEOUT = 20.0  # seconds that a Java process has to end
CONNECTING, CONNECTED = "Connecting to master", "Connected to Spark cluster"  # what Spark logs
ANSWER_TIMEOUT = 25.0  # seconds between the two


@dataclass
class Jvm:
    """A Java process and its folder."""

    folder: Path
    gateway: Any = None
    refusal: str = ""  # why we ended it

    def launch(self, settings: Mapping[str, str], environment: Mapping[str, str]) -> None:
        """Start it.  Output goes to a file, unless the user wants to see it; Ctrl-C at the terminal is not for it."""
        forget_gateway()
        logging.getLogger().addFilter(not_from_py4j)
        shown = "spark.log.level" in settings
        with environment_set(environment), self.log.open("wb") as log:
            output = {} if shown else {"stdout": log, "stderr": log}
            try:
                self.gateway = launch_gateway(conf_of(settings), {**output, "process_group": 0})  # type: ignore[no-untyped-call]
            except PySparkRuntimeError:
                raise BadInput(f"Java does not start: {self.startup_error()}") from None
        self.delete_folder_on_exit()

    def session(self, settings: Mapping[str, str], environment: Mapping[str, str]) -> SparkSession:
        done = threading.Event()
        threading.Thread(target=self.watch, args=[done], daemon=True).start()
        try:
            with environment_set(environment), keep_interrupts():
                return SparkSession(SparkContext(conf=conf_of(settings), gateway=self.gateway))
        except (Py4JError, OSError) as error:
            reason = self.refusal or root_cause(error) or self.startup_error()
            raise BadInput(f"Spark does not start at {settings['spark.master']}: {reason}") from None
        finally:
            done.set()

    def watch(self, done: threading.Event) -> None:
        """End Java when a master does not answer: Spark itself would try for more than a minute."""
        asked = None
        while not done.wait(0.5):
            said = self.log.read_text("utf-8", "replace")
            if CONNECTED in said:
                return
            if asked is None and CONNECTING in said:
                asked = time.monotonic()
            if asked is not None and time.monotonic() - asked > ANSWER_TIMEOUT:
                self.refusal = "what is there does not answer like a master (is it the port of its web page?)"
                self.gateway.proc.kill()
                return

    def delete_folder_on_exit(self) -> None:
        """Let Java remove the folder too when it ends, in case this process is killed and cannot."""
        jvm = self.gateway.jvm
        jvm.org.apache.spark.util.ShutdownHookManager.registerShutdownDeleteDir(jvm.java.io.File(str(self.folder)))

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def startup_error(self) -> str:
        """Return the first lines of the log that are neither warnings nor part of a stack trace."""
        lines = [line.strip() for line in self.log.read_text("utf-8", "replace").splitlines() if line.strip()]
        relevant = [line for line in lines if not re.match(NOISE, line)]
        return "; ".join(relevant[:2])[:300] or "no reason given"

    def end(self, timeout: float = EXIT_TIMEOUT) -> None:
        """End Java by closing its standard input, then remove the folder, which it writes into until it ends."""
        if self.gateway is not None:
            process = self.gateway.proc
            self.gateway._gateway_client.is_connected = False  # so that objects collected later do not call it
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(timeout)
            except TimeoutExpired:
                process.kill()
                process.wait()
            if SparkContext._gateway is self.gateway:
                forget_gateway()
        shutil.rmtree(self.folder, ignore_errors=True)


def forget_gateway() -> None:
    """Make pyspark forget the last Java process, which it keeps for the next session, though settings may differ."""
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None


def not_from_py4j(record: logging.LogRecord) -> bool:
    """Filter out what py4j logs when it loses Java; the error reaches us anyway."""
    return "py4j" not in Path(record.pathname).parts


def conf_of(settings: Mapping[str, str]) -> SparkConf:
    return SparkConf(loadDefaults=False).setAll(list(settings.items()))


@contextmanager
def environment_set(environment: Mapping[str, str]) -> Iterator[None]:
    """Set these environment variables while the context lasts."""
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
def keep_interrupts() -> Iterator[None]:
    """Keep Python's handler of Ctrl-C: that of pyspark would call into Java, whatever it is doing at that moment."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def root_cause(error: Exception) -> str:
    """Return the message of the innermost exception in Java."""
    if not isinstance(error, Py4JJavaError):
        return ""
    with suppress(Py4JError, OSError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        return " ".join(str(cause.getMessage() or cause.toString()).split())[:300]
    return ""
