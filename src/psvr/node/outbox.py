"""Publications of this node's own applications: those that wait for a ring, and those that may have to be repeated."""

from collections import deque
from dataclasses import dataclass

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol.records import Node, Pub

WAITING = 256               # publications that wait; `publish` waits when there are more
KEPT, KEPT_BYTES = 1024, 4 << 20        # of those that were sent; the oldest leave first
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


class Outbox:
    def __init__(self) -> None:
        self.waiting: deque[Own] = deque()
        self.kept: deque[Own] = deque()
        self.bytes = 0
        self.look_at: int | None = None
        self.more = False                       # are to be repeated

    @property
    def is_full(self) -> bool:
        return len(self.waiting) >= WAITING

    def wait(self, own: Own, now: int) -> None:
        self.waiting.append(own)
        self.look_at = min(self.look_at or now + LOOK, now + LOOK)

    def keep(self, own: Own, now: int) -> None:
        self.kept.append(own)
        self.bytes += len(own.data)
        while len(self.kept) > KEPT or self.bytes > KEPT_BYTES:
            self.bytes -= len(self.kept.popleft().data)
        if self.look_at is None:
            self.look_at = now + KEPT_LOOK

    def ready(self, me: Node, now: int) -> list[Own]:
        """Those that have waited long enough: there is a ring, or it is too late."""
        found = []
        while self.waiting and (not rules.should_wait(me) or now - self.waiting[0].made >= k.KEEP):
            found.append(self.waiting.popleft())
        return found

    def to_repeat(self, me: Node, now: int) -> list[Own]:
        while self.kept and now - self.kept[0].made >= k.KEEP:
            self.bytes -= len(self.kept.popleft().data)
        found = [own for own in self.kept if rules.should_repeat(me, own.pub, own.doubted)]
        self.more = len(found) > AT_ONCE
        return found[:AT_ONCE]

    def plan(self, now: int) -> None:
        """When to look again."""
        if self.more:
            self.look_at = now + NEXT
        else:
            self.look_at = now + LOOK if self.waiting else now + KEPT_LOOK if self.kept else None
