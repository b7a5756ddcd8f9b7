"""The ether of a swarm: takes the datagrams of all nodes, and passes each on to those who can hear it, or loses it.

What is lost, late, doubled or held back is drawn from the seed; the order in which datagrams come is the machine's.
"""

import asyncio
import random
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from psvr.errors import BadInput
from psvr.node.ether import EVERYBODY, HEAD
from psvr.node.udp import BUFFER, LARGEST, drain

HOST = "127.0.0.1"
HELD = 0.05                 # seconds by which a datagram is held back, at most, so that later ones overtake it


@dataclass(frozen=True)
class Weather:
    """What the ether does to datagrams on every link; times are seconds."""

    loss: float = 0.0
    delay: tuple[float, float] = (0.0, 0.0)         # least and most
    duplicate: float = 0.0
    reorder: float = 0.0

    def __post_init__(self) -> None:
        least, most = self.delay
        if not 0 <= least <= most <= 10:
            raise BadInput(f"--delay: must be two numbers of seconds from 0 to 10, the lesser first, not {least:g} "
                           f"{most:g}")
        for name in ("duplicate", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadInput(f"--{name}: must be a number from 0 to 1, not {getattr(self, name):g}")


CLEAR = Weather()


class Relay:
    """A medium for members: their link is an `Ether` that leads here."""

    def __init__(self, seed: int, weather: Weather = CLEAR) -> None:
        self.random, self.weather = random.Random(seed), weather
        self.near: dict[int, list[int]] = {}
        self.places: dict[int, Any] = {}        # where a number was last heard from
        self.carried = self.lost = self.doubled = self.held = 0
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
        """What a node's command begins with."""
        return []

    def flags(self, v: int) -> list[str]:
        """What its command ends with, so that it finds its neighbours."""
        return ["--ether", f"{HOST}:{self.port}/{v}"]

    def connect(self, links: Iterable[tuple[int, int]]) -> None:
        """From now on these pairs hear each other, and nobody else."""
        near: dict[int, set[int]] = {}
        for u, v in links:
            near.setdefault(u, set()).add(v)
            near.setdefault(v, set()).add(u)
        self.near = {v: sorted(others) for v, others in near.items()}

    def take(self, datagram: bytes, place: Any) -> None:
        """A datagram of a node."""
        if len(datagram) < HEAD.size or len(datagram) > LARGEST:
            return
        sender, addressee = HEAD.unpack_from(datagram)
        self.places[sender] = place
        if len(datagram) == HEAD.size:
            return                      # it only says where it is
        for to in self.near.get(sender, ()):
            if addressee in (EVERYBODY, to):
                self.pass_on(datagram, to)

    def pass_on(self, datagram: bytes, to: int) -> None:
        """One link: each copy is lost, late and held back alone."""
        weather, chance = self.weather, self.random.random
        copies = 1
        if weather.duplicate and chance() < weather.duplicate:
            copies, self.doubled = 2, self.doubled + 1
        for _ in range(copies):
            if weather.loss and chance() < weather.loss:
                self.lost += 1
                continue
            late = self.random.uniform(*weather.delay) if weather.delay[1] else 0.0
            if weather.reorder and chance() < weather.reorder:
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
        except OSError:                 # its buffer is full, or it is dead
            self.lost += 1
