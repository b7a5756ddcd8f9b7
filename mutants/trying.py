"""A copy of the tree with one bug in it, and the tests that should notice, run there."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple, TypeVar

from .entries import CannotPlant, Mutant, planted

CAUGHT, SURVIVED, BROKEN = "caught", "SURVIVED", "broken"
NOT_COPIED = {"demo", "lab", "build", "dist"}  # at the top of the tree, like everything that begins with a dot
KERNELS = "kernels"  # numba's compiled code, below __pycache__: large, and never written in place
KEPT = Path(".mutants")  # what one run leaves for the next, in the tree
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)
REASON = re.compile(r"^(?:E  +|ERROR:? )(.+)$", re.M)
QUIET = 15.0  # seconds after which a line says what is still running
MIN_LIMIT, TIMES = 120.0, 10  # a trial may take ten times as long as without the bug, at least two minutes

FIRST_LIMIT = 1800.0  # seconds for tests without a bug, which may have to compile the rules
T = TypeVar("T")


class Result(NamedTuple):
    outcome: str
    by: str  # the first test that failed; of a broken one, the reason
    seconds: float


class Stopped(Exception):
    """The run is stopping: nothing more is started."""


class Bench:
    """A temporary folder with a copy of the tree, from which copies with bugs are made, and the workers."""

    def __init__(self, root: Path, jobs: int) -> None:
        self.root, self.lock, self.running, self.stopped = root, threading.Lock(), set[int](), False
        self.pool = ThreadPoolExecutor(jobs)

    def __enter__(self) -> "Bench":
        self.folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        self.base = self.folder / "as-it-is"
        try:
            shutil.copytree(self.root, self.base, ignore=self.left_out)
            if (self.root / KEPT / KERNELS).is_dir():
                shutil.copytree(self.root / KEPT / KERNELS, self.base, dirs_exist_ok=True)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End what is still running, and remove all copies."""
        with self.lock:
            self.stopped = True
            for group in self.running:
                end(group)
        self.pool.shutdown(cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def left_out(self, folder: str, names: list[str]) -> set[str]:
        top = Path(folder) == self.root
        return {x for x in names if x.endswith(".pyc") or (top and (x.startswith(".") or x in NOT_COPIED))}

    def each(self, items: list[T], work: Callable[[T], Result], name: Callable[[T], str]) -> Iterator[tuple[T, Result]]:
        """Work on all items; yield each with its result as it finishes.  After a silence, print what still runs."""
        waiting: dict[Future[Result], T] = {self.pool.submit(work, item): item for item in items}
        while waiting:
            done, _ = wait(waiting, QUIET, FIRST_COMPLETED)
            if not done:
                at_work = [name(item) for future, item in waiting.items() if future.running()]
                print("… still running: " + ", ".join(at_work), flush=True)
            for future in done:
                yield waiting.pop(future), future.result()

    def changed(self, mutant: Mutant) -> str:
        """The source with the bug in it; CannotPlant also if the tests do not exist."""
        for file in (mutant.file, *(test.partition("::")[0] for test in mutant.tests)):
            if not (self.base / file).exists():
                raise CannotPlant(f"there is no {file}")
        return planted(mutant, (self.base / mutant.file).read_text(encoding="utf-8"))

    def keep_kernels(self) -> None:
        """Keep for the next run what the tests have compiled, which takes minutes."""
        for found in self.base.glob(f"src/*/__pycache__/{KERNELS}"):
            place = self.root / KEPT / KERNELS / found.relative_to(self.base)
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(found, place)

    def unplanted(self, tests: tuple[str, ...]) -> Result:
        """Run the tests without any bug: they must pass, or they would prove nothing."""
        return self.run(self.base, tests, FIRST_LIMIT)

    def trial(self, mutant: Mutant, seconds: float) -> Result:
        """Try one bug; `seconds` is what its tests take without it."""
        with self.copy(mutant.id) as place:
            replace(place / mutant.file, self.changed(mutant))
            return self.run(place, mutant.tests, max(MIN_LIMIT, TIMES * seconds))

    @contextlib.contextmanager
    def copy(self, name: str) -> Iterator[Path]:
        place = self.folder / name
        shutil.copytree(self.base, place, copy_function=link_or_copy)
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def run(self, place: Path, tests: tuple[str, ...], limit: float) -> Result:
        began = time.monotonic()
        with tempfile.TemporaryFile(dir=self.folder) as output:
            code = self.run_pytest(place, tests, limit, output.fileno())
            output.seek(0)
            said = output.read().decode(errors="replace")
        outcome, by = judged(code, said, limit)
        return Result(outcome, by, round(time.monotonic() - began, 1))

    def run_pytest(self, place: Path, tests: tuple[str, ...], limit: float, output: int) -> int | None:
        """The exit code; None after a timeout.  Whatever the tests have started ends with them."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        with self.lock:
            if self.stopped:
                raise Stopped
            process = subprocess.Popen(
                command,
                cwd=place,
                env=environment(place),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            self.running.add(process.pid)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end(process.pid)
            process.wait()
            with self.lock:
                self.running.discard(process.pid)


def environment(place: Path) -> dict[str, str]:
    """The environment, with the sources of the copy before installed ones."""
    others = [x for x in (os.environ.get("PYTHONPATH"),) if x]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(place / "src"), *others])}


def imported_from(place: Path, package: str) -> str:
    """The file from which tests in this folder import a package."""
    code = f"import importlib.util; print(importlib.util.find_spec({package!r}).origin)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=place, env=environment(place), capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def link_or_copy(source: str, target: str) -> str:
    if KERNELS in Path(source).parts:
        os.link(source, target)
        return target
    return shutil.copy2(source, target)


def replace(file: Path, text: str) -> None:
    """Change the text of a source, of which no compiled form may remain."""
    for old in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        old.unlink()
    file.write_text(text, encoding="utf-8")


def end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def judged(code: int | None, said: str, limit: float) -> tuple[str, str]:
    """What pytest's exit code says about the bug, with the failed test or the reason."""
    if code is None:
        return CAUGHT, f"no end within {limit:.0f} s"
    if code == 0:
        return SURVIVED, ""
    failed = FAILED.findall(said)
    if code == 1 and failed:
        return CAUGHT, failed[0]
    if code < 0:
        return BROKEN, f"the tests were ended by signal {-code}"
    reasons = REASON.findall(said) or said.strip().splitlines()[-1:] or ["pytest says nothing"]
    return BROKEN, f"the tests cannot run: {reasons[0].strip()}"
