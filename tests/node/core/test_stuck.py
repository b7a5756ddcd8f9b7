"""A neighbour that does not answer: only what has to go there waits."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from psvr import Node
from psvr.node.core import envelope
from psvr.node.core.peer import MAX_IN_FLIGHT
from psvr.node.core.transport import OWN_LIMIT, QUEUE_LIMIT
from tests.support.node.two_nodes import knows, two
from tests.support.node.virtual import Virtual

ME, GOOD, STUCK, OTHER = range(4)


class Star(Virtual):
    """A node with three neighbours, from one of which acknowledgements never come, though it is heard."""

    def __init__(self) -> None:
        self.stuck = False
        super().__init__([(ME, GOOD), (ME, STUCK), (ME, OTHER)], 4)
        for v, channel in ((ME, "here"), (GOOD, "good"), (STUCK, "bad"), (STUCK, "here")):
            assert self.hosts[v].subscribe(channel, self.now)
        self.run(12)
        self.stuck = True

    def put(self, v: int, u: int, plain: bytes) -> None:
        if not self.stuck or v != STUCK or plain[0] == envelope.HELLO:
            super().put(v, u, plain)

    def begin(self, v: int, channel: str) -> tuple[int, int | None]:
        """The slot of a publication, and the neighbour it waits for."""
        slot = self.hosts[v].begin(channel, b"x", self.now)
        return slot, self.hosts[v].waits_for(slot)

    def fill(self, v: int, most: int) -> None:
        """Publish for the neighbour that is stuck, as much as fits."""
        for _ in range(most):
            slot, at = self.begin(v, "bad")
            if at is not None:
                return
            self.hosts[v].go(slot, self.now)
            self.run(0.0005)


def waiting(net: Star) -> int:
    return len(net.hosts[ME].transport.peers[STUCK].waiting)


def test_publications_for_others_do_not_wait() -> None:
    net = Star()
    net.fill(ME, OWN_LIMIT + 2 * MAX_IN_FLIGHT)
    assert waiting(net) == OWN_LIMIT and net.begin(ME, "bad")[1] == STUCK
    for _ in range(50):
        slot, at = net.begin(ME, "good")
        assert at is None
        net.hosts[ME].go(slot, net.now)
        net.run(0.01)
    assert len(net.got[GOOD]) == 50 and net.begin(ME, "nobody wants this")[1] is None
    assert waiting(net) == OWN_LIMIT


def test_applications_of_the_node_do_not_wait() -> None:
    net = Star()
    net.fill(ME, OWN_LIMIT + 2 * MAX_IN_FLIGHT)
    for i in range(20):
        assert net.begin(ME, "here")[1] == STUCK and len(net.got[ME]) == i + 1


def test_publications_of_others_do_not_wait_unless_they_have_to_go_there() -> None:
    net = Star()
    assert net.hosts[OTHER].subscribe("others", net.now)
    net.run(2)
    net.fill(ME, OWN_LIMIT + 2 * MAX_IN_FLIGHT)
    net.fill(OTHER, QUEUE_LIMIT)
    assert waiting(net) == QUEUE_LIMIT, "no more is taken on"
    for _ in range(20):
        net.publish(GOOD, "others")
        net.run(0.01)
    assert len(net.got[OTHER]) == 20
    made = [net.publish(GOOD, "here") for _ in range(20)]
    net.run(0.5)
    assert sorted(name for _, _, name in net.got[ME]) == made, "it goes to both, and is handed over all the same, once"
    assert waiting(net) == QUEUE_LIMIT and net.hosts[GOOD].transport.on_its_way() == 20 and net.hosts[ME].repeated == 0


class Backlogged(set[int]):
    """Whatever goes out."""

    def discard(self, id: object) -> None:
        pass


@contextmanager
def seems_full(node: Node) -> Iterator[None]:
    """What waits for node 1, and is too much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node.transport, "backlogged", Backlogged([1]))
        patch.setattr(node.transport, "full", lambda most: [1])
        patch.setattr(node.transport, "is_full", lambda id, most: id == 1)
        yield
    node.finish_turn_soon()


@pytest.mark.parametrize("stops", [False, True])
def test_a_publisher_that_waits_holds_up_no_other(stops: bool, tmp_path: Path) -> None:
    async def run() -> bytes:
        async with two(tmp_path) as (a, b):
            there, here = b.subscribe("both"), a.subscribe("both")
            await knows(a, "both")
            with seems_full(a):
                waits = asyncio.create_task(a.publish("both", "x"))
                assert (await asyncio.wait_for(anext(here), 5)).data == b"x"
                assert await asyncio.wait_for(a.publish("else", "y"), 5) == 2 and not waits.done()
                if stops:
                    await a.stop()
            assert await asyncio.wait_for(waits, 5) == 1
            return (await asyncio.wait_for(anext(there), 5)).data

    assert asyncio.run(run()) == b"x"


def test_a_publisher_that_does_not_want_to_wait_has_published(tmp_path: Path) -> None:
    async def run() -> bytes:
        async with two(tmp_path) as (a, b):
            there = b.subscribe("news")
            await knows(a, "news")
            with seems_full(a), pytest.raises(TimeoutError):
                await asyncio.wait_for(a.publish("news", "x"), 0.1)
            return (await asyncio.wait_for(anext(there), 5)).data

    assert asyncio.run(run()) == b"x"
