"""A line of processes from publisher to subscriber: started, measured and terminated."""

import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from .form import Plan, Spec, Variant

TOP = Path(__file__).parent.parent.parent
READY = 90  # seconds within which a message must get through
PROBE = 0.2  # seconds until one counts as lost
SETTLED, PAUSE = 16, 0.4  # messages in a row that arrive, seconds between: psvr doubts a new ring for 5 s
ENDING = 5


class Failed(Exception):
    """A line did not start to work; the text says which."""


class Worker:
    """One of our processes, and the communication with it."""

    def __init__(self, system: str, role: str, spec: Spec) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.worker", system, role, json.dumps(spec)],
            cwd=TOP,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def order(self, **content: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(content) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"a process ended with {self.process.wait()}")
        return dict(json.loads(line))

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        end(self.process)


def end(process: "subprocess.Popen[Any]") -> None:
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def command(arguments: list[str]) -> Iterator[None]:
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        end(process)


@dataclass
class Line:
    publisher: Worker
    subscriber: Worker
    hops: str  # what a hop is
    runs: int = 0

    def run(self, do: str, delays: bool = False, idle: float = 3.0, **how: Any) -> dict[str, Any]:
        self.runs += 1
        self.publisher.order(do=do, run=self.runs, **how)
        sent = self.publisher.answer()
        self.subscriber.order(run=self.runs, count=sent["sent"], delays=delays, idle=idle)
        return sent | self.subscriber.answer()

    def until_ready(self) -> None:
        begin, good = time.monotonic(), 0
        while good < SETTLED:
            good = good + 1 if self.run("pace", idle=PROBE, count=1, every=0)["arrived"] else 0
            time.sleep(PAUSE)
            if time.monotonic() - begin > READY:
                raise Failed(f"no message came through within {READY} s")


@contextmanager
def line(variant: Variant, hops: int) -> Iterator[Line]:
    """The processes of a line that is ready to be measured."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plan: Plan = importlib.import_module(f"{__package__}.{variant.system}").plan(variant, hops, folder)
        for arguments in plan.commands:
            stack.enter_context(command(arguments))
        for spec in plan.relays:
            stack.enter_context(Worker(variant.system, "relay", spec)).answer()
        last = stack.enter_context(Worker(variant.system, "subscriber", plan.subscriber))
        last.answer()
        first = stack.enter_context(Worker(variant.system, "publisher", plan.publisher))
        first.answer()
        made = Line(first, last, plan.hops)
        made.until_ready()
        yield made
