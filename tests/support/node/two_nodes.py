"""Two real nodes on this machine that have found each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from psvr import Node
from psvr.protocol.pubsub import publication
from psvr.protocol.wire.names import channel_hash
from tests.support.ports import free_ports

HELLO = 0.05


def nodes(folder: Path) -> tuple[Node, Node]:
    at = free_ports(2)
    a, b = (
        Node(id=v, state=folder / str(v), listen=f"127.0.0.1:{at[v]}", peers=[f"127.0.0.1:{at[1 - v]}"], hello=HELLO)
        for v in range(2)
    )
    return a, b


@asynccontextmanager
async def two(folder: Path) -> AsyncIterator[tuple[Node, Node]]:
    a, b = nodes(folder)
    async with a, b:
        await settled(a, b)
        yield a, b


async def settled(a: Node, b: Node) -> None:
    """Wait until both have the same ring, and filled tables."""
    while a.host.me.ring < 0 or a.host.me.ring != b.host.me.ring or publication.is_filling(a.host.me):
        await asyncio.sleep(HELLO)


async def knows(node: Node, *channels: str) -> None:
    """Wait until a node knows who subscribes."""
    while any(publication.in_doubt(node.host.me, channel_hash(channel)) for channel in channels):
        await asyncio.sleep(HELLO)
