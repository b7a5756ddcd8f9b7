"""The ingestion itself: look, plan, have a batch written by tasks of Spark, commit; until all is read, or for ever."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from psvr.errors import BadInput

from .folders import Found, look_around
from .offsets import Gap, Plan, missing, plan
from .output import Output, after
from .pieces import cut
from .writing import GAPS, Files, Report, printable, task

LIMIT = 512 << 20  # bytes of a batch
SAY_EVERY = 5.0  # seconds between two lines about a batch


@dataclass(frozen=True)
class Pace:
    """How an ingestion goes on."""

    follow: bool = False
    every: float = 5.0  # seconds between two looks at files that grow
    limit: int = LIMIT


def ingest(
    spark: SparkSession,
    output: Output,
    pace: Pace,
    say: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> str:
    """Read what there is, and with `follow` what is added, until interrupted."""
    said, said_at = "", time.monotonic()
    while True:
        began = time.monotonic()
        before = output.progress
        found = look_around(output.source, before.state.at, pace.limit)
        planned = plan(before.state, found.looks, found.removed, pace.limit)
        if planned.ranges or planned.gaps:
            run_batch(spark, output, planned)
        elif not pace.follow:
            return summary(output, found)
        full = sum(r.end - r.begin for r in planned.ranges) * 2 > pace.limit
        text = summary(output, found)
        if pace.follow and text != said and time.monotonic() > said_at + SAY_EVERY:
            say(text)
            said, said_at = text, time.monotonic()
        if pace.follow and not full:
            wait(max(0.0, began + pace.every - time.monotonic()))


def run_batch(spark: SparkSession, output: Output, planned: Plan) -> None:
    """Have the ranges written by tasks, then commit what they wrote with the gaps."""
    bundles = cut(planned.ranges, 2 * spark.sparkContext.defaultParallelism)
    reports = list[Report]()
    if bundles:
        work = task(str(output.source), bundles, str(output.incoming))
        frame = spark.range(0, len(bundles), 1, len(bundles)).mapInArrow(work, "report string")
        reports = [Report.from_json(row.report) for row in frame.collect()]
    if len(reports) != len(bundles):
        raise BadInput(f"{len(reports)} of {len(bundles)} tasks have reported; nothing of this batch is stored")
    gaps = [*planned.gaps, *(Gap(*gone, "removed while it was being read") for r in reports for gone in r.gone)]
    files = [(name, folder) for report in reports for name, folder in report.files]
    added = {
        "rows": sum(report.rows for report in reports),
        "bad": sum(report.bad for report in reports),
        "gaps": len(gaps),
        "lost_bytes": sum(gap.bytes or 0 for gap in gaps),
    }
    output.commit(after(output.progress, planned.state, added), [*files, *written(gaps, output.incoming)])


def written(gaps: Iterable[Gap], incoming: Path) -> list[tuple[str, str]]:
    """Write a hidden file with these gaps, if there are any."""
    now = datetime.now(UTC)
    rows = [
        {"file": printable(gap.name), "offset": gap.begin, "bytes": gap.bytes, "reason": gap.reason, "noticed": now}
        for gap in gaps
    ]
    files = Files(incoming)
    if rows:
        files.write("gaps", pa.Table.from_pylist(rows, GAPS))
    return files.finish()


def summary(output: Output, found: Found) -> str:
    """What there is to say about an ingestion: nothing that was not read goes unmentioned."""
    parts = [str(output.progress)]
    if absent := missing(output.progress.state, found.looks):
        parts.append(f"{absent:,} files missing by their numbers")
    if found.waiting:
        parts.append(f"{found.waiting:,} bytes of incomplete lines and files wait")
    parts += [f"{name} cannot be read: {reason}" for name, reason in found.unreadable.items()]
    return ", ".join(parts)
