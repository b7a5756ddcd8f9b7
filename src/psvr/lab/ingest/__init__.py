"""Traces as a source of Spark, at rest and as a stream, and their ingestion into Parquet while they are written."""

from typing import TYPE_CHECKING

from psvr.lazy import exports

if TYPE_CHECKING:
    from .reading import ingested
    from .source import PsvrSource

__all__ = ["PsvrSource", "ingested"]

__getattr__, __dir__ = exports(__name__, {"reading": ["ingested"], "source": ["PsvrSource"]})
