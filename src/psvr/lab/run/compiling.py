"""Compiles what trials run ahead of them: once, in as many processes as there are cores, while Spark starts.

Otherwise every worker would compile the same code at the same time.  Compiled code is kept, and sent to executors on
other machines.  A kind of trial that comes with psvr says by `variant` which trials share compiled code, and compiles
it by `compile`.
"""

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
from psvr.lab.study.study import Study
from psvr.lab.study.trials import cells
from psvr.processes import die_with_parent

COMPILED_KINDS = {  # and whose code they run
    "settled": "settled",
    "simulated": "simulated",
    "stabilizing": "simulated",
    "own": "simulated",  # those that have a `variant`
}
Variant = tuple[str, tuple[int, ...]]  # the kind of trial, and what its compiled code depends on


def variants(studies: Iterable[Study], folder: Path) -> list[Variant]:
    """Return what the trials of these studies need compiled and this folder does not have yet."""
    found: set[Variant] = set()
    for study in studies:
        for cell in cells(study):
            module: Any = kind(cell.grid.kind, study.files)
            if hasattr(module, "variant"):
                found.add((COMPILED_KINDS[cell.grid.kind], module.variant(cell.parameters, cell.grid.scenario)))
    return sorted(variant for variant in found if not mark(folder, variant).exists())


def mark(folder: Path, variant: Variant) -> Path:
    """Return the file that says that a variant is compiled; it is removed together with the compiled code."""
    return folder / "-".join(map(str, ("compiled", variant[0], *variant[1])))


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
            words = [sys.executable, "-m", "psvr.lab.run.compiling", variant[0], *map(str, variant[1])]
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


def main(words: list[str]) -> None:
    """Compile the variant that a command line names, and remember that."""
    variant = words[0], tuple(map(int, words[1:]))
    module: Any = kind(variant[0])
    module.compile(variant[1])
    folder = jit.cache_folder()
    if folder is not None:
        mark(folder, variant).touch()


if __name__ == "__main__":
    die_with_parent()
    main(sys.argv[1:])
