"""What the reference writes down as it runs: the rows of a trace, and the fingerprint of all events."""

from psvr.protocol import constants as k
from psvr.protocol.numbers import mix
from psvr.protocol.records import Pub
from psvr.trace.columns import CONTROL_LEVEL, EVENTS, LEVELS

from .hosts import Host

EVENT_KINDS = 16  # how many kinds of events the fingerprint tells apart


class Notes:
    """The trace and the fingerprint of a run; levels are those of `psvr.trace`."""

    def __init__(self, ids: list[int], level: str) -> None:
        self.ids, self.level = ids, LEVELS.index(level)
        self.print_a = self.print_b = self.receptions = 0
        self.rows: list[dict[str, int]] = []
        self.publications: list[dict[str, int]] = []

    def stamp(self, time: int, kind: int, who: Host | int) -> None:
        """Add an event to the fingerprint."""
        v = who.index if isinstance(who, Host) else who
        self.print_a = mix(mix(self.print_a, time), EVENT_KINDS * v + kind)
        self.print_b = mix(self.print_b, self.print_a + self.receptions)

    def fingerprint(self) -> str:
        """The fingerprint so far, as that of the engine."""
        return f"{self.print_a:08x}{self.print_b:08x}"

    def note(
        self,
        now: int,
        event: str,
        v: int,
        at_least: str,
        peer: int = -1,
        reason: int = -1,
        detail: int = -1,
        **more: int,
    ) -> None:
        """Write a row of the trace if the level is high enough."""
        if self.level >= LEVELS.index(at_least):
            self.rows.append(
                {
                    "time": now,
                    "node": self.ids[v],
                    "event": EVENTS.index(event),
                    "peer": peer,
                    "reason": reason,
                    "detail": detail,
                    **more,
                }
            )

    def note_pub(
        self, now: int, event: str, v: int, peer: int, pub: Pub, which: int, at: int = -1, reason: int = -1
    ) -> None:
        """Write a row about a publication; `at` is the position that it was sent from."""
        self.note(
            now,
            event,
            v,
            "pub",
            peer,
            reason,
            channel=self.publications[which]["channel"],
            origin=pub.origin,
            boot=pub.boot,
            sequence=pub.number,
            from_=at,
            to=pub.cur,
            ep=pub.ep,
            hops=pub.hops,
            bytes=pub.load,
        )

    def note_changes(self, host: Host, now: int) -> None:
        """Write rows about parent and ring if they have changed."""
        me, v = host.node, host.index
        if self.level >= CONTROL_LEVEL and me.parent != host.parent:
            host.parent = me.parent
            self.note(now, "parent changed", v, "control", peer=me.parent, detail=me.root)
        if me.ring != host.ring:
            host.ring = me.ring
            self.note(now, "ring changed", v, "control", detail=me.ring)

    def note_table(self, host: Host, now: int) -> None:
        """Write a row about RS if a next subscriber in it has changed."""
        me, h = host.node, 0
        for channel, row in zip(me.channel, me.row):
            if channel != k.NO_CHANNEL:
                h = mix(h, channel)
                for entry in row.entry:
                    h = mix(h, entry.ns)
        if self.level >= CONTROL_LEVEL and h != host.table:
            host.table = h
            self.note(now, "table changed", host.index, "control", detail=h)
