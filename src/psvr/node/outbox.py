"""Publications of this node's own applications: those that wait for a ring, and those that may have to be repeated."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Pub
from psvr.protocol.ring import has_ring

KEPT, KEPT_BYTES = 4096, 8 << 20        # of those that were sent; the oldest leave first
LOOK, KEPT_LOOK = 50_000, 500_000       # µs between two looks
AT_ONCE, NEXT = 64, 5_000   # publications that are repeated at one look, so that others have their turn; µs to the next


@dataclass(slots=True)
class Own:
    """A publication, from when it is made until it can be forgotten."""

    pub: Pub
    channel: str
    data: bytes             # name and payload
    made: int
    doubted: bool = False
    here: bool = False      # an application of this node wants it
    early: bool = False     # when it was last sent, tables were being filled …
    sent: bool = False      # … and there was a subscriber to send it to


class Outbox:
    def __init__(self, evicted: Callable[[Own, int], None]) -> None:
        self.evicted = evicted
        self.waiting: deque[Own] = deque()
        self.kept: deque[Own] = deque()
        self.bytes = self.doubted = self.doubted_bytes = 0
        self.look_at: int | None = None
        self.more = False                       # are to be repeated
        self.ring: int | None = None            # on which all of them went out, if that is known

    def is_full(self, me: Node) -> bool:
        """No more should be published now: `publish` waits."""
        return len(self.waiting) >= k.OUTBOX or self.is_crowded(me)

    def is_crowded(self, me: Node) -> bool:
        """What goes out while tables are being filled is repeated: it must stay, and has taken half of the room."""
        return (2 * self.doubted >= KEPT or 2 * self.doubted_bytes >= KEPT_BYTES) and rules.is_filling(me)

    def wait(self, own: Own, now: int) -> None:
        self.waiting.append(own)
        self.look_at = min(self.look_at or now + LOOK, now + LOOK)

    def keep(self, own: Own, now: int) -> None:
        self.kept.append(own)
        self.count(own, 1)
        if own.pub.ring != self.ring:
            self.ring = None
        while len(self.kept) > KEPT or self.bytes > KEPT_BYTES:
            self.evicted(self.leave(), now)
        if self.look_at is None:
            self.look_at = now + KEPT_LOOK

    def ready(self, me: Node, now: int) -> list[Own]:
        """Those that have waited long enough: there is a ring, and room to keep them, or it is too late."""
        found, good = [], not rules.should_wait(me) and not self.is_crowded(me)
        while self.waiting and (good or now - self.waiting[0].made >= k.KEEP):
            found.append(self.waiting.popleft())
        return found

    def leave(self) -> Own:
        """The one that was kept longest."""
        own = self.kept.popleft()
        self.count(own, -1)
        return own

    def too_old(self, now: int) -> list[Own]:
        """Those that are not kept any longer."""
        found = []
        while self.kept and now - self.kept[0].made >= k.KEEP:
            found.append(self.leave())
        return found

    def to_repeat(self, me: Node) -> list[Own]:
        """The first of those that may have been lost with a ring, or have not reached all."""
        if me.ring == self.ring and self.doubted == 0:
            return []
        found = [own for own in self.kept if rules.should_repeat(me, own.pub, own.doubted)]
        self.more = len(found) > AT_ONCE
        self.ring = me.ring if not found and has_ring(me) and not rules.should_wait(me) else None
        return found[:AT_ONCE]

    def ring_is_gone(self) -> None:
        """Another one may have the same name: it stands for who is where, and all may be again as it was."""
        self.ring = None
        for own in self.kept:
            own.pub.ring = NONE

    def repeated(self, own: Own, doubted: bool) -> None:
        self.count(own, -1)
        own.doubted = doubted
        self.count(own, 1)

    def count(self, own: Own, by: int) -> None:
        self.bytes += by * len(own.data)
        if own.doubted:
            self.doubted += by
            self.doubted_bytes += by * len(own.data)

    def plan(self, now: int) -> None:
        """When to look again."""
        if self.more:
            self.look_at = now + NEXT
        else:
            self.look_at = now + LOOK if self.waiting else now + KEPT_LOOK if self.kept else None
