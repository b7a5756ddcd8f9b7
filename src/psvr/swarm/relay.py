"""The ether of a swarm: takes the datagrams of all nodes and passes each on to those that can hear it, or loses it.

What is lost, delayed, duplicated or held back is drawn from the seed; the order of datagrams is up to the machine.
"""

import asyncio
import random
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from psvr.errors import BadInput
from psvr.node.link.ether import EVERYBODY, HEAD
from psvr.node.link.udp import BUFFER, MAX_DATAGRAM, drain

HOST = "127.0.0.1"
HELD = 0.05  # seconds, at most, by which a datagram is held back for later ones to overtake it


@dataclass(frozen=True)
class Impairments:
    """What the ether does to datagrams on every link; times are in seconds."""

    loss: float = 0.0
    delay: tuple[float, float] = (0.0, 0.0)  # minimum, maximum
    duplicate: float = 0.0
    reorder: float = 0.0

    def __post_init__(self) -> None:
        low, high = self.delay
        if not 0 <= low <= high <= 10:
            raise BadInput(
                f"--delay: must be two numbers of seconds from 0 to 10, the smaller first, not {low:g} {high:g}"
            )
        for name in ("duplicate", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadInput(f"--{name}: must be a number from 0 to 1, not {getattr(self, name):g}")


UNIMPAIRED = Impairments()


class Relay:
    """A medium for members, whose link is an `Ether` that leads here."""

    def __init__(self, seed: int, impairments: Impairments = UNIMPAIRED) -> None:
        self.random, self.impairments = random.Random(seed), impairments
        self.near: dict[int, list[int]] = {}
        self.places: dict[int, Any] = {}  # the address that each number was last heard from
        self.carried = self.lost = self.duplicated = self.held = 0
        self.sock: socket.socket | None = None

    async def start(self, members: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.sock.bind((HOST, 0))
        self.port = self.sock.getsockname()[1]
        self.loop.add_reader(self.sock, drain, self.sock, self.take)

    def close(self) -> None:
        if self.sock is not None:
            self.loop.remove_reader(self.sock)
            self.sock.close()
            self.sock = None

    def prefix(self, v: int) -> list[str]:
        """What precedes a node's command."""
        return []

    def flags(self, v: int) -> list[str]:
        """Arguments of its command by which it finds its neighbours."""
        return ["--ether", f"{HOST}:{self.port}/{v}"]

    def connect(self, links: Iterable[tuple[int, int]]) -> None:
        """From now on these pairs hear each other, and no others."""
        near: dict[int, set[int]] = {}
        for u, v in links:
            near.setdefault(u, set()).add(v)
            near.setdefault(v, set()).add(u)
        self.near = {v: sorted(others) for v, others in near.items()}

    def take(self, datagram: bytes, place: Any) -> None:
        """Process a datagram from a node."""
        if len(datagram) < HEAD.size or len(datagram) > MAX_DATAGRAM:
            return
        sender, addressee = HEAD.unpack_from(datagram)
        self.places[sender] = place
        if len(datagram) == HEAD.size:
            return  # it only tells its address
        for to in self.near.get(sender, ()):
            if addressee in (EVERYBODY, to):
                self.pass_on(datagram, to)

    def pass_on(self, datagram: bytes, to: int) -> None:
        """Send a datagram over one link; each copy is lost, delayed and held back independently."""
        impairments, chance = self.impairments, self.random.random
        copies = 1
        if impairments.duplicate and chance() < impairments.duplicate:
            copies, self.duplicated = 2, self.duplicated + 1
        for _ in range(copies):
            if impairments.loss and chance() < impairments.loss:
                self.lost += 1
                continue
            late = self.random.uniform(*impairments.delay) if impairments.delay[1] else 0.0
            if impairments.reorder and chance() < impairments.reorder:
                late += HELD * chance()
                self.held += 1
            if late:
                self.loop.call_later(late, self.put, datagram, to)
            else:
                self.put(datagram, to)

    def put(self, datagram: bytes, to: int) -> None:
        place = self.places.get(to)
        if place is None or self.sock is None:
            return
        try:
            self.sock.sendto(datagram, place)
            self.carried += 1
        except OSError:  # the receiver's buffer is full, or it is dead
            self.lost += 1
