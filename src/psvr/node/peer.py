"""A neighbour as the transport sees it: what is on its way there, what has come from there, how long that takes."""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from . import envelope
from .envelope import NUMBERS
from .link import Address

MANY, MUCH = 256, 64 << 10  # items, and bytes, on their way to one neighbour: a socket holds them; more wait …
SOME, LITTLE, STEP = 16 << 10, 8 << 10, 1200    # … bytes at first, the least, and more with each trip there and back
FIRST, LEAST, MOST = 60_000, 20_000, 500_000        # µs until a frame is tried again: at first, and the limits later
REMEMBERED = 4096           # numbers of a neighbour that are known to have come
PARTS = 64                  # of one frame
TRIES = 9                   # of an item without an answer
SHARE = 4                   # SUBs that go for each item of a PUB that waits: tables must not run out, nor PUBs starve

EARLY, TAKEN, FULL = range(3)            # of a frame that has come: of no use yet, taken over, no room for it

Done = Callable[[bool, int], None]       # how it ended, and when
Take = Callable[[bytes], int]            # what becomes of a frame
Useful = Callable[[], bool]


@dataclass(slots=True)
class Pending:
    """A frame, or a part of one, that has not been acknowledged."""

    content: bytes
    done: Done
    useful: Useful
    part: int = 0
    parts: int = 1
    item: bytes = b""                                           # as it flies, with a number
    tries: int = 0
    begun: int = 0                                              # when it was sent first …
    sent: int = 0                                               # … and last


class Half(NamedTuple):
    """A frame of which parts are still missing."""

    begun: int
    parts: dict[int, bytes]


class Message:
    """A frame in one or more items: done when all are, failed when one is."""

    __slots__ = ("done", "left")

    def __init__(self, left: int, done: Done) -> None:
        self.left, self.done = left, done

    def part_done(self, good: bool, now: int) -> None:
        if self.left <= 0:
            return
        self.left = self.left - 1 if good else 0
        if self.left == 0:
            self.done(good, now)


