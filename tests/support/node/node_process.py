"""Nodes as separate processes on this machine, and the commands that talk to them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psvr.errors import BadInput
from psvr.node.daemon.client import Client
from tests.support.ports import free_ports

PATIENCE = 60  # seconds, for a busy machine
PSVR = [sys.executable, "-m", "psvr"]


def environment(**more: str) -> dict[str, str]:
    """An environment without the settings of whoever runs the tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PSVR_")} | more


@dataclass
class Printed:
    code: int
    out: str
    err: str


def psvr(*arguments: Any, stdin: str | bytes = "", **more: str) -> Printed:
    text = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*PSVR, *map(str, arguments)],
        input=text,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        env=environment(**more),
    )
    return Printed(done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass
class Process:
    """A node, and how it is started."""

    folder: Path
    arguments: list[str]
    more: dict[str, str] = field(default_factory=dict)
    prefix: list[str] = field(default_factory=list)  # a command that runs it, such as ip netns exec
    process: "subprocess.Popen[str] | None" = None

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def start(self, wait: bool = True) -> None:
        self.folder.mkdir(exist_ok=True)
        with open(self.folder / "log", "a") as log:
            command = [*self.prefix, *PSVR, "node", "--state", str(self.folder), *self.arguments]
            self.process = subprocess.Popen(command, text=True, stderr=log, stdout=log, env=environment(**self.more))
        if wait:
            self.until(lambda: bool(self.status()))

    def status(self) -> dict[str, Any]:
        """The status; nothing while the node does not answer."""
        try:
            with Client(self.socket) as client:
                return client.status()
        except BadInput:
            return {}

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            assert self.process is None or self.process.poll() is None, self.log
            assert time.monotonic() < end, self.log
            time.sleep(0.02)

    def send(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.send(number)
        assert self.process is not None
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def in_line(folder: Path, count: int, *arguments: str) -> list[Process]:
    """Nodes in a line, each of which knows the one before and the one after it."""
    ports = free_ports(count)
    nodes = []
    for i, port in enumerate(ports):
        peers = [f"--peers=127.0.0.1:{other}" for other in ports[max(i - 1, 0) : i] + ports[i + 1 : i + 2]]
        nodes.append(Process(folder / f"n{i}", [f"--listen=127.0.0.1:{port}", *peers, "--hello=0.1", *arguments]))
    return nodes


def have_one_ring(nodes: list[Process]) -> bool:
    """Whether all have the same ring, long enough for all of them."""
    rings = [node.status().get("ring", {}) for node in nodes]
    return len({ring.get("id") for ring in rings}) == 1 and all(
        ring.get("length") == max(2 * len(nodes) - 2, 1) for ring in rings
    )


def wait_for_ring(nodes: list[Process]) -> None:
    nodes[0].until(lambda: have_one_ring(nodes))


def wait_for_subscriber(channel: str, at: Process, nodes: list[Process]) -> None:
    """Wait until a subscription has reached all tables."""
    at.until(lambda: channel in at.status().get("subscriptions", []))
    others = [node for node in nodes if node is not at]
    at.until(lambda: all(node.status()["tables"]["channels"] > 0 for node in others))
