"""The ether of a swarm, alone: who hears whom, and what is lost, delayed, duplicated and overtaken."""

import asyncio
import math
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.link.ether import EVERYBODY, HEAD, Ether
from psvr.swarm.relay import UNIMPAIRED, Impairments, Relay


class Heard(list[tuple[bytes, Any]]):
    """What arrived, and from whom."""

    def take(self, datagram: bytes, sender: Any) -> None:
        self.append((datagram, sender))


async def joined(
    n: int, links: list[tuple[int, int]], impairments: Impairments = UNIMPAIRED, seed: int = 1
) -> tuple[Relay, list[Ether], list[Heard]]:
    relay = Relay(seed, impairments)
    await relay.start(n)
    relay.connect(links)
    ethers, heard = [Ether(("127.0.0.1", relay.port), v) for v in range(n)], [Heard() for _ in range(n)]
    for ether, told in zip(ethers, heard):
        await ether.start(told.take)
    while len(relay.places) < n:
        await asyncio.sleep(0.001)
    return relay, ethers, heard


async def arrives(relay: Relay, count: int) -> None:
    """Wait until so many datagrams were carried or lost, and those on their way have arrived."""
    while relay.carried + relay.lost < count:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.02)


def end(relay: Relay, ethers: list[Ether]) -> None:
    for ether in ethers:
        ether.close()
    relay.close()


def test_neighbours_hear_each_other_and_nobody_else() -> None:
    async def run() -> list[Heard]:
        relay, ethers, heard = await joined(4, [(0, 1), (1, 2)])
        ethers[1].broadcast(b"all")
        ethers[0].send(b"one", 1)
        ethers[0].send(b"too far", 2)
        ethers[3].broadcast(b"alone")
        await arrives(relay, 3)
        end(relay, ethers)
        return heard

    assert asyncio.run(run()) == [[(b"all", 1)], [(b"one", 0)], [(b"all", 1)], []]


def test_links_change_while_it_runs() -> None:
    async def run() -> list[Heard]:
        relay, ethers, heard = await joined(3, [(0, 1)])
        ethers[0].broadcast(b"a")
        await arrives(relay, 1)
        relay.connect([(0, 2)])
        ethers[0].broadcast(b"b")
        await arrives(relay, 2)
        end(relay, ethers)
        return heard

    assert asyncio.run(run()) == [[], [(b"a", 0)], [(b"b", 0)]]


def test_a_node_that_starts_again_is_found_at_its_new_place() -> None:
    async def run() -> tuple[Heard, Heard]:
        relay, ethers, heard = await joined(2, [(0, 1)])
        ethers[1].close()
        later, again = Heard(), Ether(("127.0.0.1", relay.port), 1)
        before = relay.places[1]
        await again.start(later.take)
        while relay.places[1] == before:
            await asyncio.sleep(0.001)
        ethers[0].broadcast(b"still there?")
        await arrives(relay, 1)
        end(relay, [ethers[0], again])
        return heard[1], later

    assert asyncio.run(run()) == ([], [(b"still there?", 0)])


def count_of(impairments: Impairments, sent: int, seed: int = 1) -> tuple[list[int], Relay]:
    """The numbers of the datagrams that came of so many, in their order."""

    async def run() -> tuple[list[int], Relay]:
        relay, ethers, heard = await joined(2, [(0, 1)], impairments, seed)
        for i in range(sent):
            ethers[0].send(i.to_bytes(4, "big"), 1)
            if i % 50 == 0:
                await asyncio.sleep(0)
        await arrives(relay, sent)
        await asyncio.sleep(impairments.delay[1] + 0.06)
        end(relay, ethers)
        return [int.from_bytes(datagram, "big") for datagram, _ in heard[1]], relay

    return asyncio.run(run())


@pytest.mark.parametrize("loss", [0.1, 0.5])
def test_loss_is_as_asked(loss: float) -> None:
    sent = 4000
    came, relay = count_of(Impairments(loss=loss), sent)
    assert abs(len(came) - sent * (1 - loss)) < 4 * math.sqrt(sent * loss * (1 - loss))
    assert len(came) == relay.carried and relay.lost == sent - relay.carried
    assert came == sorted(set(came)), "nothing twice, nothing out of order"


def test_the_seed_decides_what_is_lost() -> None:
    first, again, other = (count_of(Impairments(loss=0.3), 300, seed)[0] for seed in (1, 1, 2))
    assert first == again != other


def test_duplicates_are_as_asked() -> None:
    sent, share = 2000, 0.2
    came, relay = count_of(Impairments(duplicate=share), sent)
    assert set(came) == set(range(sent)), "nothing is lost"
    assert len(came) - sent == relay.duplicated
    assert abs(relay.duplicated - sent * share) < 4 * math.sqrt(sent * share * (1 - share))


def test_those_held_back_are_overtaken() -> None:
    sent, share = 1000, 0.1
    came, relay = count_of(Impairments(reorder=share), sent)
    assert sorted(came) == list(range(sent))
    assert came != sorted(came)
    assert abs(relay.held - sent * share) < 4 * math.sqrt(sent * share * (1 - share))


def test_delay_is_at_least_what_was_asked() -> None:
    async def run() -> tuple[float, Heard]:
        relay, ethers, heard = await joined(2, [(0, 1)], Impairments(delay=(0.2, 0.3)))
        loop = asyncio.get_running_loop()
        begin = loop.time()
        ethers[0].broadcast(b"late")
        while not heard[1]:
            await asyncio.sleep(0.001)
        taken = loop.time() - begin
        end(relay, ethers)
        return taken, heard[1]

    taken, heard = asyncio.run(run())
    assert taken >= 0.2 and heard == [(b"late", 0)]


def test_what_is_no_datagram_of_a_node_does_no_harm() -> None:
    async def run() -> Heard:
        relay, ethers, heard = await joined(2, [(0, 1)])
        for datagram in (b"", b"short", HEAD.pack(77, EVERYBODY) + b"stranger", HEAD.pack(0, 99) + b"nobody"):
            relay.take(datagram, ("127.0.0.1", 1))
        relay.places[0] = ethers[0].sender.getsockname()  # type: ignore[union-attr]
        ethers[0].broadcast(b"fine")
        await arrives(relay, 1)
        end(relay, ethers)
        return heard[1]

    assert asyncio.run(run()) == [(b"fine", 0)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"delay": (0.2, 0.1)},
        {"delay": (-1.0, 0.0)},
        {"delay": (0.0, 99.0)},
        {"duplicate": 1.5},
        {"reorder": -0.1},
        {"reorder": float("nan")},
        {"delay": (0.0, float("nan"))},
    ],
)
def test_weather_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as refused:
        Impairments(**wrong)
    assert str(refused.value).startswith(f"--{next(iter(wrong))}: must be")
