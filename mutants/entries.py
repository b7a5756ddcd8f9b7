"""The lists of bugs to plant, and how one is planted."""

import ast
import fnmatch
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psvr.errors import BadInput, did_you_mean

TEXTS = ("id", "file", "before", "after", "why")  # keys that every entry has, in addition to `tests`
KNOWN = (*TEXTS, "tests", "in")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


class CannotPlant(ValueError):
    """The entry does not fit the source as it is now."""


@dataclass(frozen=True)
class Mutant:
    """One bug to plant."""

    id: str
    file: str  # relative to the root of the project
    before: str
    after: str
    why: str  # what goes wrong for a user, or for the specification
    tests: tuple[str, ...]  # arguments of pytest: files or single tests that should notice
    within: str  # the function or class in which to look for `before`; empty: the whole file
    area: str  # the list that contains it


def read_all(folder: Path) -> list[Mutant]:
    """All entries of the lists in a folder, in the order of the lists' names."""
    found = [mutant for file in sorted(folder.glob("*.toml")) for mutant in read(file)]
    seen: dict[str, str] = {}
    for mutant in found:
        if mutant.id in seen:
            raise BadInput(f"{mutant.area}.toml: {mutant.id} is also in {seen[mutant.id]}.toml; ids must differ")
        seen[mutant.id] = mutant.area
    if not found:
        raise BadInput(f"{folder}: must hold lists of mutants (*.toml), and has none")
    return found


def read(file: Path) -> list[Mutant]:
    try:
        listed = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{file.name}: must be TOML: {error}") from None
    entries = listed.pop("mutant", [])
    if listed or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadInput(f"{file.name}: must be a list of [[mutant]] and nothing else")
    return [checked(f"{file.name}, entry {i}", file.stem, entry) for i, entry in enumerate(entries, 1)]


def checked(where: str, area: str, entry: dict[str, Any]) -> Mutant:
    """Parse an entry, which must have all keys it needs, and no others."""
    for key in entry:
        if key not in KNOWN:
            raise BadInput(f"{where}: unknown key {key}{did_you_mean(key, KNOWN)}; known are {', '.join(KNOWN)}")
    for key in TEXTS:
        if not isinstance(entry.get(key), str):
            raise BadInput(f"{where}: {key} must be there, and a text")
    tests, within = entry.get("tests"), entry.get("in", "")
    if not isinstance(tests, list) or not tests or not all(isinstance(test, str) for test in tests):
        raise BadInput(f"{where}: tests must be a list of files or tests, one at least")
    if not ID.fullmatch(entry["id"]):
        raise BadInput(f"{where}: id must be lower-case words joined by hyphens, not {entry['id']!r}")
    if not isinstance(within, str):
        raise BadInput(f"{where}: in must be the name of a function or class")
    if not entry["before"].strip() or entry["before"] == entry["after"]:
        raise BadInput(f"{where}: before must be some code, and after must differ from it")
    return Mutant(entry["id"], entry["file"], entry["before"], entry["after"], entry["why"], tuple(tests), within, area)


def chosen(mutants: list[Mutant], patterns: list[str]) -> list[Mutant]:
    """The bugs whose id or list matches one of the patterns."""
    names = [name for mutant in mutants for name in (mutant.id, mutant.area)]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise BadInput(f"--only: no mutant and no list is called {pattern!r}{did_you_mean(pattern, names)}")
    return [
        m for m in mutants if not patterns or any(fnmatch.fnmatch(name, p) for name in (m.id, m.area) for p in patterns)
    ]


def planted(mutant: Mutant, text: str) -> str:
    """The source with the bug in it; CannotPlant if the place is missing or ambiguous."""
    start, end = part(mutant, text) if mutant.within else (0, len(text))
    times = text.count(mutant.before, start, end)
    if times != 1:
        place = f"{mutant.within} of {mutant.file}" if mutant.within else mutant.file
        raise CannotPlant(f"`before` must occur once in {place}, and occurs {times} times")
    at = text.index(mutant.before, start, end)
    changed = text[:at] + mutant.after + text[at + len(mutant.before) :]
    try:
        compile(changed, mutant.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise CannotPlant(f"with `after` in it, {mutant.file} is not Python: {error.msg}") from None
    return changed


def part(mutant: Mutant, text: str) -> tuple[int, int]:
    """Where the named function or class begins and ends; a method may be given as Class.method."""
    found = [
        node
        for name, node in definitions(ast.parse(text))
        if name == mutant.within or name.endswith("." + mutant.within)
    ]
    if len(found) != 1:
        raise CannotPlant(f"{mutant.file} must define {mutant.within} once, and does {len(found)} times")
    lines = text.splitlines(keepends=True)
    first, last = found[0].lineno - 1, found[0].end_lineno
    return sum(map(len, lines[:first])), sum(map(len, lines[:last]))


def definitions(tree: ast.AST, path: str = "") -> list[tuple[str, Any]]:
    """All functions and classes with their dotted names."""
    found = []
    for node in ast.iter_child_nodes(tree):
        name = path
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{path}.{node.name}".lstrip(".")
            found.append((name, node))
        found += definitions(node, name)
    return found
