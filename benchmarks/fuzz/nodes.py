"""Real nodes as processes on this machine, and what the system knows about them."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from psvr.errors import BadInput
from psvr.node.daemon.client import Client
from tests.support.ports import free_ports

HELLO = 0.2  # seconds
PATIENCE = 60


class Process:
    """`psvr node` with its own folder, listening at a port of this machine."""

    def __init__(self, folder: Path, port: int, peers: list[int], key: Path | None) -> None:
        folder.mkdir()
        self.port, self.socket, self.log = port, folder / "socket", folder / "log"
        options = [
            f"--listen=127.0.0.1:{port}",
            "--peers=" + ",".join(f"127.0.0.1:{peer}" for peer in peers),
            f"--hello={HELLO}",
            "--state",
            str(folder),
            *(["--key-file", str(key)] if key else []),
        ]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PSVR_")}
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "psvr", "node", *options], stdout=log, stderr=log, env=clean
            )

    def status(self) -> dict[str, Any]:
        with Client(self.socket) as client:
            return client.status()

    def has_ring(self, length: int) -> bool:
        try:
            return bool(self.status()["ring"]["length"] == length)
        except BadInput:
            return False

    def memory(self) -> int:
        """Resident memory in KB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition("VmRSS:")[2].split()[0])

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self) -> float:
        """Processor seconds so far."""
        times = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def errors(self) -> list[str]:
        """Lines of the log that should not be there."""
        return [line for line in self.log.read_text().splitlines() if " error " in line.lower() or "Traceback" in line]

    def end(self) -> int:
        self.process.terminate()
        return self.process.wait(PATIENCE)


def waiting_in_kernel(port: int) -> tuple[int, int]:
    """Bytes that wait in the socket at this port, and datagrams dropped for want of room."""
    for line in Path("/proc/net/udp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].partition(":")[2], 16) == port:
            return int(fields[4].partition(":")[2], 16), int(fields[-1])
    return 0, 0


@contextlib.contextmanager
def running(folder: Path, neighbours: list[list[int]], key: Path | None, *more: int) -> Iterator[list[Process]]:
    """Nodes with these neighbours; all of them also send their HELLOs to the ports `more`."""
    ports = free_ports(len(neighbours))
    nodes = [
        Process(folder / f"n{i}", ports[i], [*(ports[j] for j in near), *more], key)
        for i, near in enumerate(neighbours)
    ]
    try:
        until(lambda: all(node.has_ring(2 * len(nodes) - 2) for node in nodes))
        yield nodes
    finally:
        for node in nodes:
            node.end()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"nodes have not settled within {PATIENCE} s")
        time.sleep(0.05)
