"""`psvr.Node`: the node as an application uses it."""

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any

from psvr.errors import BadInput, refuse
from psvr.node.config.config import Config, link_of
from psvr.node.core.events import Event
from psvr.node.core.host import Host, Options
from psvr.node.core.inbox import Inbox, Subscription
from psvr.node.core.naming import checked, checked_name
from psvr.node.core.peer import Peer
from psvr.node.core.reporter import Reporter
from psvr.node.core.status import status
from psvr.node.core.transport import Transport
from psvr.node.link.base import Address, Link
from psvr.node.secure.identity import Identity
from psvr.node.secure.keys import load_keys
from psvr.node.secure.seal import Opened, Seal
from psvr.node.secure.sessions import DOUBLE, FRESH, OWN, UNPROVEN, Sessions
from psvr.protocol import constants as k
from psvr.protocol.records import Pub

from .core import envelope

YIELD = 20  # publications after which other tasks get their turn
QUEUE = 1024  # messages that may wait for an application
RECOVERY = 0.25  # seconds between an exception that is our fault and the next turn
DRAIN, PAUSE = 1.0, 0.01  # seconds that a stopping node waits for what is on its way, and between two looks
BOOTS = (1 << 31) - 1


def now() -> int:
    """The monotonic time of this machine in µs, for the rules."""
    return time.monotonic_ns() // 1000


