"""What somebody with the key could send: well-formed items and frames, with wrong and extreme numbers in them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from psvr.node.core import envelope, naming
from psvr.protocol.wire.messages import SUB, VERSION
from psvr.protocol.wire.names import channel_hash

from .draw import Draw


class Facts(NamedTuple):
    """Values that mean something to the receiver."""

    hello: bytes  # a frame that it would believe
    numbers: Mapping[str, Sequence[int]]  # by kind, the correct one first


NAMES = ("a", "b", "c", "", "ä" * 700)
HEAD_OF_SUB = (("me", 8), ("nobody", 8), ("nobody", 8), ("length", 2), ("ring", 4))
HEAD_OF_PUB = (("me", 8), ("mine", 4), ("position", 4), ("ring", 4))
REST_OF_PUB = (("id", 8), ("count", 4), ("count", 4), ("small", 2), ("small", 2))


def facts(
    hello: bytes, me: int, others: Sequence[int], ring: int, length: int, positions: Sequence[int], count: int = 1
) -> Facts:
    """The facts for a node with this ring, from a sender with the id `me` that has counted this far."""
    return Facts(
        hello,
        {
            "me": [me, *others],
            "id": [*others, me, -1],
            "nobody": [-1, me, *others],
            "ring": [ring, -1, 0],
            "length": [length, 1, 3, 1 << 29, 1 << 30],
            "position": [*(p + 1 for p in positions), *positions, 0, -1],
            "mine": [*positions, 0, -1],
            "small": [1, 2, 8, 64],
            "count": [count, 1, 1 << 30],
        },
    )


def fields(draw: Draw, kinds: Sequence[tuple[str, int]], known: Facts) -> bytes:
    return b"".join(draw.number(width, known.numbers[kind]).to_bytes(width, "big") for kind, width in kinds)


def hello(draw: Draw, known: Facts) -> bytes:
    """One that is right, with up to three numbers changed."""
    said = bytearray(known.hello)
    for _ in range(draw.below(4)):
        width, at = (1, 2, 4, 8)[draw.below(4)], draw.below(len(said))
        said[at : at + width] = draw.number(width, known.numbers["id"]).to_bytes(width, "big")
    return bytes(said)


def sub(draw: Draw, known: Facts) -> bytes:
    head = fields(draw, HEAD_OF_SUB, known)
    positions, channels = draw.number(1, (2, 1, 8)), draw.number(1, (1, 16))
    said = fields(draw, [("position", 4)] * positions, known)
    wanted = b"".join(channel(draw) for _ in range(channels))
    return head + bytes((positions, channels)) + said + wanted


def channel(draw: Draw) -> bytes:
    """The hash of a name, or one of many hashes that collide in any table."""
    how = draw.below(4)
    if how < 2:
        return hashed(NAMES[how])
    return draw.raw(8) if how == 2 else (draw.below(65536) << 20).to_bytes(8, "big")


def hashed(name: str) -> bytes:
    return channel_hash(name).to_bytes(8, "big", signed=True)


def pub(draw: Draw, known: Facts) -> bytes:
    name = NAMES[draw.below(len(NAMES))]
    data = naming.pack(name, draw.raw(draw.below(64)) * draw.number(1, (1, 0, 60)))
    if draw.below(8) == 7:
        data = draw.raw(draw.below(16)) + data[draw.below(8) :]
    said = hashed(name) if draw.below(8) < 7 else draw.raw(8)
    return fields(draw, HEAD_OF_PUB, known) + said + fields(draw, REST_OF_PUB, known) + data


def frame(draw: Draw, known: Facts) -> bytes:
    """A SUB or a PUB."""
    is_pub, has_ring = draw.below(2), 2 if draw.below(8) < 7 else 0
    head = bytes((VERSION << 4 | SUB + is_pub, 2 << 6 | 1 << 4 | has_ring | draw.below(2)))
    return head + (pub if is_pub else sub)(draw, known)


def item(draw: Draw, known: Facts) -> bytes:
    """One item of a datagram.  HELLOs are rare: after a wrong one no frames are believed until links are good again."""
    how, number = draw.below(128), draw.number(4, known.numbers["count"])
    if how < 90:
        return envelope.frame(number, frame(draw, known))
    if how < 110:
        count = draw.number(2, (1, 2, 64))
        return envelope.part(number, draw.below(count + 1), count, frame(draw, known))
    if how < 116:
        kind = envelope.ACK if how < 113 else envelope.WAIT
        return envelope.answer(kind, [draw.number(4, known.numbers["count"]) for _ in range(draw.below(32))])
    if how < 122:
        return envelope.echo([draw.raw(8) for _ in range(draw.below(16))])
    return draw.raw(draw.below(64)) if how < 127 else envelope.hello(hello(draw, known))


def items(draw: Draw, known: Facts) -> bytes:
    """The body of a datagram."""
    said = item(draw, known)
    while draw.left and len(said) < 1200:
        said += item(draw, known)
    return said
