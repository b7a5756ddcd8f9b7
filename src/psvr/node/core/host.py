"""A live node's host: the rules of `psvr.protocol.host`, driven by frames, neighbours and time.

There is no socket and no clock: time is passed in, in µs.  Everything runs to completion; nothing is awaited.
The rules decide what becomes of a publication; the code here asks them and carries out what they decide.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from psvr.protocol import constants as k
from psvr.protocol import host as rules
from psvr.protocol import node, psvr
from psvr.protocol.host import handed
from psvr.protocol.host.holding import BEGUN, KEPT, WAITING, free_slots
from psvr.protocol.host.profiles import apply, policies
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import sender as place_of
from psvr.protocol.links import two_way
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication, subscription
from psvr.protocol.records import Effects, Handed, Held, Hello, Node, Outcome, Pub, Sub
from psvr.protocol.records import Host as Memory
from psvr.protocol.wire import messages
from psvr.protocol.wire.names import channel_hash

from .growing import grow, hear_sub
from .losses import Loss, Losses
from .naming import pack, parts_of, payload_of
from .peer import EARLY, FULL, TAKEN, Flight
from .transport import OWN_LIMIT, QUEUE_LIMIT, ROOM, Transport

ID_BYTES, POSITION_BYTES = 8, 4
FORGET_AFTER, FORGET_PERIODS = 60 * k.SECOND, 16  # µs, HELLO periods: a neighbour silent for both is forgotten
SLOTS, MAX_SLOTS = 256, 8192  # publications in hand: initially, and at most
NAMES, MAX_NAMES = 1024, 65_536  # of publications that were delivered: initially, and at most
WINDOW = 64  # publications remembered under flooding

ANSWERS = {rules.TAKEN: TAKEN, rules.REFUSED: EARLY, rules.NO_SLOTS: FULL}
Report = Callable[..., None]
Deliver = Callable[[str, bytes, Pub], None]


@dataclass(frozen=True)
class Options:
    """Settings of the protocol and of the host."""

    hello: float = 1.0  # seconds between two HELLOs
    lease: float = 0.0  # seconds; 0: from the length of the ring
    links: int = 8
    depth: int = k.DEPTH
    channels: int = 65_536  # that this node can know at most
    shortcuts: str = "all"
    system: str = "psvr"
    beat: int = 0  # number by which a root proves that it is alive; higher than before a restart
    host: dict[str, Any] = field(default_factory=dict)  # see `psvr.protocol.host.profiles`


class Payload(NamedTuple):
    """What travels with a PUB."""

    name: str
    data: bytes  # name and payload, as on the wire


class SubFlight(Flight):
    """The flight of a SUB, useful as long as the ring has not changed.  If it is given up, the lease brings the SUB
    again.
    """

    __slots__ = ("me", "ring")

    def __init__(self, me: Node) -> None:
        self.me, self.ring = me, me.ring

    def is_useful(self) -> bool:
        return self.me.ring == self.ring


class PubFlight(Flight):
    """The flight of a PUB: the rules learn how it ended, unless its slot has been used for another by then."""

    __slots__ = ("host", "number", "ring", "slot")

    def __init__(self, host: "Host", slot: int) -> None:
        self.host, self.slot, self.number, self.ring = host, slot, host.flights[slot], host.body.held[slot].pub.ring

    def is_useful(self) -> bool:
        return self.host.me.ring == self.ring

    def ended(self, good: bool, now: int) -> None:
        if self.host.flights[self.slot] == self.number:
            self.host.flight_ended(self.slot, good, now)


class Host:
    def __init__(
        self,
        id: int,
        boot: int,
        now: int,
        options: Options,
        broadcast: Callable[[bytes], None],
        transport: Transport,
        deliver: Deliver,
        report: Report,
    ) -> None:
        self.options = options
        self.broadcast, self.transport, self.deliver, self.report = broadcast, transport, deliver, report
        self.allocate(
            Capacity(
                links=options.links, window=WINDOW if options.system == "flood" else 1, effects=64 + 12 * options.links
            ),
            SLOTS,
            NAMES,
        )
        self.max_slots, self.max_names = MAX_SLOTS, MAX_NAMES
        self.configure(options)
        self.losses, self.repeated = Losses(self.lost), 0
        self.names: dict[int, set[str]] = {}  # of subscribed channels, by hash
        self.start(id, boot, now, options.beat)

    def allocate(self, capacity: Capacity, slots: int, names: int) -> None:
        """Allocate memory of these sizes; some of it grows later."""
        self.capacity, self.me = capacity, blank(Node, capacity)
        self.body = rules.Body(
            self.me,
            blank(Memory, capacity),
            self.blanks(Held, slots),
            self.blanks(Handed, names),
            blank(Effects, capacity),
            blank(Outcome, capacity),
        )
        self.needed_slots = rules.slots_needed(self.body)
        self.hello, self.sub, self.foreseen = blank(Hello, capacity), blank(Sub, capacity), blank(Outcome, capacity)
        self.flights = [0] * slots
        self.copies: list[tuple[int, int, bytes, int]] = []  # SUBs to repeat: when, …, frame, copies left

    def start(self, id: int, boot: int, now: int, beat: int) -> None:
        node.start(self.me, id, now)
        node.resume_from(self.me, beat)
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
        """Return when `wake` has something to do next, not before now."""
        due = rules.next_due(self.body, now)
        copy = self.copies[0][0] if self.copies else None
        for other in (self.transport.next_due(), self.losses.next_due(), copy):
            if other is not None and other < due:
                due = other
        return max(due, now)

    def wake(self, now: int) -> None:
        """Do everything that is due."""
        if rules.next_due(self.body, now) <= now:
            said = rules.wake(self.body, now, self.hello)
            if said & node.SAY_HELLO:
                self.broadcast(messages.encode_hello(self.hello, ID_BYTES, POSITION_BYTES))
                self.transport.forget(now - max(FORGET_AFTER, FORGET_PERIODS * self.me.settings.hello), now)
            if said & node.SAY_SUB:
                self.send_subs(now)
            self.drain(now)
            self.report_changes()
        self.transport.retry(now)
        while self.copies and self.copies[0][0] <= now:
            _, _, frame, left = heapq.heappop(self.copies)
            self.broadcast_sub(frame, left, now)
        self.losses.count_overdue(now)

    def report_changes(self) -> None:
        """Report changes of neighbours, parent and ring."""
        me = self.me
        near = frozenset(link.id for link in me.link if two_way(link))
        if near != self.near:
            for id in near - self.near:
                self.report("neighbour found", peer=id)
            for id in self.near - near:
                self.report("neighbour lost", peer=id)
            self.near = near
        if me.parent != self.parent:
            self.parent = me.parent
            self.report("parent changed", peer=me.parent)
        if me.ring != self.ring:
            self.ring = me.ring
            self.report("ring changed")

    # --- what the rules want done

    def drain(self, now: int, heard: Pub | None = None, payload: Payload | None = None) -> None:
        """Carry out the effects that the rules have left; those without a slot are of the PUB just heard."""
        out, held = self.body.out, self.body.held
        if out.count == 0:
            return
        said: list[int] = []
        for i in range(out.count):
            e = out.effect[i]
            if e.kind == rules.SEND:
                if self.transmit(e.slot, now):
                    said.append(e.slot)
                continue
            mine = held[e.slot] if e.slot >= 0 else None
            pub, attached = (mine.pub, mine.handle) if mine is not None else (heard, payload)
            if e.kind == rules.DELIVER:
                self.deliver(attached.name, payload_of(attached.data), pub)  # type: ignore[union-attr, arg-type]
            elif e.kind == rules.KNOWN:
                self.repeated += 1
            elif e.kind == rules.AGAIN:
                self.losses.again(pub, now)  # type: ignore[arg-type]
            elif e.kind == rules.DROPPED:
                self.drop(pub, attached, e.reason, mine, now)  # type: ignore[arg-type]
        rules.drained(self.body)
        for slot in said:
            self.flight_ended(slot, True, now)

    def transmit(self, slot: int, now: int) -> bool:
        """Send the PUB in a slot to a neighbour, or broadcast it; return True if broadcast, which nobody answers."""
        h = self.body.held[slot]
        self.flights[slot] += 1
        pub, payload = h.pub, h.handle
        self.report("sent", peer=h.to, pub=pub, channel=payload.name, at=h.start)  # type: ignore[attr-defined]
        frame = messages.encode_pub(pub, payload.data, ID_BYTES, POSITION_BYTES)  # type: ignore[attr-defined]
        if h.to == k.NOBODY:
            self.broadcast(frame)
            return True
        self.transport.send(h.to, frame, now, PubFlight(self, slot))
        return False

    def flight_ended(self, slot: int, good: bool, now: int) -> None:
        self.flights[slot] += 1
        if good:
            rules.acknowledged(self.body, now, slot)  # no effects
        else:
            rules.failed(self.body, now, slot)
            self.drain(now)

    def drop(self, pub: Pub, payload: Payload, reason: int, h: Held | None, now: int) -> None:
        copy = Pub()
        publication.copy(pub, copy)
        peer = (h.to if h.to >= 0 else None) if h is not None else pub.src
        self.losses.note(Loss(copy, payload.name, k.REASONS[reason], peer, now), h.since if h is not None else now)

    def lost(self, loss: Loss) -> None:
        self.report("dropped", peer=loss.peer, pub=loss.pub, channel=loss.channel, reason=loss.reason)

    # --- room

    def make_room(self) -> None:
        """Add slots if few are left."""
        slots = len(self.body.held)
        if slots < self.max_slots and free_slots(self.body.host, self.body.held) < self.needed_slots:
            more = min(slots, self.max_slots - slots)
            self.body.held.extend(self.blanks(Held, more))  # type: ignore[attr-defined]
            self.flights += [0] * more

    def remember_more(self, pub: Pub, now: int) -> None:
        """Quadruple the table of names while those that collide with this one are all recent."""
        names = self.body.names
        while len(names) < self.max_names and handed.is_crowded(names, now, pub):
            old = [name for name in names if name.origin >= 0 and now - name.at <= k.NAME_LIFE]
            names[:] = [Handed() for _ in range(min(4 * len(names), self.max_names))]  # type: ignore[index]
            for name in names:
                handed.clear(name)
            for name in old:
                handed.restore(names, name.origin, name.boot, name.number, name.at)

    # --- subscriptions

    def subscribe(self, channel: str, now: int) -> bool:
        """Return False if there is no room for one more channel."""
        hashed = channel_hash(channel)
        if hashed not in self.names and len(self.names) >= self.options.channels:
            return False
        while not node.subscribe(self.me, now, hashed):
            if not grow(self.me, self.capacity, self.options.channels):
                return False
        self.names.setdefault(hashed, set()).add(channel)
        return True

    def unsubscribe(self, channel: str, now: int) -> None:
        """Leave a channel, unless another name in use has the same hash."""
        hashed = channel_hash(channel)
        names = self.names.get(hashed, set())
        names.discard(channel)
        if not names:
            self.names.pop(hashed, None)
            node.unsubscribe(self.me, now, hashed)

    def send_subs(self, now: int) -> None:
        """Send the SUBs of this node: one, or several where its channels do not fit into one frame."""
        part = 0
        while True:
            part = node.write_sub(self.me, now, part, self.sub)
            if self.sub.channels > 0 or self.sub.to != k.NOBODY:
                self.forward_sub(self.sub, now)
            if part == 0:
                return

    def forward_sub(self, sub: Sub, now: int) -> None:
        """Send a SUB to each tree neighbour it did not come from, or broadcast it."""
        me, frame = self.me, messages.encode_sub(sub, ID_BYTES, POSITION_BYTES)
        if me.settings.sub_acks == 0:
            self.broadcast_sub(frame, subscription.copies(me, sub), now)
            return
        for link in me.link:
            if subscription.is_for(me, link, sub):
                self.transport.send_sub(link.id, frame, now, SubFlight(me))

    def broadcast_sub(self, frame: bytes, copies: int, now: int) -> None:
        self.broadcast(frame)
        if copies > 1:
            heapq.heappush(self.copies, (now + k.SUB_COPY_GAP, len(self.copies), frame, copies - 1))

    # --- frames

    def hear(self, sender: int, frame: bytes, now: int) -> None:
        """Process a frame meant for everyone who hears it."""
        read = messages.decode(frame, self.capacity)
        if isinstance(read, Hello) and read.src == sender:
            rules.hear_hello(self.body, now, read)
            self.report_changes()
        elif not isinstance(read, Hello):
            self.take(sender, frame, now)

    def is_neighbour(self, id: int) -> bool:
        """Whether it is a neighbour whose frames may be accepted."""
        return place_of(self.me, id) != NONE

    def take(self, sender: int, frame: bytes, now: int) -> int:
        """Process a SUB or PUB; return TAKEN, or EARLY or FULL if it should be sent again."""
        read = messages.decode(frame, self.capacity)
        if isinstance(read, tuple) and read[0].src == sender:
            return self.take_pub(*read, now)
        if isinstance(read, Sub) and read.src == sender and len(frame) <= ROOM:
            return self.take_sub(read, now)  # no honest node sends a longer one, which would keep this one busy
        return TAKEN  # useless, also if sent again

    def take_sub(self, sub: Sub, now: int) -> int:
        reason = hear_sub(self.me, now, sub, self.sub, self.capacity, self.options.channels)
        rules.note_table_change(self.body, now)
        if self.sub.channels > 0:
            self.forward_sub(self.sub, now)
        return EARLY if rules.is_early_sub(reason) else TAKEN

    def take_pub(self, pub: Pub, data: bytes, now: int) -> int:
        """Process a PUB; return TAKEN, EARLY or FULL.  One whose channel does not fit its name is of no use."""
        parts = parts_of(data)
        if parts is None or channel_hash(parts[0]) != pub.channel:
            return TAKEN
        name, pub.load = parts
        payload, full = Payload(name, data), self.transport.full(QUEUE_LIMIT)
        if pub.channel in self.names:
            self.remember_more(pub, now)
        self.make_room()
        if full and pub.hops > 0 and self.blocking_neighbour(pub, full) is not None:
            rules.hand_over_heard(self.body, now, pub)  # applications of this node do not wait for other nodes
            verdict = rules.NO_SLOTS
        else:
            verdict = rules.hear_pub(self.body, now, pub, payload)  # type: ignore[arg-type]
        if verdict == rules.TAKEN:
            self.report("received", peer=pub.src, pub=pub, channel=name)
            if pub.again > 0 and self.body.outcome.reason == k.FINE:
                self.losses.again(pub, now)
        self.drain(now, pub, payload)
        return ANSWERS[verdict]

    def blocking_neighbour(self, pub: Pub, full: list[int]) -> int | None:
        """One of these full neighbours that this PUB would go to from here; the others need not be waited for."""
        out = self.foreseen
        out.sends = out.stuck = 0
        if self.me.settings.system == k.PSVR and publication.reason_to_stop(self.me, pub) == k.FINE:
            psvr.forward(self.me, pub, out)
        return next((out.send[i].to for i in range(out.sends) if out.send[i].to in full), None)

    # --- publications

    def publish(self, channel: str, payload: bytes, now: int) -> int:
        """Publish without waiting for room; return the number of the publication."""
        slot, pub, name = self.enter(channel, payload, now)
        rules.go(self.body, now, slot)
        self.drain(now, pub, name)
        return self.body.host.number

    def begin(self, channel: str, payload: bytes, now: int) -> int:
        """Number a publication and deliver it to applications of this node, which need not wait; return its slot."""
        slot, pub, name = self.enter(channel, payload, now)
        self.drain(now, pub, name)
        return slot

    def enter(self, channel: str, payload: bytes, now: int) -> tuple[int, Pub, Payload]:
        """Hand a publication to the rules, without carrying out yet what they decide."""
        self.make_room()
        name, hashed = Payload(channel, pack(channel, payload)), channel_hash(channel)
        slot = rules.begin(self.body, now, hashed, len(payload), name)  # type: ignore[arg-type]
        if slot != NONE:
            pub = self.body.held[slot].pub
        else:
            pub = Pub()
            publication.start(self.me, hashed, self.body.host.boot, self.body.host.number, len(payload), pub)
        self.report("published", pub=pub, channel=channel)
        if hashed in self.names:
            self.remember_more(pub, now)
        return slot, pub, name

    def go(self, slot: int, now: int) -> None:
        """Send a publication out, or let it wait for a ring."""
        rules.go(self.body, now, slot)
        self.drain(now)

    def waits_for(self, slot: int) -> int | None:
        """A neighbour that it would go to and that has too much waiting; NOBODY: this node has too much in hand itself.

        More may wait of what comes from others: two nodes that have much to send to each other must not both block.
        """
        if slot == NONE:
            return None
        if self.is_full():
            return k.NOBODY
        full = self.transport.full(OWN_LIMIT)
        if not full or publication.should_wait(self.me):
            return None
        pub = self.body.held[slot].pub
        publication.set_out(self.me, pub)
        return self.blocking_neighbour(pub, full)

    def may_go(self) -> bool:
        """Whether one more publication need not wait, wherever it would go."""
        if self.me.bursts == 0 and self.me.ring >= 0 and not self.transport.backlogged:
            return True  # the usual case
        return not self.is_full() and not self.transport.full(OWN_LIMIT)

    def is_full(self) -> bool:
        """Whether no more should be published now, because too much waits for a ring or may have to be repeated."""
        held, me = self.body.held, self.me
        if me.bursts == 0 and me.ring >= 0:
            return False  # nothing waits
        if publication.should_wait(me):
            return self.count_in_state(WAITING) >= k.OUTBOX or self.is_crowded()
        if not publication.is_filling(me):
            return False
        return 4 * sum(h.state == KEPT and h.doubted == 1 for h in held) >= self.max_slots or self.is_crowded()

    def is_crowded(self) -> bool:
        """Whether few slots are left and no more can be added."""
        return len(self.body.held) >= self.max_slots and rules.has_few_slots(self.body)

    def has_room(self, at: int) -> bool:
        """Whether what a publication has been waiting for has room again."""
        return not (self.is_full() if at == k.NOBODY else self.transport.is_full(at, OWN_LIMIT))

    def waiting(self) -> int:
        return self.count_in_state(BEGUN) + self.count_in_state(WAITING)

    def count_in_state(self, state: int) -> int:
        """The number of publications in hand that are in this state."""
        return sum(h.state == state for h in self.body.held)

    def end(self, now: int) -> None:
        """Stop the node: what has not left it by now is dropped."""
        for id in list(self.transport.peers):
            self.transport.leave(id, now)
        self.transport.retry(now)  # fails what had no known neighbour to go to
        more = True
        while more:
            more = rules.stop(self.body, now)
            self.drain(now)
        self.losses.end()
