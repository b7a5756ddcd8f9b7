"""A node whose application publishes without a pause."""

import asyncio
import time
from pathlib import Path

from node_process import free_ports

from psvr import Node
from psvr.protocol import node as rules

HELLO = 0.05
WORK = 0.0005              # seconds that the application needs for one


def node(v: int, folder: Path, at: list[int]) -> Node:
    return Node(id=v, state=folder / str(v), listen=f"127.0.0.1:{at[v]}", peers=[f"127.0.0.1:{at[1 - v]}"], hello=HELLO)


async def pair(folder: Path) -> tuple[int, int, dict[str, int]]:
    """Publications, deliveries, and what happened in the meantime."""
    at = free_ports(2)
    async with node(0, folder, at) as a, node(1, folder, at) as b:
        news, got, made = b.subscribe("news", room=1 << 20), 0, 0
        while a.host.me.ring < 0 or a.host.me.ring != b.host.me.ring or rules.is_filling(a.host.me):
            await asyncio.sleep(HELLO)
        before = a.status()["transmissions"]["hello"]
        end = time.monotonic() + 20 * HELLO
        while time.monotonic() < end:
            await a.publish("news", b"x")
            time.sleep(WORK)
            made += 1
        sent = a.status()["transmissions"]["hello"] - before
        while got < made:
            await asyncio.wait_for(anext(news), 30)
            got += 1
        return made, got, {"hello": sent, "lost": a.teller.counts["neighbour lost"] + b.teller.counts["neighbour lost"]}


def test_it_still_says_hello(tmp_path: Path) -> None:
    """The timer was put off with every publication: neighbours took a busy node for dead."""
    made, got, told = asyncio.run(pair(tmp_path))
    assert made == got > 100
    assert told["hello"] >= 5 and told["lost"] == 0
