"""Hosts of the reference, and the frames that they send."""

from typing import TypeAlias

from psvr.protocol import host as rules
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Effects, Handed, Held, Hello, Node, Outcome, Pub, Sub
from psvr.protocol.records import Host as Memory

Message: TypeAlias = Hello | Sub | Pub


class Host:
    """A node, and what surrounds it."""

    def __init__(self, index: int, capacity: Capacity, held: int, names: int) -> None:
        self.index, self.hello, self.capacity = index, blank(Hello, capacity), capacity
        self.node = blank(Node, capacity)
        self.body = rules.Body(
            self.node,
            blank(Memory, capacity),
            *self.tables(held, names),
            blank(Effects, capacity),
            blank(Outcome, capacity),
        )
        self.wake_at, self.offset, self.free_at = -1, 0, 0
        self.alive, self.jammed, self.hellos, self.pubs = False, 0, 0, 0
        self.flights: dict[int, Frame] = {}  # by slot
        self.parent = self.ring = self.table = 0
        self.reach: list[int] = []

    def tables(self, held: int, names: int) -> tuple[list[Held], list[Handed]]:
        """Empty tables for publications that it holds, and for names."""
        return [blank(Held, self.capacity) for _ in range(held)], [blank(Handed, self.capacity) for _ in range(names)]


class Frame:
    """A SUB or PUB under way; a PUB is in a slot of its host."""

    def __init__(
        self, message: Sub | Pub, to: int, held: Held | None = None, slot: int = -1, which: int = -1, copies: int = 1
    ) -> None:
        self.message, self.to, self.slot, self.which, self.copies = message, to, slot, which, copies
        self.held = held
        self.tries, self.got = 0, False
