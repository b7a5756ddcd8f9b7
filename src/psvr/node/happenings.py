"""What a node tells: messages to subscribers, and what happened to it."""

from dataclasses import dataclass
from typing import NamedTuple


class Message(NamedTuple):
    """A publication that arrived."""

    channel: str
    data: bytes
    origin: int             # id of the node that published
    boot: int               # which start of that node
    sequence: int           # number of the publication; origin, boot and sequence tell publications apart
    hops: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at this node; `time` is µs since 1970."""

    time: int


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """A publication, or a part of its task, went no further here, and that cannot be made good any more."""

    reason: str
    channel: str
    origin: int
    boot: int
    sequence: int


@dataclass(frozen=True, slots=True)
class ParentChanged(Event):
    """The node has another parent in the tree; −1: it is the root."""

    parent: int
    root: int


@dataclass(frozen=True, slots=True)
class RingChanged(Event):
    """The node has other positions on the ring; none while it is being laid."""

    positions: tuple[int, ...]
    length: int


@dataclass(frozen=True, slots=True)
class NeighbourFound(Event):
    id: int


@dataclass(frozen=True, slots=True)
class NeighbourLost(Event):
    id: int


@dataclass(frozen=True, slots=True)
class DoubleId(Event):
    """Another node uses the id of this one: one of the two must get another."""

    id: int
