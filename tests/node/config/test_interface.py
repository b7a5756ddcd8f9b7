"""An interface that goes and comes back, like a radio that is unplugged; two nodes in network namespaces.

Without the right to create namespaces, the same is tested with loopback, which only seems to go.
"""

import asyncio
import errno
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from psvr.node.link import udp
from tests.support.node.node_process import Process, have_one_ring, psvr
from tests.support.ports import free_ports

SPACES = [f"psvr-test-{os.getpid()}-{i}" for i in range(2)]


def ip(line: str) -> bool:
    return subprocess.run(["ip", *line.split()], capture_output=True, check=False).returncode == 0


def plug_in() -> None:
    here, there = SPACES
    assert ip(f"-n {here} link add radio type veth peer name radio netns {there}")
    for space in SPACES:
        assert ip(f"-n {space} link set radio addrgenmode none") and ip(f"-n {space} link set radio up")
        assert ip(f"-n {space} addr add fe80::{1 + SPACES.index(space)}/64 dev radio nodad")


@pytest.fixture
def spaces() -> Iterator[bool]:
    """Whether namespaces can be created: root in a container may not be allowed to."""
    try:
        made = os.geteuid() == 0 and shutil.which("ip") is not None and all(ip(f"netns add {s}") for s in SPACES)
        if made:
            plug_in()
        yield made
    finally:
        for space in SPACES if os.geteuid() == 0 and shutil.which("ip") else ():
            ip(f"netns del {space}")


def test_neighbours_find_each_other_again(spaces: bool, tmp_path: Path) -> None:
    if not spaces:
        assert "there is no 'radio' here" in psvr("node", "--interface=radio", "--open").err
        return
    nodes = [
        Process(tmp_path / space, ["--interface=radio", "--open", "--hello=0.1"], prefix=["ip", "netns", "exec", space])
        for space in SPACES
    ]
    try:
        for node in nodes:
            node.start()
        nodes[0].until(lambda: have_one_ring(nodes))
        assert ip(f"-n {SPACES[0]} link del radio")
        nodes[0].until(lambda: all(node.status()["neighbours"] == [] for node in nodes))
        plug_in()
        nodes[0].until(lambda: have_one_ring(nodes))
        for node in nodes:
            warnings = [line for line in node.log.splitlines() if "datagrams cannot be sent" in line]
            assert 0 < len(warnings) == len({line.partition("error=")[2] for line in warnings})
            assert node.log.count("interface is there again interface=radio") == 1
    finally:
        for node in nodes:
            node.kill()


def test_an_interface_with_another_number_is_opened_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, dict[str, str]]] = []

    def gone(name: str) -> int:
        raise OSError(errno.ENODEV, "No such device")

    async def work() -> None:
        link = udp.Multicast("lo", free_ports(1)[0], udp.GROUP4, "127.0.0.1")
        await link.start(lambda datagram, sender: None)
        link.warn = lambda message, **fields: told.append((message, fields))
        first, number = link.sender, link.index
        with monkeypatch.context() as patch:
            patch.setattr(socket, "if_nametoindex", gone)
            for _ in range(3):
                link.broadcast(b"x")
            assert link.sender is first
        link.index = number + 1  # which it had before it went
        link.broadcast(b"x")
        assert link.sender is not first and link.index == number and link.refused == 0
        link.close()

    asyncio.run(work())
    assert told == [
        ("datagrams cannot be sent", {"error": "No such device"}),
        ("interface is there again", {"interface": "lo"}),
    ]


def test_sockets_are_opened_anew_when_sending_fails_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, str]] = []

    async def work() -> None:
        link = udp.Multicast("lo", free_ports(1)[0], udp.GROUP4, "127.0.0.1")
        await link.start(lambda datagram, sender: None)
        link.warn = lambda message, **fields: told.append(fields)
        first = link.sender
        assert first is not None
        link.everybody = ("255.255.255.255", 9)  # which this socket may not send to
        for _ in range(5):
            link.broadcast(b"x")
        assert link.sender is first and link.refused == 5
        monkeypatch.setattr(udp, "REOPEN_AFTER", 0.0)
        link.broadcast(b"x")
        assert link.sender is not first and first.fileno() == -1 and len(link.sockets) == 2
        link.close()

    asyncio.run(work())
    assert told == [{"error": "Permission denied"}]
