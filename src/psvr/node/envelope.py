"""What a datagram holds once it is open: items, one after the other, each with a kind and a length.

| kind | body |
|---|---|
| ECHO | 8 bytes each: a challenge, then the challenges of others that the sender has heard lately |
| HELLO | a frame, for all who hear it |
| ACK | numbers of 4 bytes: what the sender has taken over from the receiver |
| WAIT | the same: what has come and found no room, so that it is not taken for lost |
| FRAME | number of 4 bytes, then a frame that wants an acknowledgement |
| PART | number of 4 bytes, which part and of how many (2 + 2), then a piece of a frame; parts have successive numbers |
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

ECHO, HELLO, ACK, FRAME, PART, WAIT = range(6)
HEAD = struct.Struct("!BH")
NUMBER = struct.Struct("!I")
NUMBERED = struct.Struct("!BHI")
PIECE = struct.Struct("!BHIHH")
CHALLENGE = 8
NUMBERS = 1 << 32


class Item(NamedTuple):
    kind: int
    number: int             # of FRAME and PART
    part: int               # which one, of how many
    parts: int
    body: bytes


def echo(challenges: list[bytes]) -> bytes:
    return HEAD.pack(ECHO, CHALLENGE * len(challenges)) + b"".join(challenges)


def hello(frame: bytes) -> bytes:
    return HEAD.pack(HELLO, len(frame)) + frame


def answer(kind: int, numbers: list[int]) -> bytes:
    """An ACK or a WAIT."""
    return HEAD.pack(kind, 4 * len(numbers)) + struct.pack(f"!{len(numbers)}I", *numbers)


def frame(number: int, content: bytes) -> bytes:
    return NUMBERED.pack(FRAME, 4 + len(content), number) + content


def part(number: int, index: int, count: int, piece: bytes) -> bytes:
    return PIECE.pack(PART, 8 + len(piece), number, index, count) + piece


def items(plain: bytes) -> Iterator[Item]:
    """All items up to the first that is malformed: whoever has the key may still be mistaken."""
    at, end = 0, len(plain)
    while at + HEAD.size <= end:
        kind, length = HEAD.unpack_from(plain, at)
        at += HEAD.size
        if at + length > end:
            return
        item = one(kind, plain[at:at + length])
        if item is None:
            return
        yield item
        at += length


def one(kind: int, body: bytes) -> Item | None:
    if kind in (ECHO, HELLO, ACK, WAIT):
        return Item(kind, 0, 0, 1, body)
    if kind == FRAME and len(body) > 4:
        return Item(FRAME, NUMBER.unpack_from(body)[0], 0, 1, body[4:])
    if kind == PART and len(body) > 8:
        number, index, count = struct.unpack_from("!IHH", body)
        return Item(PART, number, index, count, body[8:]) if index < count else None
    return None


def challenges(body: bytes) -> list[bytes]:
    return [body[i:i + CHALLENGE] for i in range(0, len(body) - CHALLENGE + 1, CHALLENGE)]


def numbers(body: bytes) -> tuple[int, ...]:
    return struct.unpack_from(f"!{len(body) // 4}I", body)
