"""The options `--system NAME` and `--system FILE.py`, shared by several commands."""

import argparse
from collections.abc import Collection

from psvr.errors import BadInput
from psvr.related import register


def add_systems(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--system",
        action="append",
        default=[],
        metavar="NAME|FILE.py",
        help=f"{what}; files are loaded first, and the last system given counts",
    )


def load_given(given: list[str]) -> list[str]:
    """Load the files among them; return the names of all systems given, in order."""
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
