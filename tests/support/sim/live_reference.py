"""The live node's driver on the medium of the reference: bytes instead of records, under a virtual clock.

Only what moves frames and time is here.  The transport of real sockets (numbers, windows, fragments) has its own tests;
in its place stands the medium, with its acknowledgements and its tries.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from psvr.node.core.host import Host, Options, Payload
from psvr.node.core.losses import Loss
from psvr.node.core.naming import pack
from psvr.node.core.peer import TAKEN, Flight
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity
from psvr.protocol.numbers import spread
from psvr.protocol.records import Hello, Pub, Settings, Sub
from psvr.protocol.wire import messages
from psvr.sim.reference.hosts import Frame
from psvr.sim.reference.network import REACTION, Reference
from psvr.trace.columns import FRAMES

LOAD = 16


class Medium:
    """Stands in for the transport of a host."""

    def __init__(self, network: "LiveReference", station: "Station") -> None:
        self.network, self.station = network, station
        self.peers: dict[int, Any] = {}

    def send(self, to: int, frame: bytes, now: int, flight: Flight) -> None:
        self.network.send_pub(self.station, to, frame, flight)

    def send_sub(self, to: int, frame: bytes, now: int, flight: Flight) -> None:
        self.network.send_sub_to(self.station, to, frame)

    def full(self, most: int) -> list[int]:
        return []

    def forget(self, before: int, now: int) -> None:
        pass

    def retry(self, now: int) -> None:
        pass

    def next_due(self) -> int | None:
        return None


class Lost:
    """Stands in for the losses of a host: the reference records them at once."""

    def __init__(self, note: Callable[[Loss], None]) -> None:
        self.tell = note

    def note(self, loss: Loss, begun: int) -> None:
        self.tell(loss)

    def again(self, pub: Pub, now: int) -> None:
        pass

    def count_overdue(self, now: int) -> None:
        pass

    def next_due(self) -> int | None:
        return None


class Station:
    """A live host, and what the medium knows of it."""

    def __init__(self, network: "LiveReference", index: int) -> None:
        self.index, self.network, self.starts = index, network, 0
        self.wake_at, self.offset, self.free_at = -1, 0, 0
        self.alive, self.jammed, self.hellos, self.pubs, self.table = False, 0, 0, 0, 0
        self.reach: list[int] = []
        self.hello = b""  # the one that it is sending
        self.in_air: set[Frame] = set()
        self.host = Host(
            network.ids[index],
            0,
            0,
            Options(),
            self.say,
            Medium(network, self),  # type: ignore[arg-type]
            self.deliver,
            self.tell,
        )

    def boot(self, capacity: Capacity, held: int, names: int, now: int, beat: int, settings: Settings) -> None:
        """Start with nothing but settings and subscriptions."""
        host, self.starts, wanted = self.host, self.starts + 1, self.host.names
        told = (host.parent, host.ring) if self.starts > 1 else (0, 0)
        host.allocate(capacity, held, names)
        host.max_slots, host.max_names = held, names
        host.options = replace(host.options, channels=capacity.channels)
        host.me.settings = settings
        host.losses = Lost(self.lost)  # type: ignore[assignment]
        host.names = {}
        for channels in wanted.values():
            for channel in channels:
                host.subscribe(channel, now)
        host.start(self.network.ids[self.index], self.starts, now, beat)
        host.parent, host.ring = told

    @property
    def node(self) -> Any:
        return self.host.me

    @property
    def body(self) -> Any:
        return self.host.body

    def say(self, frame: bytes) -> None:
        self.network.say(self, frame)

    def deliver(self, name: str, data: bytes, pub: Pub) -> None:
        net, which = self.network, int.from_bytes(data, "big")
        net.deliveries.append((net.time, which, self.index, pub.hops))
        net.write(self, "delivered", pub.src, pub, name)

    def lost(self, loss: Loss) -> None:
        peer = k.NOBODY if loss.peer is None else loss.peer
        self.network.write(self, "dropped", peer, loss.pub, loss.channel, reason=k.REASONS.index(loss.reason))

    def tell(self, event: str, *, peer: int = -1, pub: Pub | None = None, channel: str = "", at: int = -1) -> None:
        net, me = self.network, self.host.me
        if event == "parent changed":
            net.note(net.time, event, self.index, "control", peer=peer, detail=me.root)
        elif event == "ring changed":
            net.note(net.time, event, self.index, "control", detail=me.ring)
        elif pub is not None:
            net.write(self, event, peer, pub, channel, at)


class LiveReference(Reference):
    """As the reference, but its hosts are live ones."""

    hosts: list[Station]  # type: ignore[assignment]

    def __init__(
        self, settings: list[Settings], channels: list[str], *args: Any, held: int, names: int, **options: Any
    ) -> None:
        super().__init__(*args, held=held, names=names, **options)
        self.room, self.settings, self.channels = (held, names), settings, channels
        self.time, self.relaying = 0, False
        stations = [Station(self, v) for v in range(len(self.ids))]
        for station, host in zip(stations, self.hosts):
            station.reach = host.reach
        self.hosts = stations

    def write(
        self, station: Station, event: str, peer: int, pub: Pub, channel: str, at: int = -1, reason: int = -1
    ) -> None:
        where = {"to": pub.cur, "ep": pub.ep} if event != "published" else {"to": -1, "ep": -1}
        self.note(
            self.time,
            event,
            station.index,
            "pub",
            peer,
            reason,
            channel=self.channels.index(channel),
            origin=pub.origin,
            boot=pub.boot,
            sequence=pub.number,
            from_=at,
            hops=pub.hops,
            bytes=pub.load,
            **where,
        )

    # --- time

    def boot(self, now: int, v: int, offset: int) -> None:
        station, settings = self.hosts[v], self.settings[v]
        station.alive, station.offset, station.wake_at = True, offset, -1
        station.in_air.clear()
        station.boot(self.capacity, *self.room, now + offset, now // settings.hello, settings)
        self.schedule(station, now)

    def step(self) -> int:
        self.time = self.queue[0][0]
        return super().step()

    def schedule(self, host: Any, now: int) -> None:
        due = host.host.next_due(now + host.offset) - host.offset
        if host.wake_at < now or due < host.wake_at:
            host.wake_at = max(due, now)
            self.at(host.wake_at, self.wake, host)

    def stamp(self, time: int, kind: int, who: Any) -> None:
        pass  # fingerprints are made of the reference's events

    def wake(self, now: int, host: Any) -> None:
        if not host.alive or host.wake_at != now:
            return
        host.wake_at = -1
        host.host.wake(now + host.offset)
        self.note_table(host, now)
        self.schedule(host, now)

    # --- frames

    def say(self, station: Station, frame: bytes) -> None:
        """To all in reach."""
        message = self.read(frame)
        if isinstance(message, Hello):
            station.hellos += 1
            station.hello = frame
            self.note(self.time, "sent", station.index, "control", detail=FRAMES.index("HELLO"))
            self.launch(self.time, station, message, self.end_hello, station.hellos)  # type: ignore[arg-type]
        elif isinstance(message, Sub):
            self.fly_sub(station, -1, frame, message)
        else:
            self.send_pub(station, k.NOBODY, frame, Flight())

    def read(self, frame: bytes) -> Any:
        found = messages.decode(frame, self.capacity)
        assert found is not None
        if not isinstance(found, tuple):
            return found
        found[0].load = LOAD
        return found[0]

    def hear_hello(self, now: int, host: Any, sender: int, hello: Any) -> None:
        self.receptions += 1
        self.note(now, "received", host.index, "all", peer=sender, detail=FRAMES.index("HELLO"))
        host.host.hear(sender, hello, now + host.offset)
        self.schedule(host, now)

    def send_sub_to(self, station: Station, to: int, frame: bytes) -> None:
        self.fly_sub(station, self.ids.index(to), frame, self.read(frame))

    def fly_sub(self, station: Station, to: int, frame: bytes, message: Sub) -> None:
        ready = self.react_at(station.index, self.time) if self.relaying else self.time
        peer = message.to if to < 0 else self.ids[to]
        self.note(ready, "sent", station.index, "control", peer=peer, detail=FRAMES.index("SUB"))
        self.fly(ready, station, Frame(message, to), frame, Flight())

    def send_pub(self, station: Station, to: int, frame: bytes, flight: Flight) -> None:
        station.pubs = (station.pubs + 1) & 0xFFFF
        ready = self.time + spread(self.ids[station.index], self.time + station.pubs, 6, *REACTION)
        self.fly(ready, station, Frame(self.read(frame), -1 if to == k.NOBODY else self.ids.index(to)), frame, flight)

    def fly(self, ready: int, station: Station, frame: Frame, data: bytes, flight: Flight) -> None:
        frame.data, frame.flight = data, flight  # type: ignore[attr-defined]
        station.in_air.add(frame)
        self.transmit(ready, station, frame)  # type: ignore[arg-type]

    def end_sub(self, now: int, host: Any, frame: Frame) -> None:
        if host.alive and frame in host.in_air:
            self.end_frame(now, host, frame)

    end_pub = end_sub
    end_pub.__name__ = "end_sub"

    def hear(self, now: int, host: Any, frame: Any) -> bool:
        self.receptions += 1
        message = frame.message
        self.relaying = isinstance(message, Sub)
        before = len(self.rows)
        taken = bool(host.host.take(message.src, frame.data, now + host.offset) == TAKEN)
        if self.relaying:
            self.rows.insert(before, {})
            self.note_reception(now, host, message, before)
            self.relaying = False
        self.schedule(host, now)
        return taken

    def note_reception(self, now: int, host: Station, sub: Sub, place: int) -> None:
        """Of a SUB, before what it brings about; why it was of no use, a live host does not say."""
        self.note(now, "received", host.index, "all", peer=sub.src, detail=FRAMES.index("SUB"))
        self.rows[place] = self.rows.pop()
        sent = self.rows[place + 1 :]
        del self.rows[place + 1 :]
        self.note_table(host, now)  # type: ignore[arg-type]
        self.rows += sent

    def complete(self, now: int, host: Any, frame: Any, good: bool) -> None:
        host.in_air.discard(frame)
        frame.flight.ended(good, now + host.offset)
        self.schedule(host, now)

    # --- applications

    def subscribe(self, now: int, v: int, channel: str) -> None:
        station = self.hosts[v]
        station.host.subscribe(channel, now + station.offset)
        self.schedule(station, now)

    def publish(self, now: int, v: int, channel: int, load: int) -> None:
        station, which, self.time = self.hosts[v], len(self.publications), now
        self.publications.append({"channel": channel})
        station.host.publish(self.channels[channel], which.to_bytes(load, "big"), now + station.offset)
        self.schedule(station, now)

    def payload(self, which: int) -> Payload:
        """What travels beside a PUB that the simulator knows by a number."""
        name = self.channels[self.publications[which]["channel"]] if which < len(self.publications) else ""
        return Payload(name, pack(name, which.to_bytes(LOAD, "big")))
