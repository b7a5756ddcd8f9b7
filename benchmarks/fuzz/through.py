"""Datagrams through the socket of a real node, with a key and without, while its memory, files and tables are watched.

Two nodes, one of which is attacked.  The attacker hears what both send, as anybody within reach does, and answers with
noise, changed datagrams, replays, incomplete frames and huge ones.  Without a key it forges whatever it likes.
"""

import random
import socket
import tempfile
import time
from pathlib import Path

from benchmarks.timing import table
from psvr.node.core import envelope
from psvr.node.core.host import ID_BYTES, POSITION_BYTES
from psvr.node.secure.keys import new_key
from psvr.node.secure.seal import Seal
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Hello
from psvr.protocol.wire.messages import encode_hello
from tests.support.fuzz import forge
from tests.support.fuzz.draw import Draw
from tests.support.fuzz.mutation import mutated

from .nodes import Process, running, waiting_in_kernel
from .traffic import Listener, publish, wait_for_subscriber

STEPS = 10  # samples of the node
BATCH = 64  # datagrams between two checks how many wait
ROOM = 60_000  # bytes that may wait: fewer than the system buffers, so that none is lost
HEADS = [
    "datagrams",
    "memory, KB",
    "files",
    "tasks",
    "rows",
    "window",
    "neighbours",
    "believed",
    "µs of CPU each",
    "lost in the kernel",
]


class Attacker:
    def __init__(self, sock: socket.socket, node: Process, has_key: bool) -> None:
        self.sock, self.node, self.has_key, self.rng = sock, node, has_key, random.Random(1)
        self.heard: list[bytes] = []
        self.victim, self.reader = node.status()["id"], Seal(None, 0)
        self.boots = [Seal(None, 1000 + i) for i in range(50)]
        self.known = forge.facts(b"", 0, (self.victim,), 0, 1, (0,))

    def listen(self) -> None:
        """Read what the nodes send, and their present state."""
        while True:
            try:
                self.heard.append(self.sock.recv(65535))
            except BlockingIOError:
                break
        del self.heard[:-500]
        if not self.has_key:
            ring = self.node.status()["ring"]
            self.known = forge.facts(
                b"",
                1000,
                (self.victim, 1001),
                ring["id"] or 0,
                ring["length"],
                ring["positions"] or [0],
                self.rng.randrange(1 << 20),
            )

    def next(self) -> bytes:
        kind = self.rng.randrange(10)
        if not self.has_key and kind < 4:
            return self.forged()
        if kind < 6:
            return mutated(self.rng, self.heard)
        if kind == 6:
            return self.rng.choice(self.heard)
        if kind == 7:
            return self.rng.choice(self.heard)[: self.rng.randrange(60)]
        return self.rng.randbytes(self.rng.randrange(200) if kind == 8 or self.rng.random() < 0.99 else 60_000)

    def forged(self) -> bytes:
        """A datagram of one of many fictitious nodes, each of which has heard the one under attack."""
        seal = self.rng.choice(self.boots)
        said = self.reader.open(self.rng.choice(self.heard[-20:]))
        theirs = (
            [
                c
                for item in envelope.items(said.plain)
                if item.kind == envelope.ECHO
                for c in envelope.challenges(item.body)
            ]
            if said
            else []
        )
        hello = friendly(seal.id, self.victim, seal.counter)
        known = self.known._replace(hello=hello, numbers={**self.known.numbers, "me": [seal.id]})
        made = forge.items(Draw(self.rng.randbytes(self.rng.randrange(10, 300))), known)
        return seal.seal(envelope.echo([self.rng.randbytes(8), *theirs[:1]]) + envelope.hello(hello) + made)

    def send(self, count: int) -> None:
        to = ("127.0.0.1", self.node.port)
        for i in range(count):
            if i % BATCH == 0:
                while waiting_in_kernel(self.node.port)[0] > ROOM:
                    time.sleep(0.001)
            if i % 5000 == 0:
                self.listen()
            self.sock.sendto(self.next(), to)


def friendly(id: int, other: int, number: int) -> bytes:
    """The HELLO of a node that hears another well and would like to be its neighbour."""
    hello = blank(Hello, Capacity())
    hello.src = hello.root = id
    hello.parent, hello.ring, hello.start, hello.size, hello.number, hello.seq = k.NOBODY, -1, -1, 1, number, number
    hello.free, hello.links, hello.link[0].id, hello.link[0].quality = 7, 1, other, 255
    return encode_hello(hello, ID_BYTES, POSITION_BYTES)


def row(sent: int, node: Process, cpu: float, each: int, lost: int) -> list[str]:
    status = node.status()
    return [
        f"{sent:,}",
        str(node.memory()),
        str(node.files()),
        str(status["tasks"]),
        str(status["tables"]["rows"]),
        str(status["window"]),
        str(len(status["neighbours"])),
        f"{status['counters']['taken']:,}",
        f"{1e6 * cpu / each:.1f}" if each else "",
        str(lost),
    ]


def attacked(folder: Path, key: Path | None, datagrams: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        sock.setblocking(False)
        with running(folder, [[1], [0]], key, sock.getsockname()[1]) as (node, other):
            listener, rows = Listener(node), []
            wait_for_subscriber([other])
            before = publish(other, listener, 50, 2)
            attacker, each = Attacker(sock, node, key is not None), datagrams // STEPS
            rows.append(row(0, node, 0, 0, 0))
            for i in range(1, STEPS + 1):
                cpu = node.cpu()
                attacker.send(each)
                rows.append(row(i * each, node, node.cpu() - cpu, each, waiting_in_kernel(node.port)[1]))
            after, calm = publish(other, listener, 50, 2, 10_000), publish(other, listener, 50, 2, 20_000)
            errors = node.errors() + other.errors()
    said = (
        f"Delivered {before.delivered} of {before.published} before, {after.delivered} of {after.published} right "
        f"after it, {calm.delivered} of {calm.published} a little later; errors logged: {errors or 'none'}"
    )
    return f"{table(HEADS, rows)}\n\n{said}\n"


def report(datagrams: int) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        key = folder / "net.key"
        key.touch(0o600)
        key.write_text(new_key())
        (folder / "closed").mkdir()
        (folder / "open").mkdir()
        return (
            f"With a key, by a stranger:\n\n{attacked(folder / 'closed', key, datagrams)}\n"
            f"Without a key:\n\n{attacked(folder / 'open', None, datagrams)}"
        )
