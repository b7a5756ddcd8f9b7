"""What a node process does besides being a node: rereading keys, logging events, ending on request."""

import asyncio
import io
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.config.config import Config
from psvr.node.core.events import DoubleId, Dropped, Event, NeighbourFound, RingChanged
from psvr.node.daemon import serving
from psvr.node.daemon.logs import Log
from psvr.node.secure.keys import PREFIX, load_keys, tag
from psvr.node.secure.seal import Seal

OLD, NEW = (PREFIX + digit * 64 for digit in "ab")


class Logged:
    def __init__(self, level: str = "debug") -> None:
        self.out = io.StringIO()
        self.log = Log("json", level, self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.getvalue().splitlines()]

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(line["level"], line["message"]) for line in self.lines]


def key_file(folder: Path, *keys: str, mode: int = 0o600) -> Path:
    file = folder / "net.key"
    file.write_text("".join(f"{key}\n" for key in keys))
    file.chmod(mode)
    return file


# --- rereading keys


def test_other_keys_are_used_from_now_on(tmp_path: Path) -> None:
    file, logged = key_file(tmp_path, OLD), Logged()
    node, config = SimpleNamespace(seal=Seal(load_keys(file, {}), 1)), Config(key_file=file, state=tmp_path)
    key_file(tmp_path, NEW, OLD)
    serving.read_keys_again(node, config, logged.log)  # type: ignore[arg-type]
    assert node.seal.seal(b"x")[1:5] == tag(b"\xbb" * 32) and len(node.seal.keys) == 2
    assert logged.told == [("info", "other keys")] and tag(b"\xbb" * 32).hex() in logged.lines[0]["key"]


@pytest.mark.parametrize("keys, mode", [((), 0o600), ((NEW[:-1],), 0o600), ((NEW, NEW), 0o600), ((NEW,), 0o644)])
def test_a_file_that_cannot_be_used_changes_nothing(keys: tuple[str, ...], mode: int, tmp_path: Path) -> None:
    """Above all, a node does not fall back to sending without a key because somebody damaged its file."""
    file, logged = key_file(tmp_path, OLD), Logged()
    node, config = SimpleNamespace(seal=Seal(load_keys(file, {}), 1)), Config(key_file=file, state=tmp_path)
    key_file(tmp_path, *keys, mode=mode)
    serving.read_keys_again(node, config, logged.log)  # type: ignore[arg-type]
    file.unlink()
    serving.read_keys_again(node, config, logged.log)  # type: ignore[arg-type]
    assert Seal(load_keys(key_file(tmp_path, OLD, mode=0o600), {}), 2).open(node.seal.seal(b"x")) is not None
    assert logged.told == [("error", "the keys stay as they were")] * 2 and "bbbb" not in logged.out.getvalue()


def test_without_a_file_there_is_nothing_to_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSVR_KEY", NEW)
    logged, seal = Logged(), Seal(load_keys(None, {"PSVR_KEY": OLD}), 1)
    serving.read_keys_again(SimpleNamespace(seal=seal), Config(state=tmp_path), logged.log)  # type: ignore[arg-type]
    assert seal.seal(b"x")[1:5] == tag(b"\xaa" * 32)
    assert logged.told == [("warning", "there is no key file to be read again")]


