"""Publications that have arrived, waiting for the applications that want them."""

import asyncio
from collections.abc import AsyncIterator, Callable

from psvr.protocol.records import Pub

from .events import Message

MAX_BYTES = 32 << 20  # of messages waiting for one application, in addition to the limit on their number
TOO_SLOW = "the application does not take its messages"


class Subscription(AsyncIterator[Message]):
    """The messages of one channel from now on, until it is closed."""

    def __init__(self, channel: str, room: int, leave: Callable[["Subscription"], None]) -> None:
        self.channel, self.leave = channel, leave
        self.queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self.limit, self.bytes, self.closed = room, 0, False

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> Message:
        message = await self.queue.get()
        if message is None:
            self.queue.put_nowait(None)  # for others who wait, or ask again
            raise StopAsyncIteration
        self.bytes -= len(message.data)
        return message

    def put(self, message: Message) -> bool:
        """Add a message; return False if too much waits already."""
        if self.queue.qsize() >= self.limit or self.bytes + len(message.data) > MAX_BYTES:
            return False
        self.bytes += len(message.data)
        self.queue.put_nowait(message)
        return True

    async def __aenter__(self) -> "Subscription":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Accept no more messages; those that have arrived can still be read."""
        if not self.closed:
            self.closed = True
            self.queue.put_nowait(None)
            self.leave(self)


class Inbox:
    """The subscriptions of all applications."""

    def __init__(self, dropped: Callable[[str, Message], None]) -> None:
        self.dropped = dropped
        self.wanted: dict[str, list[Subscription]] = {}
        self.delivered = 0

    def add(self, subscription: Subscription) -> bool:
        """Add a subscription; return True if it is the first for its channel."""
        others = self.wanted.setdefault(subscription.channel, [])
        others.append(subscription)
        return len(others) == 1

    def remove(self, subscription: Subscription) -> bool:
        """Remove a subscription; return True if it was the last for its channel."""
        others = self.wanted.get(subscription.channel, [])
        if subscription in others:
            others.remove(subscription)
        if others or subscription.channel not in self.wanted:
            return False
        del self.wanted[subscription.channel]
        return True

    def put(self, channel: str, data: bytes, pub: Pub) -> bool:
        """Deliver a publication; return False if nobody wants it."""
        subscriptions = self.wanted.get(channel)
        if subscriptions is None:
            return False
        message = Message(channel, data, pub.origin, pub.boot, pub.number, pub.hops)
        for subscription in subscriptions:
            if not subscription.put(message):
                self.dropped(TOO_SLOW, message)
        self.delivered += 1
        return True
