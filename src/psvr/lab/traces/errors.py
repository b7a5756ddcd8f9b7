"""Damage that a task has found, as a line of our own instead of Spark's many."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from psvr.errors import BadInput
from psvr.trace.columns import TraceError

MARK = f"{TraceError.__module__}.{TraceError.__qualname__}: "


@contextmanager
def trace_errors() -> Iterator[None]:
    """Around whatever asks for a measure: turn what a task says about a file into `BadInput`."""
    try:
        yield
    except PySparkException as error:
        lines = [line.strip().partition(MARK) for line in str(error).splitlines() if MARK in line]
        if not lines:
            raise
        raise BadInput(lines[0][2]) from None
