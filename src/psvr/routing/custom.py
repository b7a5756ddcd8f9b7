"""Custom systems, loaded from files: after `load_systems(["mine.py"])` they are compared like all others.

A file registers its routing in settled networks with `@system` (`psvr.routing.systems`) and, if it is to run in the
simulator too, its rules with `@custom_rule` (`psvr.protocol.systems`).  A file with an error leaves nothing behind.
"""

import hashlib
import linecache
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from psvr.errors import BadInput, describe_error, shown
from psvr.files import read_text
from psvr.protocol.systems import CUSTOM, PROVIDED, CustomSystem

from .systems import SYSTEMS, System

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")  # a slash would start the name of a shortcut set


@dataclass(frozen=True)
class Loaded:
    """A file, as it was when it was loaded, and what it registered."""

    file: Path
    digest: str
    settled: dict[str, System]
    rules: dict[str, CustomSystem]

    @property
    def names(self) -> list[str]:
        return list({**self.settled, **self.rules})


LOADED: dict[str, Loaded] = {}  # by digest


def load_systems(paths: str | Path | Iterable[str | Path], replace: bool = False) -> list[str]:
    """Load files and return the names of their systems.  Loading the same content again is harmless, from any path.

    An edited file replaces its earlier version.  A different file that uses an existing name is refused, unless
    `replace` is given.
    """
    found: dict[str, None] = {}
    for path in [paths] if isinstance(paths, str | Path) else paths:
        found |= dict.fromkeys(load_file(Path(path), replace).names)
    return list(found)


def source_of(name: str) -> Loaded | None:
    """The file that a system was loaded from; None for a built-in one."""
    return next((loaded for loaded in LOADED.values() if name in loaded.names), None)


def load_file(path: Path, replace: bool) -> Loaded:
    """What a file registers, from then on among all systems."""
    text = read_text(path, str(path))
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    if digest not in LOADED:
        try:
            new = registered(path, text, digest)
            outdated = replaced_by(path, new, replace)
        except BaseException:
            sys.modules.pop(f"psvr_own_{digest}", None)
            raise
        for old in outdated:
            forget(old)
        SYSTEMS.update(new.settled)
        CUSTOM.update(new.rules)
        LOADED[digest] = new
    return LOADED[digest]


def replaced_by(path: Path, new: Loaded, replace: bool) -> list[Loaded]:
    """The files that a new one replaces; BadInput if any other system has one of its names."""
    outdated = [old for old in LOADED.values() if old.file == new.file or (replace and {*old.names} & {*new.names})]
    for name in new.names:
        if name in SYSTEMS | CUSTOM and not any(name in old.names for old in outdated):
            other = source_of(name)
            raise BadInput(f"{path}: {name} exists{f', from {other.file}' if other else ''}; give it another name")
    return outdated


def forget(loaded: Loaded) -> None:
    """Remove a file and its systems."""
    del LOADED[loaded.digest]
    for name in loaded.names:
        SYSTEMS.pop(name, None)
        CUSTOM.pop(name, None)


def registered(path: Path, text: str, digest: str) -> Loaded:
    """What a file registers when only the built-in systems are there; the registries are left unchanged."""
    where, before = path.resolve(), (dict(SYSTEMS), dict(CUSTOM))
    for loaded in LOADED.values():
        for name in loaded.names:
            SYSTEMS.pop(name, None)
            CUSTOM.pop(name, None)
    others = {**SYSTEMS}, {**CUSTOM}
    try:
        execute(path, where, text, f"psvr_own_{digest}")
        settled = {name: changed(s, file=str(where)) for name, s in new_in(SYSTEMS, others[0])}
        rules = dict(new_in(CUSTOM, others[1]))
    finally:
        restore(SYSTEMS, before[0])
        restore(CUSTOM, before[1])
    check(path, settled, rules)
    return Loaded(where, digest, settled, rules)


def new_in(registry: dict[str, T], before: dict[str, T]) -> list[tuple[str, T]]:
    """What a file has added to a registry; what it imported of psvr's own does not count."""
    return [(name, x) for name, x in registry.items() if before.get(name) is not x and name not in PROVIDED]


def restore(registry: dict[str, T], before: dict[str, T]) -> None:
    """Undo what a file has registered, but keep what it imported of psvr's own, which is not imported again."""
    kept = {name: registry[name] for name in PROVIDED if name in registry}
    registry.clear()
    registry.update({**before, **kept})


def execute(path: Path, where: Path, text: str, name: str) -> None:
    """Run a file as a module whose name is derived from its content: compiled code is cached under that name."""
    module = ModuleType(name)
    module.__file__ = str(where)
    linecache.cache[str(where)] = len(text), None, text.splitlines(keepends=True), str(where)
    sys.modules[name] = module
    try:
        exec(compile(text, str(where), "exec", dont_inherit=True), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a file may also exit
        raise BadInput(f"{path}{describe_error(error, str(where))}") from None


def check(path: Path, settled: dict[str, System], rules: dict[str, CustomSystem]) -> None:
    """BadInput unless a file registers at least one system, and each is well-formed."""
    if not settled and not rules:
        raise BadInput(f"{path}: there is no system in it; mark a function with @system(…)")
    for name in {**settled, **rules}:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise BadInput(f"{path}: a system's name must be up to 40 letters, digits, - _ or ., not {shown(name)}")
        if name in rules and not rules[name].rules:
            raise BadInput(f"{path}: {name} has no rules")
    for name, found in settled.items():
        if not isinstance(found.text, str) or not found.text.isprintable() or not isinstance(found.positions, bool):
            raise BadInput(f"{path}: {name}: text must be one line, and positions True or False")
