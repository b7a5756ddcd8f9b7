"""One way to compute measures of one trace, in a process of its own: seconds, processor time and memory as JSON.

python -m benchmarks.traces.engine kernels|frames|duckdb FOLDER ANSWERS MEASURE… [--conf KEY=VALUE …]
"""

import argparse
import functools
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .queries import QUERIES

TICK = os.sysconf("SC_CLK_TCK")
SAMPLE_EVERY = 0.1  # seconds
CORES = 2


def tree() -> list[int]:
    """This process and all below it, Java and the workers of Spark included."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (fields := stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [os.getpid()]
    for process in found:
        found.extend(children.get(process, []))
    return found


def stat(process: int) -> list[str]:
    """What the system says of a process, from its state on; nothing if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def processor_time() -> float:
    """Seconds that the tree has used so far, with children that have ended."""
    return sum(sum(map(int, fields[11:15])) for process in tree() if (fields := stat(process))) / TICK


def memory() -> int:
    """Bytes of the tree; what several processes share counts once."""
    total = 0
    for process in tree():
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) << 10
    return total


class Watch:
    """The most memory that the tree needs, looked at from a thread."""

    def __init__(self) -> None:
        self.most, self.over = 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self) -> None:
        while not self.over.wait(SAMPLE_EVERY):
            self.most = max(self.most, memory())

    def __enter__(self) -> "Watch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def duckdb_answers(folder: Path) -> Callable[[str], pa.Table]:
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET threads = {CORES}")
    connection.execute(f"CREATE VIEW trace AS FROM '{folder}/*.parquet'")
    return lambda name: connection.sql(QUERIES[name]).to_arrow_table()


def spark_answers(how: str, folder: Path, conf: list[str], report: dict[str, Any]) -> Callable[[str], pa.Table]:
    from psvr.lab import traces
    from psvr.lab.measure import traces as frames
    from psvr.lab.spark.sessions import session

    spark = session(f"local[{CORES}]", "benchmark", conf)
    if how == "frames":
        trace = spark.read.schema(frames.SCHEMA).parquet(str(folder))
        return lambda name: trace.transform(getattr(frames, name)).toArrow()
    with Watch() as watch:
        found = timed(report, "index", lambda: traces.index(spark, folder))
    report["index"]["memory"] = watch.most
    return lambda name: getattr(traces, name)(found).toArrow()


def timed(report: dict[str, Any], name: str, what: Callable[[], Any]) -> Any:
    begin, used = time.perf_counter(), processor_time()
    found = what()
    report[name] = {"seconds": time.perf_counter() - begin, "processor": processor_time() - used}
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=["kernels", "frames", "duckdb"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("measures", nargs="+")
    parser.add_argument("--conf", action="append", default=[])
    options = parser.parse_args()
    report: dict[str, Any] = {}
    if options.how == "duckdb":
        answer = duckdb_answers(options.folder)
    else:
        answer = spark_answers(options.how, options.folder, options.conf, report)
    for name in options.measures:
        with Watch() as watch:
            found = timed(report, name, functools.partial(answer, name))
        report[name]["memory"] = watch.most
        pq.write_table(found, options.answers / f"{name}-{options.how}.parquet")
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
