"""A second implementation of the simulator, small and slow: plain objects, a heap from the library, nothing compiled.

It shares nothing with the engine but the rules of the protocol, which it runs uncompiled.  Both must go through the
same states and write the same trace, event by event.
"""

import heapq
from collections.abc import Callable
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import host as rules
from psvr.protocol import node
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.numbers import mix, spread
from psvr.protocol.pubsub import subscription
from psvr.protocol.records import Hello, Pub, Sub
from psvr.protocol.wire.lengths import hello_length, pub_length, sub_length
from psvr.trace.columns import FRAMES

from .hosts import Frame, Host, Message
from .notes import Notes

PREAMBLE = 6  # bytes on the air before a frame
REACTION = 1_000, 5_000  # µs that a node takes to react, at least and at most


class Reference(Notes):
    """A network of hosts on a medium, and the queue of its events."""

    kinds = (
        "wake",
        "end_hello",
        "send_sub",
        "end_sub",
        "end_pub",
        "source",
        "ready",
        "sense",
        "start",
        "finish",
        "answer",
        "late",
        "burst",
        "quiet",
    )  # of events, by the methods that process them

    def __init__(
        self,
        ids: list[int],
        reach: list[list[int]],
        hashes: list[int],
        capacity: Capacity,
        *,
        loss: int = 0,
        loss_key: int = 0,
        ack_key: int = 0,
        retries: int = 3,
        bitrate: int = 250_000,
        level: str = "all",
        held: int = 64,
        names: int = 64,
    ) -> None:
        super().__init__(ids, level)
        self.hashes, self.capacity = hashes, capacity
        self.loss, self.loss_key, self.ack_key = loss, loss_key, ack_key
        self.retries, self.bitrate = retries, bitrate
        self.hosts = [Host(v, capacity, held, names) for v in range(len(ids))]
        for host, others in zip(self.hosts, reach):
            host.reach = sorted(others)
        self.cut: set[tuple[int, int]] = set()
        self.queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self.order = self.serial = 0
        self.deliveries: list[tuple[int, int, int, int]] = []

    # --- time

    def at(self, time: int, action: Callable[..., None], *arguments: Any) -> None:
        """Schedule an action, which is called with the time and these arguments."""
        self.order += 1
        heapq.heappush(self.queue, (time, self.order, action, arguments))

    def step(self) -> int:
        """Process the next event; returns its time."""
        time, _, action, arguments = heapq.heappop(self.queue)
        self.stamp(time, self.kinds.index(action.__name__), arguments[0])
        action(time, *arguments)
        return time

    def advance(self, until: int) -> None:
        """Process all events before `until`."""
        while self.queue and self.queue[0][0] < until:
            self.step()

    # --- frames

    def launch(self, ready: int, host: Host, message: Message, action: Callable[..., None], *more: Any) -> None:
        """Pass a frame to the medium; `action` is called when it ends."""
        airtime = (PREAMBLE + self.length_of(host, message)) * 8 * 1_000_000 // self.bitrate
        host.free_at = max(host.free_at, ready) + airtime
        self.at(host.free_at, action, host, *more)

    def length_of(self, host: Host, message: Message) -> int:
        widths = host.node.settings.id_bytes, host.node.settings.position_bytes
        if isinstance(message, Hello):
            return hello_length(message, *widths)
        return sub_length(message, *widths) if isinstance(message, Sub) else pub_length(message, *widths)

    def is_lost(self, key: int, serial: int, v: int) -> bool:
        return self.loss > 0 and (mix(mix(key, serial), v) & 0x7FFFFFFF) < self.loss

    def arrives(self, v: int, u: int, serial: int) -> bool:
        other = self.hosts[u]
        if (v, u) in self.cut or not other.alive or other.jammed:
            return False
        return not self.is_lost(self.loss_key, serial, u)

    def react_at(self, v: int, now: int) -> int:
        """The time at which a node has reacted to what it hears now."""
        return now + spread(self.ids[v], now, 6, *REACTION)

    def schedule(self, host: Host, now: int) -> None:
        """Schedule the next time that a host is due; an earlier time replaces a later one."""
        due = rules.next_due(host.body, now + host.offset) - host.offset
        if host.wake_at < now or due < host.wake_at:
            host.wake_at = max(due, now)
            self.at(host.wake_at, self.wake, host)

    def end_frame(self, now: int, host: Host, frame: Frame) -> None:
        """A SUB or PUB has been sent: all in reach hear it, or its addressee, which acknowledges what it accepts."""
        self.serial += 1
        serial = self.serial
        if frame.to < 0:
            for u in host.reach:
                if self.arrives(host.index, u, serial):
                    self.hear(now, self.hosts[u], frame)
            self.complete(now, host, frame, True)
            return
        heard = frame.to in host.reach and self.arrives(host.index, frame.to, serial)
        if heard and not frame.got:
            frame.got = self.hear(now, self.hosts[frame.to], frame)
        if heard and frame.got and not host.jammed and not self.is_lost(self.ack_key, serial, host.index):
            self.complete(now, host, frame, True)
        elif frame.tries <= self.retries:
            self.transmit(self.react_at(host.index, now), host, frame)
        else:
            self.complete(now, host, frame, False)

    def transmit(self, ready: int, host: Host, frame: Frame) -> None:
        frame.tries += 1
        end = self.end_sub if isinstance(frame.message, Sub) else self.end_pub
        self.launch(ready, host, frame.message, end, frame)

    def hear(self, now: int, host: Host, frame: Frame) -> bool:
        """Let a host hear a frame; returns whether it accepts it."""
        if isinstance(frame.message, Sub):
            return self.hear_sub(now, host, frame.message)
        return self.hear_pub(now, host, frame.message, frame)

    def complete(self, now: int, host: Host, frame: Frame, good: bool) -> None:
        """A frame was sent, and acknowledged if it has an addressee; or it failed."""
        if isinstance(frame.message, Sub):
            if frame.copies > 1:
                self.at(now + k.SUB_COPY_GAP, self.send_sub, host, frame.message, frame.to, frame.copies - 1)
            return
        host.flights.pop(frame.slot, None)
        end = rules.acknowledged if good else rules.failed
        end(host.body, now + host.offset, frame.slot)
        self.drain(now, host)
        self.schedule(host, now)

    # --- nodes

    def boot(self, now: int, v: int, offset: int) -> None:
        host = self.hosts[v]
        host.alive, host.offset, host.wake_at, host.flights = True, offset, -1, {}
        node.start(host.node, self.ids[v], now + offset)
        node.resume_from(host.node, now // host.node.settings.hello)
        held, names = host.tables(len(host.body.held), len(host.body.names))
        body = host.body
        host.body = rules.Body(body.me, body.host, held, names, body.out, body.outcome)
        rules.start(host.body, now + offset, host.body.host.boot + 1)
        self.schedule(host, now)

    def crash(self, now: int, v: int) -> None:
        self.hosts[v].alive = False

    def wake(self, now: int, host: Host) -> None:
        if not host.alive or host.wake_at != now:
            return
        host.wake_at = -1
        said = rules.wake(host.body, now + host.offset, host.hello)
        if said & node.SAY_HELLO:
            host.hellos += 1
            self.note(now, "sent", host.index, "control", detail=FRAMES.index("HELLO"))
            self.launch(now, host, host.hello, self.end_hello, host.hellos)
        if said & node.SAY_SUB:
            self.say_subs(now, host)
        self.drain(now, host)
        self.note_changes(host, now)
        self.note_table(host, now)
        self.schedule(host, now)

    def end_hello(self, now: int, host: Host, number: int) -> None:
        if not host.alive or host.hellos != number:
            return
        self.serial += 1
        serial = self.serial
        for u in host.reach:
            if self.arrives(host.index, u, serial):
                self.hear_hello(now, self.hosts[u], self.ids[host.index], host.hello)

    def hear_hello(self, now: int, host: Host, sender: int, hello: Hello) -> None:
        self.receptions += 1
        self.note(now, "received", host.index, "all", peer=sender, detail=FRAMES.index("HELLO"))
        rules.hear_hello(host.body, now + host.offset, hello)
        self.note_changes(host, now)
        self.schedule(host, now)

    # --- subscriptions

    def say_subs(self, now: int, host: Host) -> None:
        part = 0
        while True:
            sub = blank(Sub, self.capacity)
            part = node.write_sub(host.node, now + host.offset, part, sub)
            if sub.channels or sub.to != k.NOBODY:
                self.spread_sub(now, host, sub)
            if part == 0:
                return

    def spread_sub(self, ready: int, host: Host, sub: Sub) -> None:
        """Send a SUB to each tree neighbour except the one it came from, or broadcast it."""
        me = host.node
        if not me.settings.sub_acks:
            self.send_sub(ready, host, sub, -1, subscription.copies(me, sub))
            return
        for link in me.link:
            if subscription.is_for(me, link, sub):
                self.send_sub(ready, host, sub, self.ids.index(link.id), 1)

    def send_sub(self, ready: int, host: Host, sub: Sub, to: int, copies: int) -> None:
        peer = sub.to if to < 0 else self.ids[to]
        self.note(ready, "sent", host.index, "control", peer=peer, detail=FRAMES.index("SUB"))
        self.transmit(ready, host, Frame(sub, to, copies=copies))

    def end_sub(self, now: int, host: Host, frame: Frame) -> None:
        if host.alive:
            self.end_frame(now, host, frame)

    def hear_sub(self, now: int, host: Host, sub: Sub) -> bool:
        out = blank(Sub, self.capacity)
        self.receptions += 1
        reason = rules.hear_sub(host.body, now + host.offset, sub, out)
        self.note(now, "received", host.index, "all", peer=sub.src, reason=reason or -1, detail=FRAMES.index("SUB"))
        self.note_table(host, now)
        if out.channels:
            self.spread_sub(self.react_at(host.index, now), host, out)
        self.schedule(host, now)
        return not rules.is_early_sub(reason)

    # --- publications

    def publish(self, now: int, v: int, channel: int, load: int) -> None:
        host, pub, which = self.hosts[v], blank(Pub, self.capacity), len(self.publications)
        self.publications.append({"time": now, "node": v, "channel": channel, "messages": 0, "receptions": 0})
        pub.number = rules.publish(host.body, now + host.offset, self.hashes[channel], load, which)
        pub.origin, pub.boot, pub.load = self.ids[v], host.body.host.boot, load
        pub.src = pub.cur = pub.ep = pub.ring = -1
        self.note_pub(now, "published", v, -1, pub, which)
        self.drain(now, host, pub, which)
        self.schedule(host, now)

    def source(self, now: int, v: int, channel: int, load: int, period: int, stop: int) -> None:
        if self.hosts[v].alive:
            self.publish(now, v, channel, load)
        if now + period < stop:
            self.at(now + period, self.source, v, channel, load, period, stop)

    def drain(self, now: int, host: Host, heard: Pub | None = None, which: int = -1) -> None:
        """Carry out what the rules asked for."""
        v, body = host.index, host.body
        for e in body.out.effect[: body.out.count]:
            held = body.held[e.slot] if e.slot >= 0 else None
            pub, about = (held.pub, held.handle) if held else (heard, which)
            assert pub is not None
            if e.kind == rules.SEND:
                assert held is not None
                self.publications[about]["messages"] += 1
                self.note_pub(now, "sent", v, held.to, pub, about, at=held.start)
                to = -1 if held.to == k.NOBODY else self.ids.index(held.to)
                frame = host.flights[e.slot] = Frame(pub, to, held, e.slot, about)
                host.pubs = (host.pubs + 1) & 0xFFFF
                self.transmit(now + spread(self.ids[v], now + host.pubs, 6, *REACTION), host, frame)
            elif e.kind == rules.DELIVER:
                self.deliveries.append((now, about, v, pub.hops))
                self.note_pub(now, "delivered", v, pub.src, pub, about)
            elif e.kind == rules.DROPPED:
                self.note_pub(
                    now,
                    "dropped",
                    v,
                    held.to if held else pub.src,
                    pub,
                    about,
                    at=held.start if held else -1,
                    reason=e.reason,
                )
        rules.drained(body)

    def end_pub(self, now: int, host: Host, frame: Frame) -> None:
        if host.alive and host.flights.get(frame.slot) is frame:
            self.end_frame(now, host, frame)

    def hear_pub(self, now: int, host: Host, pub: Pub, frame: Frame) -> bool:
        u, which = host.index, frame.which
        self.receptions += 1
        self.publications[which]["receptions"] += 1
        assert frame.held is not None
        at = frame.held.start
        verdict = rules.hear_pub(host.body, now + host.offset, pub, which)
        if verdict == rules.TAKEN:
            self.note_pub(now, "received", u, pub.src, pub, which, at=at)
        self.drain(now, host, pub, which)
        self.schedule(host, now)
        return bool(verdict == rules.TAKEN)
