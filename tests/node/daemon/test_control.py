"""The Unix socket of a node: what applications get, and what no application can do to the node."""

import asyncio
import base64
import contextlib
import io
import json
import os
import socket
import stat
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from psvr.errors import BadInput
from psvr.node.core.inbox import TOO_SLOW
from psvr.node.daemon import control
from psvr.node.daemon.control import Control
from psvr.node.daemon.lines import data_of, with_data
from psvr.node.daemon.logs import Log
from psvr.node.node import QUEUE, Node

Lines = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Local:
    """A node alone, and its socket."""

    def __init__(self, folder: Path) -> None:
        self.path, self.logged = folder / "run" / "socket", io.StringIO()
        self.node = Node(id=7, state=folder, listen="127.0.0.1:0", hello=0.1)
        self.control = Control(self.node, self.path, Log(out=self.logged))

    async def connect(self) -> Lines:
        return await asyncio.open_unix_connection(str(self.path), limit=1 << 20)

    async def ask(self, *requests: Any) -> list[dict[str, Any]]:
        """All answers to these requests."""
        reader, writer = await self.connect()
        for request in requests:
            writer.write(request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n")
        writer.write_eof()
        answers = [json.loads(line) for line in (await reader.read()).splitlines()]
        writer.close()
        return answers

    async def subscribed(self, *channels: str) -> Lines:
        reader, writer = await self.connect()
        writer.write(json.dumps({"op": "subscribe", "channels": channels}).encode() + b"\n")
        assert json.loads(await reader.readline()) == {"subscribed": list(channels)}
        return reader, writer


@asynccontextmanager
async def local(folder: Path) -> AsyncIterator[Local]:
    it = Local(folder)
    async with it.node:
        await it.control.start()
        try:
            yield it
        finally:
            await it.control.stop()
    assert not it.path.exists()


def within(folder: Path, work: Callable[[Local], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(30), local(folder) as it:
            await work(it)

    asyncio.run(run())


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.01)


def pub(data: str, channel: str = "a") -> dict[str, Any]:
    return {"op": "publish", "channel": channel, "data": data}


def test_publish_subscribe_and_status(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        reader, writer = await it.subscribed("a", "ä b")
        answers = await it.ask(
            pub("one"),
            pub("zwei ü\n", "ä b"),
            pub("nobody", "c"),
            {"op": "publish", "channel": "a", "base64": base64.b64encode(b"\xff\0").decode()},
        )
        assert answers == [{"sequence": n} for n in (1, 2, 3, 4)]
        told = [json.loads(await reader.readline()) for _ in range(3)]
        assert sorted((t["sequence"], t["channel"], t.get("data"), t.get("base64"), t["hops"]) for t in told) == [
            (1, "a", "one", None, 0),
            (2, "ä b", "zwei ü\n", None, 0),
            (4, "a", None, "/wA=", 0),
        ]
        assert {t["origin"] for t in told} == {7}
        (status,) = await it.ask({"op": "status"})
        assert status["id"] == 7 and status["subscriptions"] == ["a", "ä b"]
        assert status["counters"]["published"] == 4
        writer.close()
        await until(lambda: not it.node.inbox.wanted)

    within(tmp_path, work)


def test_two_subscribers_of_one_channel(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        (one, first), (two, second) = await it.subscribed("a"), await it.subscribed("a")
        await it.ask(pub("x"))
        assert json.loads(await one.readline())["data"] == json.loads(await two.readline())["data"] == "x"
        first.close()
        await until(lambda: len(it.node.inbox.wanted["a"]) == 1)
        await it.ask(pub("y"))
        assert json.loads(await two.readline())["data"] == "y"
        second.close()

    within(tmp_path, work)


def test_a_channel_named_twice_is_told_once(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        reader, writer = await it.connect()
        writer.write(b'{"op": "subscribe", "channels": ["a", "a"]}\n')
        assert json.loads(await reader.readline()) == {"subscribed": ["a"]}
        await it.ask(pub("x"), pub("y"))
        assert [json.loads(await reader.readline())["data"] for _ in range(2)] == ["x", "y"]
        writer.close()

    within(tmp_path, work)


def test_a_subscriber_whose_channel_the_node_leaves_is_told_by_the_end(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        reader, writer = await it.subscribed("a")
        await it.ask(pub("last"))
        it.node.unsubscribe("a")
        assert json.loads(await reader.readline())["data"] == "last" and await reader.read() == b""
        writer.close()

    within(tmp_path, work)


def test_memory_is_told_to_those_who_ask_for_it(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        plain, more = await it.ask({"op": "status"}, {"op": "status", "memory": True})
        assert "memory" not in plain and more["memory"]["id"] == 7 and set(more) - {"memory"} == set(plain)

    within(tmp_path, work)


def test_the_largest_payload_and_one_more(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        reader, writer = await it.subscribed("a")
        most = "\x00" * 65536  # every character is escaped
        assert await it.ask(pub(most)) == [{"sequence": 1}]
        assert json.loads(await reader.readline())["data"] == most
        (refused,) = await it.ask(pub(most + "x"))
        assert refused["error"].startswith("data: must be at most 65,536 bytes, not 65,537")
        writer.close()

    within(tmp_path, work)


@pytest.mark.parametrize(
    "request_, said",
    [
        (b"hello\n", "must be a line of JSON"),
        (b"\xff\n", "must be a line of JSON"),
        (b"[]\n", "must be an object"),
        (b"[" * 100_000 + b"\n", "must be a line of JSON"),
        (b'{"op": ' + b"9" * 5000 + b"}\n", "must be a line of JSON"),
        (b"{}\n", "op: must be publish, subscribe or status, not null"),
        (b"\n", "must be a line of JSON"),
        (b'{"op": [[[[[]]]]]}\n', "op: must be publish, subscribe or status, not a list of 1"),
        ({"op": "stop"}, 'op: must be publish, subscribe or status, not "stop"'),
        ({"op": "publish", "data": "x"}, "channel: must be a name, not null"),
        ({"op": "publish", "channel": "a"}, "must have data, or base64"),
        ({"op": "publish", "channel": "a", "data": "x", "base64": ""}, "must have data, or base64"),
        ({"op": "publish", "channel": "a", "data": 5}, "data: must be text"),
        ({"op": "publish", "channel": "a", "data": "\ud800"}, "data: must be Unicode text"),
        ({"op": "publish", "channel": "a", "base64": "*"}, "base64: must be base64"),
        ({"op": "publish", "channel": "a", "base64": "ä"}, "base64: must be base64"),
        ({"op": "publish", "channel": "", "data": "x"}, "channel: must be a name of one character or more"),
        ({"op": "publish", "channel": "x" * 1025, "data": "x"}, "channel: must be at most 1,024 bytes"),
        ({"op": "publish", "channel": "\ud800", "data": "x"}, "channel: must be Unicode text"),
        ({"op": "subscribe"}, "channels: must be a list"),
        ({"op": "subscribe", "channels": []}, "channels: must be a list"),
        ({"op": "subscribe", "channels": [3]}, "channels: must be names"),
        ({"op": "subscribe", "channels": ["a", ""]}, "channel: must be a name"),
        ({"op": "subscribe", "channels": [str(i) for i in range(5000)]}, "channels: must be a list of 1 to 4096 names"),
        (b"x" * (2 << 20), "a request is longer than 524,288 bytes"),
    ],
)
def test_bad_requests_get_one_line(tmp_path: Path, request_: Any, said: str) -> None:
    async def work(it: Local) -> None:
        reader, writer = await it.connect()
        writer.write(request_ if isinstance(request_, bytes) else json.dumps(request_).encode() + b"\n")
        told = json.loads(await reader.readline())
        assert list(told) == ["error"] and told["error"].startswith(said) and "\n" not in told["error"]
        with contextlib.suppress(ConnectionResetError):  # it hung up before it had read everything
            assert await reader.read() == b""
        writer.close()
        assert it.node.inbox.wanted == {} and it.logged.getvalue() == ""
        assert (await it.ask({"op": "status"}))[0]["id"] == 7

    within(tmp_path, work)


KEYS = ["channel", "channels", "data", "base64"]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["op", *KEYS]), inner, max_size=4),
    max_leaves=8,
)
NEARLY = st.builds(  # requests, most with something wrong
    lambda op, rest: {**rest, "op": op},
    st.sampled_from(["publish", "subscribe", "status"]),
    st.dictionaries(st.sampled_from(KEYS), st.text(max_size=3) | st.lists(st.text(max_size=2), max_size=2), max_size=4),
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.binary(max_size=60) | (ANY_JSON | NEARLY).map(lambda value: json.dumps(value).encode() + b"\n"), max_size=6
    )
)
def test_any_bytes_do_no_harm(tmp_path: Path, said: list[bytes]) -> None:
    async def work(it: Local) -> None:
        reader, writer = await it.connect()
        writer.write(b"".join(said))
        writer.write_eof()
        for line in (await reader.read()).splitlines():
            assert isinstance(json.loads(line), dict)
        writer.close()
        await until(lambda: not it.control.clients)
        assert it.node.inbox.wanted == {} and "failed" not in it.logged.getvalue()

    within(tmp_path, work)


def test_a_client_that_does_not_read_gets_what_its_queue_holds_and_the_rest_is_counted(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        deaf, waiting = await it.connect()
        deaf._transport.pause_reading()  # type: ignore[attr-defined]
        waiting.write(b'{"op": "subscribe", "channels": ["a"]}\n')
        await until(lambda: "a" in it.node.inbox.wanted)
        reader, writer = await it.subscribed("a")
        for _ in range(QUEUE + 300):
            await it.node.publish("a", "x" * 20_000)
            assert len(json.loads(await reader.readline())["data"]) == 20_000
        dropped = it.node.status()["dropped"][TOO_SLOW]
        assert 0 < dropped <= 300 and len(it.node.inbox.wanted["a"]) == 2
        deaf._transport.resume_reading()  # type: ignore[attr-defined]
        assert json.loads(await deaf.readline()) == {"subscribed": ["a"]}
        for number in range(1, QUEUE + 300 - dropped + 1):
            assert json.loads(await deaf.readline())["sequence"] == number
        assert it.logged.getvalue() == ""
        waiting.close()
        writer.close()

    within(tmp_path, work)


def test_a_client_that_reads_nothing_hangs_up(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        deaf = socket.socket(socket.AF_UNIX)
        deaf.connect(str(it.path))
        deaf.send(b'{"op": "subscribe", "channels": ["a", "b"]}\n')
        await until(lambda: "b" in it.node.inbox.wanted)
        for _ in range(50):
            await it.node.publish("a", "x" * 50_000)
            await it.node.publish("b", "x" * 50_000)
        deaf.close()
        await until(lambda: it.node.inbox.wanted == {} and not it.control.clients)
        assert it.logged.getvalue() == ""

    within(tmp_path, work)


def test_clients_that_come_and_go_leave_nothing_behind(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        files = len(os.listdir("/proc/self/fd"))
        for i in range(50):
            (await it.subscribed("a", f"c{i}"))[1].close()
            await it.ask(pub("x"), {"op": "status"})
            await it.ask(b"{")
        await until(lambda: not it.control.clients)
        assert it.node.inbox.wanted == {}
        assert len(asyncio.all_tasks()) == 1
        await until(lambda: len(os.listdir("/proc/self/fd")) <= files)

    within(tmp_path, work)


def test_too_many_clients_are_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "MAX_CLIENTS", 2)

    async def work(it: Local) -> None:
        held = [await it.subscribed("a") for _ in range(2)]
        assert await it.ask({"op": "status"}) == [{"error": "there are 2 clients already"}]
        held[0][1].close()
        await until(lambda: len(it.control.clients) == 1)
        assert (await it.ask({"op": "status"}))[0]["id"] == 7
        held[1][1].close()

    within(tmp_path, work)


def test_subscribers_see_the_node_stop(tmp_path: Path) -> None:
    async def work() -> None:
        async with asyncio.timeout(30):
            async with local(tmp_path) as it:
                reader, writer = await it.subscribed("a")
                await it.ask(pub("last"))
                line = await reader.readline()
            assert json.loads(line)["data"] == "last" and await reader.read() == b""
            writer.close()

    asyncio.run(work())


def test_the_socket_is_its_owner_s_alone(tmp_path: Path) -> None:
    async def work(it: Local) -> None:
        assert stat.S_IMODE(it.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(it.path.parent.stat().st_mode) == 0o700

    within(tmp_path, work)


def test_what_is_at_the_place_of_the_socket(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    (tmp_path / "run").mkdir()
    dead.bind(str(tmp_path / "run" / "socket"))
    dead.close()

    async def work(it: Local) -> None:
        assert (await it.ask({"op": "status"}))[0]["id"] == 7, "that of a dead node is replaced"
        with pytest.raises(BadInput, match=r"^socket: a node is already running here"):
            await Control(it.node, it.path, Log()).start()
        assert (await it.ask({"op": "status"}))[0]["id"] == 7
        (tmp_path / "file").write_text("precious")
        with pytest.raises(BadInput, match=r"^socket: .* is there and is no socket"):
            await Control(it.node, tmp_path / "file", Log()).start()
        with pytest.raises(BadInput, match=r"^socket: .* cannot be made: "):
            await Control(it.node, tmp_path / "file" / "socket", Log()).start()
        assert (tmp_path / "file").read_text() == "precious"

    within(tmp_path, work)


@given(st.binary())
def test_data_comes_back(data: bytes) -> None:
    assert data_of(json.loads(json.dumps(with_data(data)))) == data


@pytest.mark.parametrize("removed", [True, False])
def test_a_node_that_stops_leaves_the_socket_of_a_newer_one_alone(removed: bool, tmp_path: Path) -> None:
    """Somebody removed the old node's socket, or it is just stopping and no longer answers."""

    async def run() -> None:
        old, new = Local(tmp_path / "old"), Local(tmp_path / "new")
        async with asyncio.timeout(30), old.node, new.node:
            newer = Control(new.node, old.path, Log())
            await old.control.start()
            await old.subscribed("a")  # it waits a moment for this client
            if removed:
                old.path.unlink()
                await newer.start()
                await old.control.stop()
            else:
                stops = asyncio.create_task(old.control.stop())
                await asyncio.sleep(0)
                await newer.start()
                await stops
            assert [answer["boot"] for answer in await old.ask({"op": "status"})] == [new.node.host.body.host.boot]
            await newer.stop()
            assert not old.path.exists()

    asyncio.run(run())
