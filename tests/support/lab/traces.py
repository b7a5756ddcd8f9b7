"""Traces for tests of their ingestion: lines as nodes write them, and what an ingestion has made of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from psvr.trace import ROW, Writer, json_line

START = 1_700_000_000_000_000  # µs, in November 2023


def line(time: int, node: int = 1, run: str = "field", **more: Any) -> str:
    return json_line({"run": run, "time": START + time, "clock": "unix", "node": node, "event": "sent", **more})


def lines(begin: int, end: int, node: int = 1, run: str = "field") -> str:
    return "".join(line(i, node, run) for i in range(begin, end))


def add(file: Path, text: str | bytes) -> None:
    with file.open("ab") as handle:
        handle.write(text if isinstance(text, bytes) else text.encode())


def simulated(folder: Path, run: str, count: int) -> None:
    rows = np.full(count, -1, ROW)
    rows["time"], rows["node"], rows["event"] = np.arange(count), 7, 1
    with Writer(folder, run) as writer:
        writer.write(rows)


def ingested(out: Path, table: str = "trace") -> pa.Table:
    """What anyone finds who reads all files that are in sight."""
    kinds = ds.HivePartitioning(pa.schema([("run", pa.string()), ("date", pa.string())]))
    files = [str(file) for file in sorted((out / table).rglob("*.parquet"))]
    return ds.dataset(files, format="parquet", partitioning=kinds, partition_base_dir=str(out / table)).to_table()


def times(out: Path) -> list[int]:
    """The times of all rows, without that of the start, sorted."""
    return sorted(time - START for time in ingested(out)["time"].to_pylist())
