"""Nodes in one program that hear each other without sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from psvr import Node
from psvr.node.link.base import Receive
from psvr.protocol.pubsub import publication

HELLO, LEASE = 0.02, 0.5
PATIENCE = 15.0  # seconds; a test needs one


class Here:
    """A link; all links with the same list hear each other, unless they are deaf."""

    def __init__(self, everybody: list["Here"]) -> None:
        self.everybody, self.deaf = everybody, False
        everybody.append(self)
        self.receive: Receive | None = None
        self.said: list[bytes] = []  # to all

    async def start(self, receive: Receive) -> None:
        self.receive = receive

    def broadcast(self, datagram: bytes) -> None:
        self.said.append(datagram)
        for other in self.everybody:
            if other is not self:
                other.hear(datagram, self)

    def send(self, datagram: bytes, to: Any) -> None:
        to.hear(datagram, self)

    def hear(self, datagram: bytes, sender: "Here") -> None:
        if self.receive is not None and not self.deaf:
            asyncio.get_running_loop().call_soon(self.receive, datagram, sender)

    def close(self) -> None:
        self.receive = None


@asynccontextmanager
async def together(folder: Path, *ids: int, **settings: Any) -> AsyncIterator[list[Node]]:
    """Nodes that have found each other and built a ring."""
    everybody: list[Here] = []
    async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
        nodes = [
            await stack.enter_async_context(
                Node(id=id, state=folder / str(i), hello=HELLO, lease=LEASE, link=Here(everybody), **settings)
            )
            for i, id in enumerate(ids)
        ]
        if len(set(ids)) == len(ids) > 1:
            while len({node.host.me.ring for node in nodes}) > 1 or any(
                node.host.me.ring < 0 or publication.is_filling(node.host.me) for node in nodes
            ):
                await asyncio.sleep(HELLO)
        yield nodes


def within(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        return await asyncio.wait_for(work(), PATIENCE)

    return asyncio.run(run())


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(HELLO / 4)
