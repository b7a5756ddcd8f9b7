"""`psvr route`: one publication through a settled network, as text, as JSON or as a drawing."""

import argparse
import json
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from psvr.errors import BadInput

from .options import add_systems, last_system
from .output import show

if TYPE_CHECKING:
    from psvr.routing.cases.case import Case
    from psvr.routing.cases.report import Report

EXAMPLES = ("small", "large", "line")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", metavar="CASE.json", help="the case; - reads standard input")
    parser.add_argument("--case", metavar="NAME", help="which one, if the file holds a list of cases")
    parser.add_argument(
        "--example", metavar="NAME", help=f"use an example from the paper instead: {', '.join(EXAMPLES)}"
    )
    add_systems(
        parser,
        "whose route is shown: psvr (default), vr2015, ring, shen, td, ts, steiner, flood, diffusion, jaeger, "
        "vr2015-ring",
    )
    parser.add_argument(
        "--shortcuts", metavar="SET", help="all or nontree, instead of what the case says (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--svg", metavar="FILE", help="draw topology and ring into FILE")


def run(options: argparse.Namespace) -> int:
    check(options)
    from psvr.routing.cases.report import as_json, compare, make_report
    from psvr.routing.systems import SYSTEMS

    system = last_system(options.system, SYSTEMS, "no settled routing in it; mark a function with @system(…)")
    report = make_report(case_of(options), system or "psvr", options.shortcuts)
    comparison = compare(report)
    if options.svg is not None:
        draw(report, options.svg)
    if options.json:
        show(json.dumps(as_json(report)) + "\n")
    else:
        from psvr.routing.cases.text import as_text

        show(as_text(report, comparison))
    for line in comparison.wrong:
        print(f"psvr: not as expected: {line}", file=sys.stderr)
    return 1 if comparison.wrong else 0


def check(options: argparse.Namespace) -> None:
    """Refuse what can be refused before anything is loaded."""
    if (options.file is None) == (options.example is None):
        both = "CASE.json and --example: give only one of them"
        raise BadInput(both if options.file is not None else "CASE.json: missing; give a file, - or --example NAME")
    if options.example is not None and options.example not in EXAMPLES:
        raise BadInput(f"--example: must be one of {', '.join(EXAMPLES)}, not {options.example}")
    if options.example is not None and options.case is not None:
        raise BadInput("--case: chooses from a file, not from the examples")
    if options.shortcuts not in (None, "all", "nontree"):
        raise BadInput(f"--shortcuts: must be all or nontree, not {options.shortcuts}")
    if options.svg in ("", "-"):
        raise BadInput("--svg: must be the name of a file")


def case_of(options: argparse.Namespace) -> "Case":
    from psvr.routing.cases.case import parse_case, read_case

    if options.example is None:
        return read_case(options.file, options.case)
    example = resources.files("psvr.routing") / "examples" / f"{options.example}.json"
    return parse_case(json.loads(example.read_text(encoding="utf-8")))


def draw(report: "Report", file: str) -> None:
    from psvr.routing.picture import picture

    text = picture(report)
    path = Path(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"--svg: {file} cannot be written: {getattr(error, 'strerror', None) or error}") from None
