"""Measures of large traces: the lab's kernels on Spark and its DataFrame functions, against DuckDB.

python -m benchmarks traces [--folder DIR] [--rows N …] [--rounds N] [--how …] [--one-run] [--conf KEY=VALUE]

Traces are made once, in the folder.  The ways take turns, each in a process of its own; answers are compared.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..timing import table
from .data import trace
from .queries import QUERIES

ON_REQUEST = True  # minutes, and gigabytes on the disk
WAYS = ("kernels", "frames", "duckdb")
Report = dict[str, dict[str, float]]


def run() -> None:
    with_options([])


def with_options(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks traces")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "psvr-traces"))
    parser.add_argument("--rows", type=int, nargs="+", default=[5_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--how", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--measures", nargs="+", choices=list(QUERIES), default=list(QUERIES))
    parser.add_argument("--one-run", action="store_true", help="a single run, whose files are read by several tasks")
    parser.add_argument("--conf", action="append", default=[])
    options = parser.parse_args(arguments)
    for rows in options.rows:
        source = trace(options.folder, rows, options.one_run)
        print(f"\nA trace of {rows:,} rows, {'one run' if options.one_run else 'runs of an hour'}\n", flush=True)
        print(table(HEADS, lines(compared(source, options))), flush=True)


HEADS = ["measure", "", "s", "processor, s", "DuckDB = 1", "processor, DuckDB = 1", "memory, MB"]


def compared(source: Path, options: argparse.Namespace) -> dict[str, list[Report]]:
    """The reports of all rounds; each measure is computed by a process of its own, whose caches are cold."""
    found: dict[str, list[Report]] = {how: [] for how in options.how}
    conf = [word for text in options.conf for word in ("--conf", text)]
    with tempfile.TemporaryDirectory() as answers:
        for _ in range(options.rounds):
            for how in options.how:
                found[how].append({})
                for name in options.measures:
                    found[how][-1] |= once(how, source, Path(answers), name, conf)
            for name in options.measures:
                check(Path(answers), name, options.how)
    return found


def once(how: str, source: Path, answers: Path, name: str, conf: list[str]) -> Report:
    command = [sys.executable, "-m", "benchmarks.traces.engine", how, str(source), str(answers), name, *conf]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    report: Report = json.loads(done.stdout.splitlines()[-1])
    print(f"{how} {name}: {report}", file=sys.stderr, flush=True)
    return report


def check(answers: Path, name: str, ways: list[str]) -> None:
    """All ways must give the same rows."""
    tables = [in_order(pq.read_table(answers / f"{name}-{how}.parquet")) for how in ways]
    for how, found in zip(ways, tables):
        if not found.equals(tables[0]):
            raise SystemExit(f"{name}: {how} and {ways[0]} differ")


def in_order(found: pa.Table) -> pa.Table:
    """The columns in one order and one type each, the rows sorted by all numbers and texts."""
    names = sorted(found.column_names)
    columns: dict[str, Any] = {}
    for name in names:
        column = found.column(name).combine_chunks()
        kind = column.type
        if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
            column = column.cast(pa.string())
        elif pa.types.is_list(kind):
            column = pa.array(map(json.dumps, column.to_pylist()), pa.string())
        else:
            column = column.cast(pa.float64() if pa.types.is_floating(kind) else pa.int64())
        columns[name] = column
    plain = pa.table(columns)
    return plain.sort_by([(name, "ascending") for name in names]).combine_chunks()


def lines(found: dict[str, list[Report]]) -> list[list[str]]:
    """The best of all rounds, and the most memory of any."""
    rows = []
    for name in dict.fromkeys(name for reports in found.values() for name in reports[0]):
        best = {
            how: {key: min(report[name][key] for report in reports) for key in ("seconds", "processor")}
            for how, reports in found.items()
            if name in reports[0]
        }
        for how in best:
            base = best.get("duckdb")
            rows.append(
                [
                    name,
                    how,
                    f"{best[how]['seconds']:.2f}",
                    f"{best[how]['processor']:.2f}",
                    f"{best[how]['seconds'] / base['seconds']:.2f}" if base else "",
                    f"{best[how]['processor'] / base['processor']:.2f}" if base else "",
                    f"{max(report[name]['memory'] for report in found[how]) / 1e6:,.0f}",
                ]
            )
    return rows
