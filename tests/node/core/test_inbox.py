"""Publications on their way to applications: who gets which, how much may wait, and what is reported of the rest."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from psvr.node.core import inbox
from psvr.node.core.events import Message
from psvr.node.core.inbox import TOO_SLOW, Inbox, Subscription
from psvr.protocol.records import Pub


class Box:
    """An inbox, what it dropped, and which channels were left."""

    def __init__(self) -> None:
        self.dropped: list[tuple[str, Message]] = []
        self.left: list[str] = []
        self.inbox = Inbox(lambda *told: self.dropped.append(told))
        self.number = 0

    def subscribe(self, channel: str, room: int = 100) -> tuple[Subscription, bool]:
        subscription = Subscription(channel, room, self.leave)
        return subscription, self.inbox.add(subscription)

    def leave(self, subscription: Subscription) -> None:
        if self.inbox.remove(subscription):
            self.left.append(subscription.channel)

    def put(self, channel: str, data: bytes = b"x") -> bool:
        self.number += 1
        pub = Pub()
        pub.origin, pub.boot, pub.number, pub.hops = 7, 8, self.number, 3
        return self.inbox.put(channel, data, pub)


async def taken(subscription: Subscription, count: int) -> list[bytes]:
    return [(await anext(subscription)).data for _ in range(count)]


def within(work: Coroutine[Any, Any, Any]) -> Any:
    async def run() -> Any:
        return await asyncio.wait_for(work, 20)

    return asyncio.run(run())


def test_only_those_who_want_a_channel_get_it_and_all_of_them() -> None:
    async def work() -> None:
        box = Box()
        (a, first), (again, second), (b, other) = (box.subscribe(name) for name in ("a", "a", "b"))
        assert (first, second, other) == (True, False, True), "the first one for its channel"
        assert box.put("a", b"one") and box.put("b", b"two") and not box.put("c", b"three")
        assert await anext(a) == await anext(again) == Message("a", b"one", 7, 8, 1, 3)
        assert await anext(b) == Message("b", b"two", 7, 8, 2, 3)
        assert a.queue.empty() and again.queue.empty() and b.queue.empty()
        assert box.inbox.delivered == 2 and box.dropped == []

    within(work())


def test_a_channel_is_left_with_its_last_subscription() -> None:
    async def work() -> None:
        box = Box()
        (a, _), (again, _) = box.subscribe("a"), box.subscribe("a")
        a.close()
        assert box.left == [] and box.put("a")
        a.close()  # a second time changes nothing
        again.close()
        again.close()
        assert box.left == ["a"] and not box.put("a") and box.inbox.wanted == {}
        assert not box.inbox.remove(again), "it is nowhere any more"
        assert box.subscribe("a")[1], "and the next one is the first again"
        assert not box.inbox.remove(again) and box.put("a"), "which the former does not take along"

    within(work())


def test_what_arrived_before_the_end_can_still_be_taken() -> None:
    async def work() -> None:
        box = Box()
        async with box.subscribe("a")[0] as a:
            box.put("a", b"one")
            box.put("a", b"two")
        assert box.left == ["a"]
        assert [message.data async for message in a] == [b"one", b"two"]
        assert [message.data async for message in a] == [], "and the end stays the end"

    within(work())


def test_as_many_messages_wait_as_there_is_room_for() -> None:
    async def work() -> None:
        box = Box()
        slow, quick = box.subscribe("a", room=2)[0], box.subscribe("a")[0]
        for data in (b"1", b"2", b"3"):
            assert box.put("a", data), "somebody wants it"
        assert box.dropped == [(TOO_SLOW, Message("a", b"3", 7, 8, 3, 3))]
        assert await taken(slow, 1) == [b"1"]
        box.put("a", b"4")
        assert await taken(slow, 2) == [b"2", b"4"] and await taken(quick, 4) == [b"1", b"2", b"3", b"4"]
        assert len(box.dropped) == 1 and slow.queue.empty() and quick.queue.empty()

    within(work())


def test_as_many_bytes_wait_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MAX_BYTES", 10)

    async def work() -> None:
        box = Box()
        a = box.subscribe("a")[0]
        for length in (6, 4, 1):
            box.put("a", bytes(length))
        assert [message.sequence for _, message in box.dropped] == [3], "ten bytes are not too many"
        assert await taken(a, 1) == [bytes(6)]
        for length in (7, 6):
            box.put("a", bytes(length))
        assert [message.sequence for _, message in box.dropped] == [3, 4]
        assert await taken(a, 2) == [bytes(4), bytes(6)]
        box.put("a", bytes(10))
        assert await taken(a, 1) == [bytes(10)] and len(box.dropped) == 2

    within(work())


def test_room_for_the_longest_message_many_times() -> None:
    assert inbox.MAX_BYTES == 32 * 1024 * 1024