@dataclass(slots=True)
class Peer:
    """A neighbour, during one boot of it."""

    id: int
    salt: bytes
    address: Address
    number: int = 0                                             # of the last item that has flown
    heard: int = 0                                              # when it last said something
    flying: dict[int, Pending] = field(default_factory=dict)    # in the order of their numbers
    waiting: deque[Pending] = field(default_factory=deque)      # PUBs, the parts of one side by side
    subs: OrderedDict[bytes, Pending] = field(default_factory=OrderedDict)      # that wait, by content
    ahead: int = 0                                              # SUBs that went before PUBs, beyond their share
    load: int = 0                                               # bytes that are flying …
    limit: int = SOME                                           # … and may be …
    slowed: int = 0                                             # … since then
    retry_at: int | None = None                                 # when to look for items that were not answered
    out: list[bytes] = field(default_factory=list)              # items for the next datagram
    acks: list[int] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    newest: int = 0                                             # of its numbers …
    seen: int = 0                                               # … and which from there back have come, bit by bit
    halves: dict[int, Half] = field(default_factory=dict)       # by their first number, the oldest first
    trip: int = 0                                               # µs, there and back, smoothed
    spread: int = 0
    doubled: int = 0                                            # how often, since a trip was last measured …
    doubled_at: int = 0                                         # … and when last

    def patience(self, tries: int) -> int:
        """µs until the next try."""
        base = self.trip + 4 * self.spread if self.trip else FIRST
        return min(max(base, LEAST) << min(tries - 1 + self.doubled, 8), MOST)

    def overdue(self, now: int) -> list[tuple[int, Pending]]:
        """Items that should have been answered by now; for the others, it is set when to look again."""
        late, first = [], None
        patience = [0, *(self.patience(tries) for tries in range(1, TRIES + 1))]
        for number, pending in self.flying.items():
            due = pending.sent + patience[pending.tries]
            if due <= now:
                late.append((number, pending))
            elif first is None or due < first:
                first = due
        self.retry_at = first
        return late

    def look_at(self, pending: Pending, now: int) -> None:
        """See to it that an item that has just flown is looked at when it is overdue."""
        due = now + self.patience(pending.tries)
        if self.retry_at is None or due < self.retry_at:
            self.retry_at = due

    def measured(self, trip: int) -> None:
        if self.trip == 0:
            self.trip, self.spread = trip, trip // 2
        else:
            self.spread += (abs(trip - self.trip) - self.spread) // 4
            self.trip += (trip - self.trip) // 8

    def answered(self, pending: Pending, now: int) -> None:
        """Measure the trip, if it is clear which try was answered.  And a little more may fly with each trip."""
        if pending.tries == 1:
            self.measured(now - pending.sent)
            self.doubled = 0
        if self.limit < MUCH:
            self.limit = min(self.limit + STEP * len(pending.item) // self.limit, MUCH)

    def has_room(self) -> bool:
        """One more may be on its way, not so far ahead of the oldest that this would count as known."""
        flying = self.flying
        if not flying:
            return True
        return self.load < self.limit and len(flying) < MANY and \
            (self.number - next(iter(flying))) % NUMBERS < REMEMBERED // 2

    def next_to_fly(self) -> Pending | None:
        """SUBs first, in their share; a frame whose first part has flown is completed before."""
        waiting = self.waiting
        while self.subs and (not waiting or (self.ahead < SHARE and waiting[0].part == 0)):
            _, sub = self.subs.popitem(last=False)
            if sub.useful():            # not of a ring that is no more
                self.ahead = min(self.ahead + 1, SHARE)
                return sub
        if not waiting:
            return None
        self.ahead = max(self.ahead - SHARE, -SHARE * PARTS)
        return waiting.popleft()

    def fly(self, pending: Pending) -> int:
        """Give it the next number, in the order in which items fly first, so that none lags behind those after it."""
        self.number = number = (self.number + 1) % NUMBERS
        if pending.parts == 1:
            pending.item = envelope.frame(number, pending.content)
        else:
            pending.item = envelope.part(number, pending.part, pending.parts, pending.content)
        self.flying[number] = pending
        self.load += len(pending.item)
        return number

    def slow_down(self, pending: Pending, now: int) -> None:
        """An item was lost, or is late, or there is no room for it: half as much at a time, once for all that flew
        together.
        """
        if pending.sent >= self.slowed:
            self.limit, self.slowed = max(self.limit // 2, LITTLE), now

    def answered_twice(self, now: int) -> None:
        """A second try was needless, because the way is slow: twice the patience, until a trip can be measured."""
        if now >= self.doubled_at + self.patience(1):
            self.doubled, self.doubled_at = self.doubled + 1, now

    def land(self, number: int) -> Pending | None:
        """What is no longer on its way."""
        pending = self.flying.pop(number, None)
        if pending is not None:
            self.load -= len(pending.item)
        return pending

    def is_known(self, number: int) -> bool:
        """It has come before."""
        behind = (self.newest - number) % NUMBERS
        return behind < REMEMBERED and bool(self.seen >> behind & 1)

    def is_too_old(self, number: int) -> bool:
        """Nobody knows whether it has come before."""
        return self.seen != 0 and REMEMBERED <= (self.newest - number) % NUMBERS <= NUMBERS // 2

    def know(self, number: int) -> None:
        ahead = (number - self.newest) % NUMBERS
        if not self.seen:
            self.newest, self.seen = number, 1
        elif 0 < ahead < NUMBERS // 2:
            self.seen = (self.seen << ahead | 1) & ((1 << REMEMBERED) - 1) if ahead < REMEMBERED else 1
            self.newest = number
        elif (behind := (self.newest - number) % NUMBERS) < REMEMBERED:
            self.seen |= 1 << behind
