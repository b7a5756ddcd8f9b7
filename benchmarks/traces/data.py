"""Large traces to measure with: one simulated hour, written again and again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from psvr.protocol.constants import REASONS
from psvr.sim.network import FAULTS, Network
from psvr.sim.scenario import parse
from psvr.trace import Writer
from psvr.trace.columns import FRAMES
from psvr.trace.files import part_name
from psvr.trace.part import Part
from psvr.trace.reading import files
from psvr.trace.writer import ROWS_PER_FILE, metadata

HOUR = 3600
SCENARIO: dict[str, Any] = {  # 4.8 million rows: two channels, subscribers that come and go, noise for ten minutes
    "seed": 11,
    "duration": HOUR,
    "warmup": 120,
    "topology": {"kind": "geometric", "n": 200, "range": 60, "area": [800, 250], "ids": "random"},
    "radio": {"model": "lossy", "loss": 0.1, "retries": 3},
    "protocol": {"lease": 15},
    "traffic": [
        {"channel": "position", "subscribers": 12, "publishers": "all", "every": 30, "churn": 6},
        {"channel": "command", "subscribers": "all", "publishers": [0], "every": 5, "start": 120, "payload": 8},
    ],
    "fault": [{"at": 1800, "kind": "jam", "area": [200, 100, 70], "duration": 600}],
}


def simulated(folder: Path) -> Path:
    """The trace of one simulated hour, HELLOs and SUBs included; made once."""
    made = folder / "hour"
    if not made.is_dir():
        scenario = parse(SCENARIO)
        channels = [each["channel"] for each in SCENARIO["traffic"]]
        with Writer(folder / "unfinished", "hour", "sim", channels, REASONS, list(FAULTS), frames=FRAMES) as writer:
            net = Network(scenario, level="control", take_rows=writer.write)
            net.run(scenario.duration)
            net.machine.flush()
        (folder / "unfinished").rename(made)
    return made


def trace(folder: Path, rows: int, one_run: bool = False) -> Path:
    """A trace of at least so many rows: runs of an hour each, or a single long one of a network that starts anew."""
    made = folder / f"{rows}{'-one' if one_run else ''}"
    if made.is_dir():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    source, hidden = simulated(folder), folder / f"unfinished-{rows}"
    hidden.mkdir()
    copies, parts = 0, 0
    while copies * rows_in(source) < rows:
        run = "long" if one_run else f"hour-{copies:03d}"
        for number, batches in enumerate(blocks(source)):
            part = Part(hidden / part_name(run, parts if one_run else number), schema(source, run))
            for batch in batches:
                part.write(again(batch, run, copies if one_run else 0))
            part.finish()
            parts += 1
        copies += 1
    hidden.rename(made)
    return made


def rows_in(source: Path) -> int:
    return sum(pq.read_metadata(file).num_rows for file in files(source)[0])


def blocks(source: Path) -> Iterator[Iterator[pa.RecordBatch]]:
    for file in files(source)[0]:
        yield pq.ParquetFile(file).iter_batches(ROWS_PER_FILE >> 3)


def schema(source: Path, run: str) -> pa.Schema:
    return pq.read_schema(files(source)[0][0]).with_metadata(metadata(run, "sim", {"copied": json.dumps(True)}))


def again(batch: pa.RecordBatch, run: str, hours: int) -> pa.RecordBatch:
    """The same rows under another name; or hours later, after all nodes have started anew."""
    columns = dict(zip(batch.schema.names, batch.columns))
    columns["run"] = pa.DictionaryArray.from_arrays(columns["run"].indices, pa.array([run]))
    if hours:
        columns["time"] = pa.compute.add(columns["time"], hours * HOUR * 1_000_000)
        columns["boot"] = pa.compute.add(columns["boot"], pa.scalar(hours, pa.int32()))
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)
