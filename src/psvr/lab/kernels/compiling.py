"""Compiles what trials run ahead of them: once, in as many processes as there are cores, while Spark starts.

Otherwise every worker would compile the same code at the same time.  Compiled code is kept, and sent to executors on
other machines.  A kind of trial says by `variant` which trials share compiled code, and by `COMPILED_AS` which kind
compiles it: that has `compile`, and `compile_related` for the rules of a related system.  None says that its trials run
nothing compiled.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psvr import jit
from psvr.errors import BadInput
from psvr.lab.kinds import kind
from psvr.lab.kinds.names import variant_of
from psvr.lab.study.study import Study
from psvr.lab.study.trials import cells
from psvr.processes import die_with_parent
from psvr.related import MODULES

Variant = tuple[str, tuple[int, ...], str]  # the kind that compiles, what the code depends on, and a related system


def variants(studies: Iterable[Study], folder: Path) -> list[Variant]:
    """Return what the trials of these studies need compiled and this folder does not have yet."""
    return sorted(variant for variant in needed(studies) if not mark(folder, variant).exists())


def needed(studies: Iterable[Study]) -> set[Variant]:
    """Return what the trials of these studies need compiled, as far as their kinds say it."""
    found: set[Variant] = set()
    for study in studies:
        for cell in cells(study):
            module: Any = kind(cell.grid.kind, study.files)
            if compiler := getattr(module, "COMPILED_AS", None):
                sizes = module.variant(cell.parameters, cell.grid.scenario)
                found |= {(compiler, sizes, system) for system in ("", *related_in(compiler, cell.grid.systems))}
    return found


def related_in(compiler: str, systems: Iterable[str]) -> set[str]:
    """Return the related systems among these whose rules are compiled; settled networks need none."""
    return {variant_of(name).system for name in systems} & MODULES.keys() if compiler == "simulated" else set()


def mark(folder: Path, variant: Variant) -> Path:
    """Return the file that says that a variant is compiled; it is removed together with the compiled code.

    The folder stays the same when the file of a related system is edited, so its name has a digest of that.
    """
    compiler, sizes, system = variant
    return folder / "-".join(map(str, ("compiled", compiler, *sizes, *([system, digest_of(system)] if system else []))))


def digest_of(system: str) -> str:
    """Return a digest of the file of a related system."""
    found = importlib.util.find_spec(MODULES[system])
    assert found is not None and found.origin is not None
    return hashlib.blake2b(Path(found.origin).read_bytes(), digest_size=8).hexdigest()


class Compilers:
    """The processes that compile, each one variant."""

    def __init__(self) -> None:
        self.lock, self.stopped = threading.Lock(), False
        self.children: list[subprocess.Popen[bytes]] = []

    def compile(self, variant: Variant) -> None:
        """Compile a variant in a process of its own, because compiling holds the interpreter."""
        with self.lock:
            if self.stopped:
                return
            words = [sys.executable, "-m", "psvr.lab.kernels.compiling", *as_words(variant)]
            child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.children.append(child)
        _, error = child.communicate()
        if child.returncode != 0 and not self.stopped:
            said = error.decode(errors="replace").strip().splitlines() or [f"exit code {child.returncode}"]
            raise BadInput(f"the rules cannot be compiled: {said[-1]}")

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            for child in self.children:
                child.kill()


@contextmanager
def compiled_ahead(studies: Iterable[Study], say: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Start compiling.  Yields a function to call before the first trial: it waits until everything is compiled."""
    folder, compilers, begun = jit.cache_folder(), Compilers(), time.monotonic()
    wanted = variants(studies, folder) if folder is not None else []
    if wanted:
        parts = "one part" if len(wanted) == 1 else f"{len(wanted)} parts"
        say(f"compiling the rules, in {parts}; this is done once, and takes a minute or two …")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        pending = [pool.submit(compilers.compile, variant) for variant in wanted]

        def wait() -> None:
            for future in pending:
                future.result()
            if pending:
                say(f"compiled after {time.monotonic() - begun:.0f} s")
                pending.clear()

        try:
            yield wait
        finally:
            compilers.stop()


def as_words(variant: Variant) -> list[str]:
    """Return a variant as words of a command line."""
    compiler, sizes, system = variant
    return [compiler, system, *map(str, sizes)]


def from_words(words: list[str]) -> Variant:
    compiler, system, *sizes = words
    return compiler, tuple(map(int, sizes)), system


def run_all(variant: Variant) -> None:
    """Run all that belongs to a variant, so that what is not compiled yet is."""
    compiler, sizes, system = variant
    module: Any = kind(compiler)
    if system:
        module.compile_related(sizes, system)
    else:
        module.compile(sizes)


def main(words: list[str]) -> None:
    """Compile the variant that a command line names, and remember that."""
    variant = from_words(words)
    run_all(variant)
    folder = jit.cache_folder()
    if folder is not None:
        mark(folder, variant).touch()


if __name__ == "__main__":
    die_with_parent()
    main(sys.argv[1:])
