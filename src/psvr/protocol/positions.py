"""Positions on the ring: 0 … length−1, increasing counter-clockwise (ccw).

There are three questions about a position, each with its own ends.  The paper prints a single `isBetween` for all of
them; without `covers`, one run in forty delivers twice.
"""

from .form import rule

NONE = -1  # ⊥: no position


@rule
def ahead(p: int, q: int, length: int) -> int:
    """Return how far q is ccw of p: 0 … length−1."""
    return (q - p) % length


@rule
def inside(x: int, lo: int, hi: int, length: int) -> bool:
    """Return whether x is strictly between lo and hi, going ccw; lo = hi means the whole ring except lo."""
    span = (hi - lo) % length
    if span == 0:
        span = length
    return 0 < (x - lo) % length < span


@rule
def closer(x: int, p: int, ns: int, length: int) -> bool:
    """Return whether x is as near ccw of p as ns, or nearer: in (p, ns].  The closed right end renews a lease."""
    if x == p:
        return False
    return ns == NONE or (x - p) % length <= (ns - p) % length


@rule
def covers(cur: int, ep: int, p: int, length: int) -> bool:
    """Return whether p belongs to the interval [cur, ep) being served; cur = ep means the whole ring."""
    span = (ep - cur) % length
    if span == 0:
        span = length
    return (p - cur) % length < span
