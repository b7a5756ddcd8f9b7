"""Arithmetic that gives the same in both forms: times that may be corrupt, ranges, hashes, spread.

Compiled integers have 64 bits, and the compiler assumes that they never overflow: code that relies on wrapping is
optimized into something else.  So times are subtracted only after a check, and hashes are made of 32-bit pieces.
"""

from . import constants as k
from .form import rule

LOW32 = (1 << 32) - 1
COUNT_MOST = 1 << 62


@rule
def elapsed(now: int, then: int) -> int:
    """Time since `then`.  A stored time in the future is a fault and counts as long past."""
    if then < 0 or then > now:
        return k.FOREVER
    return now - then


@rule
def due(now: int, when: int, longest: int) -> bool:
    """A stored deadline is reached, or lies further ahead than any rule would put it."""
    return when <= now or when > now + longest


@rule
def clip(x: int, low: int, high: int) -> int:
    if x < low:
        return low
    if x > high:
        return high
    return x


@rule
def count(x: int) -> int:
    """The next value of a counter that never leaves its range."""
    return clip(x, 0, COUNT_MOST - 1) + 1


@rule
def stir(h: int) -> int:
    """A bijection of 32 bits; the factors have 31, so that no product passes 63."""
    h = (h * 0x7FEB352D) & LOW32
    h ^= h >> 15
    h = (h * 0x31848BAB) & LOW32
    return h ^ (h >> 16)


@rule
def mix(h: int, x: int) -> int:
    """32 bits that depend on all bits of h and x, and on which of them is which."""
    h = stir((h + 0x9E3779B9) & LOW32)
    return stir(stir(h ^ (x & LOW32)) ^ ((x >> 32) & LOW32))


@rule
def fold(id: int, boot: int) -> int:
    """32 bits of an id and a boot, for places of names in small tables: numbers that follow each other are added."""
    return (((id ^ (id >> 32)) & LOW32 ^ (boot << 7) & LOW32) * 0x7FEB352D) & LOW32


@rule
def spread(id: int, now: int, salt: int, low: int, high: int) -> int:
    """A value in low … high that differs between nodes and moments: what others draw at random."""
    return low + mix(mix(mix(0, id), now), salt) % (high - low + 1)
