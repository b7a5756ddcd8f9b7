"""Options that several commands have."""

import argparse
from collections.abc import Collection
from pathlib import Path
from urllib.parse import unquote

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


def add_systems(parser: argparse.ArgumentParser, what: str) -> None:
    """`--system NAME` and `--system FILE.py`."""
    parser.add_argument(
        "--system",
        action="append",
        default=[],
        metavar="NAME|FILE.py",
        help=f"{what}; files are loaded first, and the last system given counts",
    )


def load_given(given: list[str]) -> list[str]:
    """Load the files among them; return the names of all systems given, in order."""
    from psvr.related import register

    register()
    names: list[str] = []
    for text in given:
        if is_file(text):
            from psvr.routing.custom import load_systems

            names += load_systems(text)
        else:
            names.append(text)
    return names


def is_file(text: str) -> bool:
    return text.endswith(".py") or "/" in text or "\\" in text


def last_system(given: list[str], able: Collection[str], lacking: str) -> str | None:
    """The system that counts: the last name given or, if that is a file, the last system in it that is `able`."""
    names = load_given(given)
    if not names:
        return None
    if not is_file(given[-1]):
        return names[-1]
    found = [name for name in load_given(given[-1:]) if name in able]
    if not found:
        raise BadInput(f"{given[-1]}: {lacking}")
    return found[-1]


def folder(text: str) -> Path:
    """Return the folder that an option gives, as a path or as file:///…"""
    scheme, colon, rest = text.partition("://")
    if not colon:
        return Path(text)
    if scheme.lower() != "file" or not rest.startswith("/"):
        raise argparse.ArgumentTypeError(f"{text}: must be a folder of this machine, or one that it shares with others")
    return Path(unquote(rest))
