"""Results stored between runs, each with a digest of everything it depends on."""

import contextlib
import hashlib
import json
import os
import sys
import threading
from pathlib import Path

from .entries import Mutant
from .trying import KEPT, Result

FILE = KEPT / "results.json"


class Results:
    """Results by name, a mutant's id or a set of tests; the last under a name counts, and only if nothing changed."""

    def __init__(self, root: Path, fresh: bool = False) -> None:
        self.root, self.file, self.lock, self.fresh = root, root / FILE, threading.Lock(), fresh
        self.kept: dict[str, list[str | float]] = {}
        with contextlib.suppress(OSError, ValueError, AttributeError):  # missing or damaged: start afresh
            kept = json.loads(self.file.read_text())
            self.kept = {name: x for name, x in kept.items() if isinstance(x, list) and len(x) == 4}
        self.sources, self.tests = digest_of(root, sources(root)), dict[tuple[str, ...], str]()

    def digest(self, tests: tuple[str, ...], mutant: Mutant | None = None) -> str:
        if tests not in self.tests:  # only once: edits made during the run are not what is tried
            self.tests[tests] = digest_of(self.root, named(self.root, tests))
        what = [self.sources, self.tests[tests], *tests]
        if mutant:
            what += [mutant.file, mutant.within, mutant.before, mutant.after]
        return hashlib.blake2b(json.dumps(what).encode(), digest_size=16).hexdigest()

    def get(self, name: str, tests: tuple[str, ...], mutant: Mutant | None = None) -> Result | None:
        digest, *result = self.kept.get(name, [""])
        if self.fresh or digest != self.digest(tests, mutant):
            return None
        return Result(*result)  # type: ignore[arg-type]

    def put(self, name: str, result: Result, tests: tuple[str, ...], mutant: Mutant | None = None) -> None:
        with self.lock:
            self.kept[name] = [self.digest(tests, mutant), *result]
            self.file.parent.mkdir(exist_ok=True)
            new = self.file.with_suffix(f".{os.getpid()}")
            new.write_text(json.dumps(self.kept, indent=1))
            new.replace(self.file)


def set_name(tests: tuple[str, ...]) -> str:
    """The name for results of tests without any bug; unlike a mutant's id it contains a space."""
    return "without " + " ".join(tests)


def sources(root: Path) -> list[Path]:
    """Everything that any test may depend on: the sources, and files of the tests that are not tests themselves."""
    code = [file for file in (root / "src").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    shared = [
        file
        for file in (root / "tests").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith("test_")
    ]
    return [*code, *shared, root / "pyproject.toml"]


def named(root: Path, tests: tuple[str, ...]) -> list[Path]:
    """The files of the named tests, given one by one or by folder."""
    found: set[Path] = set()
    for test in tests:
        place = root / test.partition("::")[0]
        found |= set(place.rglob("test_*.py")) if place.is_dir() else {place}
    return list(found)


def digest_of(root: Path, files: list[Path]) -> str:
    digest = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for file in sorted(files):
        if file.exists():
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()
