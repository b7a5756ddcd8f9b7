"""`psvr lab list`, `report` and `sql`."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from psvr.lab.folder import locked, studies_in
from psvr.lab.progress import spoken
from psvr.lab.study import SCALES, available, folder_of, load, read_toml
from psvr.lab.trials import cells

from .route import show

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def list_studies(options: argparse.Namespace) -> int:
    heads = ["study", *(f"{scale}: trials, on one core" for scale in SCALES), "title"]
    rows = [heads, *(described(name) for name in available() if "studies" not in read_toml(folder_of(name)))]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]
    groups = {name: read_toml(folder_of(name)).get("studies") for name in available()}
    lines += [f"{name.ljust(widths[0])}  all of {', '.join(inner)}" for name, inner in groups.items() if inner]
    show("\n".join(lines) + "\n")
    return 0


def described(name: str) -> list[str]:
    [study] = load([name])
    if study.needs is not None:
        return [name, f"comes with {study.needs}", "", "", study.title]
    sizes = []
    for scale in SCALES:
        found = cells(load([name], scale)[0])
        trials, seconds = sum(c.grid.repetitions for c in found), sum(c.seconds for c in found)
        sizes.append(f"{trials:,}, {spoken(seconds)}")
    return [name, *sizes, study.title]


@contextmanager
def session_of(options: argparse.Namespace) -> "Iterator[SparkSession]":
    """A session for this command; in a notebook that has one, that."""
    from pyspark.sql import SparkSession

    from psvr.lab.spark import session, stop
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    try:
        yield session(options.master, "psvr lab", options.conf)
    finally:
        stop()


def report(options: argparse.Namespace) -> int:
    studies_in(options.out)
    with locked(options.out), session_of(options) as spark:
        make_report(spark, options)
    return 0


def make_report(spark: "SparkSession", options: argparse.Namespace) -> None:
    """Over all studies that the folder has rows of."""
    from psvr.lab.pipeline import report_on
    from psvr.lab.run import no_room
    from psvr.lab.wording import plain, quantity
    try:
        claims = report_on(spark, studies_in(options.out), options.out, options.master)
    except OSError as error:
        raise no_room(error, options.out) from error
    lines = [f"  {claim.verdict:<10} {claim.text} Paper: {claim.paper}. "
             f"Here: {plain(quantity(claim.value, claim.low, claim.high, claim.unit))}." for claim in claims]
    print("\n".join([f"report: {options.out / 'report.html'}", *lines]), file=sys.stderr)


def sql(options: argparse.Namespace) -> int:
    from psvr.lab.query import answer, register, tables
    studies = studies_in(options.out) if options.trace is None or options.out.is_dir() else []
    with session_of(options) as spark:
        register(spark, studies, options.out, options.trace)
        show(tables(spark) if options.query is None else answer(spark, options.query, options.form))
    return 0