# --- the log


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"ether": "127.0.0.1:5000/3"}, "ether 127.0.0.1:5000/3"),
        ({"port": 9}, "multicast on lo, port 9"),
        ({"interface": "eth7"}, "multicast on eth7, port 7372"),
        ({"peers": ("a:1", "b:2"), "port": 9}, "2 peers, listening at port 9"),
        ({"listen": "a:5"}, "0 peers, listening at a:5"),
    ],
)
def test_the_first_line_says_who_and_where(settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    logged, config = Logged(), Config(**settings, state=tmp_path, socket=tmp_path / "s")
    serving.log_start(SimpleNamespace(link=None, id=7), config, None, logged.log)  # type: ignore[arg-type]
    assert logged.lines[0]["level"] == "warning" and logged.lines[0]["message"].startswith("no key: ")
    told = logged.lines[1]
    assert [told[name] for name in ("message", "id", "link", "key", "socket")] == [
        "node started",
        7,
        words,
        "none",
        str(tmp_path / "s"),
    ]
    logged, keys = Logged(), load_keys(None, {"PSVR_KEY": OLD})
    serving.log_start(SimpleNamespace(link=None, id=7), config, keys, logged.log)  # type: ignore[arg-type]
    assert [line["key"] for line in logged.lines] == ["sends with " + tag(b"\xaa" * 32).hex()]


def node_with(*events: Event, hello: float = 1.0) -> Any:
    async def told() -> AsyncIterator[Event]:
        for event in events:
            yield event

    return SimpleNamespace(events=told, config=SimpleNamespace(hello=hello))


def test_events_are_logged_with_what_they_say() -> None:
    logged = Logged()
    asyncio.run(
        serving.log_events(
            node_with(NeighbourFound(5, 7), RingChanged(6, (1, 4), 10), Dropped(7, "no ring", "c", 1, 2, 3)), logged.log
        )
    )
    assert logged.told == [("info", "neighbour found"), ("info", "ring changed"), ("debug", "dropped")]
    found, ring, dropped = logged.lines
    assert found["id"] == 7 and (ring["positions"], ring["length"]) == ([1, 4], 10)
    assert [dropped[name] for name in ("reason", "channel", "origin", "boot", "sequence")] == ["no ring", "c", 1, 2, 3]


def test_every_event_has_words() -> None:
    assert {it.__name__ for it in (*serving.EVENT_NAMES, DoubleId)} == {it.__name__ for it in Event.__subclasses__()}


def test_of_two_nodes_with_one_id_the_newcomer_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match=r"^id: another node has the id 7, too; give this one another"):
        asyncio.run(serving.log_events(node_with(DoubleId(5, 7)), Logged().log))
    clock = iter((100.0, 100.0 + serving.NEWCOMER_HELLOS * 0.5))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    logged = Logged()
    coroutine = serving.log_events(node_with(DoubleId(5, 7), hello=0.5), logged.log)
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert logged.told == [("error", "another node has the id of this one")] and logged.lines[0]["id"] == 7


def test_drops_are_told_by_reason_and_period(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REPORT_EVERY", 0.0)
    seen = iter([{}, {"no ring": 3}, {"no ring": 3, "link": 1}, {"no ring": 5, "link": 1}])

    class Ended(Exception):
        pass

    class Reporter:
        @property
        def reasons(self) -> dict[str, int]:
            try:
                return next(seen)
            except StopIteration:
                raise Ended from None

    logged = Logged()
    with pytest.raises(Ended):
        asyncio.run(serving.Drops(SimpleNamespace(reporter=Reporter()), logged.log).report_forever())  # type: ignore[arg-type]
    assert [(line["reason"], line["count"], line["total"]) for line in logged.lines] == [
        ("no ring", 3, 3),
        ("link", 1, 1),
        ("no ring", 2, 5),
    ]
    assert {line["level"] for line in logged.lines} == {"warning"}


def test_what_nobody_caught_is_one_line_with_its_place() -> None:
    logged = Logged()
    try:
        raise ValueError("text\nwith lines")
    except ValueError as error:
        serving.log_exception(logged.log, {"message": "it failed", "exception": error})
    serving.log_exception(logged.log, {})
    first, second = logged.lines
    assert (first["level"], first["message"]) == ("error", "it failed") and "ValueError" in first["error"]
    assert first["at"][0].startswith("test_what_nobody_caught_is_one_line_with_its_place:") and second["at"] == []


# --- the end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop_it_stops_and_being_asked_again_changes_nothing(number: int) -> None:
    usual = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)}

    async def work() -> None:
        with serving.asked_to_stop() as stop:
            assert not stop.is_set()
            os.kill(os.getpid(), number)
            await asyncio.wait_for(stop.wait(), 10)
        assert {signal.getsignal(n) for n in usual} == {signal.SIG_IGN}, "also on the way out"
        for n, handler in usual.items():
            signal.signal(n, handler)
        with serving.asked_to_stop():
            pass
        assert {n: signal.getsignal(n) for n in usual} == usual, "not asked, all is as before"

    try:
        asyncio.run(work())
    finally:
        for n, handler in usual.items():
            signal.signal(n, handler)


def test_the_first_that_ends_ends_all_and_what_went_wrong_is_told() -> None:
    async def work(fails: bool) -> list[bool]:
        stop, ended = asyncio.Event(), list[bool]()

        async def events() -> AsyncIterator[Event]:
            try:
                if fails:
                    yield DoubleId(5, 7)
                await asyncio.sleep(60)
            finally:
                ended.append(True)

        node: Any = SimpleNamespace(
            events=events, config=SimpleNamespace(hello=1.0), reporter=SimpleNamespace(reasons={})
        )
        log = Logged().log
        asyncio.get_running_loop().call_later(0.02, stop.set)
        try:
            await asyncio.wait_for(serving.watch(node, log, serving.Drops(node, log), stop), 10)
        finally:
            await asyncio.sleep(0.01)
            assert len(asyncio.all_tasks()) == 1, "nothing goes on"
        return ended

    assert asyncio.run(work(False)) == [True]
    with pytest.raises(BadInput, match="another node has the id"):
        asyncio.run(work(True))
