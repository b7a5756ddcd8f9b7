"""What applications of this node publish: handed over here, sent out, kept, sent again, and at last forgotten."""

from collections.abc import Container

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import publication
from psvr.protocol.links import two_way
from psvr.protocol.names import channel_hash
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Pub

from .forwarding import Forwarding
from .losses import ALONE, NOT_FILLED, NOT_KEPT, Loss
from .naming import aged, pack
from .outbox import Outbox, Own
from .transport import OWN


class Publishing:
    def __init__(self, me: Node, boot: int, forwarding: Forwarding, wanted: Container[int]) -> None:
        """`wanted`: channels that applications of this node want, as hashes."""
        self.me, self.boot, self.forwarding, self.wanted, self.number = me, boot, forwarding, wanted, 0
        self.outcome, self.losses = forwarding.outcome, forwarding.losses
        self.outbox = Outbox(self.evicted)
        self.met = False                            # it has had a neighbour

    def begin(self, channel: str, payload: bytes, now: int) -> Own:
        """Number it, and hand it to applications of this node: they wait for nobody else."""
        self.number += 1
        pub = Pub()
        publication.start(self.me, channel_hash(channel), self.boot, self.number, len(payload), pub)
        own = Own(pub, channel, pack(channel, payload), now)
        self.forwarding.tell("published", pub=pub, channel=channel)
        if pub.channel in self.wanted:
            own.here = True
            self.forwarding.hand_over(pub, channel, own.data, now)
        return own

    def waits_for(self, own: Own) -> int | None:
        """A neighbour to whom it would go, and for whom too much waits already; NOBODY: the outbox is full.

        Of what comes from others more may wait: two that have much to say to each other must not both wait.
        """
        if self.outbox.is_full(self.me):
            return k.NOBODY
        full = self.forwarding.transport.full(OWN)
        if not full or rules.should_wait(self.me):
            return None
        pub = own.pub
        publication.start(self.me, pub.channel, pub.boot, pub.number, pub.load, pub)
        return self.forwarding.needed(pub, full)

    def has_room(self, at: int) -> bool:
        """There is nothing to wait for any more where a publication has waited."""
        return not (self.outbox.is_full(self.me) if at == k.NOBODY else self.forwarding.transport.is_full(at, OWN))

    def go(self, own: Own, now: int) -> None:
        """Send it out, or let it wait for a ring."""
        own.made = now
        if self.forwarding.ended:
            self.give_up(own, k.LINK_FAILED, now)
        elif rules.should_wait(self.me):
            self.outbox.wait(own, now)
        else:
            self.let_out(own, now)

    def let_out(self, own: Own, now: int) -> None:
        me, pub = self.me, own.pub
        own.doubted = rules.in_doubt(me, pub.channel)
        rules.publish(me, now, pub.channel, pub.boot, pub.number, pub.load, pub, self.outcome)
        self.send(own, now)
        if self.outcome.reason != k.FINE and now - own.made >= k.KEEP:
            self.give_up(own, k.REASONS[self.outcome.reason], now)
        elif pub.cur == NONE and (self.met or not own.here):        # there is no ring
            near = any(two_way(link) for link in me.link)
            self.losses.note(Loss(pub, own.channel, k.REASONS[k.NO_RING] if near else ALONE, None, now), now)
        if rules.may_repeat(me):
            self.outbox.keep(own, now)

    def send(self, own: Own, now: int) -> None:
        own.early, own.sent = own.doubted and rules.is_filling(self.me), self.outcome.sends > 0
        self.forwarding.send_on(own.pub, own.channel, aged(own.data, now - own.made), now)

    def look(self, now: int) -> None:
        """Repeat what may have been lost with a ring, and then send what has waited for one."""
        for own in self.outbox.too_old(now):
            self.forget(own, now)
        for own in self.outbox.to_repeat(self.me):
            self.outbox.repeated(own, rules.in_doubt(self.me, own.pub.channel))
            self.repeat(own, now)
        for own in self.outbox.ready(self.me, now):
            self.let_out(own, now)
        self.outbox.plan(now)

    def repeat(self, own: Own, now: int) -> None:
        rules.repeat(self.me, now, own.pub, self.outcome)
        if self.outcome.sends > 0:
            self.losses.again(own.pub, now)
        self.send(own, now)

    # --- the end of it

    def forget(self, own: Own, now: int) -> None:
        """It is not sent again.  Where there is no subscriber on a settled ring, nothing is lost."""
        me = self.me
        settled = not self.is_gone(own) and not rules.is_filling(me)
        if own.early and not own.sent and not (settled and rules.in_doubt(me, own.pub.channel)):
            self.give_up(own, NOT_FILLED, now)

    def evicted(self, own: Own, now: int) -> None:
        """It has to make room for others."""
        me = self.me
        if not own.doubted and not self.is_gone(own):
            return
        if rules.should_repeat(me, own.pub, own.doubted):
            self.repeat(own, now)           # its turn comes a little early
            return
        alone = me.root == me.id and me.size == 1
        if not alone and (rules.is_filling(me) or self.is_gone(own)):
            self.give_up(own, NOT_KEPT, now)
        else:
            self.forget(own, now)

    def is_gone(self, own: Own) -> bool:
        """The ring on which it was sent."""
        return own.pub.ring != self.me.ring or own.pub.ring == NONE

    def give_up(self, own: Own, reason: str, now: int) -> None:
        self.losses.give_up(Loss(own.pub, own.channel, reason, None, now))

    def end(self, now: int) -> None:
        """The node stops."""
        while self.outbox.waiting:
            self.give_up(self.outbox.waiting.popleft(), k.REASONS[k.NO_RING], now)
        for own in self.outbox.kept:
            self.forget(own, now)
