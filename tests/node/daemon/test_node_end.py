"""`psvr.Node` in time: publishers that wait, timers, start and end, with links in memory."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from psvr import Node
from psvr.errors import BadInput
from psvr.node import node as module
from psvr.node.node import RECOVERY
from psvr.node.secure.identity import Identity
from psvr.protocol import constants as k
from tests.support.node.in_memory import HELLO, Here, together, until, within


def test_publishers_wait_for_room_and_are_woken(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            full, host = True, a.host
            host.waits_for = lambda slot: k.NOBODY if full else None  # type: ignore[method-assign]
            host.has_room = lambda at: not full  # type: ignore[method-assign]
            host.may_go = lambda: not full  # type: ignore[method-assign]
            waiting = [asyncio.create_task(a.publish("c", "x")) for _ in range(3)]
            await asyncio.sleep(5 * HELLO)
            assert not any(task.done() for task in waiting)
            full = False
            assert sorted(await asyncio.gather(*waiting)) == [1, 2, 3]
            full = True
            waiting = [asyncio.create_task(a.publish("c", "x")) for _ in range(3)]
            waiting[0].cancel()
            await asyncio.sleep(HELLO)
            await a.stop()
            told = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(it) for it in told] == [asyncio.CancelledError, int, int], "they have numbers, and went"

    within(work)


def test_an_eager_publisher_lets_others_have_their_turn(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            turns = 0

            async def other() -> None:
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)

            task = asyncio.create_task(other())
            for _ in range(100):
                await a.publish("c", "x")
            task.cancel()
            assert turns >= 5

    within(work)


def test_what_was_published_goes_before_the_end(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1, 2) as (a, b):
            news = b.subscribe("news")
            await until(lambda: a.status()["tables"]["channels"] == 1)
            for i in range(20):
                await a.publish("news", str(i))
            await a.stop()
            await a.stop()
            assert [(await anext(news)).data for _ in range(20)] == [str(i).encode() for i in range(20)]
            with pytest.raises(BadInput, match="the node is not running"):
                await a.publish("news", "too late")
            await a.start()
            assert a.status()["counters"]["published"] == 0, "a new life"

    within(work)


def test_what_is_published_leaves_within_the_same_turn(tmp_path: Path) -> None:
    """It waits for no timer, not even on the way."""

    async def work() -> None:
        async with together(tmp_path, 1, 2) as (a, b):
            news = b.subscribe("news")
            await until(lambda: a.status()["tables"]["channels"] == 1)
            for node in (a, b):
                node.arm = lambda: None  # type: ignore[method-assign]
                if node.timer is not None:
                    node.timer.cancel()
            await a.publish("news", "x")
            for _ in range(20):
                await asyncio.sleep(0)
            assert news.queue.qsize() == 1

    within(work)


def test_a_node_with_nothing_to_do_stops_at_once_and_one_with_much_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        for drain, on_its_way in ((1000.0, 0), (2 * HELLO, 5)):
            monkeypatch.setattr(module, "DRAIN", drain)
            async with together(tmp_path, 1) as (a,):
                a.transport.on_its_way = partial(int, on_its_way)  # type: ignore[method-assign]

    within(work)


def test_nothing_goes_on_after_the_end(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            events, link = a.events(), a.link
            assert isinstance(link, Here)
            await a.publish("c", "x")
        said = len(link.said)
        assert link.receive is None and a.timer is None
        async for _ in events:
            pass  # listeners learn of the end
        await asyncio.sleep(5 * HELLO)
        assert len(link.said) == said
        Identity(tmp_path / "0").close()

    within(work)


def test_a_start_that_fails_leaves_the_folder_to_others(tmp_path: Path) -> None:
    class Broken(Here):
        async def start(self, receive: Any) -> None:
            raise BadInput("link: not here")

    async def work() -> None:
        node = Node(id=1, state=tmp_path, link=Broken([]))
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(2):
            with pytest.raises(BadInput, match="link: not here"):
                await node.start()
            await node.stop()
        assert len(os.listdir("/proc/self/fd")) == before
        Identity(tmp_path).close()

    within(work)


@pytest.mark.parametrize("part, method", [("host", "wake"), ("host", "next_due"), ("transport", "flush")])
def test_exceptions_in_a_turn_do_not_silence_the_node(part: str, method: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            link, logged, left = a.link, list[object](), 2
            assert isinstance(link, Here)
            asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context["exception"]))
            real = getattr(getattr(a, part), method)

            def fail_twice(*arguments: Any) -> Any:
                nonlocal left
                if left > 0:
                    left -= 1
                    raise ValueError("a mistake")
                return real(*arguments)

            setattr(getattr(a, part), method, fail_twice)
            await until(lambda: left == 0)
            said = len(link.said)
            await until(lambda: len(link.said) > said + 3)
            assert a.status()["counters"]["internal_errors"] == 2
            assert [repr(error) for error in logged] == ["ValueError('a mistake')"] * 2

    within(work)


@pytest.mark.parametrize("part, method", [("host", "wake"), ("host", "next_due"), ("transport", "flush")])
def test_turns_that_always_raise_do_not_keep_the_node_busy(part: str, method: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            loop, turns = asyncio.get_running_loop(), list[float]()
            loop.set_exception_handler(lambda loop, context: None)

            def fail(*_: Any) -> Any:
                raise ValueError("a mistake")

            def wake(now: int) -> None:
                turns.append(loop.time())
                if method == "wake":
                    fail()

            a.host.wake = wake  # type: ignore[method-assign]
            if method != "wake":
                setattr(getattr(a, part), method, fail)
            await until(lambda: bool(turns))
            for _ in range(100):  # others set the timer, too
                a.finish_turn_soon()
                await asyncio.sleep(0.01)
            assert turns[-1] - turns[0] >= (len(turns) - 1) * RECOVERY * 0.99, turns
            assert a.status()["counters"]["internal_errors"] >= len(turns) > 1

    within(work)


def test_much_to_do_does_not_put_hellos_off(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            assert isinstance(a.link, Here)
            said, loop = len(a.link.said), asyncio.get_running_loop()
            end = loop.time() + 60 * HELLO
            while loop.time() < end and len(a.link.said) < said + 10:
                a.finish_turn_soon()
                await asyncio.sleep(0)
            assert len(a.link.said) == said + 10

    within(work)
