"""Options that several commands have."""

import argparse
from pathlib import Path

from psvr.errors import BadInput


def add_run_options(parser: argparse.ArgumentParser, example: str) -> None:
    """What all commands that play a scenario have."""
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--run", metavar="NAME", help="the name of the run in the trace (default: file name and seed)")
    add_overrides(parser, f"override a key of the scenario, for example {example}")


def run_name(options: argparse.Namespace, seed: int) -> str:
    """Return the name of a run, in traces and in what is printed."""
    if options.run == "":
        raise BadInput("--run: must be a name, not empty; without it, runs are called after the file and the seed")
    return options.run or f"{'scenario' if options.scenario == '-' else Path(options.scenario).stem}-{seed}"


def add_overrides(parser: argparse.ArgumentParser, text: str, dest: str = "set") -> None:
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest=dest, help=text)
