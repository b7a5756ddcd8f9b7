"""Positions on the ring: 0 … length−1, counter-clockwise (ccw) is increasing.

Three questions are asked about a position, each with its own ends.  The paper prints one `isBetween` for all of them;
without `covers`, one run in forty delivers twice.
"""

from .form import rule

NONE = -1           # ⊥: no position


@rule
def ahead(p: int, q: int, length: int) -> int:
    """How far q lies ccw of p: 0 … length−1."""
    return (q - p) % length


@rule
def inside(x: int, lo: int, hi: int, length: int) -> bool:
    """x lies strictly ccw between lo and hi; lo = hi means the whole ring but lo."""
    span = (hi - lo) % length
    if span == 0:
        span = length
    return 0 < (x - lo) % length < span


@rule
def closer(x: int, p: int, ns: int, length: int) -> bool:
    """x is as near or nearer ccw of p than ns, in (p, ns]: the closed right end renews a lease."""
    if x == p:
        return False
    return ns == NONE or (x - p) % length <= (ns - p) % length


@rule
def covers(cur: int, ep: int, p: int, length: int) -> bool:
    """p belongs to the interval [cur, ep) that is being served; cur = ep means the whole ring."""
    span = (ep - cur) % length
    if span == 0:
        span = length
    return (p - cur) % length < span
