"""A node whose application publishes without a pause."""

import asyncio
import time
from pathlib import Path

from psvr import Node
from tests.support.node.two_nodes import HELLO, knows, two

WORK = 0.0005  # seconds that the application spends on each
LARGE, MANY = 60_000, 300  # bytes, and publications


async def without_pause(folder: Path) -> tuple[int, int, dict[str, int]]:
    """Publications, deliveries, and what happened in the meantime."""
    async with two(folder) as (a, b):
        news, got, made = b.subscribe("news", room=1 << 20), 0, 0
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
        return (
            made,
            got,
            {"hello": sent, "lost": a.reporter.counts["neighbour lost"] + b.reporter.counts["neighbour lost"]},
        )


def test_it_still_says_hello(tmp_path: Path) -> None:
    """The timer was put off with every publication: neighbours took a busy node for dead."""
    made, got, told = asyncio.run(without_pause(tmp_path))
    assert made == got > 100
    assert told["hello"] >= 5 and told["lost"] == 0


async def exchange(folder: Path) -> list[tuple[list[int], dict[str, int]]]:
    """What each end received, and what it dropped."""
    async with two(folder) as (a, b):
        mail = {a: a.subscribe("to a"), b: b.subscribe("to b")}
        await asyncio.gather(knows(a, "to b"), knows(b, "to a"))

        async def say(node: Node, channel: str) -> None:
            for i in range(MANY):
                await node.publish(channel, i.to_bytes(2, "big") * (LARGE // 2))

        async def listen(node: Node) -> list[int]:
            messages = [await asyncio.wait_for(anext(mail[node]), 30) for _ in range(MANY)]
            return [int.from_bytes(message.data[:2], "big") for message in messages]

        *_, first, second = await asyncio.gather(say(a, "to b"), say(b, "to a"), listen(a), listen(b))
        return [(first, a.status()["dropped"]), (second, b.status()["dropped"])]


def test_two_that_have_much_to_say_to_each_other(tmp_path: Path) -> None:
    """Both queues are full: who then takes nothing from the other waits for ever, and frames were given up."""
    for got, dropped in asyncio.run(exchange(tmp_path)):
        assert sorted(got) == list(range(MANY)) and dropped == {}
