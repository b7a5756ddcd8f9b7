"""What Spark says when it cannot do what it is asked, in one line and nowhere else."""

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from psvr.errors import BadInput

LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")      # print every error, with all of its plan
MOST = 300                  # characters


@contextmanager
def in_words(where: str, remedy: str = "") -> Iterator[None]:
    """Turn errors of Spark into `BadInput`; `where` names what is wrong, `remedy` says what to do."""
    for name in LOGGERS:
        PySparkLogger.getLogger(name).disabled = True       # for good: what they print, the exception says
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise BadInput(f"{where}: {in_short(str(error))}{remedy and f'; {remedy}'}") from None


def in_short(text: str) -> str:
    """The first sentences, without codes, the query, the plan, and the way to where it was noticed."""
    causes = [line.partition(": ")[2] for line in text.splitlines() if line.startswith("Caused by: ")]
    line = (causes[-1] if causes else text).strip().partition("\n")[0].partition(" SQLSTATE:")[0]
    plain = line.partition("] ")[2] if line.startswith("[") else line
    return " ".join(plain.split())[:MOST].rstrip(".")
