"""Errors of Spark as messages of one line, which are printed nowhere else."""

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from psvr.errors import BadInput

LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")  # print every error with its whole plan
MAX_LENGTH = 300  # characters


@contextmanager
def spark_errors(where: str, remedy: str = "") -> Iterator[None]:
    """Turn errors of Spark into `BadInput`; `where` names what is wrong, `remedy` says what to do."""
    for name in LOGGERS:
        PySparkLogger.getLogger(name).disabled = True  # for good: the exception says what they print
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise BadInput(f"{where}: {shorten(str(error))}{remedy and f'; {remedy}'}") from None


@contextmanager
def spark_may_stop() -> Iterator[None]:
    """Turn whatever ends Spark in the middle of a run into `BadInput`; what is stored by then stays."""
    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        gone = isinstance(error, Py4JNetworkError | ConnectionError)
        reason = "its Java process ended" if gone else shorten(str(error))
        raise BadInput(f"Spark stopped: {reason}; what is finished is stored, the same command goes on") from error


def shorten(text: str) -> str:
    """Return the first sentences of a message, without codes, query, plan and stack trace."""
    causes = [line.partition(": ")[2] for line in text.splitlines() if line.startswith("Caused by: ")]
    line = (causes[-1] if causes else text).strip().partition("\n")[0].partition(" SQLSTATE:")[0]
    plain = line.partition("] ")[2] if line.startswith("[") else line
    return " ".join(plain.split())[:MAX_LENGTH].rstrip(".")
