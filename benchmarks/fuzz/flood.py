"""Three honest nodes in a line deliver at a steady rate, while a stranger floods the one in the middle."""

import contextlib
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import table
from psvr.node.secure.keys import Keyring, new_key, parse_key
from psvr.node.secure.seal import BODY, HEAD, Seal

from .nodes import Process, running, waiting_in_kernel
from .traffic import Listener, publish, wait_for_subscriber

RATE = 50  # publications per second
HEADS = [
    "flood",
    "datagrams/s sent",
    "read",
    "delivered",
    "median, ms",
    "p99, ms",
    "CPU of the node",
    "neighbours lost",
]
WARM = 3  # seconds before anything is measured
KINDS = ("none", "noise", "wrong check", "copied header")


def forgeries(kind: str, datagram: bytes) -> list[bytes]:
    """Datagrams that cost a node more and more to refuse: wrong start, wrong check, wrong seal."""
    rng = random.Random(1)
    if kind == "noise":
        return [rng.randbytes(100) for _ in range(1000)]
    kept = HEAD.size if kind == "wrong check" else BODY
    return [datagram[:kept] + rng.randbytes(100) for _ in range(1000)]


def main(port: int, kind: str, datagram: bytes) -> None:
    """Send as fast as one process can, until it is terminated."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("127.0.0.1", port))
        made, sent = forgeries(kind, datagram), 0
        while True:
            for one in made:
                sock.send(one)
            sent += len(made)
            print(sent, flush=True)


@contextlib.contextmanager
def flooded(kind: str, port: int, datagram: bytes, sent: list[int]) -> Iterator[None]:
    """A process that only sends; `sent` holds how many datagrams it has sent."""
    if kind == "none":
        yield
        return
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fuzz.flood", str(port), kind, datagram.hex()], stdout=out
        )
        try:
            yield
        finally:
            process.kill()
            process.wait()
            out.seek(0)
            sent += map(int, out.read().splitlines()[-2:-1])


def one(kind: str, nodes: list[Process], listener: Listener, datagram: bytes, seconds: float, first: int) -> list[str]:
    middle = nodes[1]
    before, refused, lost = middle.cpu(), middle.status()["counters"]["refused"], waiting_in_kernel(middle.port)[1]
    log = middle.log.read_text().count("neighbour lost")
    begin, sent = time.monotonic(), list[int]()
    with flooded(kind, middle.port, datagram, sent):
        arrived = publish(nodes[0], listener, RATE, seconds, first)
        took = time.monotonic() - begin
    read = middle.status()["counters"]["refused"] - refused
    dropped = waiting_in_kernel(middle.port)[1] - lost
    share = read / (read + dropped) if read + dropped else 1.0
    return [
        kind,
        f"{sum(sent) / took:,.0f}",
        f"{100 * share:.0f} %",
        f"{arrived.delivered} of {arrived.published}",
        f"{arrived.median:.1f}",
        f"{arrived.p99:.1f}",
        f"{100 * (middle.cpu() - before) / took:.0f} %",
        str(middle.log.read_text().count("neighbour lost") - log),
    ]


def report(seconds: float) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder, text = Path(name), new_key()
        key = folder / "net.key"
        key.touch(0o600)
        key.write_text(text)
        genuine = Seal(Keyring((parse_key(text, "a new key"),)), 77).seal(b"")
        with running(folder, [[1], [0, 2], [1]], key) as nodes:
            listener = Listener(nodes[2])
            wait_for_subscriber(nodes[:2])
            publish(nodes[0], listener, RATE, WARM)
            rows = [one(kind, nodes, listener, genuine, seconds, i * 1_000_000) for i, kind in enumerate(KINDS, 1)]
            errors = [line for node in nodes for line in node.errors()]
    return (
        f"{RATE} publications per second over two hops, for {seconds:g} s each.\n\n{table(HEADS, rows)}\n\n"
        f"Errors logged: {errors or 'none'}\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], bytes.fromhex(sys.argv[3]))
