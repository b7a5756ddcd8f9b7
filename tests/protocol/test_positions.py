"""The predicates, against walking the ring position by position."""

from hypothesis import given
from hypothesis import strategies as st

from psvr.protocol.positions import NONE, closer, covers, inside

RINGS = st.integers(2, 24).flatmap(lambda n: st.tuples(st.just(n), *(st.integers(0, n - 1) for _ in range(3))))


def walk(p: int, length: int) -> list[int]:
    """All positions ccw of p, the nearest first, p itself last."""
    return [(p + i) % length for i in range(1, length + 1)]


@given(RINGS)
def test_inside_is_open_at_both_ends(ring: tuple[int, int, int, int]) -> None:
    length, x, lo, hi = ring
    way = walk(lo, length)
    assert inside(x, lo, hi, length) == (x in way[: way.index(hi)])


@given(RINGS)
def test_closer_is_closed_on_the_right(ring: tuple[int, int, int, int]) -> None:
    length, x, p, ns = ring
    if ns == p:
        return  # a node's own position is never its next subscriber
    way = walk(p, length)
    assert closer(x, p, ns, length) == (x in way[: way.index(ns) + 1])
    assert closer(x, p, NONE, length) == (x != p)


@given(RINGS)
def test_covers_is_closed_on_the_left(ring: tuple[int, int, int, int]) -> None:
    length, p, cur, ep = ring
    way = [cur, *walk(cur, length)[:-1]]
    expected = way if cur == ep else way[: way.index(ep)]
    assert covers(cur, ep, p, length) == (p in expected)
