"""UDP below a node: multicast on an interface, or a list of peers that are known by address."""

import asyncio
import ipaddress
import socket
import struct
import time
from typing import Any

from psvr.errors import BadInput

from .link import Address, Receive

GROUP6, GROUP4, PORT = "ff02::7073:7672", "239.255.112.115", 7372
BUFFER = 4 << 20            # bytes that the kernel may keep for us; it gives what it allows
AT_ONCE, TURN = 256, 0.02   # datagrams taken in one turn of the event loop, and seconds, so that timers have theirs
LARGEST = 8192              # bytes of a datagram: with 255 links, the most there can be, a HELLO takes 5,200


class Sockets:
    """What both kinds share: sockets drained in turns, sending that never blocks."""

    def __init__(self) -> None:
        self.sockets: list[socket.socket] = []
        self.sender: socket.socket | None = None
        self.refused = 0                # datagrams that the system would not take

    def listen(self, loop: asyncio.AbstractEventLoop, sock: socket.socket, receive: Receive) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.sockets.append(sock)
        loop.add_reader(sock, drain, sock, receive)

    def put(self, datagram: bytes, to: Any) -> None:
        assert self.sender is not None
        try:
            self.sender.sendto(datagram, to)
        except OSError:                 # full, unreachable, gone: as good as lost on the way
            self.refused += 1

    def send(self, datagram: bytes, to: Address) -> None:
        self.put(datagram, to)

    def close(self) -> None:
        loop = asyncio.get_running_loop()
        for sock in self.sockets:
            loop.remove_reader(sock)
            sock.close()
        self.sockets, self.sender = [], None


def drain(sock: socket.socket, receive: Receive) -> None:
    """Hand over what has come; of a datagram that is too long only the beginning, which is not genuine."""
    end = time.monotonic() + TURN
    for _ in range(AT_ONCE):
        try:
            datagram, sender = sock.recvfrom(LARGEST)
        except OSError:                 # nothing more, or an answer that somebody was not there
            return
        receive(datagram, sender)
        if time.monotonic() > end:
            return


class Multicast(Sockets):
    """All nodes on one interface of this machine and its neighbours: IPv6 link-local, or IPv4.

    `at` is the address at which this node takes what is for it alone, if not at all of them.
    """

    def __init__(self, interface: str, port: int = PORT, group: str = GROUP6, at: str | None = None) -> None:
        super().__init__()
        self.interface, self.port, self.group, self.at = interface, port, group, at
        self.version = ipaddress.ip_address(group).version

    async def start(self, receive: Receive) -> None:
        loop = asyncio.get_running_loop()
        try:
            index = socket.if_nametoindex(self.interface)
        except OSError:
            names = ", ".join(name for _, name in socket.if_nameindex())
            raise BadInput(f"interface: there is no {self.interface!r} here; there are {names}") from None
        try:
            group, own = (self.open6 if self.version == 6 else self.open4)(index)
        except OSError as error:
            self.close()
            raise BadInput(f"interface: multicast on {self.interface!r}, port {self.port}: {error.strerror}") from None
        self.sender = own
        self.listen(loop, own, receive)
        self.listen(loop, group, receive)

    def open6(self, index: int) -> tuple[socket.socket, socket.socket]:
        group = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        group.bind((self.group, self.port, 0, index))
        group.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                         socket.inet_pton(socket.AF_INET6, self.group) + struct.pack("@I", index))
        self.everybody: Any = (self.group, self.port, 0, index)
        check_way(self.own6(index), self.everybody)
        own = self.own6(index)
        own.bind((self.at or "::", 0))
        return group, own

    def own6(self, index: int) -> socket.socket:
        own = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
        own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)
        return own

    def open4(self, index: int) -> tuple[socket.socket, socket.socket]:
        group = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        group.bind((self.group, self.port))
        request = socket.inet_aton(self.group) + struct.pack("@4si", b"\0" * 4, index)
        group.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, request)
        self.everybody = (self.group, self.port)
        check_way(self.own4(request), self.everybody)
        own = self.own4(request)
        own.bind((self.at or "0.0.0.0", 0))
        return group, own

    def own4(self, request: bytes) -> socket.socket:
        own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, request)
        own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        return own

    def broadcast(self, datagram: bytes) -> None:
        self.put(datagram, self.everybody)


def check_way(sock: socket.socket, to: Any) -> None:
    """Linux has no way for IPv6 multicast on `lo`, for one; better said now than lost with every datagram."""
    with sock:
        sock.connect(to)


class Peers(Sockets):
    """Neighbours that are known by address; no multicast needed."""

    def __init__(self, listen: tuple[str, int], peers: list[tuple[str, int]]) -> None:
        super().__init__()
        self.at, self.known = listen, peers
        self.addresses: list[Any] = []

    async def start(self, receive: Receive) -> None:
        loop = asyncio.get_running_loop()
        family, at = await resolved(loop, "listen", self.at)
        self.addresses = [(await resolved(loop, "peers", peer, family))[1] for peer in self.known]
        sock = socket.socket(family, socket.SOCK_DGRAM)
        try:
            sock.bind(at)
        except OSError as error:
            sock.close()
            raise BadInput(f"listen: cannot use {self.at[0]} port {self.at[1]}: {error.strerror}") from None
        self.sender = sock
        self.listen(loop, sock, receive)

    def broadcast(self, datagram: bytes) -> None:
        for address in self.addresses:
            self.put(datagram, address)


async def resolved(loop: asyncio.AbstractEventLoop, key: str, address: tuple[str, int],
                   family: int = 0) -> tuple[int, Any]:
    """The family and the address by number of the first that a name stands for."""
    try:
        found = await loop.getaddrinfo(*address, family=family, type=socket.SOCK_DGRAM)
    except OSError as error:
        raise BadInput(f"{key}: {address[0]!r} is no address that can be used here: {error.strerror}") from None
    return found[0][0], found[0][4]
