"""Defaults that follow from other keys of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psvr.protocol import constants as k
from psvr.protocol.wire.messages import WIDTHS

from .topology import ID_BITS, size

if TYPE_CHECKING:
    from .tables import Scenario, Topology


def micros(seconds: float) -> int:
    """Seconds as whole µs."""
    return round(seconds * k.SECOND)


def fits(value: int, width: int) -> bool:
    """Whether a value fits this many bytes; all ones on the wire stand for none."""
    return value < (1 << 8 * width) - 1


def largest_id(t: Topology) -> int:
    return size(t) - 1 if t.ids == "index" else (1 << ID_BITS) - 1


def largest_position(t: Topology) -> int:
    """The largest value in a position field: the length of the ring, which is sent in one too; so are tree sizes."""
    return max(2 * (size(t) - 1), 1)


def id_bytes(s: Scenario) -> int:
    """The width of ids on the air: as set, or the smallest that fits."""
    return s.protocol.id_bytes or next(w for w in WIDTHS if fits(largest_id(s.topology), w))


def position_bytes(s: Scenario) -> int:
    """The width of positions on the air: as set, or the smallest that fits."""
    return s.protocol.position_bytes or next(w for w in WIDTHS if fits(largest_position(s.topology), w))


def depth(s: Scenario) -> int:
    """D_max, which must exceed the depth of the tree; that is less than n."""
    return s.protocol.depth or min(max(k.DEPTH, size(s.topology)), k.MAX_DISTANCE)
