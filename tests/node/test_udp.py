"""Sockets below a node: what becomes of datagrams that the system accepts, refuses or delivers."""

import asyncio
import errno
import os
import socket
import sys
import time
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.link import udp
from psvr.node.link.ether import EVERYBODY, HEAD, Ether
from psvr.node.link.udp import GROUP4, Multicast, Peers, Sockets, drain, version4, version6
from tests.support.ports import free_ports


class Sender:
    """A socket that accepts datagrams, or fails as told."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        self.sent: list[tuple[bytes, Any]] = []

    def sendto(self, datagram: bytes, to: Any) -> None:
        if self.error is not None:
            raise self.error
        self.sent.append((datagram, to))

    def send(self, datagram: bytes) -> None:
        self.sendto(datagram, None)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    it = SimpleNamespace(now=5000.0)
    monkeypatch.setattr(time, "monotonic", lambda: it.now)
    return it


def within(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        await asyncio.wait_for(work(), 15)

    asyncio.run(run())


UNREACHABLE, GONE = OSError(errno.ENETUNREACH, "Network is unreachable"), OSError(errno.ENODEV, "No such device")


def test_what_the_system_refuses_is_counted_and_said_once_in_a_while(clock: SimpleNamespace) -> None:
    link, sender, told = Sockets(), Sender(), list[dict[str, Any]]()
    link.sender, link.warn = sender, lambda message, **fields: told.append(fields)  # type: ignore[assignment]
    link.send(b"a", 7)
    assert sender.sent == [(b"a", 7)] and (link.refused, link.failing_since) == (0, None)
    sender.error = UNREACHABLE
    for i in range(4):
        clock.now += 1
        link.send(b"b", 7)
        assert (link.refused, link.failing_since) == (1 + i, 5001.0), "since the first"
    sender.error = GONE
    link.send(b"c", 7)
    assert told == [{"error": "Network is unreachable"}, {"error": "No such device"}], "each reason has its line"
    clock.now += udp.WARNING_PAUSE
    sender.error = UNREACHABLE
    link.send(b"d", 7)
    assert len(told) == 3, "and after a while another"
    sender.error = None
    link.send(b"e", 7)
    assert link.failing_since is None and link.refused == 6


def test_a_full_buffer_is_no_failure(clock: SimpleNamespace) -> None:
    link, sender, told = Sockets(), Sender(), list[str]()
    link.sender, link.warn = sender, lambda message, **fields: told.append(message)  # type: ignore[assignment]
    sender.error = BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
    link.send(b"a", 7)
    assert (link.refused, link.failing_since, told) == (1, None, [])


def test_an_error_without_words_is_said_all_the_same(clock: SimpleNamespace) -> None:
    link, sender, told = Sockets(), Sender(), list[dict[str, Any]]()
    link.sender, link.warn = sender, lambda message, **fields: told.append(fields)  # type: ignore[assignment]
    sender.error = OSError("timed out")
    link.send(b"a", 7)
    assert told == [{"error": "timed out"}]


class Heard:
    """A socket with datagrams that have arrived."""

    def __init__(self, many: int) -> None:
        self.many = many

    def recvfrom(self, most: int) -> tuple[bytes, Any]:
        assert most == udp.MAX_DATAGRAM
        if self.many == 0:
            raise BlockingIOError
        self.many -= 1
        return b"x", 9


@pytest.mark.parametrize("come, taken", [(0, 0), (5, 5), (256, 256), (300, 256)])
def test_so_many_are_taken_in_one_turn(come: int, taken: int, clock: SimpleNamespace) -> None:
    got: list[Any] = []
    sock: Any = Heard(come)
    drain(sock, lambda datagram, sender: got.append((datagram, sender)))
    assert got == [(b"x", 9)] * taken and sock.many == come - taken


def test_peers_hear_each_other_until_they_are_closed() -> None:
    async def work() -> None:
        heard: list[tuple[str, bytes, Any]] = []
        a = Peers(("127.0.0.1", 0), [])
        await a.start(lambda datagram, sender: heard.append(("a", datagram, sender)))
        assert a.sender is not None and a.sender.getblocking() is False
        assert a.sender.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) >= 100_000
        here = a.sender.getsockname()
        b = Peers(("localhost", 0), [here, here])
        await b.start(lambda datagram, sender: heard.append(("b", datagram, sender)))
        assert b.sender is not None
        there = b.sender.getsockname()
        b.broadcast(b"to all")
        while len(heard) < 2:
            await asyncio.sleep(0.01)
        assert heard == [("a", b"to all", there)] * 2, "to each of them"
        a.send(b"back", heard[0][2])
        while len(heard) < 3:
            await asyncio.sleep(0.01)
        assert heard[2] == ("b", b"back", here)
        sock = a.sender
        a.close()
        assert a.sender is None and a.sockets == [] and sock.fileno() == -1
        b.close()

    within(work)


def test_an_address_in_use_and_one_that_is_none() -> None:
    async def work() -> None:
        a = Peers(("127.0.0.1", 0), [])
        await a.start(lambda datagram, sender: None)
        assert a.sender is not None
        taken = a.sender.getsockname()
        with pytest.raises(BadInput, match=r"^listen: cannot use 127\.0\.0\.1 port [0-9]+: Address already in use$"):
            await Peers(taken, []).start(lambda datagram, sender: None)
        for at, peers, key in (
            (("no such host", 1), [], "listen"),
            (("127.0.0.1", 0), [("no such host", 1)], "peers"),
            (("127.0.0.1", 0), [("::1", 1)], "peers"),
        ):
            with pytest.raises(BadInput, match=f"^{key}: '[^']*' is no address that can be used here: "):
                await Peers(at, peers).start(lambda datagram, sender: None)
        a.close()

    within(work)


def test_all_on_an_interface_hear_what_is_said_to_all_and_one_what_is_for_it_alone() -> None:
    async def work() -> None:
        heard: list[tuple[str, bytes, Any]] = []
        port = free_ports(1)[0]
        a, b = (Multicast("lo", port, GROUP4, "127.0.0.1") for _ in range(2))
        await a.start(lambda datagram, sender: heard.append(("a", datagram, sender)))
        await b.start(lambda datagram, sender: heard.append(("b", datagram, sender)))
        assert a.sender is not None and a.sender.getsockname()[0] == "127.0.0.1", "nothing of other machines is taken"
        a.broadcast(b"to all")
        while len(heard) < 2:
            await asyncio.sleep(0.01)
        assert sorted(heard) == [(name, b"to all", a.sender.getsockname()) for name in "ab"]
        b.send(b"back", a.sender.getsockname())
        while len(heard) < 3:
            await asyncio.sleep(0.01)
        assert heard[2][:2] == ("a", b"back") and b.sender is not None and heard[2][2] == b.sender.getsockname()
        a.close()
        b.close()

    within(work)


def test_interfaces_that_are_none_and_groups_that_cannot_be_joined() -> None:
    async def work() -> None:
        with pytest.raises(BadInput, match=r"^interface: there is no 'nowhere0' here; there are .*\blo\b"):
            await Multicast("nowhere0").start(lambda datagram, sender: None)
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(BadInput, match=r"^interface: multicast on 'lo', port 7372: "):
            await Multicast("lo", 7372, "127.0.0.1").start(lambda datagram, sender: None)
        assert len(os.listdir("/proc/self/fd")) == before, "no socket stays open"

    within(work)


def test_both_versions_of_ip_name_group_interface_and_everybody() -> None:
    six, four = version6("ff02::7073:7672", 7372, 3), version4("239.255.112.115", 7372, 3)
    assert six.everybody == ("ff02::7073:7672", 7372, 0, 3) and six.interface == 3
    assert six.membership == socket.inet_pton(socket.AF_INET6, "ff02::7073:7672") + (3).to_bytes(4, sys.byteorder)
    assert four.everybody == ("239.255.112.115", 7372)
    assert four.membership == four.interface == bytes([239, 255, 112, 115, 0, 0, 0, 0]) + (3).to_bytes(4, sys.byteorder)


def test_an_ether_puts_numbers_before_datagrams() -> None:
    async def work() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
            relay.bind(("127.0.0.1", 0))
            relay.settimeout(10)
            heard: list[tuple[bytes, Any]] = []
            link = Ether(relay.getsockname(), 5)
            await link.start(lambda datagram, sender: heard.append((datagram, sender)))
            first, place = relay.recvfrom(100)
            assert first == HEAD.pack(5, EVERYBODY), "it says where it is"
            link.send(b"one", 7)
            link.broadcast(b"all")
            assert [relay.recv(100) for _ in range(2)] == [HEAD.pack(5, 7) + b"one", HEAD.pack(5, EVERYBODY) + b"all"]
            for datagram in (b"short", HEAD.pack(9, 5) + b"answer", HEAD.pack(8, EVERYBODY)):
                relay.sendto(datagram, place)
            while len(heard) < 2:
                await asyncio.sleep(0.01)
            assert heard == [(b"answer", 9), (b"", 8)]
            assert link.sender is not None
            link.sender.close()
            link.send(b"lost", 7)
            assert link.refused == 1

    within(work)
