"""A neighbour as the transport sees it: what is on its way to it, what has come from it, and the round-trip time."""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from psvr.node.link.base import Address

from . import envelope
from .envelope import NUMBERS

MAX_IN_FLIGHT = 256  # items on their way to one neighbour; more wait
MAX_LIMIT = 64 << 10  # bytes on their way to one neighbour: a socket's buffer holds them
FIRST_LIMIT, MIN_LIMIT = 16 << 10, 8 << 10  # the same limit at first, and at least
STEP = 1200  # bytes by which it grows with each round trip
FIRST_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT = 60_000, 20_000, 500_000  # µs until a frame is tried again
REMEMBERED = 4096  # numbers of a neighbour that are known to have arrived
PARTS = 64  # of one frame, at most
TRIES = 9  # of an item that is not answered
SHARE = 4  # SUBs sent for each waiting item of a PUB: leases must not run out, nor PUBs starve

EARLY, TAKEN, FULL = range(3)  # of a frame that has arrived: of no use yet; accepted; no room for it

Take = Callable[[bytes], int]  # accepts a frame, or not: one of the above


class Flight:
    """What the sender of a frame is asked, and told, while it is on its way.  The base class ignores it all."""

    __slots__ = ()

    def is_useful(self) -> bool:
        """Whether it is worth another try."""
        return True

    def ended(self, good: bool, now: int) -> None:
        """It was accepted (`good`), or given up."""


@dataclass(slots=True)
class Pending:
    """A frame, or a part of one, that has not been acknowledged."""

    content: bytes
    flight: Flight
    part: int = 0
    parts: int = 1
    item: bytes = b""  # as it is sent, with its number
    tries: int = 0
    first_sent: int = 0  # when it was first sent
    sent: int = 0  # when it was last sent


class PartialFrame(NamedTuple):
    """A frame of which parts are still missing."""

    started: int
    parts: dict[int, bytes]


class InParts(Flight):
    """A frame in several items: it has arrived when all of them have, and failed when one has."""

    __slots__ = ("left", "whole")

    def __init__(self, parts: int, whole: Flight) -> None:
        self.left, self.whole = parts, whole

    def is_useful(self) -> bool:
        return self.whole.is_useful()

    def ended(self, good: bool, now: int) -> None:
        if self.left <= 0:
            return
        self.left = self.left - 1 if good else 0
        if self.left == 0:
            self.whole.ended(good, now)


