"""`spark.read.format("psvr")` and `readStream`: a folder of traces, Parquet and JSON lines, as a source of Spark.

    spark.dataSource.register(PsvrSource)
    spark.readStream.format("psvr").option("maxBytesPerTrigger", 64 << 20).load("traces")

Anything that would go missing ends the query, unless `failOnDataLoss` is false, as with Spark's other sources: a bad
line, a file that was removed before it was read.  What was lost is then counted in the offsets, which a query reports
(`lastProgress`), under `lost`.  Several files that hold the same are read once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadMaxBytes, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from psvr.errors import BadInput

from .contents import Look
from .folders import Found, look_around
from .offsets import Gap, Plan, Range, State, plan
from .parsing import Bad
from .pieces import Gone, cut
from .tables import FLAT, tables

BATCH_BYTES = 256 << 20  # read by a micro-batch, unless an option says otherwise
EVERYTHING = 1 << 62
OPTIONS = ("path", "maxbytespertrigger", "failondataloss", "tasks")


class PsvrSource(DataSource):
    """Traces as rows with the columns of a trace."""

    @classmethod
    def name(cls) -> str:
        return "psvr"

    def schema(self) -> StructType:
        return from_arrow_schema(FLAT)

    def reader(self, schema: StructType) -> "Batch":
        return Batch(Settings(self.options))

    def streamReader(self, schema: StructType) -> "Stream":
        return Stream(Settings(self.options))


class Settings:
    """The options of a source."""

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name.lower() not in OPTIONS:
                raise BadInput(f"option {name}: must be one of maxBytesPerTrigger, failOnDataLoss, tasks")
        if "path" not in options:
            raise BadInput("path: missing; give the folder of a trace to load()")
        self.folder = Path(options["path"].removeprefix("file://"))
        self.most = whole("maxBytesPerTrigger", options.get("maxBytesPerTrigger"), BATCH_BYTES)
        self.tasks = whole("tasks", options.get("tasks"), 8)
        strict = options.get("failOnDataLoss", "true").lower()
        if strict not in ("true", "false"):
            raise BadInput(f"option failOnDataLoss: must be true or false, not {strict}")
        self.strict = strict == "true"


def whole(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not text.isdecimal() or int(text) == 0:
        raise BadInput(f"option {name}: must be a positive whole number, not {text}")
    return int(text)


class Bundle(InputPartition):
    """What a task reads."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(None)
        self.ranges = ranges


class Batch(DataSourceReader):
    """A folder as it is now."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def partitions(self) -> list[InputPartition]:
        found = look_at(self.settings, State(), EVERYTHING)
        planned = plan(State(), found.looks, {}, EVERYTHING)
        refuse_losses(planned.gaps, self.settings)
        return bundles(planned.ranges, self.settings) or [Bundle([])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Bundle)
        yield from rows(self.settings, partition)


class Stream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A folder as it grows.  Offsets are states of `offsets`, with what was lost."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.available: dict[str, int] | None = None  # what was there when a query began that ends with it

    def initialOffset(self) -> dict[str, Any]:
        return offset_of(State(), {}, ())

    def getDefaultReadLimit(self) -> Any:
        return ReadMaxBytes(self.settings.most)

    def prepareForTriggerAvailableNow(self) -> None:
        self.available = {look.key: look.size for look in look_at(self.settings, State(), EVERYTHING).looks}

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
        planned = self.plan(start, getattr(limit, "maxBytes", EVERYTHING))
        if start.get("files"):  # what was lost before the first look is history
            refuse_losses(planned.gaps, self.settings)
        if not planned.ranges and not planned.gaps:
            return start  # the same, or Spark would run a batch for nothing
        return offset_of(planned.state, start.get("lost", {}), planned.gaps)

    def plan(self, start: dict[str, Any], most: int) -> Plan:
        state = State.from_json(start)
        found = look_at(self.settings, state, most)
        looks = [replace(look, end=state.at(look.key)) if self.ignored(look, state) else look for look in found.looks]
        return plan(state, looks, found.removed, most)

    def ignored(self, look: Look, state: State) -> bool:
        return self.available is not None and state.at(look.key) >= self.available.get(look.key, 0)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """What is between two offsets, which is all that is known of it after a restart."""
        before, after = State.from_json(start), State.from_json(end)
        ranges = [
            Range(seen.name, key, before.at(key), seen.at)
            for key, seen in after.files.items()
            if seen.at > before.at(key)
        ]
        return bundles(ranges, self.settings)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Bundle)
        yield from rows(self.settings, partition)


def look_at(settings: Settings, state: State, most: int) -> Found:
    found = look_around(settings.folder, state.at, most)
    for name, reason in found.unreadable.items():
        if settings.strict:
            raise BadInput(f"{settings.folder / name}: cannot be read: {reason}")
    return found


def bundles(ranges: Any, settings: Settings) -> list[InputPartition]:
    return [Bundle(found) for found in cut(ranges, settings.tasks)]


def offset_of(state: State, lost: Mapping[str, int], gaps: tuple[Gap, ...]) -> dict[str, Any]:
    sums = {"gaps": len(gaps), "bytes": sum(gap.bytes or 0 for gap in gaps)}
    return {**state.to_json(), "lost": {name: lost.get(name, 0) + more for name, more in sums.items()}}


def refuse_losses(gaps: tuple[Gap, ...], settings: Settings) -> None:
    if gaps and settings.strict:
        gap = gaps[0]
        raise BadInput(f"{settings.folder / gap.name}: {gap.reason}; failOnDataLoss=false goes on without it")


def rows(settings: Settings, bundle: Bundle) -> Iterator[pa.RecordBatch]:
    """What the pieces of a task hold, as batches with the schema of the source."""
    for piece in bundle.ranges:
        file = settings.folder / piece.name
        try:
            for found in tables(settings.folder, piece):
                if isinstance(found, Bad):
                    if settings.strict:
                        raise BadInput(
                            f"{file}, byte {found.offset}: {found.reason}; failOnDataLoss=false leaves it out"
                        )
                else:
                    yield from found.to_batches()
        except Gone as gone:
            if settings.strict:
                raise BadInput(
                    f"{file}: bytes from {gone.at} on were removed before they were read; failOnDataLoss=false goes on"
                ) from None
