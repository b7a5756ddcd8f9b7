"""A node of the protocol and what is around it: frames in, frames out.

No socket and no clock: time is handed in, in µs.  Everything here runs to its end at once; nothing is awaited.
"""

from collections.abc import Callable
from dataclasses import dataclass

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import wire
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import sender as place_of
from psvr.protocol.links import two_way
from psvr.protocol.names import channel_hash
from psvr.protocol.positions import NONE
from psvr.protocol.records import Hello, Node, Pub, Sub
from psvr.protocol.tree import is_tree

from .forwarding import ID_BYTES, POSITION_BYTES, Deliver, Forwarding, Tell
from .growing import grow, hear_sub
from .naming import name_of, payload_length
from .peer import EARLY, FULL, TAKEN
from .publishing import Publishing
from .transport import QUEUE, ROOM, Transport

TOO_EARLY = (k.NOT_A_LINK, k.NOT_IN_TREE, k.NO_RING, k.OTHER_RING, k.NOT_MY_POSITION)   # it may fit a moment later
SILENT, PERIODS = 60 * k.SECOND, 16     # a neighbour that said nothing for both, µs and HELLO periods, is forgotten


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
        self.say, self.transport, self.tell = say, transport, tell
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
        self.forwarding = on = Forwarding(self.me, self.capacity, now, transport, deliver, tell)
        self.outcome, self.window, self.losses = on.outcome, on.window, on.losses
        self.names: dict[int, set[str]] = {}        # of channels that are wanted, by hash
        self.publishing = Publishing(self.me, boot, on, self.names)
        self.outbox = self.publishing.outbox
        self.parent, self.ring, self.near = self.me.parent, self.me.ring, frozenset[int]()

    # --- time

    def next_due(self, now: int) -> int:
        due = rules.next_due(self.me, now)
        for other in (self.transport.next_due(), self.outbox.look_at, self.losses.next_due()):
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
            self.publishing.look(now)
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
            self.near, self.publishing.met = near, True
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
        name, on = name_of(data), self.forwarding
        if name is None or channel_hash(name) != pub.channel:
            return TAKEN
        pub.load = payload_length(data)
        full = self.transport.full(QUEUE)
        if full and pub.hops > 0 and on.needed(pub, full) is not None:
            if pub.channel in self.names and not on.was_here(pub):
                on.hand_over(pub, name, data, now)      # applications of this node do not wait for others
            return FULL
        rules.hear_pub(self.me, now, pub, self.outcome)
        if self.outcome.reason in TOO_EARLY:
            return EARLY
        self.tell("received", peer=pub.src, pub=pub, channel=name)
        if self.outcome.deliver == 1:
            on.hand_over(pub, name, data, now)
        if pub.again == 1 and self.outcome.reason == k.FINE:
            self.losses.again(pub, now)
        on.send_on(pub, name, data, now)
        return TAKEN

    # --- publications

    def publish(self, channel: str, payload: bytes, now: int) -> int:
        """The number of the publication, which waits for nothing."""
        own = self.publishing.begin(channel, payload, now)
        self.publishing.go(own, now)
        return own.pub.number

    def end(self, now: int) -> None:
        """The node stops: what has not left it by now is dropped."""
        self.forwarding.ended = True
        for id in list(self.transport.peers):
            self.transport.leave(id, now)
        self.transport.retry(now)               # what was for nobody that is known
        self.publishing.end(now)
        self.losses.end()
