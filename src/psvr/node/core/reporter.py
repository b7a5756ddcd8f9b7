"""Reports what happens at a node to listeners, the trace and counters."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol.positions import NONE
from psvr.protocol.records import Pub

from .events import DoubleId, Dropped, Event, Message, NeighbourFound, NeighbourLost, ParentChanged, RingChanged
from .host import Host

MAX_WAITING = 4096  # events waiting for a listener; beyond that the oldest are discarded
DOUBLE_PAUSE = 10.0  # seconds between two reports that another node has the same id


class Reporter:
    host: Host

    def __init__(self, id: int, note: Callable[[dict[str, Any]], None] | None) -> None:
        self.id, self.note = id, note
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.listeners: list[asyncio.Queue[Event | None]] = []
        self.double_reported_at = -math.inf  # by a clock that is near zero when the machine has just started

    def report(
        self,
        event: str,
        *,
        peer: int | None = None,
        pub: Pub | None = None,
        channel: str | None = None,
        reason: str | None = None,
        at: int | None = None,
    ) -> None:
        """Count an event of this name, notify listeners, and note a row of the trace; `at` is its column `from`."""
        self.counts[event] += 1
        if reason is not None:
            self.reasons[reason] += 1
        if self.listeners:
            self.notify(event, peer, pub, channel, reason)
        if self.note is not None and event not in ("neighbour found", "neighbour lost"):
            self.note(self.row(event, peer, pub, channel, reason, at))

    def row(
        self, event: str, peer: int | None, pub: Pub | None, channel: str | None, reason: str | None, at: int | None
    ) -> dict[str, Any]:
        """An event as a row of the trace; missing values are left out."""
        row = {
            "time": wall(),
            "clock": "unix",
            "node": self.id,
            "event": event,
            "peer": known(peer),
            "channel": channel,
            "reason": reason,
            "from": known(at),
        }
        if pub is not None:
            row |= {"origin": pub.origin, "boot": pub.boot, "sequence": pub.number, "hops": pub.hops, "bytes": pub.load}
            if event in ("sent", "received"):
                row |= {"to": known(pub.cur), "end_point": known(pub.ep)}
        return {name: value for name, value in row.items() if value is not None}

    def notify(self, event: str, peer: int | None, pub: Pub | None, channel: str | None, reason: str | None) -> None:
        me = self.host.me
        if event == "dropped" and pub is not None:
            self.emit(Dropped(wall(), reason or "", channel or "", pub.origin, pub.boot, pub.number))
        elif event == "parent changed":
            self.emit(ParentChanged(wall(), me.parent, me.root))
        elif event == "ring changed":
            positions = tuple(p for p in me.position if p != NONE) if me.ring >= 0 else ()
            self.emit(RingChanged(wall(), positions, max(me.length, 0)))
        elif event == "neighbour found":
            self.emit(NeighbourFound(wall(), peer if peer is not None else k.NOBODY))
        elif event == "neighbour lost":
            self.emit(NeighbourLost(wall(), peer if peer is not None else k.NOBODY))

    def too_slow(self, reason: str, message: Message) -> None:
        """Report a message that its application did not read in time."""
        self.counts["dropped"] += 1
        self.reasons[reason] += 1
        self.emit(Dropped(wall(), reason, message.channel, message.origin, message.boot, message.sequence))
        if self.note is not None:
            self.note(
                {
                    "time": wall(),
                    "clock": "unix",
                    "node": self.id,
                    "event": "dropped",
                    "channel": message.channel,
                    "origin": message.origin,
                    "boot": message.boot,
                    "sequence": message.sequence,
                    "hops": message.hops,
                    "bytes": len(message.data),
                    "reason": reason,
                }
            )

    def report_double(self, id: int) -> None:
        """Report that another node has this node's id: now and then, not with every datagram."""
        if time.monotonic() - self.double_reported_at > DOUBLE_PAUSE:
            self.double_reported_at = time.monotonic()
            self.counts["double"] += 1
            self.emit(DoubleId(wall(), id))

    def emit(self, event: Event) -> None:
        for queue in self.listeners:
            if queue.qsize() >= MAX_WAITING:
                queue.get_nowait()
            queue.put_nowait(event)

    def listen(self) -> AsyncIterator[Event]:
        """All events from now on, until the node stops."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self.listeners.append(queue)
        return self.events(queue)

    async def events(self, queue: asyncio.Queue[Event | None]) -> AsyncIterator[Event]:
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            if queue in self.listeners:
                self.listeners.remove(queue)

    def close(self) -> None:
        for queue in self.listeners:
            queue.put_nowait(None)


def wall() -> int:
    """µs since 1970."""
    return time.time_ns() // 1000


def known(value: int | None) -> int | None:
    """An id or position, or None for the negative numbers that stand for none."""
    return value if value is not None and value >= 0 else None
