"""The Unix socket of a running node, for applications on the same machine: requests and answers are lines of JSON.

| request | answers |
|---|---|
| `{"op": "publish", "channel": …, "data": …}` | `{"sequence": …}`; any number of requests, one after the other |
| `{"op": "subscribe", "channels": […]}` | `{"subscribed": […]}`, then a line per message until the client hangs up |
| `{"op": "status"}` | the status; with `"memory": true` also the node's memory of links, tree, ring and tables |

Data that is not text is given as `base64` instead of `data`.  An invalid request is answered with
`{"error": "one line"}`, and the connection ends.  Only its owner can use the socket (mode 600).
"""

import asyncio
import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psvr.errors import BadInput, shown
from psvr.node.core.events import Message
from psvr.node.core.inbox import Subscription
from psvr.node.core.naming import MAX_PAYLOAD_BYTES
from psvr.node.core.snapshot import to_plain

from .lines import MAX_LINE, data_of, packed, unpacked, with_data
from .logs import Log

if TYPE_CHECKING:
    from psvr.node.node import Node

MAX_CLIENTS = 256
MAX_CHANNELS = 4096  # per client


class Control:
    """Serves applications through the socket."""

    def __init__(self, node: "Node", path: Path, log: Log) -> None:
        self.node, self.path, self.log = node, path, log
        self.clients: set[asyncio.Task[None]] = set()
        self.server: asyncio.Server | None = None
        self.inode = 0

    async def start(self) -> None:
        sock = bind(self.path)
        self.inode = os.stat(self.path).st_ino
        self.server = await asyncio.start_unix_server(self.accept, sock=sock, limit=MAX_LINE)

    async def stop(self) -> None:
        if self.server is None:
            return
        with contextlib.suppress(OSError):
            if os.stat(self.path).st_ino == self.inode:  # not that of a node started since; while this
                os.unlink(self.path)  # socket is open, no other has its inode number
        self.server.close()
        for client in list(self.clients):
            client.cancel()
        await asyncio.gather(*self.clients, return_exceptions=True)
        self.server = None

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.clients.add(task)
        try:
            await self.serve(reader, writer)
        except BadInput as error:
            answer(writer, {"error": " ".join(str(error).split())})
        except (OSError, asyncio.CancelledError):
            pass  # it hung up, or the node is stopping
        except Exception as error:
            self.log.error("a client's request failed", error=repr(error))
        finally:
            self.clients.discard(task)
            writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await next_line(reader):
            if len(self.clients) > MAX_CLIENTS:
                raise BadInput(f"there are {MAX_CLIENTS} clients already")
            request = unpacked(line)
            match request.get("op"):
                case "publish":
                    await self.publish(request, writer)
                case "subscribe":
                    await self.subscribe(request, reader, writer)
                    return
                case "status":
                    answer(writer, self.status(request))
                case other:
                    raise BadInput(f"op: must be publish, subscribe or status, not {shown(other)}")
            await writer.drain()

    def status(self, request: dict[str, Any]) -> dict[str, Any]:
        memory = {"memory": to_plain(self.node.host.me)} if request.get("memory") else {}
        return self.node.status() | memory

    async def publish(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        """Publish.  The next line is not read until this publication is on its way: that is the back-pressure."""
        channel = request.get("channel")
        if not isinstance(channel, str):
            raise BadInput(f"channel: must be a name, not {shown(channel)}")
        answer(writer, {"sequence": await self.node.publish(channel, data_of(request))})

    async def subscribe(
        self, request: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.ExitStack() as stack:
            wanted = [
                stack.enter_context(contextlib.closing(self.node.subscribe(name))) for name in channels_of(request)
            ]
            answer(writer, {"subscribed": [subscription.channel for subscription in wanted]})
            turn = asyncio.Lock()
            for subscription in wanted:
                stack.callback(asyncio.ensure_future(pump(subscription, writer, turn)).cancel)
            await until_hung_up(reader)


async def pump(subscription: Subscription, writer: asyncio.StreamWriter, turn: asyncio.Lock) -> None:
    """Send messages to the client as fast as it reads them; the rest wait in the subscription, which is bounded."""
    with contextlib.suppress(OSError):  # it hung up
        async for message in subscription:
            async with turn:
                answer(writer, as_dict(message))
                await writer.drain()
        writer.close()  # the node has stopped, or left the channel


async def next_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        raise BadInput(f"a request is longer than {MAX_LINE:,} bytes; data may have {MAX_PAYLOAD_BYTES:,}") from None


async def until_hung_up(reader: asyncio.StreamReader) -> None:
    """Wait until the other end is closed; what it still sends is ignored."""
    while await reader.read(4096):
        pass


def answer(writer: asyncio.StreamWriter, reply: dict[str, Any]) -> None:
    if not writer.is_closing():
        writer.write(packed(reply))


def as_dict(message: Message) -> dict[str, Any]:
    return {
        "channel": message.channel,
        **with_data(message.data),
        "origin": message.origin,
        "boot": message.boot,
        "sequence": message.sequence,
        "hops": message.hops,
    }


def channels_of(request: dict[str, Any]) -> list[str]:
    """The channels of a request, without repetitions, in their order."""
    names = request.get("channels")
    if not isinstance(names, list) or not 0 < len(names) <= MAX_CHANNELS:
        raise BadInput(f"channels: must be a list of 1 to {MAX_CHANNELS} names")
    if not all(isinstance(name, str) for name in names):
        raise BadInput("channels: must be names")
    return list(dict.fromkeys(names))


def bind(path: Path) -> socket.socket:
    """A socket at this path, replacing one that a dead node left behind."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_stale(path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with mode_600():
            sock.bind(str(path))
    except OSError as error:
        raise BadInput(f"socket: {path} cannot be made: {error.strerror or error}") from None
    return sock


def remove_stale(path: Path) -> None:
    """Remove a socket at which nobody listens; whatever else is at this path is an error."""
    if not path.exists():
        return
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise BadInput(f"socket: {path} is there and is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except OSError:
            pass  # somebody is there, too busy to answer
    raise BadInput(f"socket: a node is already running here ({path})")


@contextlib.contextmanager
def mode_600() -> Iterator[None]:
    """Create files with mode 600 from the start: to change the mode after binding would be too late."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)
