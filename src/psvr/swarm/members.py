"""Nodes as processes, each with its own folder for state, socket and log.

None is left behind: whoever creates members ends them with `end`, and the system kills those whose swarm was killed.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from psvr.errors import BadInput
from psvr.node.secure.keys import VARIABLE
from psvr.processes import die_with_parent

from .applications import answers

MAX_STARTING = 4  # nodes that start at the same time, for machines with few cores
POLL_EVERY = 0.03  # seconds between two checks whether a node answers
PATIENCE = 120.0  # seconds for a start
GRACE = 5.0  # seconds for a clean stop


class Member:
    """One node: not running, starting, or ready."""

    def __init__(self, v: int, folder: Path, command: list[str], key: str) -> None:
        self.v, self.folder, self.command = v, folder, command
        self.socket, self.log = folder / "socket", folder / "log"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PSVR_")}
        self.environment[VARIABLE] = key
        self.process: subprocess.Popen[bytes] | None = None
        self.ready, self.life = False, 0  # each kill begins a new life

    def launch(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                preexec_fn=die_with_parent,
            )

    async def start(self, turn: asyncio.Semaphore) -> bool:
        """Start, and wait until it answers; return False if `kill` was called in the meantime, even while it queued."""
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
                await asyncio.sleep(POLL_EVERY)
        return False

    def check(self) -> None:
        """Raise an error, with the last line of the log, if the process ended by itself."""
        code = self.process.poll() if self.process is not None else None
        if code is not None:
            raise BadInput(f"node {self.v}: ended by itself with exit code {code}: {self.last_words()}")

    def last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return lines[-1] if lines else "it said nothing"

    def kill(self) -> None:
        """Kill the process at once, as kill −9 does."""
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


def command(flags: list[str], prefix: list[str]) -> list[str]:
    return [*prefix, sys.executable, "-m", "psvr", "node", *flags]


async def start_all(members: list[Member], turn: asyncio.Semaphore) -> None:
    """Start all members, as many at a time as `turn` allows; the first failure ends it."""
    tasks = [asyncio.ensure_future(member.start(turn)) for member in members]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def stop_all(members: list[Member]) -> None:
    """Stop all members: cleanly, if they manage it in time."""
    for member in members:
        member.ask_to_stop()
    deadline = asyncio.get_running_loop().time() + GRACE
    while asyncio.get_running_loop().time() < deadline and not all(member.is_over() for member in members):
        await asyncio.sleep(POLL_EVERY)
    end(members)


def end(members: list[Member]) -> None:
    for member in members:
        member.kill()
