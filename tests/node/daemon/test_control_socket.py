"""The socket of a node in the file system: who makes it, who may use it, and who removes it."""

import asyncio
import os
import socket
import stat
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.daemon.client import Client
from psvr.node.daemon.control import Control, bind, channels_of
from psvr.node.daemon.logs import Log


class Named:
    """As much of a node as a socket needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def status(self) -> dict[str, Any]:
        return {"name": self.name}


def control(name: str, path: Path) -> Control:
    return Control(Named(name), path, Log())  # type: ignore[arg-type]


async def who_answers(path: Path) -> str:
    def ask() -> str:
        with Client(path) as client:
            return str(client.status()["name"])

    return await asyncio.to_thread(ask)


def within(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(20):
            await work()

    asyncio.run(run())


def test_a_node_that_stops_takes_its_socket_along(tmp_path: Path) -> None:
    async def work() -> None:
        one = control("one", tmp_path / "socket")
        await one.start()
        assert await who_answers(one.path) == "one"
        await one.stop()
        assert not one.path.exists()
        await one.stop()  # stopping twice does no harm
        await one.start()  # and it can be started again
        assert await who_answers(one.path) == "one"
        await one.stop()

    within(work)


def test_a_node_that_stops_leaves_the_socket_of_a_newer_one(tmp_path: Path) -> None:
    """Somebody removed the first node's socket, as cleaners of temporary folders do, and started another node."""

    async def work() -> None:
        path = tmp_path / "socket"
        old, new = control("old", path), control("new", path)
        await old.start()
        path.unlink()
        await new.start()
        await old.stop()
        assert await who_answers(path) == "new"
        await new.stop()
        assert not path.exists()

    within(work)


def test_a_file_that_took_the_place_of_the_socket_stays(tmp_path: Path) -> None:
    async def work() -> None:
        one = control("one", tmp_path / "socket")
        await one.start()
        one.path.unlink()
        one.path.write_text("precious")
        await one.stop()
        assert one.path.read_text() == "precious"

    within(work)


def test_a_socket_that_is_gone_already_is_no_error(tmp_path: Path) -> None:
    async def work() -> None:
        one = control("one", tmp_path / "socket")
        await one.start()
        one.path.unlink()
        await one.stop()

    within(work)


def test_who_stops_hangs_up(tmp_path: Path) -> None:
    async def work() -> None:
        one = control("one", tmp_path / "socket")
        await one.start()
        reader, writer = await asyncio.open_unix_connection(str(one.path))
        writer.write(b'{"op": "status"}\n')
        assert await reader.readline() == b'{"name":"one"}\n'
        server = one.server
        await one.stop()
        assert await reader.read() == b"" and one.clients == set()
        assert server is not None and not server.is_serving()
        writer.close()

    within(work)


@pytest.mark.parametrize("mask", [0, 0o077])
def test_nobody_else_may_use_it_from_the_first_moment(mask: int, tmp_path: Path) -> None:
    previous = os.umask(mask)
    try:
        made = bind(tmp_path / "run" / "socket")
        assert os.umask(mask) == mask, "the mask of the process is as it was"
    finally:
        os.umask(previous)
    made.close()
    assert stat.S_IMODE((tmp_path / "run" / "socket").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_of_two_nodes_the_second_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    async def work() -> None:
        one = control("one", tmp_path / "socket")
        await one.start()
        for _ in range(2):
            with pytest.raises(BadInput, match="a node is already running here"):
                await control("two", one.path).start()
            assert await who_answers(one.path) == "one"
        await one.stop()

    within(work)


def test_as_many_channels_as_are_allowed() -> None:
    names = [str(i) for i in range(4096)]
    assert channels_of({"channels": names}) == names
    assert channels_of({"channels": ["b", "a", "b"]}) == ["b", "a"], "in their order"
    for wrong in ([*names, "x"], [], None, "a", {"a": 1}, [None], ["a", 5]):
        with pytest.raises(BadInput, match=r"^channels: must be "):
            channels_of({"channels": wrong})


def test_one_that_is_too_busy_to_answer_is_not_taken_for_dead(tmp_path: Path) -> None:
    """A socket on which nobody accepts, with a full queue."""
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(str(tmp_path / "socket"))
        busy.listen(0)
        waiting = []
        for _ in range(8):
            one = socket.socket(socket.AF_UNIX)
            one.setblocking(False)
            waiting.append(one)
            if one.connect_ex(str(tmp_path / "socket")):
                break
        with pytest.raises(BadInput, match="a node is already running here"):
            bind(tmp_path / "socket")
        for one in waiting:
            one.close()
    assert (tmp_path / "socket").exists()
