"""A node of the protocol and what is around it: frames in, frames out, publications that wait.

No socket and no clock: time is handed in, in µs.  Everything here runs to its end at once; nothing is awaited.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import publication, wire
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import sender as place_of
from psvr.protocol.links import two_way
from psvr.protocol.names import channel_hash
from psvr.protocol.positions import NONE
from psvr.protocol.records import Hello, Node, Outcome, Pub, Sub
from psvr.protocol.tree import is_tree

from .growing import grow, hear_sub
from .naming import age_of, aged, name_of, pack, payload_of
from .outbox import Outbox, Own
from .peer import EARLY, FULL, TAKEN
from .transport import OWN, QUEUE, ROOM, Transport
from .window import Window

ID_BYTES, POSITION_BYTES = 8, 4
TOO_EARLY = (k.NOT_A_LINK, k.NOT_IN_TREE, k.NO_RING, k.OTHER_RING, k.NOT_MY_POSITION)   # it may fit a moment later
SILENT, PERIODS = 60 * k.SECOND, 16     # a neighbour that said nothing for both, µs and HELLO periods, is forgotten

Tell = Callable[..., None]
Deliver = Callable[[str, bytes, Pub], None]


@dataclass(frozen=True)
class Options:
    """What may be set of the protocol."""

    hello: float = 1.0          # seconds between two HELLOs
    lease: float = 0.0          # seconds; 0: from the length of the ring
    links: int = 8
    depth: int = k.DEPTH
    channels: int = 65_536      # that this node can know, at most
    shortcuts: str = "all"
    beat: int = 0               # the number with which it proves that it lives, as root; more than in a former life


class Host:
    def __init__(self, id: int, boot: int, now: int, options: Options, say: Callable[[bytes], None],
                 transport: Transport, deliver: Deliver, tell: Tell) -> None:
        self.capacity, self.options, self.boot = Capacity(links=options.links, window=1), options, boot
        self.say, self.transport, self.deliver, self.tell = say, transport, deliver, tell
        self.me = blank(Node, self.capacity)
        settings = self.me.settings
        rules.default_settings(settings)
        settings.hello, settings.lease = round(options.hello * k.SECOND), round(options.lease * k.SECOND)
        settings.links, settings.depth, settings.frame = options.links, options.depth, ROOM - 64
        settings.id_bytes, settings.position_bytes = ID_BYTES, POSITION_BYTES
        settings.shortcuts = k.SHORTCUTS.index(options.shortcuts)
        rules.start(self.me, id, now)
        rules.go_on_from(self.me, options.beat)
        self.hello, self.sub = blank(Hello, self.capacity), blank(Sub, self.capacity)
        self.outcome = blank(Outcome, self.capacity)
        self.outbox, self.window, self.number, self.born = Outbox(), Window(), 0, now
        self.names: dict[int, set[str]] = {}        # of channels that are wanted, by hash
        self.ended = False
        self.parent, self.ring, self.near = self.me.parent, self.me.ring, frozenset[int]()

    # --- time

    def next_due(self, now: int) -> int:
        due = rules.next_due(self.me, now)
        for other in (self.transport.next_due(), self.outbox.look_at):
            if other is not None and other < due:
                due = other
        return max(due, now)

    def wake(self, now: int) -> None:
        """Do all that is due."""
        if rules.next_due(self.me, now) <= now:
            said = rules.wake(self.me, now, self.hello)
            if said & rules.SAY_HELLO:
                self.say(wire.encode_hello(self.hello, ID_BYTES, POSITION_BYTES))
                self.transport.forget(now - max(SILENT, PERIODS * self.me.settings.hello), now)
            if said & rules.SAY_SUB:
                self.say_subs(now)
            self.changes()
        self.transport.retry(now)
        if self.outbox.look_at is not None and self.outbox.look_at <= now:
            self.look(now)

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
            self.outbox.ring_is_gone()
            self.tell("ring changed")

    # --- subscriptions

    def subscribe(self, channel: str, now: int) -> bool:
        """False if there is no room for one more."""
        hashed = channel_hash(channel)
        if hashed not in self.names and len(self.names) >= self.options.channels:
            return False
        while not rules.subscribe(self.me, now, hashed):
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
            rules.unsubscribe(self.me, now, hashed)

    def say_subs(self, now: int) -> None:
        part = 0
        while True:
            part = rules.write_sub(self.me, now, part, self.sub)
            if self.sub.channels > 0:
                self.send_sub(self.sub, now)
            if part == 0:
                return

    def send_sub(self, sub: Sub, now: int) -> None:
        """To all tree neighbours but the one from whom it came."""
        me, frame, ring = self.me, wire.encode_sub(sub, ID_BYTES, POSITION_BYTES), self.me.ring
        for link in me.link:
            if is_tree(me, link) and link.id != sub.back:
                self.transport.send_sub(link.id, frame, now, lambda: me.ring == ring)

    # --- frames

    def hear_hello(self, sender: int, frame: bytes, now: int) -> None:
        hello = wire.decode(frame, self.capacity)
        if isinstance(hello, Hello) and hello.src == sender:
            rules.hear_hello(self.me, now, hello)
            self.changes()

    def keeps(self, id: int) -> bool:
        """It is a neighbour whose frames may be taken."""
        return place_of(self.me, id) != NONE

    def take(self, sender: int, frame: bytes, now: int) -> int:
        """A SUB or PUB: TAKEN, or EARLY or FULL, and it should come again."""
        read = wire.decode(frame, self.capacity)
        if isinstance(read, Sub) and read.src == sender and len(frame) <= ROOM:
            return self.take_sub(read, now)     # a longer one is no honest node's, and would keep this one busy
        if isinstance(read, tuple) and read[0].src == sender:
            return self.take_pub(*read, now)
        return TAKEN                # of no use, also a second time

    def take_sub(self, sub: Sub, now: int) -> int:
        reason = hear_sub(self.me, now, sub, self.sub, self.capacity, self.options.channels)
        if self.sub.channels > 0:
            self.send_sub(self.sub, now)
        return EARLY if reason in TOO_EARLY else TAKEN

    def take_pub(self, pub: Pub, data: bytes, now: int) -> int:
        name = name_of(data)
        if name is None or channel_hash(name) != pub.channel:
            return TAKEN
        if self.is_busy(QUEUE):
            return FULL
        rules.hear_pub(self.me, now, pub, self.outcome)
        if self.outcome.reason in TOO_EARLY:
            return EARLY
        self.tell("received", peer=pub.src, pub=pub, channel=name)
        self.after(pub, name, data, now)
        return TAKEN

    def is_busy(self, most: int = OWN) -> bool:
        """There is so much on its way that no more is taken on.  What comes from others is for longer: two that have
        much to say to each other must not both wait.
        """
        return any(self.transport.is_full(link.id, most) for link in self.me.link if link.id != k.NOBODY)

    # --- publications

    def publish(self, channel: str, payload: bytes, now: int) -> int:
        """The number of the publication."""
        self.number += 1
        own = Own(blank(Pub, self.capacity), channel, pack(channel, payload), now)
        own.pub.origin, own.pub.boot, own.pub.number = self.me.id, self.boot, self.number
        own.pub.channel, own.pub.load = channel_hash(channel), len(payload)
        self.tell("published", pub=own.pub, channel=channel)
        if rules.should_wait(self.me):
            self.outbox.wait(own, now)
        else:
            self.let_out(own, now)
        return self.number

    def let_out(self, own: Own, now: int) -> None:
        pub = own.pub
        own.doubted = rules.in_doubt(self.me, pub.channel)
        rules.publish(self.me, now, pub.channel, pub.boot, pub.number, pub.load, pub, self.outcome)
        self.after(pub, own.channel, aged(own.data, now - own.made), now)
        if rules.may_repeat(self.me):
            self.outbox.keep(own, now)

    def look(self, now: int) -> None:
        """Send what has waited for a ring, and repeat what may have been lost with one."""
        for own in self.outbox.ready(self.me, now):
            self.let_out(own, now)
        for own in self.outbox.to_repeat(self.me, now):
            self.outbox.repeated(own, rules.in_doubt(self.me, own.pub.channel))
            rules.repeat(self.me, now, own.pub, self.outcome)
            self.after(own.pub, own.channel, aged(own.data, now - own.made), now)
        self.outbox.plan(now)

    def end(self, now: int) -> None:
        """The node stops: what has not left it by now is dropped."""
        while self.outbox.waiting:
            own = self.outbox.waiting.popleft()
            self.tell("dropped", pub=own.pub, channel=own.channel, reason=k.REASONS[k.NO_RING])
        self.ended = True
        for id in list(self.transport.peers):
            self.transport.leave(id, now)
        self.transport.retry(now)               # what was for nobody that is known

    def after(self, pub: Pub, name: str, data: bytes, now: int) -> None:
        """Deliver, report and send on, as the outcome says."""
        out = self.outcome
        if out.deliver == 1 and self.is_new(pub, data, now):
            self.deliver(name, payload_of(data), pub)
        if out.reason != k.FINE:
            self.tell("dropped", peer=pub.src, pub=pub, channel=name, reason=k.REASONS[out.reason])
        for i in range(out.sends):
            self.forward(pub, data, name, out.send[i], now, False)

    def is_new(self, pub: Pub, data: bytes, now: int) -> bool:
        """It was not here before; what was made before this start may have been."""
        if now - age_of(data) < self.born:
            self.window.repeated += 1
            return False
        return self.window.is_new((pub.origin, pub.boot, pub.number), pub.again == 1, now)

    def forward(self, pub: Pub, data: bytes, name: str, send: Any, now: int, detoured: bool) -> None:
        """One frame of an outcome; if its link fails, the second best, once."""
        me, on = self.me, Pub()
        publication.carry(me, pub, send, on)
        to, at, ring = send.to, send.at, on.ring
        self.tell("sent", peer=to, pub=on, channel=name, at=at)

        def done(good: bool, now: int) -> None:
            if not good:
                self.failed(on, data, name, at, to, detoured, now)

        self.transport.send(to, wire.encode_pub(on, data, ID_BYTES, POSITION_BYTES), now, done,
                            lambda: me.ring == ring)

    def failed(self, pub: Pub, data: bytes, name: str, at: int, avoid: int, detoured: bool,
               now: int) -> None:
        self.outcome.sends = 0
        if not detoured and not self.ended:
            publication.detour(self.me, now, pub, at, avoid, self.outcome)
        if self.outcome.sends == 0:
            self.tell("dropped", peer=avoid, pub=pub, channel=name, reason=k.LINK_FAILED)
            return
        pub.hops -= 1               # `carry` counts the hop again
        for i in range(self.outcome.sends):
            self.forward(pub, data, name, self.outcome.send[i], now, True)
