"""Everything that takes bytes from the network, as functions of any bytes; none may raise, and none may grow.

`TARGETS` creates them by name: those with memory start afresh with each call, and keep it from input to input.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from psvr.node.core import envelope, naming, transport
from psvr.node.core.peer import Flight
from psvr.node.secure import seal, sessions
from psvr.protocol.layout import Capacity
from psvr.protocol.records import Hello, Sub
from psvr.protocol.wire import messages

from . import bounds, forge
from .draw import Draw
from .world import KEYS, World

Target = Callable[[bytes], None]
EVERY = 64  # inputs between two checks for growth
CAPACITY = Capacity()


class Changed(Exception):
    """A frame changed when it was read and written again."""


def decode(data: bytes) -> None:
    read = messages.decode(data, CAPACITY)
    if isinstance(read, messages.Malformed):
        return
    w, p = messages.WIDTHS[data[1] >> 6], messages.WIDTHS[data[1] >> 4 & 3]
    if isinstance(read, Hello):
        again = messages.encode_hello(read, w, p)
    elif isinstance(read, Sub):
        again = messages.encode_sub(read, w, p)
    else:
        again = messages.encode_pub(*read, w, p)
    if again != data:
        raise Changed(f"{data.hex()} is read and written again as {again.hex()}")


def open_envelope(data: bytes) -> None:
    for item in envelope.items(data):
        envelope.challenges(item.body)
        envelope.numbers(item.body)


def unpack(data: bytes) -> None:
    parts = naming.parts_of(data)
    if parts is not None:
        assert len(parts[0].encode()) <= naming.MAX_NAME_BYTES
        assert len(naming.payload_of(data)) == parts[1] <= naming.MAX_PAYLOAD_BYTES


def seals() -> Target:
    """Any bytes, and any body after a copied header."""
    closed, plain, sender = seal.Seal(KEYS, 1, bytes(8)), seal.Seal(None, 1, bytes(8)), seal.Seal(KEYS, 2, b"12345678")
    head = sender.seal(b"")[: seal.BODY]

    def take(data: bytes) -> None:
        plain.open(data)
        closed.open(data)
        assert closed.open(head + data) is None or not data[16:], "nobody can make this but by chance"

    return take


def validating() -> Target:
    """Genuine datagrams from anyone who has the key."""
    it, asked, heard = sessions.Sessions(1, b"saltsalt"), 0, [bytes(8)]

    def take(data: bytes) -> None:
        nonlocal asked
        draw = Draw(data)
        while draw.left:
            if draw.below(8) == 0:
                heard.append(it.echoes()[0])
                del heard[:-80]
            echoes = [
                heard[draw.below(len(heard))] if draw.below(2) else draw.raw(draw.below(10))
                for _ in range(draw.below(8))
            ]
            it.validate(draw.number(8, (2, 1, 3)), draw.raw(2) * 4, draw.number(8, (asked + 1, 1)), echoes)
            asked += 1
        bounds.check(bounds.of_sessions(it))

    return take


class Doubtful(Flight):
    """A frame that is useful or not at random."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def is_useful(self) -> bool:
        return self.draw.below(2) > 0


def transporting() -> Target:
    """Items from a neighbour whose frames are accepted or not at random, while frames are also sent to it."""
    it = transport.Transport(lambda plain, peer: None)
    peer, now = it.meet(2, b"", None, 0), 0

    def take(data: bytes) -> None:
        nonlocal now
        draw = Draw(data)
        now += 1 + draw.below(65536)
        for item in envelope.items(data[2:]):
            it.hear(peer, item, now, lambda frame: len(frame) % 3)
        known = forge.facts(data or b"x", 2, (1,), 1, 4, (0, 2), peer.newest + 1)
        for item in envelope.items(forge.items(draw, known)):
            it.hear(peer, item, now, lambda frame: len(frame) % 2)
        if len(peer.waiting) < 100:
            it.send(2, data[:5000] or b"x", now, Doubtful(draw))
        it.retry(now)
        it.flush()
        bounds.check(bounds.of_transport(it))

    return take


class Attack:
    """A whole node, and what it receives over the air."""

    def __init__(self, keys: Any, as_datagram: Callable[[World, bytes], bytes]) -> None:
        self.world, self.as_datagram, self.count = World(keys), as_datagram, 0

    def __call__(self, data: bytes) -> None:
        self.count += 1
        self.world.step(1 + self.count * 7919 % 20_000, self.as_datagram(self.world, data))
        if self.count % EVERY == 0:
            asyncio.run(self.look())

    async def look(self) -> None:
        for node in self.world.nodes.values():
            bounds.check(bounds.of_node(node))
            node.status()


def forged(world: World, data: bytes) -> bytes:
    return world.thief.seal.seal(forge.items(Draw(data), world.facts()))


def as_it_is(world: World, data: bytes) -> bytes:
    return data


def sealed(world: World, data: bytes) -> bytes:
    return world.thief.seal.seal(data)


TARGETS: dict[str, Callable[[], Target]] = {
    "frames": lambda: decode,
    "envelope": lambda: open_envelope,
    "naming": lambda: unpack,
    "seal": seals,
    "sessions": validating,
    "transport": transporting,
    "stranger": lambda: Attack(KEYS, as_it_is),  # without the key
    "garbage": lambda: Attack(KEYS, sealed),  # any bytes, with the key
    "thief": lambda: Attack(KEYS, forged),  # well-formed frames, with the key
    "open": lambda: Attack(None, forged),  # the same without a key
}
SHARES = {
    "frames": 100,
    "envelope": 200,
    "naming": 250,
    "seal": 384,
    "sessions": 15,
    "transport": 20,
    "stranger": 20,
    "garbage": 6,
    "thief": 3,
    "open": 2,
}  # per 1000 inputs: slower targets get fewer
