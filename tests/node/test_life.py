"""A node from its start to its end, as an application sees it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psvr import Node
from psvr.errors import BadInput
from psvr.node.core import host, inbox
from psvr.node.core.events import Dropped
from tests.support.node.two_nodes import knows, nodes, settled, two

NUMBER = 10


def test_what_was_published_just_before_the_end_still_goes(tmp_path: Path) -> None:
    async def run() -> list[bytes]:
        a, b = nodes(tmp_path)
        async with b:
            news = b.subscribe("news")
            async with a:
                await settled(a, b)
                await knows(a, "news")
                for i in range(NUMBER):
                    await a.publish("news", str(i))
            return [(await asyncio.wait_for(anext(news), 5)).data for _ in range(NUMBER)]

    assert asyncio.run(run()) == [str(i).encode() for i in range(NUMBER)]


def test_what_cannot_go_any_more_is_dropped_and_told(tmp_path: Path) -> None:
    """The only neighbour is gone, and nobody knows yet."""

    async def run() -> tuple[list[int], dict[str, int], float]:
        a, b = nodes(tmp_path)
        await a.start()
        await b.start()
        news = b.subscribe("news")
        await settled(a, b)
        await knows(a, "news")
        await b.stop()
        events = a.events()
        numbers = [await a.publish("news", "x") for _ in range(NUMBER)]
        begin = asyncio.get_running_loop().time()
        await a.stop()
        took = asyncio.get_running_loop().time() - begin
        dropped = [event.sequence async for event in events if isinstance(event, Dropped)]
        assert [message async for message in news] == []
        return sorted(set(dropped) ^ set(numbers)), dict(a.reporter.reasons), took

    missing, reasons, took = asyncio.run(run())
    assert missing == [] and sum(reasons.values()) == NUMBER and took < 2


def test_a_node_can_be_started_again(tmp_path: Path) -> None:
    async def run() -> bytes:
        a, b = nodes(tmp_path)
        async with a:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.2)
        async with a, b:
            news = b.subscribe("news")
            await settled(a, b)
            await a.publish("news", "again")
            return (await asyncio.wait_for(anext(news), 10)).data

    assert asyncio.run(run()) == b"again"


USES: list[Callable[[Node], Any]] = [
    lambda node: node.subscribe("a"),
    lambda node: node.unsubscribe("a"),
    lambda node: node.events(),
    lambda node: node.status(),
]


@pytest.mark.parametrize("use", USES)
def test_a_node_that_does_not_run_says_so(use: Callable[[Node], Any], tmp_path: Path) -> None:
    async def run() -> None:
        node, _ = nodes(tmp_path)
        for _ in range(2):  # before it was started, and after it has stopped
            with pytest.raises(BadInput, match="the node is not running"):
                use(node)
            with pytest.raises(BadInput, match="the node is not running"):
                await node.publish("a", b"")
            async with node:
                use(node)

    asyncio.run(run())


@pytest.mark.parametrize("room", [0, -1, 1.5, "x", None, True])
def test_room_is_a_number(room: Any, tmp_path: Path) -> None:
    async def run() -> None:
        async with nodes(tmp_path)[0] as node:
            with pytest.raises(BadInput, match=r"^room: must be a whole number from 1, not "):
                node.subscribe("a", room)

    asyncio.run(run())


def test_text_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        async with nodes(tmp_path)[0] as node:
            for channel, data in (("a", "\ud800"), ("\ud800", "x")):
                with pytest.raises(BadInput, match="without single surrogates"):
                    await node.publish(channel, data)

    asyncio.run(run())


def test_all_who_wait_for_one_subscription_learn_of_its_end(tmp_path: Path) -> None:
    async def run() -> list[list[bytes]]:
        async with nodes(tmp_path)[0] as node:
            news = node.subscribe("news")

            async def take() -> list[bytes]:
                return [message.data async for message in news]

            takers = [asyncio.create_task(take()) for _ in range(3)]
            await asyncio.sleep(0.05)
            await node.publish("news", "x")
            news.close()
            await asyncio.wait_for(asyncio.gather(*takers), 5)
            return [*(taker.result() for taker in takers), await take()]

    assert sorted(asyncio.run(run())) == [[], [], [], [b"x"]]


def test_names_with_one_hash_are_left_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "channel_hash", lambda name: 7)

    async def run() -> bytes:
        async with two(tmp_path) as (a, b):
            one, other = b.subscribe("one"), b.subscribe("other")
            await asyncio.sleep(0.5)
            other.close()
            await asyncio.sleep(0.5)
            await a.publish("other", "for nobody")
            await a.publish("one", "for one")
            return (await asyncio.wait_for(anext(one), 10)).data

    assert asyncio.run(run()) == b"for one"


def test_what_waits_for_an_application_is_bounded_in_bytes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MAX_BYTES", 2500)

    async def run() -> tuple[list[int], dict[str, int]]:
        async with nodes(tmp_path)[0] as node:
            news, lengths = node.subscribe("news"), []
            for length in (1000, 1000, 1000, 500, 1):
                await node.publish("news", bytes(length))
            for _ in range(3):
                lengths.append(len((await anext(news)).data))
            await node.publish("news", bytes(2500))
            lengths.append(len((await anext(news)).data))
            return lengths, node.status()["dropped"]

    assert asyncio.run(run()) == ([1000, 1000, 500, 2500], {inbox.TOO_SLOW: 2})
