"""Compiles the rules once, while tests that need none of them run: otherwise every process would compile them all.

Checks of bounds are part of the compiled code (`NUMBA_BOUNDSCHECK` in conftest.py), so what `psvr` has compiled for its
users does not serve here.
"""

import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from psvr import jit
from psvr.errors import BadInput
from psvr.lab.kernels.compiling import Compilers, Variant, mark
from psvr.lab.spark.java import class_archive, java_home

PLAIN = ("node", "swarm", "trace")  # folders of tests that run first, because nothing is compiled for them


def missing() -> list[Variant]:
    """Return what nearly all tests of compiled rules use and nobody has compiled yet."""
    from psvr.lab.kinds import settled, stabilizing

    folder = jit.cache_folder()
    wanted: list[Variant] = [
        ("simulated", stabilizing.variant({}, None), ""),
        ("settled", settled.variant({}, None), ""),
    ]
    return [] if folder is None else [variant for variant in wanted if not mark(folder, variant).exists()]


def make_archive() -> None:
    """Let Spark's Java start in half the time: tests start it some sixty times."""
    with suppress(BadInput):  # where there is no Java, tests of the lab say so
        if not class_archive(java_home()).exists():
            subprocess.run([sys.executable, "-m", "psvr.lab.spark.archive"], capture_output=True, check=False)


class Ahead:
    """Compiles in processes of its own; the file `pending` is there until they have finished."""

    def __init__(self) -> None:
        self.pending = Path(tempfile.mkstemp(prefix="psvr-compiling-")[1])
        self.compilers = Compilers()
        self.thread = threading.Thread(target=self.compile)
        self.thread.start()

    def compile(self) -> None:
        try:
            for variant in missing():
                self.compilers.compile(variant)
            make_archive()
        finally:
            self.pending.unlink()

    def stop(self) -> None:
        self.compilers.stop()
        self.thread.join()


def wait(pending: Path) -> None:
    while pending.exists():
        time.sleep(0.2)
