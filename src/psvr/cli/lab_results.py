"""`psvr lab list`, `report`, `results` and `sql`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from psvr.lab.run.folder import locked, studies_in
from psvr.lab.run.progress import format_duration
from psvr.lab.study.study import SCALES, available, folder_of, load, read_toml
from psvr.lab.study.trials import cells

from .output import show

if TYPE_CHECKING:
    from psvr.lab.driver import Options
    from psvr.lab.report.claims import Claim


def list_studies(options: argparse.Namespace) -> int:
    heads = ["study", *(f"{scale}: trials, on one core" for scale in SCALES), "title"]
    rows = [heads, *(study_row(name) for name in available() if "studies" not in read_toml(folder_of(name)))]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]
    groups = {name: read_toml(folder_of(name)).get("studies") for name in available()}
    lines += [f"{name.ljust(widths[0])}  all of {', '.join(inner)}" for name, inner in groups.items() if inner]
    show("\n".join(lines) + "\n")
    return 0


def study_row(name: str) -> list[str]:
    [study] = load([name])
    if study.needs is not None:
        return [name, f"comes with {study.needs}", "", "", study.title]
    sizes = []
    for scale in SCALES:
        found = cells(load([name], scale)[0])
        trials, seconds = sum(c.grid.repetitions for c in found), sum(c.seconds for c in found)
        sizes.append(f"{trials:,}, {format_duration(seconds)}")
    return [name, *sizes, study.title]


def options_of(options: argparse.Namespace) -> "Options":
    """What the command line says of a run; `report` and `sql` have only some of it."""
    from dataclasses import fields

    from psvr.lab.driver import Options

    given = vars(options)
    return Options(**{field.name: given[field.name] for field in fields(Options) if field.name in given})


def report(options: argparse.Namespace) -> int:
    from psvr.lab.driver import make_report, session_for
    from psvr.lab.pipeline import prepare_all

    ours = options_of(options)
    prepared = prepare_all(options.out)
    with locked(options.out), session_for(ours) as spark:
        print_verdicts(make_report(spark, prepared, ours), options.out)
    return 0


def print_verdicts(claims: "Sequence[Claim]", out: Path) -> None:
    from psvr.lab.report.wording import plain, quantity

    lines = [
        f"  {claim.verdict:<10} {claim.text} Paper: {claim.paper}. "
        f"Here: {plain(quantity(claim.value, claim.low, claim.high, claim.unit))}."
        for claim in claims
    ]
    print("\n".join([f"report: {out / 'report.html'}", *lines]), file=sys.stderr)


def results(options: argparse.Namespace) -> int:
    from psvr.lab.report.recalled import recall
    from psvr.lab.report.shipped import ship

    show(f"{ship(recall(options.folders), options.to)}\n")
    return 0


def sql(options: argparse.Namespace) -> int:
    from psvr.lab.driver import session_for
    from psvr.lab.query import answer, register, tables

    studies = studies_in(options.out) if options.trace is None or options.out.is_dir() else []
    with session_for(options_of(options)) as spark:
        register(spark, studies, options.out, options.trace)
        show(tables(spark) if options.query is None else answer(spark, options.query, options.form))
    return 0
