"""The contents of a decrypted datagram: a sequence of items, each with a kind and a length.

| kind | body |
|---|---|
| ECHO | 8 bytes each: a challenge, then the challenges of others that the sender has heard recently |
| HELLO | a frame, for everyone who hears it |
| ACK | numbers, 4 bytes each: the items that the sender has accepted from the receiver |
| WAIT | the same: items that arrived but found no room, so that they do not count as lost |
| FRAME | a number of 4 bytes, then a frame to be acknowledged |
| PART | a number of 4 bytes, which part of how many (2 + 2 bytes), then the part; numbers of parts are consecutive |
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
    number: int  # of FRAME and PART
    part: int  # which one, of how many
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
    """All items up to the first malformed one: even a holder of the key may make mistakes."""
    at, end = 0, len(plain)
    while at + HEAD.size <= end:
        kind, length = HEAD.unpack_from(plain, at)
        at += HEAD.size
        if at + length > end:
            return
        if kind == FRAME and length > 4:  # by far the most common
            yield Item(FRAME, NUMBER.unpack_from(plain, at)[0], 0, 1, plain[at + 4 : at + length])
        else:
            item = read_item(kind, plain[at : at + length])
            if item is None:
                return
            yield item
        at += length


def read_item(kind: int, body: bytes) -> Item | None:
    if kind in (ECHO, HELLO, ACK, WAIT):
        return Item(kind, 0, 0, 1, body)
    if kind == PART and len(body) > 8:
        number, index, count = struct.unpack_from("!IHH", body)
        return Item(PART, number, index, count, body[8:]) if index < count else None
    return None


def challenges(body: bytes) -> list[bytes]:
    return [body[i : i + CHALLENGE] for i in range(0, len(body) - CHALLENGE + 1, CHALLENGE)]


def numbers(body: bytes) -> tuple[int, ...]:
    return struct.unpack_from(f"!{len(body) // 4}I", body)
