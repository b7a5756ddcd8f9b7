"""`psvr.Node`: what an application holds."""

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any

from psvr.errors import BadInput, refuse
from psvr.protocol import constants as k
from psvr.protocol.records import Pub

from . import envelope
from .config import Config, link_of
from .happenings import Event
from .host import Host, Options
from .identity import Identity
from .inbox import Inbox, Subscription
from .keys import load_keys
from .link import Address, Link
from .naming import checked, checked_name
from .peer import Peer
from .seal import Opened, Seal
from .sessions import DOUBLE, FRESH, OWN, UNPROVEN, Sessions
from .status import status
from .telling import Teller
from .transport import Transport

YIELD = 20                  # publications after which others have their turn
QUEUE = 1024                # messages that wait for an application
DRAIN, PAUSE = 1.0, 0.01    # seconds that a node which is to stop waits for what is on its way, and between two looks
BOOTS = (1 << 31) - 1


def now() -> int:
    """The time of this machine in µs, for the rules: it only ever goes on."""
    return time.monotonic_ns() // 1000


class Node:
    """One node of a network.

        async with Node(interface="eth0") as node:
            await node.publish("temperature", "21.5")
            async for message in node.subscribe("temperature"):
                print(message.data)

    All settings of `Config` may be given by name.  `note` gets what happens as rows of the trace.
    """

    def __init__(self, config: Config | None = None, *, link: Link | None = None,
                 note: Callable[[dict[str, Any]], None] | None = None, **settings: Any) -> None:
        self.config = (config or Config()).with_settings(settings)
        self.given, self.note = link, note
        self.timer: asyncio.TimerHandle | None = None
        self.running = self.ending = self.settling = False
        self.turns = 0
        self.waiters: dict[int, list[asyncio.Future[None]]] = {}       # publishers, by what they wait for

    # --- from start to end

    async def __aenter__(self) -> "Node":
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.stop()

    async def start(self) -> None:
        """Open the link and say the first HELLO."""
        config, keys = self.config, load_keys(self.config.key_file, os.environ)
        self.identity = Identity(config.state, config.id)
        try:
            self.id, self.seal = self.identity.id, Seal(keys, self.identity.id)
            self.sessions = Sessions(self.id, self.seal.salt)
            self.teller = Teller(self.id, self.note)
            self.inbox = Inbox(self.teller.too_slow)
            self.refused = 0                    # datagrams that were not genuine, or came twice
            self.taken = 0                      # those that were
            self.transport = Transport(self.send_items)
            self.host = Host(self.id, secrets.randbelow(BOOTS) + 1, now(), options(config), self.say, self.transport,
                             self.deliver, self.teller.tell)
            self.teller.host = self.host
            self.link = self.given or link_of(config, keys is not None)
            await self.link.start(self.receive)
        except BaseException:
            self.identity.close()
            raise
        self.running = True
        self.arm()

    async def stop(self) -> None:
        """Let what was published go, for a moment; what does not is dropped, and that is told."""
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
        await asyncio.sleep(0)      # publishers that waited have their turn
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
        self.teller.close()
        self.wake_publishers()
        self.link.close()
        self.identity.close()

    # --- for applications

    async def publish(self, channel: str, data: bytes | str) -> int:
        """Publish; the number of the publication.  Waits while there is too much on its way to where it has to go."""
        name, payload = checked(channel, data)
        self.check_open()
        number = self.host.publish(name, payload, now()) if self.host.may_go() else await self.wait(name, payload)
        self.settle_soon()
        self.turns += 1
        if self.turns % YIELD == 0:
            await asyncio.sleep(0)
        return number

    async def wait(self, name: str, payload: bytes) -> int:
        """Publish as soon as there is room where it has to go."""
        slot = self.host.begin(name, payload, now())
        number = self.host.body.host.number
        try:
            while (at := self.host.waits_for(slot)) is not None and self.is_open():
                waiter = asyncio.get_running_loop().create_future()
                self.waiters.setdefault(at, []).append(waiter)
                await waiter
        finally:                    # also when the application does not want to wait: it has a number, it goes
            self.host.go(slot, now())
        return number

    def subscribe(self, channel: str, room: int = QUEUE) -> Subscription:
        """Messages of a channel from now on.  Those that an application does not take are dropped beyond `room`."""
        self.check_open()
        if type(room) is not int or room < 1:
            refuse("room", "a whole number from 1", room)
        subscription = Subscription(checked_name(channel), room, self.leave)
        if self.inbox.add(subscription):
            if not self.host.subscribe(channel, now()):
                self.inbox.remove(subscription)
                raise BadInput(f"channel: this node knows {self.config.channels:,} channels already, its bound "
                               "(channels)")
            self.teller.tell("subscribed", channel=channel)
        self.settle_soon()
        return subscription

    def unsubscribe(self, channel: str) -> None:
        """Close all subscriptions of a channel."""
        self.check_open()
        for subscription in list(self.inbox.wanted.get(channel, [])):
            subscription.close()

    def leave(self, subscription: Subscription) -> None:
        if self.inbox.remove(subscription):
            self.host.unsubscribe(subscription.channel, now())
            self.teller.tell("unsubscribed", channel=subscription.channel)

    def events(self) -> AsyncIterator[Event]:
        """What happens to this node from now on."""
        self.check_open()
        return self.teller.listen()

    def status(self) -> dict[str, Any]:
        """What the node knows, and what it has done: numbers, texts and lists only."""
        self.check_open()
        return status(self, now())

    def is_open(self) -> bool:
        return self.running and not self.ending

    def check_open(self) -> None:
        if not self.is_open():
            raise BadInput("the node is not running; it does within `async with`")

    def wake_publishers(self) -> None:
        for at in list(self.waiters):
            if not self.is_open() or self.host.has_room(at):
                for waiter in self.waiters.pop(at):
                    if not waiter.done():
                        waiter.set_result(None)

    # --- time

    def settle_soon(self) -> None:
        """Send, and set the timer, once this turn of the event loop is over."""
        if not self.settling:
            self.settling = True
            asyncio.get_running_loop().call_soon(self.settle)

    def settle(self) -> None:
        self.settling = False
        if self.running:
            self.transport.flush()
            self.wake_publishers()
            self.arm()

    def arm(self) -> None:
        """Set the timer.  One that is set for earlier stays: put off with every turn, it would never have its own."""
        loop, time = asyncio.get_running_loop(), now()
        when = loop.time() + (self.host.next_due(time) - time) / 1e6
        if self.timer is not None:
            if self.timer.when() <= when:
                return
            self.timer.cancel()
        self.timer = loop.call_at(when, self.wake)

    def wake(self) -> None:
        self.timer = None
        try:
            self.host.wake(now())
        finally:
            self.settle()           # a mistake must not silence the node: the timer is set again

    # --- datagrams

    def say(self, frame: bytes) -> None:
        """Broadcast a HELLO, with an echo of whom this node has heard."""
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
        items = list(envelope.items(opened.plain))
        echoes = [c for item in items if item.kind == envelope.ECHO for c in envelope.challenges(item.body)]
        verdict = self.sessions.judge(opened.id, opened.salt, opened.counter, echoes)
        if verdict == FRESH:
            self.handle(opened, items, address)
        elif verdict == DOUBLE:
            self.teller.double(self.id)
        elif verdict not in (OWN, UNPROVEN):
            self.refused += 1

    def handle(self, opened: Opened, items: list[envelope.Item], address: Address) -> None:
        """A genuine datagram of a node that lives now."""
        time, sender = now(), opened.id
        self.taken += 1
        peer = self.transport.meet(sender, opened.salt, address, time)

        def take(frame: bytes) -> int:
            return self.host.take(sender, frame, time)

        for item in items:
            if item.kind == envelope.HELLO:
                self.host.hear(sender, item.body, time)
            elif item.kind != envelope.ECHO and (item.kind != envelope.PART or self.host.keeps(sender)):
                self.transport.hear(peer, item, time, take)
        self.settle_soon()

    def deliver(self, channel: str, data: bytes, pub: Pub) -> None:
        if self.inbox.put(channel, data, pub):
            self.teller.tell("delivered", peer=pub.src, pub=pub, channel=channel)


def options(config: Config) -> Options:
    """A root counts HELLO periods; it starts where the clock says, so that it is not taken for its dead former self.

    A clock that is wrong costs nothing but that: the network refuses the number for 24 periods, then follows.
    """
    beat = int(time.time() / config.hello) % k.SEQ_TRUSTED
    return Options(hello=config.hello, lease=config.lease, links=config.links, channels=config.channels,
                   shortcuts=config.shortcuts, beat=beat, host=config.host)
