"""Frames from neighbour to neighbour: each is acknowledged once it has been taken over, else tried again.

What is to go to one neighbour within one turn of the event loop goes in one datagram, acknowledgements with it.
Whether a frame has been taken over is for the host to say: a frame that comes too early, before the ring that it
names, is not acknowledged, and comes again.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable

from psvr.protocol.constants import KEEP
from psvr.protocol.wire import SUB

from . import envelope
from .envelope import ACK, FRAME, NUMBERED, NUMBERS, PART, PIECE, WAIT, Item
from .link import Address
from .peer import EARLY, MANY, PARTS, TAKEN, TRIES, Done, Half, Message, Peer, Pending, Take, Useful

ROOM = 1200                 # bytes of items in a datagram: with all headers it passes where 1280 bytes pass
OWN, QUEUE = 512, 1024      # items of PUBs wait for a neighbour: no more of one's own, and of others …
SUBS = 4096                 # … and so many SUBs: those for 65,536 channels
HELD = 4                    # tries that count when the answer is WAIT: that goes on until it is too old
HALVES = MANY               # frames of one neighbour that miss parts: as many as it can have on their way …
HALF_LIFE = 60_000_000      # … and µs, longer than it tries: its parts fly together, or right behind each other


class Transport:
    """Everything on its way to neighbours, without a clock or a socket."""

    def __init__(self, send: Callable[[bytes, Peer], None]) -> None:
        self.send_items = send
        self.peers: dict[int, Peer] = {}
        self.numbered = 0                                               # items that ever got a number
        self.touched: dict[int, Peer] = {}                              # who has something to be sent
        self.behind: set[int] = set()                                   # for whom PUBs wait
        self.astray: list[Pending] = []                                 # for nobody that is known
        self.sent = self.again = self.failed = 0                        # items
        self.frames: Counter[str] = Counter()                           # the same by type, and acknowledgements …
        self.bytes: Counter[str] = Counter()                            # … in bytes

    def meet(self, id: int, salt: bytes, address: Address, now: int) -> Peer:
        """Who has just been heard.  What was on its way to an older boot will not be acknowledged.

        One that was forgotten may remember this node: numbers go on above all that it can know.
        """
        peer = self.peers.get(id)
        if peer is None or peer.salt != salt:
            self.leave(id, now)
            peer = self.peers[id] = Peer(id, salt, address, self.numbered % NUMBERS)
        peer.address, peer.heard = address, now
        return peer

    def forget(self, before: int, now: int) -> None:
        """Those who were last heard before some time."""
        for id in [id for id, peer in self.peers.items() if peer.heard < before]:
            self.leave(id, now)

    def leave(self, id: int, now: int) -> None:
        peer = self.peers.pop(id, None)
        self.touched.pop(id, None)
        self.behind.discard(id)
        if peer is not None:
            left = [*peer.flying.values(), *peer.waiting, *peer.subs.values()]
            peer.flying, peer.waiting, peer.subs, peer.load = {}, deque(), OrderedDict(), 0
            for pending in left:
                self.fail(pending, now)

    def is_full(self, id: int, most: int = QUEUE) -> bool:
        peer = self.peers.get(id)
        return peer is not None and len(peer.waiting) >= most

    def full(self, most: int) -> list[int]:
        """Those for whom so much waits."""
        return [id for id in self.behind if len(self.peers[id].waiting) >= most] if self.behind else []

    def on_its_way(self) -> int:
        return sum(len(peer.flying) + len(peer.waiting) + len(peer.subs) for peer in self.peers.values())

    def send(self, id: int, content: bytes, now: int, done: Done, useful: Useful) -> None:
        """A frame to a neighbour; `done` is told how it ended.  Tries stop when it is of no use any more."""
        peer = self.peers.get(id)
        if peer is None:
            self.astray.append(Pending(content, done, useful))
            return
        if len(content) <= ROOM - NUMBERED.size:
            pending = Pending(content, done, useful)
            if not peer.waiting and not peer.subs and peer.has_room():
                self.numbered += 1
                self.launch(peer, peer.fly(pending), pending, now)
                return
            peer.waiting.append(pending)
        else:
            step = ROOM - PIECE.size
            pieces = [content[i:i + step] for i in range(0, len(content), step)]
            told = Message(len(pieces), done).part_done
            peer.waiting.extend(Pending(piece, told, useful, i, len(pieces)) for i, piece in enumerate(pieces))
        self.behind.add(id)
        self.fill(peer, now)

    def send_sub(self, id: int, content: bytes, now: int, useful: Useful) -> None:
        """A SUB, which is short and does not wait for all PUBs.

        One that waits already says all that the same one would say a second time.  Where too many wait it is left out:
        it is said again before long.
        """
        peer = self.peers.get(id)
        if peer is not None and len(peer.subs) < SUBS:
            peer.subs[content] = Pending(content, nothing, useful)
            self.fill(peer, now)

    def fill(self, peer: Peer, now: int) -> None:
        while (peer.waiting or peer.subs) and peer.has_room():
            pending = peer.next_to_fly() if peer.subs else peer.waiting.popleft()
            if pending is None:
                break
            self.numbered += 1
            self.launch(peer, peer.fly(pending), pending, now)
        if not peer.waiting:
            self.behind.discard(peer.id)

    def launch(self, peer: Peer, number: int, pending: Pending, now: int) -> None:
        pending.tries += 1
        pending.begun, pending.sent = pending.begun or now, now
        self.sent += 1
        self.count(kind_of(pending.item), 1, len(pending.item))
        peer.out.append(pending.item)
        self.touched[peer.id] = peer
        if peer.retry_at is None or pending.tries > 1:      # the first try of one is overdue after that of others
            peer.look_at(pending, now)

    def retry(self, now: int) -> None:
        """Try again what is overdue, or give it up."""
        astray, self.astray = self.astray, []
        for pending in astray:
            self.fail(pending, now)
        for peer in list(self.peers.values()):
            if peer.retry_at is not None and peer.retry_at <= now:
                for number, pending in peer.overdue(now):
                    if peer.flying.get(number) is pending:      # unless another that failed has taken it along
                        self.try_again(peer, number, pending, now)

    def try_again(self, peer: Peer, number: int, pending: Pending, now: int) -> None:
        if pending.tries < TRIES and pending.useful():
            self.again += 1
            peer.slow_down(pending, now)
            self.launch(peer, number, pending, now)
        else:
            peer.land(number)
            self.fail(pending, now)
            self.fill(peer, now)

    def next_due(self) -> int | None:
        if self.astray:
            return 0
        return min((peer.retry_at for peer in self.peers.values() if peer.retry_at is not None and peer.flying),
                   default=None)

    def fail(self, pending: Pending, now: int) -> None:
        self.failed += 1
        pending.done(False, now)

    def hear(self, peer: Peer, item: Item, now: int, take: Take) -> None:
        """An item of a neighbour.  `take` gets whole frames, and says what becomes of them.

        To one that came too early there is no answer: if it still does after some tries, another way may be better.
        """
        if item.kind == ACK or item.kind == WAIT:
            for number in envelope.numbers(item.body):
                (self.acknowledged if item.kind == ACK else self.held_up)(peer, number, now)
            return
        if peer.is_too_old(item.number):
            return
        what = TAKEN if peer.is_known(item.number) else self.complete(peer, item, now, take)
        if what == TAKEN:
            peer.know(item.number)
        if what != EARLY:
            (peer.acks if what == TAKEN else peer.waits).append(item.number)
            self.touched[peer.id] = peer

    def complete(self, peer: Peer, item: Item, now: int, take: Take) -> int:
        """Keep a part, or hand over what is whole."""
        if item.kind != PART:
            return take(item.body)
        if item.parts > PARTS or len(item.body) > ROOM:
            return EARLY
        head = (item.number - item.part) % NUMBERS
        parts = peer.halves.setdefault(head, Half(now, {})).parts
        parts[item.part] = item.body
        if len(parts) < item.parts:
            forget_halves(peer, now)
            return TAKEN
        what = take(b"".join(parts[i] for i in sorted(parts)))
        if what != TAKEN:
            del parts[item.part]
        if what == TAKEN or not parts:
            del peer.halves[head]
        return what

    def acknowledged(self, peer: Peer, number: int, now: int) -> None:
        pending = peer.land(number)
        if pending is None:
            peer.answered_twice(now)
            return
        peer.answered(pending, now)
        pending.done(True, now)
        self.fill(peer, now)

    def held_up(self, peer: Peer, number: int, now: int) -> None:
        """It arrived, but the neighbour has too much to do: it comes again, for a while."""
        pending = peer.flying.get(number)
        if pending is None:
            return
        peer.slow_down(pending, now)
        if now - pending.begun < KEEP:
            pending.tries = min(pending.tries, HELD)

    def count(self, kind: str, frames: int, length: int) -> None:
        self.frames[kind] += frames
        self.bytes[kind] += length

    def flush(self) -> None:
        """Put all that waits into datagrams."""
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


def nothing(good: bool, now: int) -> None:
    """A SUB has arrived, or was given up: then the lease brings it again."""


def forget_halves(peer: Peer, now: int) -> None:
    """Those that are too many or too old; nobody completes them any more."""
    while peer.halves:
        first, half = next(iter(peer.halves.items()))
        if len(peer.halves) <= HALVES and now - half.begun <= HALF_LIFE:
            return
        del peer.halves[first]


def kind_of(item: bytes) -> str:
    """Of what an item is a part; only a PUB is too long for one."""
    return "sub" if item[0] == FRAME and item[NUMBERED.size] & 15 == SUB else "pub"
