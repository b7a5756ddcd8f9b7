"""The same simulation once more, small and slow: plain objects, a heap from the library, nothing compiled.

It shares with the engine the rules of the protocol, uncompiled, and the constants of the medium, and no other code.
Both must go through the same states and write the same trace, event by event.
"""

import heapq
from collections.abc import Callable
from typing import Any, TypeAlias

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol.layout import Capacity, blank, restore, snapshot
from psvr.protocol.numbers import mix, spread
from psvr.protocol.publication import carry, detour
from psvr.protocol.records import Hello, Node, Outcome, Pub, Sub
from psvr.protocol.wire_length import hello_length, pub_length, sub_length

PREAMBLE, WORK = 6, (1_000, 5_000)
LOOK, KEPT_LOOK = 250_000, 1_000_000            # µs between two looks at publications that wait, or are kept
ROUNDS, ROUND_PAUSE = 2, 1_000_000              # tries of a frame that failed
TOGETHER = 8                                    # names that fall together are remembered
MOST_KINDS = 16                                 # of events, in the fingerprint
NO_FRAME = {"HELLO": 1, "SUB": 3}               # what stands in the trace's detail for a frame's kind
LEVELS = ("off", "pub", "control", "all")
Message: TypeAlias = Hello | Sub | Pub


class Host:
    """A node, and what is around it."""

    def __init__(self, index: int, capacity: Capacity) -> None:
        self.index, self.node, self.hello = index, blank(Node, capacity), blank(Hello, capacity)
        self.wake_at, self.offset, self.free_at, self.born = -1, 0, 0, 0
        self.alive, self.jammed, self.boot, self.number, self.hellos = False, 0, 0, 0, 0
        self.waiting, self.kept, self.starts, self.rings = 0, 0, 0, 0
        self.parent = self.ring = self.table = 0
        self.reach: list[int] = []
        self.handed: dict[int, list[tuple[int, tuple[int, int, int]]]] = {}


