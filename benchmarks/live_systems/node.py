"""psvr: a line of nodes that know only the addresses of their neighbours."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from psvr import Node
from psvr.node.secure.keys import new_key
from tests.support.ports import free_ports

from .form import CHANNEL, Arrived, Plan, Send, Spec, Variant

VARIANTS = (Variant("psvr, with a key", "node", {"key": True}), Variant("psvr, without a key", "node", {"key": False}))


def missing() -> str | None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        return "pip install 'psvr[node]'"
    return None


def plan(variant: Variant, hops: int, folder: Path) -> Plan:
    ports = free_ports(hops + 1)
    key = folder / "key"
    key.touch(0o600)
    key.write_text(new_key())
    line: list[Spec] = []
    for i, port in enumerate(ports):
        near = ports[max(i - 1, 0) : i] + ports[i + 1 : i + 2]
        line.append(
            {
                "id": i + 1,
                "state": str(folder / str(i)),
                "listen": f"127.0.0.1:{port}",
                "peers": [f"127.0.0.1:{p}" for p in near],
            }
        )
        if variant.options["key"]:
            line[i]["key_file"] = str(key)
    return Plan(line[0], line[-1], "UDP between nodes", relays=line[1:-1])


@asynccontextmanager
async def publisher(spec: Spec) -> AsyncIterator[Send]:
    async with Node(**spec) as node:

        async def send(data: bytes) -> None:
            await node.publish(CHANNEL, data)

        yield send


@asynccontextmanager
async def subscriber(spec: Spec, arrived: Arrived) -> AsyncIterator[None]:
    async with Node(**spec) as node:

        async def listen() -> None:
            async for message in node.subscribe(CHANNEL):
                arrived(message.data)

        task = asyncio.create_task(listen())
        yield
        task.cancel()


@asynccontextmanager
async def relay(spec: Spec) -> AsyncIterator[None]:
    async with Node(**spec):
        yield
