"""Traces as tables: an index of their files, and measures whose tasks read no more than they need.

found = index(spark, "traces")
delivery(found, warmup_us=60_000_000)       # a DataFrame, as are the others
"""

from pyspark.sql import DataFrame

from psvr.results.figures import WINDOW

from .errors import trace_errors
from .index import Index, index
from .jobs import measured
from .kernels.changes import Changes
from .kernels.copies import Deliveries
from .kernels.delivery import Delivery
from .kernels.loads import LinkLoad, NodeLoad
from .kernels.publications import Publications
from .kernels.subscriptions import Expected, Subscriptions

__all__ = [
    "Index",
    "changes",
    "deliveries",
    "delivery",
    "expected",
    "index",
    "link_load",
    "node_load",
    "publications",
    "subscriptions",
    "trace_errors",
]


def delivery(trace: Index, warmup_us: int = 0, window_us: int = WINDOW) -> DataFrame:
    """How well each run delivered."""
    return measured(trace, Delivery(warmup_us, window_us))


def publications(trace: Index) -> DataFrame:
    """One row per publication: when, where, and what became of it."""
    return measured(trace, Publications())


def deliveries(trace: Index) -> DataFrame:
    """One row per publication handed to an application."""
    return measured(trace, Deliveries())


def subscriptions(trace: Index) -> DataFrame:
    """One row per subscription with its begin and end."""
    return measured(trace, Subscriptions())


def expected(trace: Index, window_us: int = WINDOW) -> DataFrame:
    """Who should get what."""
    return measured(trace, Expected(window_us))


def node_load(trace: Index) -> DataFrame:
    """One row per run and node: what it sent and received."""
    return measured(trace, NodeLoad())


def link_load(trace: Index) -> DataFrame:
    """One row per run, sender and receiver: PUBs sent."""
    return measured(trace, LinkLoad())


def changes(trace: Index) -> DataFrame:
    """One row per change of a node's parent, ring or table."""
    return measured(trace, Changes())
