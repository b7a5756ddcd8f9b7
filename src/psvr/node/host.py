"""A live node's host: the rules of `psvr.protocol.host`, driven by frames, neighbours and time.

No socket and no clock: time is handed in, in µs.  Everything here runs to its end at once; nothing is awaited.  What
becomes of a publication is decided by the rules; here they are asked, and what they want done is done.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from psvr.protocol import constants as k
from psvr.protocol import handed, node, psvr, publication, subscription, wire
from psvr.protocol import host as rules
from psvr.protocol.holding import BEGUN, KEPT, WAITING, free_slots
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import sender as place_of
from psvr.protocol.links import two_way
from psvr.protocol.names import channel_hash
from psvr.protocol.positions import NONE
from psvr.protocol.profiles import apply, policies
from psvr.protocol.records import Effects, Handed, Held, Hello, Node, Outcome, Pub, Sub
from psvr.protocol.records import Host as Memory

from .growing import grow, hear_sub
from .losses import Loss, Losses
from .naming import pack, parts_of, payload_of
from .peer import EARLY, FULL, TAKEN
from .transport import OWN, QUEUE, ROOM, Transport

ID_BYTES, POSITION_BYTES = 8, 4
SILENT, PERIODS = 60 * k.SECOND, 16     # a neighbour that said nothing for both, µs and HELLO periods, is forgotten
SLOTS, SLOTS_MOST = 256, 8192           # publications in hand, at first and at most
NAMES, NAMES_MOST = 1024, 65_536        # of publications that were handed over
WINDOW = 64                             # of those that came by, where they are flooded

ANSWERS = {rules.TAKEN: TAKEN, rules.REFUSED: EARLY, rules.NO_SLOTS: FULL}
Tell = Callable[..., None]
Deliver = Callable[[str, bytes, Pub], None]


@dataclass(frozen=True)
class Options:
    """What may be set of the protocol and of the host."""

    hello: float = 1.0          # seconds between two HELLOs
    lease: float = 0.0          # seconds; 0: from the length of the ring
    links: int = 8
    depth: int = k.DEPTH
    channels: int = 65_536      # that this node can know, at most
    shortcuts: str = "all"
    system: str = "psvr"
    beat: int = 0               # the number with which it proves that it lives, as root; more than in a former life
    host: dict[str, Any] = field(default_factory=dict)      # see `psvr.protocol.profiles`


class Payload(NamedTuple):
    """What travels beside a PUB."""

    name: str
    data: bytes                 # name and payload, as on the wire


class Host:
    def __init__(self, id: int, boot: int, now: int, options: Options, say: Callable[[bytes], None],
                 transport: Transport, deliver: Deliver, tell: Tell) -> None:
        self.options = options
        self.say, self.transport, self.deliver, self.tell = say, transport, deliver, tell
        self.allocate(Capacity(links=options.links, window=WINDOW if options.system == "flood" else 1,
                               effects=64 + 12 * options.links), SLOTS, NAMES)
        self.slots_most, self.names_most = SLOTS_MOST, NAMES_MOST
        self.configure(options)
        self.losses, self.ended, self.repeated = Losses(self.lost), False, 0
        self.names: dict[int, set[str]] = {}        # of channels that are wanted, by hash
        self.start(id, boot, now, options.beat)

    def allocate(self, capacity: Capacity, slots: int, names: int) -> None:
        """Memory of these sizes; some of it grows later."""
        self.capacity, self.me = capacity, blank(Node, capacity)
        self.body = rules.Body(self.me, blank(Memory, capacity), self.blanks(Held, slots), self.blanks(Handed, names),
                               blank(Effects, capacity), blank(Outcome, capacity))
        self.needed_slots = rules.slots_needed(self.body)
        self.hello, self.sub, self.foreseen = blank(Hello, capacity), blank(Sub, capacity), blank(Outcome, capacity)
        self.flights = [0] * slots
        self.copies: list[tuple[int, int, bytes, int]] = []         # of SUBs that are to be broadcast again

    def start(self, id: int, boot: int, now: int, beat: int) -> None:
        node.start(self.me, id, now)
        node.go_on_from(self.me, beat)
        rules.start(self.body, now, boot)
        self.parent, self.ring, self.near = self.me.parent, self.me.ring, frozenset[int]()

    def configure(self, options: Options) -> None:
        settings = self.me.settings
        node.default_settings(settings)
        settings.hello, settings.lease = round(options.hello * k.SECOND), round(options.lease * k.SECOND)
        settings.links, settings.depth, settings.frame = options.links, options.depth, ROOM - 64
        settings.id_bytes, settings.position_bytes = ID_BYTES, POSITION_BYTES
        settings.shortcuts, settings.system = k.SHORTCUTS.index(options.shortcuts), k.SYSTEMS.index(options.system)
        apply(settings, policies(**options.host))

    def blanks(self, cls: type, number: int) -> list[Any]:
        return [blank(cls, self.capacity) for _ in range(number)]

    # --- time

    def next_due(self, now: int) -> int:
        due = rules.next_due(self.body, now)
        copy = self.copies[0][0] if self.copies else None
        for other in (self.transport.next_due(), self.losses.next_due(), copy):
            if other is not None and other < due:
                due = other
        return max(due, now)

    def wake(self, now: int) -> None:
        """Do all that is due."""
        if rules.next_due(self.body, now) <= now:
            said = rules.wake(self.body, now, self.hello)
            if said & node.SAY_HELLO:
                self.say(wire.encode_hello(self.hello, ID_BYTES, POSITION_BYTES))
                self.transport.forget(now - max(SILENT, PERIODS * self.me.settings.hello), now)
            if said & node.SAY_SUB:
                self.say_subs(now)
            self.drain(now)
            self.changes()
        self.transport.retry(now)
        while self.copies and self.copies[0][0] <= now:
            _, _, frame, left = heapq.heappop(self.copies)
            self.broadcast_sub(frame, left, now)
        self.losses.look(now)

    def changes(self) -> None:
        """Tell of other neighbours, another parent, another ring."""
        me = self.me
        near = frozenset(link.id for link in me.link if two_way(link))
        if near != self.near:
            for id in near - self.near:
                self.tell("neighbour found", peer=id)
            for id in self.near - near:
                self.tell("neighbour lost", peer=id)
            self.near = near
        if me.parent != self.parent:
            self.parent = me.parent
            self.tell("parent changed", peer=me.parent)
        if me.ring != self.ring:
            self.ring = me.ring
            self.tell("ring changed")

    # --- what the rules want done

    def drain(self, now: int, heard: Pub | None = None, payload: Payload | None = None) -> None:
        out, held = self.body.out, self.body.held
        if out.count == 0:
            return
        said = list[int]()
        for i in range(out.count):
            e = out.effect[i]
            if e.kind == rules.SEND:
                if self.fly(e.slot, now):
                    said.append(e.slot)
                continue
            mine = held[e.slot] if e.slot >= 0 else None
            pub, beside = (mine.pub, mine.handle) if mine is not None else (heard, payload)
            if e.kind == rules.DELIVER:
                self.deliver(beside.name, payload_of(beside.data), pub)     # type: ignore[union-attr, arg-type]
            elif e.kind == rules.KNOWN:
                self.repeated += 1
            elif e.kind == rules.AGAIN:
                self.losses.again(pub, now)             # type: ignore[arg-type]
            elif e.kind == rules.DROPPED:
                self.drop(pub, beside, e.reason, mine, now)     # type: ignore[arg-type]
        rules.drained(self.body)
        for slot in said:
            self.landed(slot, True, now)

    def fly(self, slot: int, now: int) -> bool:
        """Send the PUB in a slot to a neighbour; or to all, and True, since nobody answers."""
        h = self.body.held[slot]
        self.flights[slot] = flight = self.flights[slot] + 1
        pub, beside, ring, me = h.pub, h.handle, h.pub.ring, self.me
        self.tell("sent", peer=h.to, pub=pub, channel=beside.name, at=h.start)      # type: ignore[attr-defined]
        frame = wire.encode_pub(pub, beside.data, ID_BYTES, POSITION_BYTES)         # type: ignore[attr-defined]
        if h.to == k.NOBODY:
            self.say(frame)
            return True

        def done(good: bool, now: int) -> None:
            if self.flights[slot] == flight:
                self.landed(slot, good, now)

        self.transport.send(h.to, frame, now, done, lambda: me.ring == ring)
        return False

    def landed(self, slot: int, good: bool, now: int) -> None:
        self.flights[slot] += 1
        if good:
            rules.acknowledged(self.body, now, slot)        # no effects
        else:
            rules.failed(self.body, now, slot)
            self.drain(now)

    def drop(self, pub: Pub, beside: Payload, reason: int, h: Held | None, now: int) -> None:
        copy = Pub()
        publication.copy(pub, copy)
        peer = (h.to if h.to >= 0 else None) if h is not None else pub.src
        self.losses.note(Loss(copy, beside.name, k.REASONS[reason], peer, now), h.since if h is not None else now)

    def lost(self, loss: Loss) -> None:
        self.tell("dropped", peer=loss.peer, pub=loss.pub, channel=loss.channel, reason=loss.reason)

    # --- room

    def make_room(self) -> None:
        """More slots, where there are few."""
        slots = len(self.body.held)
        if slots < self.slots_most and free_slots(self.body.host, self.body.held) < self.needed_slots:
            more = min(slots, self.slots_most - slots)
            self.body.held.extend(self.blanks(Held, more))          # type: ignore[attr-defined]
            self.flights += [0] * more

    def remember_more(self, pub: Pub, now: int) -> None:
        """Four times as many names, where those that fall together are all young."""
        names = self.body.names
        while len(names) < self.names_most and handed.is_crowded(names, now, pub):
            old = [name for name in names if name.origin >= 0 and now - name.at <= k.NAME_LIFE]
            names[:] = [Handed() for _ in range(min(4 * len(names), self.names_most))]      # type: ignore[index]
            for name in names:
                handed.clear(name)
            for name in old:
                handed.put_back(names, name.origin, name.boot, name.number, name.at)

    # --- subscriptions

    def subscribe(self, channel: str, now: int) -> bool:
        """False if there is no room for one more."""
        hashed = channel_hash(channel)
        if hashed not in self.names and len(self.names) >= self.options.channels:
            return False
        while not node.subscribe(self.me, now, hashed):
            if not grow(self.me, self.capacity, self.options.channels):
                return False
        self.names.setdefault(hashed, set()).add(channel)
        return True

    def unsubscribe(self, channel: str, now: int) -> None:
        """Unless another name has the same hash."""
        hashed = channel_hash(channel)
        names = self.names.get(hashed, set())
        names.discard(channel)
        if not names:
            self.names.pop(hashed, None)
            node.unsubscribe(self.me, now, hashed)

    def say_subs(self, now: int) -> None:
        part = 0
        while True:
            part = node.write_sub(self.me, now, part, self.sub)
            if self.sub.channels > 0 or self.sub.to != k.NOBODY:
                self.spread_sub(self.sub, now)
            if part == 0:
                return

    def spread_sub(self, sub: Sub, now: int) -> None:
        """To each tree neighbour that has not sent it, or to all at once."""
        me, frame, ring = self.me, wire.encode_sub(sub, ID_BYTES, POSITION_BYTES), self.me.ring
        if me.settings.sub_acks == 0:
            self.broadcast_sub(frame, subscription.copies(me, sub), now)
            return
        for link in me.link:
            if subscription.is_for(me, link, sub):
                self.transport.send_sub(link.id, frame, now, lambda: me.ring == ring)

    def broadcast_sub(self, frame: bytes, copies: int, now: int) -> None:
        self.say(frame)
        if copies > 1:
            heapq.heappush(self.copies, (now + k.SUB_COPY_GAP, len(self.copies), frame, copies - 1))

    # --- frames

    def hear(self, sender: int, frame: bytes, now: int) -> None:
        """A frame that is meant for all who can hear it."""
        read = wire.decode(frame, self.capacity)
        if isinstance(read, Hello) and read.src == sender:
            rules.hear_hello(self.body, now, read)
            self.changes()
        elif not isinstance(read, Hello):
            self.take(sender, frame, now)

    def keeps(self, id: int) -> bool:
        """It is a neighbour whose frames may be taken."""
        return place_of(self.me, id) != NONE

    def take(self, sender: int, frame: bytes, now: int) -> int:
        """A SUB or PUB: TAKEN, or EARLY or FULL, and it should come again."""
        read = wire.decode(frame, self.capacity)
        if isinstance(read, tuple) and read[0].src == sender:
            return self.take_pub(*read, now)
        if isinstance(read, Sub) and read.src == sender and len(frame) <= ROOM:
            return self.take_sub(read, now)     # a longer one is no honest node's, and would keep this one busy
        return TAKEN                # of no use, also a second time

    def take_sub(self, sub: Sub, now: int) -> int:
        reason = hear_sub(self.me, now, sub, self.sub, self.capacity, self.options.channels)
        rules.learnt(self.body, now)
        if self.sub.channels > 0:
            self.spread_sub(self.sub, now)
        return EARLY if rules.is_early_sub(reason) else TAKEN

    def take_pub(self, pub: Pub, data: bytes, now: int) -> int:
        parts = parts_of(data)
        if parts is None or channel_hash(parts[0]) != pub.channel:
            return TAKEN
        name, pub.load = parts
        payload, full = Payload(name, data), self.transport.full(QUEUE)
        if pub.channel in self.names:
            self.remember_more(pub, now)
        self.make_room()
        if full and pub.hops > 0 and self.needed(pub, full) is not None:
            rules.hand_over_heard(self.body, now, pub)      # applications of this node do not wait for others
            verdict = rules.NO_SLOTS
        else:
            verdict = rules.hear_pub(self.body, now, pub, payload)      # type: ignore[arg-type]
        if verdict == rules.TAKEN:
            self.tell("received", peer=pub.src, pub=pub, channel=name)
            if pub.again > 0 and self.body.outcome.reason == k.FINE:
                self.losses.again(pub, now)
        self.drain(now, pub, payload)
        return ANSWERS[verdict]

    def needed(self, pub: Pub, full: list[int]) -> int | None:
        """One of these neighbours to which this PUB would go from here; the others need not be waited for."""
        out = self.foreseen
        out.sends = out.stuck = 0
        if self.me.settings.system == k.PSVR and publication.stopped(self.me, pub) == k.FINE:
            psvr.forward(self.me, pub, out)
        return next((out.send[i].to for i in range(out.sends) if out.send[i].to in full), None)

    # --- publications

    def publish(self, channel: str, payload: bytes, now: int) -> int:
        """The number of the publication, which waits for nothing."""
        slot, pub, name = self.enter(channel, payload, now)
        rules.go(self.body, now, slot)
        self.drain(now, pub, name)
        return self.body.host.number

    def begin(self, channel: str, payload: bytes, now: int) -> int:
        """Number it, and hand it to applications of this node: they wait for nobody else.  Its slot."""
        slot, pub, name = self.enter(channel, payload, now)
        self.drain(now, pub, name)
        return slot

    def enter(self, channel: str, payload: bytes, now: int) -> tuple[int, Pub, Payload]:
        """A publication comes into the hands of the rules; what they want done is still to be done."""
        self.make_room()
        name, hashed = Payload(channel, pack(channel, payload)), channel_hash(channel)
        slot = rules.begin(self.body, now, hashed, len(payload), name)      # type: ignore[arg-type]
        if slot != NONE:
            pub = self.body.held[slot].pub
        else:
            pub = Pub()
            publication.start(self.me, hashed, self.body.host.boot, self.body.host.number, len(payload), pub)
        self.tell("published", pub=pub, channel=channel)
        if hashed in self.names:
            self.remember_more(pub, now)
        return slot, pub, name

    def go(self, slot: int, now: int) -> None:
        """Send it out, or let it wait for a ring."""
        rules.go(self.body, now, slot)
        self.drain(now)

    def waits_for(self, slot: int) -> int | None:
        """A neighbour to whom it would go, and for whom too much waits already; NOBODY: too much is in hand.

        Of what comes from others more may wait: two that have much to say to each other must not both wait.
        """
        if slot == NONE:
            return None
        if self.is_full():
            return k.NOBODY
        full = self.transport.full(OWN)
        if not full or publication.should_wait(self.me):
            return None
        pub = self.body.held[slot].pub
        publication.set_out(self.me, pub)
        return self.needed(pub, full)

    def may_go(self) -> bool:
        """One more publication need not wait, wherever it would go."""
        if self.me.bursts == 0 and self.me.ring >= 0 and not self.transport.behind:
            return True                     # as it mostly is
        return not self.is_full() and not self.transport.full(OWN)

    def is_full(self) -> bool:
        """No more should be published now: what waits for a ring, or has to be repeated, has taken its share."""
        held, me = self.body.held, self.me
        if me.bursts == 0 and me.ring >= 0:
            return False                    # nothing has to
        if publication.should_wait(me):
            return self.number_of(WAITING) >= k.OUTBOX or self.is_crowded()
        if not publication.is_filling(me):
            return False
        return 4 * sum(h.state == KEPT and h.doubted == 1 for h in held) >= self.slots_most or self.is_crowded()

    def is_crowded(self) -> bool:
        """There are few slots, and cannot be more."""
        return len(self.body.held) >= self.slots_most and rules.has_few_slots(self.body)

    def has_room(self, at: int) -> bool:
        """There is nothing to wait for any more where a publication has waited."""
        return not (self.is_full() if at == k.NOBODY else self.transport.is_full(at, OWN))

    def waiting(self) -> int:
        return self.number_of(BEGUN) + self.number_of(WAITING)

    def number_of(self, state: int) -> int:
        """Publications in hand in some state."""
        return sum(h.state == state for h in self.body.held)

    def end(self, now: int) -> None:
        """The node stops: what has not left it by now is dropped."""
        self.ended = True
        for id in list(self.transport.peers):
            self.transport.leave(id, now)
        self.transport.retry(now)               # what was for nobody that is known
        more = True
        while more:
            more = rules.stop(self.body, now)
            self.drain(now)
        self.losses.end()
