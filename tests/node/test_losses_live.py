"""What is counted as dropped, by real nodes: in the status, in the log and in the trace."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from psvr import Dropped, Node
from psvr.protocol import constants as k
from psvr.trace import read
from tests.support.node.node_process import Process, psvr
from tests.support.node.two_nodes import HELLO, knows, two

ALONE = k.REASONS[k.ALONE]


@contextmanager
def cut(*nodes: Node) -> Iterator[None]:
    """The nodes do not hear each other."""
    with pytest.MonkeyPatch.context() as patch:
        for node in nodes:
            patch.setattr(node.link, "put", lambda datagram, to: None)
        yield


async def every(node: Node, seconds: float) -> list[int]:
    """Publish in the meantime."""
    loop, made = asyncio.get_running_loop(), []
    end = loop.time() + seconds
    while loop.time() < end:
        made.append(await node.publish("news", "x"))
        await asyncio.sleep(0.02)
    return made


def test_a_node_that_is_cut_off_for_seconds_and_then_for_good(tmp_path: Path) -> None:
    async def run() -> tuple[list[int], list[int], list[int], list[Any]]:
        async with two(tmp_path) as (a, b):
            news, events = b.subscribe("news", room=100_000), a.events()
            await knows(a, "news")
            made = await every(a, 0.2)
            with cut(a, b):
                made += await every(a, 20 * HELLO)
                assert sum(a.status()["losing"].values()) > 0
            while a.status()["losing"]:
                made += await every(a, 0.1)
            assert a.status()["dropped"] == b.status()["dropped"] == {}
            await asyncio.sleep(0.5)
            with cut(a, b):
                lost = await every(a, 20 * HELLO)
                await a.stop()
            news.close()
            got = [message.sequence async for message in news]
            dropped = [event async for event in events if isinstance(event, Dropped)]
            return made, lost, got, dropped

    made, lost, got, dropped = asyncio.run(run())
    assert sorted(got) == made
    assert sorted(event.sequence for event in dropped) == lost


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[Process]:
    node = Process(
        tmp_path / "alone", ["--listen=127.0.0.1:0", "--hello=0.1", "--log=json", f"--trace={tmp_path / 'trace'}"]
    )
    node.start()
    yield node
    node.kill()


def test_a_lonely_node_says_in_one_line_how_many_it_dropped(traced: Process, tmp_path: Path) -> None:
    assert psvr("pub", "news", "--socket", traced.socket, stdin="x\n" * 201).code == 0
    assert f"unless sent again, 201: {ALONE}" in psvr("status", "--socket", traced.socket).out
    assert traced.status()["dropped"] == {} and traced.status()["losing"] == {ALONE: 201}
    assert traced.end() == 0
    told = [json.loads(line) for line in traced.log.splitlines()]
    drops = [line for line in told if line["message"] == "publications dropped"]
    assert [(line["level"], line["reason"], line["count"]) for line in drops] == [("warning", ALONE, 201)]
    rows = [row for row in read(tmp_path / "trace").to_pylist() if row["event"] == "dropped"]
    assert sorted(row["sequence"] for row in rows) == list(range(1, 202))
    assert {(row["reason"], row["channel"], row["bytes"]) for row in rows} == {(ALONE, "news", 1)}
