"""What somebody with the key can say, and what it must not cost: memory and time have bounds."""

import socket
from typing import Any

import pytest

from psvr.node.core import naming
from psvr.node.core.host import ID_BYTES, POSITION_BYTES
from psvr.node.core.peer import MAX_IN_FLIGHT, TAKEN
from psvr.node.core.transport import MAX_SUBS, ROOM
from psvr.node.link import udp
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Sub
from psvr.protocol.wire import messages
from tests.support.node.virtual import Virtual


def line() -> Virtual:
    """Three nodes with a ring, of which the one in the middle is attacked by the last."""
    net = Virtual([(0, 1), (1, 2)], 3, options={"channels": 4096})
    net.run(8)
    return net


def sub(net: Virtual, channels: list[int], positions: int = 1) -> bytes:
    made = blank(Sub, Capacity(links=positions, batch=len(channels)))
    made.src, made.to, made.back, made.ring, made.limit = 2, k.NOBODY, k.NOBODY, net.hosts[1].me.ring, 4
    made.channel, made.channels = channels, len(channels)
    made.position = [net.hosts[2].me.position[0]] * positions
    return messages.encode_sub(made, ID_BYTES, POSITION_BYTES)


def known(net: Virtual) -> int:
    return sum(channel != k.NO_CHANNEL for channel in net.hosts[1].me.channel)


def test_channels_that_want_one_place_do_not_make_the_table_grow() -> None:
    net = line()
    for i in range(1, 1000):
        assert net.hosts[1].take(2, sub(net, [i << 20]), net.now) == TAKEN
    assert known(net) == k.PROBES and len(net.hosts[1].me.channel) == 4 * k.PROBES


def test_channels_side_by_side_make_the_table_grow_no_further_than_they_fill_it() -> None:
    """Rows that find no place in a larger table are left out; it grows all the same, once."""
    net = line()
    for i in range(1, 3000):
        assert net.hosts[1].take(2, sub(net, [1 + i % 50 + (i // 50 << 20)]), net.now) == TAKEN
    assert len(net.hosts[1].me.channel) <= 4 * known(net)


def test_a_sub_that_is_longer_than_any_honest_one_is_not_read() -> None:
    net = line()
    assert len(sub(net, list(range(1, 110)), 60)) <= ROOM < len(sub(net, list(range(1, 140)), 60))
    assert net.hosts[1].take(2, sub(net, list(range(1, 140)), 60), net.now) == TAKEN and known(net) == 0
    assert net.hosts[1].take(2, sub(net, list(range(1, 110)), 60), net.now) == TAKEN and known(net) == 109


def test_subs_do_not_pile_up_for_a_neighbour_that_does_not_answer() -> None:
    net = line()
    for i in range(2 * MAX_SUBS):
        assert net.hosts[1].take(2, sub(net, [i + 1]), net.now) == TAKEN
    peer = net.hosts[1].transport.peers[0]
    assert len(peer.subs) == MAX_SUBS and len(peer.in_flight) == MAX_IN_FLIGHT


@pytest.mark.parametrize("name, payload", [("x" * (naming.MAX_NAME_BYTES + 1), 0), ("x", naming.MAX_PAYLOAD_BYTES + 1)])
def test_publications_that_no_application_could_make(name: str, payload: int) -> None:
    """Passed on, they would not fit into the parts that the next node accepts."""
    assert naming.parts_of(naming.pack(name, bytes(payload))) is None
    assert naming.parts_of(naming.pack(name[:-1], bytes(max(payload - 1, 0)))) == (name[:-1], max(payload - 1, 0))


def drained(monkeypatch: pytest.MonkeyPatch, turn: float, datagrams: list[bytes]) -> list[bytes]:
    monkeypatch.setattr(udp, "MAX_TURN", turn)
    got: list[bytes] = []
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there,
    ):
        here.bind(("127.0.0.1", 0))
        here.setblocking(False)
        for datagram in datagrams:
            there.sendto(datagram, here.getsockname())

        def receive(datagram: bytes, sender: Any) -> None:
            got.append(datagram)

        udp.drain(here, receive)
    return got


def test_a_turn_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long each datagram takes, timers get their turn."""
    assert drained(monkeypatch, 60.0, [b"a", b"b", b"c"]) == [b"a", b"b", b"c"]
    assert drained(monkeypatch, -1.0, [b"a", b"b", b"c"]) == [b"a"]


def test_of_a_datagram_that_is_too_long_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [len(it) for it in drained(monkeypatch, 60.0, [bytes(60_000), b"a"])] == [udp.MAX_DATAGRAM, 1]
