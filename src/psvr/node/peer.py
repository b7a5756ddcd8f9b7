"""A neighbour as the transport sees it: what is on its way there, what has come from there, how long that takes."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from .envelope import NUMBERS
from .link import Address

MANY, MUCH = 256, 64 << 10  # items, and bytes, on their way to one neighbour: a socket holds them; more wait
FIRST, LEAST, MOST = 60_000, 20_000, 500_000        # µs until a frame is tried again: at first, and the limits later
REMEMBERED = 4096           # numbers of a neighbour that are known to have come

Done = Callable[[bool, int], None]       # how it ended, and when
Useful = Callable[[], bool]


@dataclass(slots=True)
class Pending:
    """An item that has not been acknowledged."""

    item: bytes
    done: Done
    useful: Useful
    tries: int = 0
    sent: int = 0


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
    number: int = 0                                             # of the last item
    flying: dict[int, Pending] = field(default_factory=dict)
    waiting: deque[tuple[int, Pending]] = field(default_factory=deque)
    load: int = 0                                               # bytes that are flying
    out: list[bytes] = field(default_factory=list)              # items for the next datagram
    acks: list[int] = field(default_factory=list)
    newest: int = 0                                             # of its numbers …
    seen: int = 0                                               # … and which of those before have come, bit by bit
    halves: dict[int, Half] = field(default_factory=dict)       # by their first number, the oldest first
    trip: int = 0                                               # µs, there and back, smoothed
    spread: int = 0

    def patience(self, tries: int) -> int:
        """µs until the next try."""
        base = self.trip + 4 * self.spread if self.trip else FIRST
        return min(max(base, LEAST) << min(tries - 1, 8), MOST)

    def measured(self, trip: int) -> None:
        if self.trip == 0:
            self.trip, self.spread = trip, trip // 2
        else:
            self.spread += (abs(trip - self.trip) - self.spread) // 4
            self.trip += (trip - self.trip) // 8

    def has_room(self) -> bool:
        """One more may be on its way, not so far ahead of the oldest that this would count as known."""
        oldest = next(iter(self.flying), self.waiting[0][0])
        return (len(self.flying) < MANY and self.load < MUCH
                and (self.waiting[0][0] - oldest) % NUMBERS < REMEMBERED // 2)

    def land(self, number: int) -> Pending | None:
        """What is no longer on its way."""
        pending = self.flying.pop(number, None)
        if pending is not None:
            self.load -= len(pending.item)
        return pending

    def is_known(self, number: int) -> bool:
        """It has come before, or so long ago that nobody knows."""
        ahead = (number - self.newest) % NUMBERS
        if 0 < ahead < NUMBERS // 2:
            return False
        behind = (self.newest - number) % NUMBERS
        return behind >= REMEMBERED or bool(self.seen >> behind & 1)

    def know(self, number: int) -> None:
        ahead = (number - self.newest) % NUMBERS
        if 0 < ahead < NUMBERS // 2:
            self.seen = (self.seen << ahead | 1) & ((1 << REMEMBERED) - 1) if ahead < REMEMBERED else 1
            self.newest = number
        elif (behind := (self.newest - number) % NUMBERS) < REMEMBERED:
            self.seen |= 1 << behind
