"""What a node reports: messages to subscribers, and events."""

from dataclasses import dataclass
from typing import NamedTuple


class Message(NamedTuple):
    """A publication that arrived."""

    channel: str
    data: bytes
    origin: int  # id of the node that published
    boot: int  # which start of that node
    sequence: int  # number of the publication; origin, boot and sequence identify it
    hops: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at this node; `time` is µs since 1970."""

    time: int


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """A publication, or a part of its task, went no further than this node, and that can no longer be made good."""

    reason: str
    channel: str
    origin: int
    boot: int
    sequence: int


@dataclass(frozen=True, slots=True)
class ParentChanged(Event):
    """The node has a new parent in the tree; −1: it is the root."""

    parent: int
    root: int


@dataclass(frozen=True, slots=True)
class RingChanged(Event):
    """The node has new positions on the ring; none while the ring is being built."""

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
    """Another node uses the id of this one: one of the two must be given a new id."""

    id: int
