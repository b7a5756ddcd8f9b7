"""One declaration, two forms."""

from typing import Annotated

import pytest

from psvr.protocol.layout import Capacity, Int, Many, blank, dtype, outside, record, restore, snapshot
from psvr.protocol.records import Effects, Handed, Held, Hello, Host, Node, Outcome, Pub, Sub

BYTE = Int(4, 0, 255)


@record
class Part:
    x: Annotated[int, BYTE]


@record
class Whole:
    """A record with everything in it."""

    n: Annotated[int, Int(8, -1, 100)]
    part: Part
    parts: Annotated[list[Part], Many("links")]
    xs: Annotated[list[int], Many("window", BYTE)]


SMALL = Capacity(links=2, window=3)
SHOT = {"n": 5, "part": {"x": 1}, "parts": [{"x": 2}, {"x": 3}], "xs": [4, 5, 6]}


def test_plain_objects_are_slotted_and_sized() -> None:
    w = blank(Whole, SMALL)
    assert len(w.parts) == 2 and w.xs == [0, 0, 0] and w.parts[0] is not w.parts[1]
    with pytest.raises(AttributeError):
        w.misspelt = 1  # type: ignore[attr-defined]
    assert Whole.__doc__ == "A record with everything in it."


def test_snapshots_go_both_ways_in_both_forms() -> None:
    import numpy as np

    for w in (blank(Whole, SMALL), np.zeros(1, dtype(Whole, SMALL))[0]):
        restore(w, Whole, SHOT)
        assert snapshot(w, Whole) == SHOT


def test_outside_names_the_field() -> None:
    w = blank(Whole, SMALL)
    restore(w, Whole, SHOT)
    assert outside(w, Whole) == []
    w.n, w.parts[1].x, w.xs[2] = 101, -1, 256
    assert outside(w, Whole) == ["n = 101", "parts[1].x = -1", "xs[2] = 256"]


@pytest.mark.parametrize("cls", [Node, Hello, Sub, Pub, Outcome])
@pytest.mark.parametrize("capacity", [Capacity(), Capacity(3, 5, 7, 2, 4, 1)])
def test_both_forms_have_the_same_fields(cls: type, capacity: Capacity) -> None:
    import numpy as np

    rec = np.zeros(1, dtype(cls, capacity))[0]
    assert snapshot(rec, cls) == snapshot(blank(cls, capacity), cls)


def test_ranges_fit_the_memory() -> None:
    def check(cls: type) -> None:
        for f in cls.FIELDS:  # type: ignore[attr-defined]
            if isinstance(f.item, Int):
                low, high = f.item.limits
                assert low <= f.item.low <= f.item.high <= high, (cls, f.name)
            else:
                check(f.item)

    for cls in (Node, Hello, Sub, Pub, Outcome, Host, Held, Handed, Effects):
        check(cls)
