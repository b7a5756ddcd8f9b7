"""PUBs on their way through a node: handed to applications, sent on, sent another way, given up."""

from collections.abc import Callable
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import psvr, publication, wire
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Node, Outcome, Pub

from .losses import Loss, Losses
from .naming import age_of, payload_of
from .transport import Transport
from .window import Window

ID_BYTES, POSITION_BYTES = 8, 4

Tell = Callable[..., None]
Deliver = Callable[[str, bytes, Pub], None]


class Forwarding:
    def __init__(self, me: Node, capacity: Capacity, born: int, transport: Transport, deliver: Deliver,
                 tell: Tell) -> None:
        self.me, self.born, self.transport, self.deliver, self.tell = me, born, transport, deliver, tell
        self.outcome, self.foreseen = blank(Outcome, capacity), blank(Outcome, capacity)
        self.window, self.losses, self.ended = Window(), Losses(self.lost), False

    def needed(self, pub: Pub, full: list[int]) -> int | None:
        """One of these neighbours to which this PUB would go from here; the others need not be waited for."""
        out = self.foreseen
        out.sends = 0
        if publication.stopped(self.me, pub) == k.FINE:
            psvr.forward(self.me, pub, out)
        return next((out.send[i].to for i in range(out.sends) if out.send[i].to in full), None)

    def was_here(self, pub: Pub) -> bool:
        return (pub.origin, pub.boot, pub.number) in self.window.seen

    def hand_over(self, pub: Pub, name: str, data: bytes, now: int) -> None:
        """To applications, unless it was here before; what was made before this start may have been."""
        if now - age_of(data) < self.born:
            self.window.repeated += 1
        elif self.window.is_new((pub.origin, pub.boot, pub.number), pub.again == 1, now):
            self.deliver(name, payload_of(data), pub)

    def send_on(self, pub: Pub, name: str, data: bytes, now: int) -> None:
        """As the outcome says."""
        out = self.outcome
        if out.reason != k.FINE:
            self.losses.note(Loss(pub, name, k.REASONS[out.reason], pub.src, now), now)
        for i in range(out.sends):
            self.send(pub, name, data, out.send[i], now, now, False)

    def send(self, pub: Pub, name: str, data: bytes, send: Any, begun: int, now: int, detoured: bool) -> None:
        """One frame of an outcome; if its link fails, the second best, once."""
        me, on = self.me, Pub()
        publication.carry(me, pub, send, on)
        to, at, ring = send.to, send.at, on.ring
        self.tell("sent", peer=to, pub=on, channel=name, at=at)

        def done(good: bool, now: int) -> None:
            if not good:
                self.failed(on, name, data, at, to, begun, now, detoured)

        self.transport.send(to, wire.encode_pub(on, data, ID_BYTES, POSITION_BYTES), now, done,
                            lambda: me.ring == ring)

    def failed(self, pub: Pub, name: str, data: bytes, at: int, avoid: int, begun: int, now: int,
               detoured: bool) -> None:
        """On another ring its positions mean nothing."""
        same = pub.ring == self.me.ring
        self.outcome.sends = 0
        if same and not detoured and not self.ended:
            publication.detour(self.me, now, pub, at, avoid, self.outcome)
        if self.outcome.sends == 0:
            reason = k.LINK_FAILED if same else k.REASONS[k.OTHER_RING]
            self.losses.note(Loss(pub, name, reason, avoid, now), begun)
            return
        pub.hops -= 1               # `carry` counts the hop again
        for i in range(self.outcome.sends):
            self.send(pub, name, data, self.outcome.send[i], begun, now, True)

    def lost(self, loss: Loss) -> None:
        self.tell("dropped", peer=loss.peer, pub=loss.pub, channel=loss.channel, reason=loss.reason)
