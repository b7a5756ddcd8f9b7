"""Nodes as processes: each with a folder of its own for state, socket and log.

None is left behind: whoever makes members ends them with `end`, and the system kills those whose swarm was killed.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

from psvr.errors import BadInput
from psvr.node.keys import VARIABLE

from .talk import answers

AT_ONCE = 4                 # nodes that start at the same time, on a machine with few cores
LOOK = 0.03                 # seconds between two looks whether a node answers
PATIENCE = 120.0            # seconds for a start
GRACE = 5.0                 # seconds for a clean stop
DIE_WITH_PARENT = 1         # PR_SET_PDEATHSIG
LIBC = ctypes.CDLL(None)


class Member:
    """One node: not running, starting, or ready."""

    def __init__(self, v: int, folder: Path, command: list[str], key: str) -> None:
        self.v, self.folder, self.command = v, folder, command
        self.socket, self.log = folder / "socket", folder / "log"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PSVR_")}
        self.environment[VARIABLE] = key
        self.process: subprocess.Popen[bytes] | None = None
        self.ready, self.life = False, 0        # which of its lives this is: each kill ends one

    def launch(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=self.environment, preexec_fn=die_with_parent)

    async def start(self, turn: asyncio.Semaphore) -> bool:
        """Once it answers; False if it was killed before, by `kill`, also while it waited for its turn."""
        self.kill()
        life = self.life
        async with turn:
            if self.life != life:
                return False
            self.launch()
            deadline = asyncio.get_running_loop().time() + PATIENCE
            while self.life == life:
                if await answers(self.socket):
                    self.ready = self.life == life
                    return self.ready
                self.check()
                if asyncio.get_running_loop().time() > deadline:
                    raise BadInput(f"node {self.v}: does not answer {PATIENCE:.0f} s after its start; see {self.log}")
                await asyncio.sleep(LOOK)
        return False

    def check(self) -> None:
        """A process that ended by itself is an error, with its last words."""
        code = self.process.poll() if self.process is not None else None
        if code is not None:
            raise BadInput(f"node {self.v}: ended by itself with exit code {code}: {self.last_words()}")

    def last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return lines[-1] if lines else "it said nothing"

    def kill(self) -> None:
        """As kill −9 does, at once."""
        process, self.process, self.ready, self.life = self.process, None, False, self.life + 1
        if process is not None:
            process.kill()
            process.wait()

    def ask_to_stop(self) -> None:
        self.ready = False
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGTERM)

    def is_over(self) -> bool:
        return self.process is None or self.process.poll() is not None


def die_with_parent() -> None:
    LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL)


def command(flags: list[str], prefix: list[str]) -> list[str]:
    return [*prefix, sys.executable, "-m", "psvr", "node", *flags]


async def start_all(members: list[Member], turn: asyncio.Semaphore) -> None:
    """All at once, as far as it is their turn; the first that fails ends it."""
    tasks = [asyncio.ensure_future(member.start(turn)) for member in members]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def stop_all(members: list[Member]) -> None:
    """A clean stop, for those that manage it in time."""
    for member in members:
        member.ask_to_stop()
    deadline = asyncio.get_running_loop().time() + GRACE
    while asyncio.get_running_loop().time() < deadline and not all(member.is_over() for member in members):
        await asyncio.sleep(LOOK)
    end(members)


def end(members: list[Member]) -> None:
    for member in members:
        member.kill()
