"""`psvr.Node` between an application and a link, both in memory: what it accepts, delivers and refuses."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.core import envelope
from psvr.node.core.events import DoubleId, Event
from psvr.node.core.reporter import DOUBLE_PAUSE, Reporter
from psvr.node.secure.seal import Seal
from tests.support.node.in_memory import HELLO, Here, together, until, within


def test_what_is_published_arrives_once_at_all_who_want_it(tmp_path: Path) -> None:
    async def work() -> None:
        rows: list[dict[str, Any]] = []
        async with together(tmp_path, 1, 2, 3, note=rows.append) as (a, b, c):
            news, again = b.subscribe("news"), c.subscribe("news")
            await until(lambda: "news" in str(rows) and a.status()["tables"]["channels"] == 1)
            assert [await a.publish("news", data) for data in (b"one", "two")] == [1, 2]
            for subscription in (news, again):
                told = [await anext(subscription) for _ in range(2)]
                assert [(it.data, it.origin, it.sequence) for it in told] == [(b"one", 1, 1), (b"two", 1, 2)]
            await asyncio.sleep(5 * HELLO)
            assert news.queue.empty() and again.queue.empty()
        assert [row["sequence"] for row in rows if row["event"] == "published"] == [1, 2]
        assert sorted((row["node"], row["sequence"]) for row in rows if row["event"] == "delivered") == [
            (2, 1),
            (2, 2),
            (3, 1),
            (3, 2),
        ]
        assert [row["node"] for row in rows if row["event"] == "subscribed"] == [2, 3]

    within(work)


def test_a_publisher_gets_its_own_message_at_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            mine = a.subscribe("news")
            await a.publish("news", "x")
            message = await anext(mine)
            assert (message.data, message.hops, message.origin) == (b"x", 0, 1)

    within(work)


def test_what_is_not_genuine_or_comes_twice_is_counted_and_ignored(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1, 2) as (a, b):
            here, there = a.link, b.link
            assert isinstance(here, Here) and isinstance(there, Here)
            again, here.deaf = there.said[-1], True
            for _ in range(3):
                await asyncio.sleep(0)  # until all that was said is heard
            heard: list[int] = []
            a.host.hear = lambda sender, *rest: heard.append(sender)  # type: ignore[method-assign]
            before, taken = a.refused, a.taken
            a.receive(b"junk", there)
            a.receive(Seal(None, 9).seal(b"")[:-1] + b"x", there)
            assert a.refused - before == 2
            a.receive(again, there)
            assert a.refused - before == 3
            a.receive(here.said[-1], there)  # its own, come back
            a.receive(Seal(None, 9).seal(envelope.hello(b"x")), there)  # from a node that may be long gone
            assert a.refused - before == 3 and heard == [] and a.taken == taken
            a.receive(b.seal.seal(envelope.hello(b"x")), there)
            assert heard == [2], "what is new is taken"

    within(work)


def test_an_exception_over_a_datagram_is_counted_and_the_next_one_is_taken(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1, 2) as (a, b):
            logged, heard, real = list[object](), list[int](), a.host.hear
            asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context["exception"]))

            def hear(sender: int, frame: bytes, now: int) -> None:
                heard.append(sender)
                if len(heard) == 1:
                    raise ValueError("a mistake")
                real(sender, frame, now)

            a.host.hear = hear  # type: ignore[method-assign]
            await until(lambda: len(heard) == 3)
            assert a.status()["counters"]["internal_errors"] == 1
            assert b.status()["counters"]["internal_errors"] == 0
            assert [repr(error) for error in logged] == ["ValueError('a mistake')"]

    within(work)


def test_two_nodes_with_one_id_are_told(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 7, 7) as (a, b):
            event = await anext(aiter(a.events()))
            assert isinstance(event, DoubleId) and event.id == 7
            assert a.host.me.root == b.host.me.root == 7, "and do not take each other for neighbours"
            assert a.status()["neighbours"] == []

    within(work)


def test_a_double_is_reported_at_once_even_if_the_machine_has_just_started(monkeypatch: pytest.MonkeyPatch) -> None:
    found, reporter = list[Event](), Reporter(7, None)
    monkeypatch.setattr(reporter, "emit", found.append)
    for uptime, number in ((2.0, 1), (2.0 + DOUBLE_PAUSE, 1), (2.1 + DOUBLE_PAUSE, 2)):
        monkeypatch.setattr("time.monotonic", lambda uptime=uptime: uptime)
        reporter.report_double(7)
        assert len(found) == number


def test_parts_of_frames_are_kept_for_neighbours_only(tmp_path: Path) -> None:
    """Whole frames are processed: their sender may be a neighbour a moment later."""

    async def work() -> None:
        async with together(tmp_path, 1, 2) as (a, b):
            heard: list[int] = []
            a.transport.hear = lambda peer, item, *rest: heard.append(item.kind)  # type: ignore[method-assign]
            items = envelope.part(900, 0, 2, b"x") + envelope.frame(902, b"x") + envelope.echo([bytes(8)])
            keeps = True
            a.host.is_neighbour = lambda id: keeps  # type: ignore[method-assign]
            for keeps in (True, False):
                heard.clear()
                b.send_items(items, b.transport.peers[1])
                await until(lambda: envelope.FRAME in heard)
                assert (envelope.PART in heard) == keeps and envelope.ECHO not in heard

    within(work)


def test_to_unsubscribe_closes_all_subscriptions_of_a_channel(tmp_path: Path) -> None:
    async def work() -> None:
        rows: list[dict[str, Any]] = []
        async with together(tmp_path, 1, note=rows.append) as (a,):
            one, two, other = a.subscribe("c"), a.subscribe("c"), a.subscribe("d")
            one.close()
            assert [row["event"] for row in rows] == ["subscribed", "subscribed"]
            a.unsubscribe("c")
            a.unsubscribe("nothing")
            assert one.closed and two.closed and not other.closed and a.status()["subscriptions"] == ["d"]
            assert [it async for it in two] == []
            assert [(row["event"], row["channel"]) for row in rows[2:]] == [("unsubscribed", "c")]
        assert other.closed and [it async for it in other] == [], "the end of the node ends the rest"

    within(work)


def test_a_channel_that_finds_no_room_is_no_subscription(tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1, channels=1) as (a,):
            a.subscribe("c")
            with pytest.raises(BadInput, match=r"^channel: this node knows 1 channels already, its bound"):
                a.subscribe("d")
            assert a.status()["subscriptions"] == ["c"]
            a.subscribe("c")

    within(work)


@pytest.mark.parametrize(
    "room, good", [(1, True), (1 << 40, True), (0, False), (-1, False), (1.0, False), (True, False)]
)
def test_room_for_messages(room: Any, good: bool, tmp_path: Path) -> None:
    async def work() -> None:
        async with together(tmp_path, 1) as (a,):
            if good:
                assert a.subscribe("c", room).limit == room
            else:
                with pytest.raises(BadInput, match=r"^room: must be a whole number from 1, not "):
                    a.subscribe("c", room)
                assert a.status()["subscriptions"] == []

    within(work)