@dataclass(slots=True)
class Peer:
    """A neighbour, during one of its boots."""

    id: int
    salt: bytes
    address: Address
    number: int = 0  # of the last item sent
    heard: int = 0  # when it last said something
    in_flight: dict[int, Pending] = field(default_factory=dict)  # in the order of their numbers
    waiting: deque[Pending] = field(default_factory=deque)  # PUBs; the parts of one are adjacent
    subs: OrderedDict[bytes, Pending] = field(default_factory=OrderedDict)  # waiting, by content
    ahead: int = 0  # SUBs sent before PUBs, beyond their share
    load: int = 0  # bytes in flight
    limit: int = FIRST_LIMIT  # bytes that may be in flight
    slowed: int = 0  # when the limit was last lowered
    retry_at: int | None = None  # when to look for unanswered items
    out: list[bytes] = field(default_factory=list)  # items for the next datagram
    acks: list[int] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    newest: int = 0  # the latest of its numbers that arrived
    seen: int = 0  # bit i: number newest − i has arrived
    partial_frames: dict[int, PartialFrame] = field(default_factory=dict)  # by their first number, oldest first
    rtt: int = 0  # round-trip time in µs, smoothed
    rtt_deviation: int = 0  # of the round-trip time, smoothed
    doublings: int = 0  # of the timeout, since a round trip was last measured
    last_doubled: int = 0  # when that was

    def timeout(self, tries: int) -> int:
        """The µs until the next try."""
        base = self.rtt + 4 * self.rtt_deviation if self.rtt else FIRST_TIMEOUT
        return min(max(base, MIN_TIMEOUT) << min(tries - 1 + self.doublings, 8), MAX_TIMEOUT)

    def overdue(self, now: int) -> list[tuple[int, Pending]]:
        """Return the items that should have been answered by now, and set when to look at the others."""
        late, first = [], None
        timeout = [0, *(self.timeout(tries) for tries in range(1, TRIES + 1))]
        for number, pending in self.in_flight.items():
            due = pending.sent + timeout[pending.tries]
            if due <= now:
                late.append((number, pending))
            elif first is None or due < first:
                first = due
        self.retry_at = first
        return late

    def schedule_retry(self, pending: Pending, now: int) -> None:
        """Make sure that an item just sent is looked at when it is overdue."""
        due = now + self.timeout(pending.tries)
        if self.retry_at is None or due < self.retry_at:
            self.retry_at = due

    def measure(self, rtt: int) -> None:
        if self.rtt == 0:
            self.rtt, self.rtt_deviation = rtt, rtt // 2
        else:
            self.rtt_deviation += (abs(rtt - self.rtt) - self.rtt_deviation) // 4
            self.rtt += (rtt - self.rtt) // 8

    def answered(self, pending: Pending, now: int) -> None:
        """Measure the round trip if it is clear which try was answered, and raise the limit a little."""
        if pending.tries == 1:
            self.measure(now - pending.sent)
            self.doublings = 0
        if self.limit < MAX_LIMIT:
            self.limit = min(self.limit + STEP * len(pending.item) // self.limit, MAX_LIMIT)

    def has_room(self) -> bool:
        """Whether one more may be sent, not so far ahead of the oldest that the latter would count as known."""
        in_flight = self.in_flight
        if not in_flight:
            return True
        return (
            self.load < self.limit
            and len(in_flight) < MAX_IN_FLIGHT
            and (self.number - next(iter(in_flight))) % NUMBERS < REMEMBERED // 2
        )

    def next_to_send(self) -> Pending | None:
        """SUBs first, up to their share; but a frame whose first part has been sent is completed before them."""
        waiting = self.waiting
        while self.subs and (not waiting or (self.ahead < SHARE and waiting[0].part == 0)):
            _, sub = self.subs.popitem(last=False)
            if sub.flight.is_useful():  # not if its ring is gone
                self.ahead = min(self.ahead + 1, SHARE)
                return sub
        if not waiting:
            return None
        self.ahead = max(self.ahead - SHARE, -SHARE * PARTS)
        return waiting.popleft()

    def fly(self, pending: Pending) -> int:
        """Give an item the next number, so that numbers follow the order of first tries; return the number."""
        self.number = number = (self.number + 1) % NUMBERS
        if pending.parts == 1:
            pending.item = envelope.frame(number, pending.content)
        else:
            pending.item = envelope.part(number, pending.part, pending.parts, pending.content)
        self.in_flight[number] = pending
        self.load += len(pending.item)
        return number

    def slow_down(self, pending: Pending, now: int) -> None:
        """An item was lost, is late, or found no room: halve the limit, once for all items sent together."""
        if pending.sent >= self.slowed:
            self.limit, self.slowed = max(self.limit // 2, MIN_LIMIT), now

    def answered_twice(self, now: int) -> None:
        """A second try was needless because the path is slow: double the timeout until a round trip can be measured."""
        if now >= self.last_doubled + self.timeout(1):
            self.doublings, self.last_doubled = self.doublings + 1, now

    def land(self, number: int) -> Pending | None:
        """Take an item out of flight, if it is, and return it."""
        pending = self.in_flight.pop(number, None)
        if pending is not None:
            self.load -= len(pending.item)
        return pending

    def was_received(self, number: int) -> bool:
        """Whether this number is known to have arrived."""
        behind = (self.newest - number) % NUMBERS
        return behind < REMEMBERED and bool(self.seen >> behind & 1)

    def is_too_old(self, number: int) -> bool:
        """Whether this number is so old that it is no longer known whether it arrived."""
        return self.seen != 0 and REMEMBERED <= (self.newest - number) % NUMBERS <= NUMBERS // 2

    def mark_received(self, number: int) -> None:
        ahead = (number - self.newest) % NUMBERS
        if not self.seen:
            self.newest, self.seen = number, 1
        elif 0 < ahead < NUMBERS // 2:
            self.seen = (self.seen << ahead | 1) & ((1 << REMEMBERED) - 1) if ahead < REMEMBERED else 1
            self.newest = number
        elif (behind := (self.newest - number) % NUMBERS) < REMEMBERED:
            self.seen |= 1 << behind
