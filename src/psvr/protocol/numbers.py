"""Arithmetic with the same results in both forms: times that may be corrupt, ranges, hashes, spread.

Compiled integers have 64 bits, and the compiler assumes that they never overflow: code that relies on wrapping is
optimized into something else.  Times are therefore subtracted only after a check, and hashes made of 32-bit pieces.
"""

from . import constants as k
from .form import rule

LOW32 = (1 << 32) - 1
MAX_COUNT = 1 << 62


@rule
def elapsed(now: int, then: int) -> int:
    """Return the time since `then`.  A stored time in the future is a fault, and counts as long past."""
    if then < 0 or then > now:
        return k.FOREVER
    return now - then


@rule
def due(now: int, when: int, longest: int) -> bool:
    """Return whether a stored deadline has been reached, or is further ahead than any rule would set it."""
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
    """Return the next value of a counter that never leaves its range."""
    return clip(x, 0, MAX_COUNT - 1) + 1


@rule
def stir(h: int) -> int:
    """Apply a bijection to 32 bits; the factors have 31, so that no product exceeds 63."""
    h = (h * 0x7FEB352D) & LOW32
    h ^= h >> 15
    h = (h * 0x31848BAB) & LOW32
    return h ^ (h >> 16)


@rule
def mix(h: int, x: int) -> int:
    """Return 32 bits that depend on all bits of h and x, and on their order."""
    h = stir((h + 0x9E3779B9) & LOW32)
    return stir(stir(h ^ (x & LOW32)) ^ ((x >> 32) & LOW32))


@rule
def fold(id: int, boot: int) -> int:
    """Return 32 bits of an id and a boot, to place names in small tables; consecutive numbers are added to them."""
    return (((id ^ (id >> 32)) & LOW32 ^ (boot << 7) & LOW32) * 0x7FEB352D) & LOW32


@rule
def spread(id: int, now: int, salt: int, low: int, high: int) -> int:
    """Return a value in low … high that differs between nodes and moments: what others draw at random."""
    return low + mix(mix(mix(0, id), now), salt) % (high - low + 1)