class Reference:
    kinds = ("wake", "end_hello", "send_sub", "end_sub", "end_pub", "source", "ready", "sense", "start", "finish",
             "answer", "late", "burst", "quiet", "waited", "again")     # events, by who serves them

    def __init__(self, ids: list[int], reach: list[list[int]], hashes: list[int], capacity: Capacity, *, loss: int = 0,
                 loss_key: int = 0, ack_key: int = 0, retries: int = 3, bitrate: int = 250_000,
                 level: str = "all", places: int = 64) -> None:
        self.ids, self.hashes, self.capacity = ids, hashes, capacity
        self.loss, self.loss_key, self.ack_key = loss, loss_key, ack_key
        self.places = places            # for names of what was handed over, per host
        self.retries, self.bitrate, self.level = retries, bitrate, LEVELS.index(level)
        self.hosts = [Host(v, capacity) for v in range(len(ids))]
        for host, others in zip(self.hosts, reach):
            host.reach = sorted(others)
        self.cut: set[tuple[int, int]] = set()
        self.queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self.order = self.serial = self.print_a = self.print_b = self.receptions = 0
        self.rows: list[dict[str, int]] = []
        self.publications: list[dict[str, int]] = []
        self.deliveries: list[tuple[int, int, int, int]] = []

    # --- time

    def at(self, time: int, action: Callable[..., None], *arguments: Any) -> None:
        self.order += 1
        heapq.heappush(self.queue, (time, self.order, action, arguments))

    def step(self) -> int:
        """Serve the next event; its time."""
        time, _, action, arguments = heapq.heappop(self.queue)
        self.stamp(time, self.kinds.index(action.__name__), arguments[0])
        action(time, *arguments)
        return time

    def stamp(self, time: int, kind: int, who: "Host | int") -> None:
        """Let an event leave its mark in the fingerprint."""
        v = who.index if isinstance(who, Host) else who
        self.print_a = mix(mix(self.print_a, time), MOST_KINDS * v + kind)
        self.print_b = mix(self.print_b, self.print_a + self.receptions)

    def fingerprint(self) -> str:
        return f"{self.print_a:08x}{self.print_b:08x}"

    def advance(self, until: int) -> None:
        while self.queue and self.queue[0][0] < until:
            self.step()

    # --- the trace

    def note(self, now: int, event: str, v: int, at_least: str, peer: int = -1, reason: int = -1, detail: int = -1,
             **more: int) -> None:
        if self.level >= LEVELS.index(at_least):
            self.rows.append({"time": now, "node": self.ids[v], "event": EVENTS.index(event), "peer": peer,
                              "reason": reason, "detail": detail, **more})

    def note_pub(self, now: int, event: str, v: int, peer: int, pub: Pub, which: int, at: int = -1,
                 reason: int = -1) -> None:
        self.note(now, event, v, "pub", peer, reason, channel=self.publications[which]["channel"], origin=pub.origin,
                  boot=pub.boot, sequence=pub.number, from_=at, to=pub.cur, ep=pub.ep, hops=pub.hops, bytes=pub.load)

    def note_changes(self, host: Host, now: int) -> None:
        me, v = host.node, host.index
        if self.level >= 2 and me.parent != host.parent:
            host.parent = me.parent
            self.note(now, "parent changed", v, "control", peer=me.parent, detail=me.root)
        if me.ring != host.ring:
            host.ring = me.ring
            host.rings += 1
            self.note(now, "ring changed", v, "control", detail=me.ring)

    def note_table(self, host: Host, now: int) -> None:
        me, h = host.node, 0
        for channel, row in zip(me.channel, me.row):
            if channel != k.NO_CHANNEL:
                h = mix(h, channel)
                for entry in row.entry:
                    h = mix(h, entry.ns)
        if self.level >= 2 and h != host.table:
            host.table = h
            self.note(now, "table changed", host.index, "control", detail=h)

    # --- frames

    def launch(self, ready: int, host: Host, message: Message, action: Callable[..., None], *more: Any) -> None:
        """Hand a frame over to the medium; `action` is what its end does."""
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

    def work(self, v: int, now: int) -> int:
        return now + spread(self.ids[v], now, 6, *WORK)

    def schedule(self, host: Host, now: int) -> None:
        due = rules.next_due(host.node, now + host.offset) - host.offset
        if host.wake_at < now or due < host.wake_at:
            host.wake_at = max(due, now)
            self.at(host.wake_at, self.wake, host)

    # --- nodes

    def boot(self, now: int, v: int, offset: int) -> None:
        host = self.hosts[v]
        host.alive, host.offset, host.wake_at, host.number, host.waiting, host.kept = True, offset, -1, 0, 0, 0
        host.boot += 1
        host.starts += 1
        host.born = now
        host.handed = {}
        rules.start(host.node, self.ids[v], now + offset)
        rules.go_on_from(host.node, now // host.node.settings.hello)
        self.schedule(host, now)

    def crash(self, now: int, v: int) -> None:
        self.hosts[v].alive = False

    def wake(self, now: int, host: Host) -> None:
        if not host.alive or host.wake_at != now:
            return
        host.wake_at = -1
        said = rules.wake(host.node, now + host.offset, host.hello)
        if said & rules.SAY_HELLO:
            host.hellos += 1
            self.note(now, "sent", host.index, "control", detail=NO_FRAME["HELLO"])
            self.launch(now, host, host.hello, self.end_hello, host.hellos)
        if said & rules.SAY_SUB:
            self.say_subs(now, host)
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
        self.note(now, "received", host.index, "all", peer=sender, detail=NO_FRAME["HELLO"])
        rules.hear_hello(host.node, now + host.offset, hello)
        self.note_changes(host, now)
        self.schedule(host, now)

    # --- subscriptions

    def say_subs(self, now: int, host: Host) -> None:
        part = 0
        while True:
            sub = blank(Sub, self.capacity)
            part = rules.write_sub(host.node, now + host.offset, part, sub)
            if sub.channels or sub.to != k.NOBODY:
                self.send_sub(now, host, sub, k.SUB_COPIES)
            if part == 0:
                return

    def send_sub(self, ready: int, host: Host, sub: Sub, copies: int) -> None:
        self.note(ready, "sent", host.index, "control", peer=sub.to, detail=NO_FRAME["SUB"])
        self.launch(ready, host, sub, self.end_sub, sub, copies)

    def end_sub(self, now: int, host: Host, sub: Sub, copies: int) -> None:
        if not host.alive:
            return
        self.serial += 1
        serial = self.serial
        for u in host.reach:
            if self.arrives(host.index, u, serial):
                self.hear_sub(now, self.hosts[u], sub)
        self.copy_sub(now, host, sub, copies)

    def copy_sub(self, now: int, host: Host, sub: Sub, copies: int) -> None:
        if copies > 1:
            self.at(now + k.SUB_COPY_GAP, self.send_sub, host, sub, 1)

    def hear_sub(self, now: int, host: Host, sub: Sub) -> None:
        out = blank(Sub, self.capacity)
        self.receptions += 1
        reason = rules.hear_sub(host.node, now + host.offset, sub, out)
        self.note(now, "received", host.index, "all", peer=sub.src, reason=reason or -1, detail=NO_FRAME["SUB"])
        self.note_table(host, now)
        if out.channels:
            self.send_sub(self.work(host.index, now), host, out, k.SUB_COPIES)
        self.schedule(host, now)

    # --- publications

    def publish(self, now: int, v: int, channel: int, load: int) -> None:
        host, pub, which = self.hosts[v], blank(Pub, self.capacity), len(self.publications)
        self.publications.append({"time": now, "node": v, "channel": channel, "messages": 0, "receptions": 0})
        host.number += 1
        pub.origin, pub.boot, pub.number, pub.load = self.ids[v], host.boot, host.number, load
        pub.cur = pub.ep = -1
        self.note_pub(now, "published", v, -1, pub, which)
        if rules.should_wait(host.node) and host.waiting < k.OUTBOX:
            host.waiting += 1
            self.at(now + LOOK, self.waited, host, pub, which, host.starts, -1, False)
        else:
            self.send_and_keep(now, host, pub, which)

    def let_out(self, now: int, host: Host, pub: Pub, which: int, first: bool) -> bool:
        """Whether there was doubt that it would reach all."""
        outcome, hashed = blank(Outcome, self.capacity), self.hashes[self.publications[which]["channel"]]
        doubted = rules.in_doubt(host.node, hashed)
        if first:
            rules.publish(host.node, now + host.offset, hashed, pub.boot, pub.number, pub.load, pub, outcome)
        else:
            rules.repeat(host.node, now + host.offset, pub, outcome)
        self.after_pub(now, host.index, pub, outcome, which)
        return doubted

    def waited(self, now: int, host: Host, pub: Pub, which: int, starts: int, rings: int, doubted: bool) -> None:
        """`rings`: the host's count when it was sent; −1: it was not."""
        if not host.alive or host.starts != starts:
            return
        late = now >= self.publications[which]["time"] + k.KEEP
        if rings >= 0 and late:
            host.kept -= 1
        elif rings >= 0:
            if rings != host.rings:
                pub.ring = -1
            if rules.should_repeat(host.node, pub, doubted):
                doubted, rings = self.let_out(now, host, pub, which, False), host.rings
            self.at(now + KEPT_LOOK, self.waited, host, pub, which, starts, rings, doubted)
        elif rules.should_wait(host.node) and not late:
            self.at(now + LOOK, self.waited, host, pub, which, starts, -1, False)
        else:
            host.waiting -= 1
            self.send_and_keep(now, host, pub, which)

    def send_and_keep(self, now: int, host: Host, pub: Pub, which: int) -> None:
        doubted = self.let_out(now, host, pub, which, True)
        if rules.may_repeat(host.node) and host.kept < k.OUTBOX:
            host.kept += 1
            self.at(now + KEPT_LOOK, self.waited, host, pub, which, host.starts, host.rings, doubted)

    def source(self, now: int, v: int, channel: int, load: int, period: int, stop: int) -> None:
        if self.hosts[v].alive:
            self.publish(now, v, channel, load)
        if now + period < stop:
            self.at(now + period, self.source, v, channel, load, period, stop)

    def after_pub(self, now: int, v: int, pub: Pub, outcome: Outcome, which: int) -> None:
        if outcome.deliver and self.publications[which]["time"] >= self.hosts[v].born and self.is_new(now, v, pub):
            self.deliveries.append((now, which, v, pub.hops))
            self.note_pub(now, "delivered", v, pub.src, pub, which)
        if outcome.reason:
            self.note_pub(now, "dropped", v, pub.src, pub, which, reason=outcome.reason)
        self.send_all(now, v, pub, outcome, which, False)

    def is_new(self, now: int, v: int, pub: Pub) -> bool:
        """Names that fall together, the oldest first; a ninth takes its place."""
        host, name = self.hosts[v], (pub.origin, pub.boot, pub.number)
        together = mix(mix(mix(0, pub.origin), pub.boot), pub.number) % (self.places // TOGETHER)
        known = host.handed.setdefault(together, [])
        full = len(known) == TOGETHER
        if any(name == other and now + host.offset <= at + k.NAME_LIFE for at, other in known):
            return False
        if full and pub.again and now + host.offset < known[0][0] + k.REPEAT_LIFE:
            return False
        known[:] = [*(known[1:] if full else known), (now + host.offset, name)]
        return True

    def send_all(self, now: int, v: int, pub: Pub, outcome: Outcome, which: int, detoured: bool) -> None:
        for s, send in enumerate(outcome.send[:outcome.sends]):
            out = blank(Pub, self.capacity)
            carry(self.hosts[v].node, pub, send, out)
            self.publications[which]["messages"] += 1
            self.note_pub(now, "sent", v, send.to, out, which, at=send.at)
            frame = {"to": -1 if send.to == k.NOBODY else self.ids.index(send.to), "at": send.at, "tries": 0, "got": 0,
                     "rounds": 0, "detour": detoured, "which": which}
            self.transmit(now + spread(self.ids[v], now + s, 6, *WORK), self.hosts[v], out, frame)

    def transmit(self, ready: int, host: Host, pub: Pub, frame: dict[str, Any]) -> None:
        frame["tries"] += 1
        self.launch(ready, host, pub, self.end_pub, pub, frame)

    def end_pub(self, now: int, host: Host, pub: Pub, frame: dict[str, Any]) -> None:
        if not host.alive:
            return
        self.serial += 1
        serial, to = self.serial, frame["to"]
        if to < 0:
            for u in host.reach:
                if self.arrives(host.index, u, serial):
                    self.hear_pub(now, u, pub, frame)
            return
        heard = to in host.reach and self.arrives(host.index, to, serial)
        if heard and not frame["got"]:
            frame["got"] = 1
            self.hear_pub(now, to, pub, frame)
        if heard and not host.jammed and not self.is_lost(self.ack_key, serial, host.index):
            return
        if frame["tries"] <= self.retries:
            self.transmit(self.work(host.index, now), host, pub, frame)
        else:
            self.give_up(now, host, pub, frame)

    def hear_pub(self, now: int, u: int, pub: Pub, frame: dict[str, Any]) -> None:
        host, outcome, which = self.hosts[u], blank(Outcome, self.capacity), frame["which"]
        self.receptions += 1
        self.publications[which]["receptions"] += 1
        self.note_pub(now, "received", u, pub.src, pub, which, at=frame["at"])
        rules.hear_pub(host.node, now + host.offset, pub, outcome)
        self.after_pub(now, u, pub, outcome, which)

    def give_up(self, now: int, host: Host, pub: Pub, frame: dict[str, Any]) -> None:
        outcome = blank(Outcome, self.capacity)
        to = self.ids[frame["to"]] if frame["to"] >= 0 else -1
        if not frame["detour"] and to >= 0:
            detour(host.node, now + host.offset, pub, frame["at"], to, outcome)
        if outcome.sends:
            again = blank(Pub, self.capacity)
            restore(again, Pub, snapshot(pub, Pub))
            again.hops -= 1
            self.send_all(now, host.index, again, outcome, frame["which"], True)
        elif frame["rounds"] < ROUNDS and to >= 0:
            frame["rounds"], frame["tries"] = frame["rounds"] + 1, 0
            self.at(now + ROUND_PAUSE, self.again, host, pub, frame)
        else:
            self.note_pub(now, "dropped", host.index, to, pub, frame["which"], at=frame["at"], reason=len(k.REASONS))

    def again(self, now: int, host: Host, pub: Pub, frame: dict[str, Any]) -> None:
        if host.alive:
            self.transmit(now, host, pub, frame)


EVENTS = ("published", "sent", "received", "delivered", "dropped", "subscribed", "unsubscribed", "parent changed",
          "ring changed", "table changed", "fault")