class Node:
    """One node of a network.

        async with Node(interface="eth0") as node:
            await node.publish("temperature", "21.5")
            async for message in node.subscribe("temperature"):
                print(message.data)

    All settings of `Config` may be given by name.  `note` is called with every row of the trace.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        link: Link | None = None,
        note: Callable[[dict[str, Any]], None] | None = None,
        **settings: Any,
    ) -> None:
        self.config = (config or Config()).with_settings(settings)
        self.given_link, self.note = link, note
        self.timer: asyncio.TimerHandle | None = None
        self.running = self.ending = self.finishing = False
        self.turns = 0
        self.internal_errors, self.not_before = 0, 0.0  # exceptions that are our fault; no turn until then
        self.waiters: dict[
            int, list[asyncio.Future[None]]
        ] = {}  # publishers, by the neighbour (or NOBODY) they wait for

    # --- start and stop

    async def __aenter__(self) -> "Node":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Open the link and send the first HELLO."""
        config, keys = self.config, load_keys(self.config.key_file, os.environ)
        self.identity = Identity(config.state, config.id)
        try:
            self.id, self.seal = self.identity.id, Seal(keys, self.identity.id)
            self.sessions = Sessions(self.id, self.seal.salt)
            self.reporter = Reporter(self.id, self.note)
            self.inbox = Inbox(self.reporter.too_slow)
            self.refused = 0  # datagrams that were not genuine, or repeated
            self.taken = 0  # datagrams that were accepted
            self.transport = Transport(self.send_items)
            self.host = Host(
                self.id,
                secrets.randbelow(BOOTS) + 1,
                now(),
                options(config),
                self.broadcast,
                self.transport,
                self.deliver,
                self.reporter.report,
            )
            self.reporter.host = self.host
            self.link = self.given_link or link_of(config, keys is not None)
            await self.link.start(self.receive)
        except BaseException:
            self.identity.close()
            raise
        self.running = True
        self.arm()

    async def stop(self) -> None:
        """Give what was published a moment to leave; what does not is dropped, and reported."""
        if not self.running or self.ending:
            return
        self.ending = True
        self.wake_publishers()
        try:
            await self.drain()
        finally:
            self.close()

    async def drain(self) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + DRAIN
        await asyncio.sleep(0)  # publishers that waited get their turn
        while (self.host.waiting() or self.transport.on_its_way()) and loop.time() < end:
            await asyncio.sleep(PAUSE)

    def close(self) -> None:
        self.host.end(now())
        self.running = self.ending = False
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        for subscriptions in list(self.inbox.wanted.values()):
            for subscription in list(subscriptions):
                subscription.close()
        self.reporter.close()
        self.wake_publishers()
        self.link.close()
        self.identity.close()

    # --- for applications

    async def publish(self, channel: str, data: bytes | str) -> int:
        """Publish, and return the publication's number.  Waits while too much is on its way to where it must go."""
        name, payload = checked(channel, data)
        self.check_open()
        number = self.host.publish(name, payload, now()) if self.host.may_go() else await self.wait(name, payload)
        self.finish_turn_soon()
        self.turns += 1
        if self.turns % YIELD == 0:
            await asyncio.sleep(0)
        return number

    async def wait(self, name: str, payload: bytes) -> int:
        """Publish as soon as there is room where it must go."""
        slot = self.host.begin(name, payload, now())
        number = self.host.body.host.number
        try:
            while (at := self.host.waits_for(slot)) is not None and self.is_open():
                waiter = asyncio.get_running_loop().create_future()
                self.waiters.setdefault(at, []).append(waiter)
                await waiter
        finally:  # also if the application gives up waiting: it has a number, so it goes
            self.host.go(slot, now())
        return number

    def subscribe(self, channel: str, room: int = QUEUE) -> Subscription:
        """Messages of a channel from now on.  While `room` wait for the application, further ones are dropped."""
        self.check_open()
        if type(room) is not int or room < 1:
            refuse("room", "a whole number from 1", room)
        subscription = Subscription(checked_name(channel), room, self.leave)
        if self.inbox.add(subscription):
            if not self.host.subscribe(channel, now()):
                self.inbox.remove(subscription)
                raise BadInput(
                    f"channel: this node knows {self.config.channels:,} channels already, its bound (channels)"
                )
            self.reporter.report("subscribed", channel=channel)
        self.finish_turn_soon()
        return subscription

    def unsubscribe(self, channel: str) -> None:
        """Close all subscriptions of a channel."""
        self.check_open()
        for subscription in list(self.inbox.wanted.get(channel, [])):
            subscription.close()

    def leave(self, subscription: Subscription) -> None:
        if self.inbox.remove(subscription):
            self.host.unsubscribe(subscription.channel, now())
            self.reporter.report("unsubscribed", channel=subscription.channel)

    def events(self) -> AsyncIterator[Event]:
        """What happens to this node from now on."""
        self.check_open()
        return self.reporter.listen()

    def status(self) -> dict[str, Any]:
        """What the node knows and has done: numbers, strings and lists only."""
        self.check_open()
        counters = {"refused": self.refused, "taken": self.taken, "internal_errors": self.internal_errors}
        return status(self.host, self.transport, self.inbox, self.reporter, counters, now())

    def is_open(self) -> bool:
        return self.running and not self.ending

    def check_open(self) -> None:
        if not self.is_open():
            raise BadInput("the node is not running; use it within `async with`")

    def wake_publishers(self) -> None:
        for at in list(self.waiters):
            if not self.is_open() or self.host.has_room(at):
                for waiter in self.waiters.pop(at):
                    if not waiter.done():
                        waiter.set_result(None)

    # --- time

    def finish_turn_soon(self) -> None:
        """Call `finish_turn` at the end of this turn of the event loop, however much happens in it."""
        if not self.finishing:
            self.finishing = True
            asyncio.get_running_loop().call_soon(self.finish_turn)

    def finish_turn(self) -> None:
        """Send what waits, let publishers go on for whom there is room, and set the timer."""
        self.finishing = False
        if not self.running:
            return
        try:
            self.transport.flush()
            self.wake_publishers()
        except Exception as error:
            self.report_internal(error)
        self.arm()

    def arm(self) -> None:
        """Set the timer.  An earlier one stays: if it were put off with every turn, it would never go off."""
        loop, time = asyncio.get_running_loop(), now()
        try:
            due = loop.time() + (self.host.next_due(time) - time) / 1e6
        except Exception as error:
            self.report_internal(error)
            due = self.not_before
        when = max(due, self.not_before)
        if self.timer is not None:
            if self.timer.when() <= when:
                return
            self.timer.cancel()
        self.timer = loop.call_at(when, self.wake)

    def wake(self) -> None:
        """Have the host do what is due, and set the timer again."""
        self.timer = None
        try:
            self.host.wake(now())
        except Exception as error:
            self.report_internal(error)
        self.finish_turn()

    def report_internal(self, error: Exception) -> None:
        """Count an exception that is our fault, and log it.  It must neither silence the node nor keep it busy."""
        loop = asyncio.get_running_loop()
        self.internal_errors += 1
        self.not_before = loop.time() + RECOVERY
        loop.call_exception_handler({"message": "internal error, the node continues", "exception": error})

    # --- datagrams

    def broadcast(self, frame: bytes) -> None:
        """Broadcast a frame, such as a HELLO, with echoes of the nodes that this one has heard."""
        plain = envelope.echo(self.sessions.echoes()) + envelope.hello(frame)
        self.transport.count("hello", 1, len(plain))
        self.link.broadcast(self.seal.seal(plain))

    def send_items(self, plain: bytes, peer: Peer) -> None:
        self.link.send(self.seal.seal(plain), peer.address)

    def receive(self, datagram: bytes, address: Address) -> None:
        opened = self.seal.open(datagram)
        if opened is None:
            self.refused += 1
            return
        try:
            items = list(envelope.items(opened.plain))
            echoes = [c for item in items if item.kind == envelope.ECHO for c in envelope.challenges(item.body)]
            verdict = self.sessions.validate(opened.id, opened.salt, opened.counter, echoes)
            if verdict == FRESH:
                self.handle(opened, items, address)
            elif verdict == DOUBLE:
                self.reporter.report_double(self.id)
            elif verdict not in (OWN, UNPROVEN):
                self.refused += 1
        except Exception:  # asyncio logs it
            self.internal_errors += 1
            raise

    def handle(self, opened: Opened, items: list[envelope.Item], address: Address) -> None:
        """Process a genuine datagram of a node that is alive."""
        time, sender = now(), opened.id
        self.taken += 1
        peer = self.transport.meet(sender, opened.salt, address, time)

        def take(frame: bytes) -> int:
            return self.host.take(sender, frame, time)

        for item in items:
            if item.kind == envelope.HELLO:
                self.host.hear(sender, item.body, time)
            elif item.kind != envelope.ECHO and (item.kind != envelope.PART or self.host.is_neighbour(sender)):
                self.transport.hear(peer, item, time, take)
        self.finish_turn_soon()

    def deliver(self, channel: str, data: bytes, pub: Pub) -> None:
        if self.inbox.put(channel, data, pub):
            self.reporter.report("delivered", peer=pub.src, pub=pub, channel=channel)


def options(config: Config) -> Options:
    """The host's options for a configuration.

    A root counts HELLO periods.  It starts from the clock, so that it is not mistaken for its former self.  If the
    clock is wrong, that is all it costs: the network refuses the number for 24 periods, then follows it.
    """
    beat = int(time.time() / config.hello) % k.SEQ_TRUSTED
    return Options(
        hello=config.hello,
        lease=config.lease,
        links=config.links,
        channels=config.channels,
        shortcuts=config.shortcuts,
        beat=beat,
        host=config.host,
    )
