"""The applications of a node: they publish and subscribe through its socket, and ask for its status."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from psvr.errors import BadInput
from psvr.node.daemon.lines import MAX_LINE, packed, unpacked

OnMessage = Callable[[dict[str, Any]], None]


class Gone(Exception):
    """The node hung up."""


class Connection:
    """A connection to a node for requests and their answers."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer, self.turn = reader, writer, asyncio.Lock()

    @classmethod
    async def open(cls, socket: Path) -> "Connection":
        try:
            return cls(*await asyncio.open_unix_connection(str(socket), limit=MAX_LINE))
        except OSError:
            raise Gone from None

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        async with self.turn:
            try:
                self.writer.write(packed(request))
                await self.writer.drain()
            except OSError:
                raise Gone from None
            return await self.next()

    async def next(self) -> dict[str, Any]:
        try:
            line = await self.reader.readline()
        except (OSError, ValueError):
            raise Gone from None
        if not line.endswith(b"\n"):
            raise Gone
        reply = unpacked(line)
        if "error" in reply:
            raise BadInput(str(reply["error"]))
        return reply

    def close(self) -> None:
        self.writer.close()


async def answers(socket: Path) -> bool:
    """Whether a node is there and ready to serve."""
    if not socket.exists():
        return False
    try:
        line = await Connection.open(socket)
        try:
            await line.ask({"op": "status"})
        finally:
            line.close()
    except Gone:
        return False
    return True


class Applications:
    """The applications of one node.  Their subscriptions outlive the node: they are renewed when it is back."""

    def __init__(self, socket: Path, on_message: OnMessage) -> None:
        self.socket, self.on_message = socket, on_message
        self.wanted: set[str] = set()
        self.streams: dict[str, tuple[Connection, asyncio.Task[None]]] = {}
        self.publisher: Connection | None = None
        self.watcher: Connection | None = None

    async def connect(self) -> None:
        """Connect, and renew all subscriptions; raises Gone if the node died in the meantime."""
        self.publisher, self.watcher = await Connection.open(self.socket), await Connection.open(self.socket)
        for channel in sorted(self.wanted):
            await self.listen(channel)

    def hang_up(self) -> None:
        for channel in list(self.streams):
            self.leave(channel)
        for line in (self.publisher, self.watcher):
            if line is not None:
                line.close()
        self.publisher = self.watcher = None

    async def subscribe(self, channel: str) -> None:
        self.wanted.add(channel)
        if self.publisher is not None:
            with contextlib.suppress(Gone):
                await self.listen(channel)

    def unsubscribe(self, channel: str) -> None:
        self.wanted.discard(channel)
        self.leave(channel)

    async def listen(self, channel: str) -> None:
        line = await Connection.open(self.socket)
        await line.ask({"op": "subscribe", "channels": [channel]})
        if channel not in self.wanted or (channel in self.streams and not self.streams[channel][1].done()):
            line.close()  # unsubscribed, or restarted, in the meantime
            return
        self.streams[channel] = line, asyncio.ensure_future(self.hear(line))

    async def hear(self, line: Connection) -> None:
        with contextlib.suppress(Gone):
            while True:
                self.on_message(await line.next())

    def leave(self, channel: str) -> None:
        if channel in self.streams:
            line, task = self.streams.pop(channel)
            task.cancel()
            line.close()

    async def publish(self, channel: str, data: str) -> None:
        """Publish, unless the node is down: its applications are down with it."""
        if self.publisher is not None:
            with contextlib.suppress(Gone):
                await self.publisher.ask({"op": "publish", "channel": channel, "data": data})

    async def status(self) -> dict[str, Any] | None:
        if self.watcher is None:
            return None
        try:
            return await self.watcher.ask({"op": "status", "memory": True})
        except Gone:
            return None
