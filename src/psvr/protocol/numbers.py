"""Arithmetic that gives the same in both forms: times that may be corrupt, ranges, hashes, spread.

Compiled integers are 64 bits and wrap, plain ones do not.  So times are subtracted only after a check, and hashes
keep the low 63 bits, which are equal in both.
"""

from . import constants as k
from .form import rule

LOW63 = (1 << 63) - 1
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
def mix(h: int, x: int) -> int:
    """63 bits that depend on all bits of h and x."""
    h = ((h ^ (x & LOW63)) * 0x2545F4914F6CDD1D) & LOW63
    h ^= h >> 29
    h = (h * 0x1B873593CC9E2D51) & LOW63
    return h ^ h >> 32


@rule
def spread(id: int, now: int, salt: int, low: int, high: int) -> int:
    """A value in low … high that differs between nodes and moments: what others draw at random."""
    return low + mix(mix(mix(0, id), now), salt) % (high - low + 1)
