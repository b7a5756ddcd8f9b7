"""An interface that goes and comes again, as a radio that is unplugged; two nodes in namespaces of the kernel."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.ports import free_ports
from node_process import Process, have_one_ring

from psvr.node import udp

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
def spaces() -> Iterator[None]:
    try:
        if os.geteuid() != 0 or not all(ip(f"netns add {space}") for space in SPACES):
            pytest.skip("needs root, and namespaces")
        plug_in()
        yield
    finally:
        for space in SPACES:
            ip(f"netns del {space}")


def test_neighbours_find_each_other_again(spaces: None, tmp_path: Path) -> None:
    nodes = [Process(tmp_path / space, ["--interface=radio", "--open", "--hello=0.1"],
                     prefix=["ip", "netns", "exec", space]) for space in SPACES]
    try:
        for node in nodes:
            node.start()
        nodes[0].until(lambda: have_one_ring(nodes))
        assert ip(f"-n {SPACES[0]} link del radio")
        nodes[0].until(lambda: all(node.status()["neighbours"] == [] for node in nodes))
        plug_in()
        nodes[0].until(lambda: have_one_ring(nodes))
        for node in nodes:
            complaints = [line for line in node.log.splitlines() if "datagrams cannot be sent" in line]
            assert 0 < len(complaints) == len({line.partition("error=")[2] for line in complaints})
            assert node.log.count("interface is there again interface=radio") == 1
    finally:
        for node in nodes:
            node.kill()


def test_sockets_are_opened_anew_when_sending_fails_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, str]] = []

    async def work() -> None:
        link = udp.Multicast("lo", free_ports(1)[0], udp.GROUP4, "127.0.0.1")
        await link.start(lambda datagram, sender: None)
        link.complain = lambda message, **fields: told.append(fields)
        first = link.sender
        assert first is not None
        link.everybody = ("255.255.255.255", 9)         # which this socket may not send to
        for _ in range(5):
            link.broadcast(b"x")
        assert link.sender is first and link.refused == 5
        monkeypatch.setattr(udp, "PATIENCE", 0.0)
        link.broadcast(b"x")
        assert link.sender is not first and first.fileno() == -1 and len(link.sockets) == 2
        link.close()

    asyncio.run(work())
    assert told == [{"error": "Permission denied"}]
