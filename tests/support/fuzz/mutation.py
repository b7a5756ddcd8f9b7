"""Inputs made from other inputs: if there is no coverage to guide them, and for datagrams through a socket."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .draw import extremes

Change = Callable[[random.Random, bytearray, Sequence[bytes]], None]


class Done(NamedTuple):
    runs: int
    seconds: float
    slowest: float  # seconds that one input took


def flip(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def number(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    width = rng.choice((1, 2, 4, 8))
    at = rng.randrange(len(data))
    data[at : at + width] = rng.choice(extremes(width)).to_bytes(width, "big")


def noise(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at, length = rng.randrange(len(data)), rng.randrange(1, 9)
    data[at : at + length] = rng.randbytes(length)


def cut(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.randrange(1, 1 + len(data))]


def end(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    del data[rng.randrange(len(data)) :]


def insert(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    data[at:at] = rng.randbytes(rng.randrange(1, 33))


def splice(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    other = rng.choice(others)
    data[rng.randrange(len(data)) :] = other[rng.randrange(len(other) + 1) :]


def repeat(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = rng.randrange(len(data))
    data += data[at : at + 200] * rng.randrange(1, 5)


CHANGES: tuple[Change, ...] = (flip, number, noise, cut, end, insert, splice, repeat)


def mutated(rng: random.Random, seeds: Sequence[bytes], longest: int = 4096) -> bytes:
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randrange(1, 5)):
        rng.choice(CHANGES)(rng, data or bytearray(1), seeds)
    return bytes(data[:longest])


def inputs(seeds: Sequence[bytes], seed: int) -> Iterator[bytes]:
    """Endless inputs; nine in ten are mutations, the rest noise."""
    rng = random.Random(seed)
    while True:
        yield mutated(rng, seeds) if rng.random() < 0.9 else rng.randbytes(rng.randrange(100))


def loop(target: Callable[[bytes], None], seeds: Sequence[bytes], runs: int, seed: int = 0) -> Done:
    begin, slowest = time.perf_counter(), 0.0
    for _, data in zip(range(runs), inputs(seeds, seed)):
        before = time.perf_counter()
        try:
            target(data)
        except Exception as error:
            error.add_note(f"with the input {data.hex()}")
            raise
        slowest = max(slowest, time.perf_counter() - before)
    return Done(runs, time.perf_counter() - begin, slowest)
