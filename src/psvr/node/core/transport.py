"""Frames from neighbour to neighbour: each is retried until the receiver acknowledges that it has accepted it.

Everything for one neighbour in one turn of the event loop shares a datagram, acknowledgements included.  The host
decides whether a frame is accepted: one that arrives too early, before the ring that it names, is not acknowledged, and
comes again.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable

from psvr.node.link.base import Address
from psvr.protocol.constants import KEEP
from psvr.protocol.wire.messages import SUB

from . import envelope
from .envelope import ACK, FRAME, NUMBERED, NUMBERS, PART, PIECE, WAIT, Item
from .peer import EARLY, MAX_IN_FLIGHT, PARTS, TAKEN, TRIES, Flight, InParts, PartialFrame, Peer, Pending, Take

ROOM = 1200  # bytes of items in a datagram: with all headers it fits into 1280 bytes
OWN_LIMIT, QUEUE_LIMIT = 512, 1024  # items of PUBs waiting for a neighbour: of this node, and of all
MAX_SUBS = 4096  # waiting for a neighbour: those for 65,536 channels
WAIT_TRIES = 4  # no more tries than these count while the answer is WAIT; age ends it
MAX_PARTIAL_FRAMES = MAX_IN_FLIGHT  # of one neighbour: as many as it can have on their way
PARTIAL_FRAME_LIFE = 60_000_000  # µs, longer than the sender tries: parts are sent together or in close succession


class Transport:
    """Everything on its way to neighbours, without a clock or a socket."""

    def __init__(self, send: Callable[[bytes, Peer], None]) -> None:
        self.send_items = send
        self.peers: dict[int, Peer] = {}
        self.numbered = 0  # items that have been given a number
        self.touched: dict[int, Peer] = {}  # with something to send to them
        self.backlogged: set[int] = set()  # neighbours that PUBs wait for
        self.undeliverable: list[Pending] = []  # to neighbours that are not known
        self.sent = self.retried = self.failed = 0  # items
        self.frames: Counter[str] = Counter()  # items sent, by type, and acknowledgements
        self.bytes: Counter[str] = Counter()  # the same in bytes

    def meet(self, id: int, salt: bytes, address: Address, now: int) -> Peer:
        """Return the neighbour that has just been heard.  What was on its way to an earlier boot of it fails.

        One that was forgotten may still remember this node, so numbering continues above all numbers it can know.
        """
        peer = self.peers.get(id)
        if peer is None or peer.salt != salt:
            self.leave(id, now)
            peer = self.peers[id] = Peer(id, salt, address, self.numbered % NUMBERS)
        peer.address, peer.heard = address, now
        return peer

    def forget(self, before: int, now: int) -> None:
        """Drop the neighbours that have not been heard since then."""
        for id in [id for id, peer in self.peers.items() if peer.heard < before]:
            self.leave(id, now)

    def leave(self, id: int, now: int) -> None:
        """Drop a neighbour; whatever was on its way to it fails."""
        peer = self.peers.pop(id, None)
        self.touched.pop(id, None)
        self.backlogged.discard(id)
        if peer is not None:
            left = [*peer.in_flight.values(), *peer.waiting, *peer.subs.values()]
            peer.in_flight, peer.waiting, peer.subs, peer.load = {}, deque(), OrderedDict(), 0
            for pending in left:
                self.fail(pending, now)

    def is_full(self, id: int, limit: int = QUEUE_LIMIT) -> bool:
        """Whether so many items wait for this neighbour."""
        peer = self.peers.get(id)
        return peer is not None and len(peer.waiting) >= limit

    def full(self, limit: int) -> list[int]:
        """The neighbours for which so many items wait."""
        return [id for id in self.backlogged if len(self.peers[id].waiting) >= limit] if self.backlogged else []

    def on_its_way(self) -> int:
        return sum(len(peer.in_flight) + len(peer.waiting) + len(peer.subs) for peer in self.peers.values())

    def send(self, id: int, content: bytes, now: int, flight: Flight) -> None:
        """Send a frame to a neighbour; `flight` learns how it ended.  Retries stop once it is no longer useful."""
        peer = self.peers.get(id)
        if peer is None:
            self.undeliverable.append(Pending(content, flight))
            return
        if len(content) <= ROOM - NUMBERED.size:
            pending = Pending(content, flight)
            if not peer.waiting and not peer.subs and peer.has_room():
                self.numbered += 1
                self.launch(peer, peer.fly(pending), pending, now)
                return
            peer.waiting.append(pending)
        else:
            step = ROOM - PIECE.size
            pieces = [content[i : i + step] for i in range(0, len(content), step)]
            flight = InParts(len(pieces), flight)
            peer.waiting.extend(Pending(piece, flight, i, len(pieces)) for i, piece in enumerate(pieces))
        self.backlogged.add(id)
        self.fill(peer, now)

    def send_sub(self, id: int, content: bytes, now: int, flight: Flight) -> None:
        """Send a SUB, which is short and does not wait for all PUBs.

        One with the same content that waits already is replaced.  If too many wait, it is left out: it will be
        repeated before long.
        """
        peer = self.peers.get(id)
        if peer is not None and len(peer.subs) < MAX_SUBS:
            peer.subs[content] = Pending(content, flight)
            self.fill(peer, now)

    def fill(self, peer: Peer, now: int) -> None:
        """Send as much of what waits for a neighbour as may be on its way."""
        while (peer.waiting or peer.subs) and peer.has_room():
            pending = peer.next_to_send() if peer.subs else peer.waiting.popleft()
            if pending is None:
                break
            self.numbered += 1
            self.launch(peer, peer.fly(pending), pending, now)
        if not peer.waiting:
            self.backlogged.discard(peer.id)

    def launch(self, peer: Peer, number: int, pending: Pending, now: int) -> None:
        """Put an item that has a number into the next datagram: its first try, or another."""
        pending.tries += 1
        pending.first_sent, pending.sent = pending.first_sent or now, now
        self.sent += 1
        self.count(kind_of(pending.item), 1, len(pending.item))
        peer.out.append(pending.item)
        self.touched[peer.id] = peer
        if peer.retry_at is None or pending.tries > 1:  # a first try becomes overdue after earlier ones
            peer.schedule_retry(pending, now)

    def retry(self, now: int) -> None:
        """Retry what is overdue, or give it up."""
        undeliverable, self.undeliverable = self.undeliverable, []
        for pending in undeliverable:
            self.fail(pending, now)
        for peer in list(self.peers.values()):
            if peer.retry_at is not None and peer.retry_at <= now:
                for number, pending in peer.overdue(now):
                    if peer.in_flight.get(number) is pending:  # unless another that failed took it along
                        self.try_again(peer, number, pending, now)

    def try_again(self, peer: Peer, number: int, pending: Pending, now: int) -> None:
        if pending.tries < TRIES and pending.flight.is_useful():
            self.retried += 1
            peer.slow_down(pending, now)
            self.launch(peer, number, pending, now)
        else:
            peer.land(number)
            self.fail(pending, now)
            self.fill(peer, now)

    def next_due(self) -> int | None:
        if self.undeliverable:
            return 0
        return min(
            (peer.retry_at for peer in self.peers.values() if peer.retry_at is not None and peer.in_flight),
            default=None,
        )

    def fail(self, pending: Pending, now: int) -> None:
        self.failed += 1
        pending.flight.ended(False, now)

    def hear(self, peer: Peer, item: Item, now: int, take: Take) -> None:
        """Process an item from a neighbour.  `take` is given whole frames, and decides what becomes of them.

        One that came too early is not answered: if it still comes too early after some tries, another way may be
        better.
        """
        if item.kind == ACK or item.kind == WAIT:
            for number in envelope.numbers(item.body):
                (self.acknowledged if item.kind == ACK else self.held_up)(peer, number, now)
            return
        if peer.is_too_old(item.number):
            return
        what = TAKEN if peer.was_received(item.number) else self.complete(peer, item, now, take)
        if what == TAKEN:
            peer.mark_received(item.number)
        if what != EARLY:
            (peer.acks if what == TAKEN else peer.waits).append(item.number)
            self.touched[peer.id] = peer

    def complete(self, peer: Peer, item: Item, now: int, take: Take) -> int:
        """Keep a part, or pass on a frame that is complete."""
        if item.kind != PART:
            return take(item.body)
        if item.parts > PARTS or len(item.body) > ROOM:
            return EARLY
        head = (item.number - item.part) % NUMBERS
        parts = peer.partial_frames.setdefault(head, PartialFrame(now, {})).parts
        parts[item.part] = item.body
        if len(parts) < item.parts:
            forget_partial_frames(peer, now)
            return TAKEN
        what = take(b"".join(parts[i] for i in sorted(parts)))
        if what != TAKEN:
            del parts[item.part]
        if what == TAKEN or not parts:
            del peer.partial_frames[head]
        return what

    def acknowledged(self, peer: Peer, number: int, now: int) -> None:
        pending = peer.land(number)
        if pending is None:
            peer.answered_twice(now)
            return
        peer.answered(pending, now)
        pending.flight.ended(True, now)
        self.fill(peer, now)

    def held_up(self, peer: Peer, number: int, now: int) -> None:
        """The item arrived, but the neighbour has too much to do: it is retried for a while."""
        pending = peer.in_flight.get(number)
        if pending is None:
            return
        peer.slow_down(pending, now)
        if now - pending.first_sent < KEEP:
            pending.tries = min(pending.tries, WAIT_TRIES)

    def count(self, kind: str, frames: int, length: int) -> None:
        self.frames[kind] += frames
        self.bytes[kind] += length

    def flush(self) -> None:
        """Send what is to go out now, in datagrams."""
        touched, self.touched = self.touched, {}
        for peer in touched.values():
            items, peer.out = peer.out, []
            for kind, numbers in ((WAIT, peer.waits), (ACK, peer.acks)):
                while numbers:
                    items.insert(0, envelope.answer(kind, numbers[:256]))
                    self.count("ack", len(numbers[:256]), len(items[0]))
                    del numbers[:256]
            begin = length = 0
            for i, item in enumerate(items):
                if length and length + len(item) > ROOM:
                    self.send_items(b"".join(items[begin:i]), peer)
                    begin, length = i, 0
                length += len(item)
            self.send_items(b"".join(items[begin:]), peer)


def forget_partial_frames(peer: Peer, now: int) -> None:
    """Drop the oldest where there are too many, and those that are too old to be completed."""
    while peer.partial_frames:
        first, partial = next(iter(peer.partial_frames.items()))
        if len(peer.partial_frames) <= MAX_PARTIAL_FRAMES and now - partial.started <= PARTIAL_FRAME_LIFE:
            return
        del peer.partial_frames[first]


def kind_of(item: bytes) -> str:
    """The type of the frame that an item belongs to; only a PUB is too long for one item."""
    return "sub" if item[0] == FRAME and item[NUMBERED.size] & 15 == SUB else "pub"
