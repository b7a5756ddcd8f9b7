"""Links over UDP: multicast on an interface, or a list of peers known by address."""

import asyncio
import contextlib
import ipaddress
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from psvr.errors import BadInput

from .base import Address, Receive

GROUP6, GROUP4, PORT = "ff02::7073:7672", "239.255.112.115", 7372
BUFFER = 4 << 20  # bytes asked of the kernel for received datagrams; it may grant less
MAX_AT_ONCE, MAX_TURN = 256, 0.02  # datagrams read in one turn of the event loop, and seconds: timers need theirs
REOPEN_AFTER = 3.0  # seconds of failing after which sockets are reopened
WARNING_PAUSE = 600.0  # seconds between two warnings for the same reason
MAX_DATAGRAM = 8192  # bytes: with 255 links, the maximum, a HELLO takes 5,200


class Sockets:
    """What all links share: sockets that are read in batches, and sending that never blocks."""

    def __init__(self) -> None:
        self.sockets: list[socket.socket] = []
        self.sender: socket.socket | None = None
        self.refused = 0  # datagrams that the system did not accept
        self.failing_since: float | None = None  # since when none has been accepted
        self.warn: Callable[..., None] = ignore
        self.warned_at: dict[str, float] = {}  # when, by reason

    def listen(self, loop: asyncio.AbstractEventLoop, sock: socket.socket, receive: Receive) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.sockets.append(sock)
        loop.add_reader(sock, drain, sock, receive)

    def put(self, datagram: bytes, to: Any) -> None:
        assert self.sender is not None
        try:
            self.sender.sendto(datagram, to)
            self.failing_since = None
        except BlockingIOError:  # full: as if lost on the way
            self.refused += 1
        except OSError as error:  # unreachable, gone
            self.refused += 1
            self.failed(error)

    def failed(self, error: OSError) -> None:
        now, reason = time.monotonic(), error.strerror or str(error)
        self.failing_since = now if self.failing_since is None else self.failing_since
        if now - self.warned_at.get(reason, -WARNING_PAUSE) >= WARNING_PAUSE:
            self.warned_at[reason] = now
            self.warn("datagrams cannot be sent", error=reason)

    def send(self, datagram: bytes, to: Address) -> None:
        self.put(datagram, to)

    def close(self) -> None:
        loop = asyncio.get_running_loop()
        for sock in self.sockets:
            loop.remove_reader(sock)
            sock.close()
        self.sockets, self.sender = [], None


def ignore(message: str, **fields: Any) -> None:
    """The default where nobody reads warnings."""


def drain(sock: socket.socket, receive: Receive) -> None:
    """Pass on what has arrived; datagrams that are too long are cut off, and so not genuine."""
    end = time.monotonic() + MAX_TURN
    for _ in range(MAX_AT_ONCE):
        try:
            datagram, sender = sock.recvfrom(MAX_DATAGRAM)
        except OSError:  # nothing left, or an error that a peer was not there
            return
        receive(datagram, sender)
        if time.monotonic() > end:
            return


class Multicast(Sockets):
    """All nodes that one interface of this machine reaches: IPv6 link-local, or IPv4.

    `at` is the address at which this node accepts unicast datagrams, if not at any.
    """

    def __init__(self, interface: str, port: int = PORT, group: str = GROUP6, at: str | None = None) -> None:
        super().__init__()
        self.interface, self.port, self.group, self.at = interface, port, group, at
        self.everybody: Any = None
        self.index = 0

    async def start(self, receive: Receive) -> None:
        self.receive = receive
        try:
            index = socket.if_nametoindex(self.interface)
        except OSError:
            names = ", ".join(name for _, name in socket.if_nameindex())
            raise BadInput(f"interface: there is no {self.interface!r} here; there are {names}") from None
        try:
            self.use(index)
        except OSError as error:
            raise BadInput(f"interface: multicast on {self.interface!r}, port {self.port}: {error.strerror}") from None

    def use(self, index: int) -> None:
        """Open sockets on the interface with this index, in place of any others."""
        version = version6 if ipaddress.ip_address(self.group).version == 6 else version4
        ip = version(self.group, self.port, index)
        group, own = self.open(ip)
        self.close()
        self.sender, self.everybody, self.index = own, ip.everybody, index
        for sock in (own, group):
            self.listen(asyncio.get_running_loop(), sock, self.receive)

    def check_interface(self) -> None:
        """Reopen sockets if need be: an interface that goes and returns has a new index; old sockets are useless."""
        now = time.monotonic()
        late = self.failing_since is not None and now - self.failing_since > REOPEN_AFTER
        try:
            index = socket.if_nametoindex(self.interface)
            if index == self.index and not late:
                return
            another, self.failing_since = index != self.index, now
            self.use(index)
        except OSError as error:  # it is not there, or not ready
            self.failed(error)
            return
        if another:
            self.warned_at.clear()
            self.warn("interface is there again", interface=self.interface)

    def open(self, ip: "Version") -> tuple[socket.socket, socket.socket]:
        """A socket for multicast, and one for unicast, which also sends."""
        with contextlib.ExitStack() as undo:
            group = undo.enter_context(socket.socket(ip.family, socket.SOCK_DGRAM))
            group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            group.bind(ip.everybody)
            group.setsockopt(ip.level, ip.join, ip.membership)
            check_route(outgoing(ip), ip.everybody)
            own = undo.enter_context(outgoing(ip))
            own.bind((self.at or ip.anywhere, 0))
            undo.pop_all()
        return group, own

    def broadcast(self, datagram: bytes) -> None:
        self.check_interface()
        self.put(datagram, self.everybody)


class Version(NamedTuple):
    """The names that the two versions of IP have for the same things."""

    family: int
    level: int
    join: int  # option: join a group
    membership: bytes  # its value: which group, on which interface
    through: int  # option: the interface to send through
    interface: int | bytes  # its value
    loop: int  # option: hear what this machine itself sends
    everybody: Any
    anywhere: str


def version6(group: str, port: int, index: int) -> Version:
    membership = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", index)
    return Version(
        socket.AF_INET6,
        socket.IPPROTO_IPV6,
        socket.IPV6_JOIN_GROUP,
        membership,
        socket.IPV6_MULTICAST_IF,
        index,
        socket.IPV6_MULTICAST_LOOP,
        (group, port, 0, index),
        "::",
    )


def version4(group: str, port: int, index: int) -> Version:
    membership = socket.inet_aton(group) + struct.pack("@4si", b"\0" * 4, index)
    return Version(
        socket.AF_INET,
        socket.IPPROTO_IP,
        socket.IP_ADD_MEMBERSHIP,
        membership,
        socket.IP_MULTICAST_IF,
        membership,
        socket.IP_MULTICAST_LOOP,
        (group, port),
        "0.0.0.0",
    )


def outgoing(ip: Version) -> socket.socket:
    sock = socket.socket(ip.family, socket.SOCK_DGRAM)
    sock.setsockopt(ip.level, ip.through, ip.interface)
    sock.setsockopt(ip.level, ip.loop, 1)
    return sock


def check_route(sock: socket.socket, to: Any) -> None:
    """Raise OSError if there is no route, as for IPv6 multicast on `lo`: better now than losing every datagram."""
    with sock:
        sock.connect(to)


class Peers(Sockets):
    """Neighbours known by address; no multicast is needed."""

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


async def resolved(
    loop: asyncio.AbstractEventLoop, key: str, address: tuple[str, int], family: int = 0
) -> tuple[int, Any]:
    """The family, and the numeric form, of the first address that a name stands for."""
    try:
        found = await loop.getaddrinfo(*address, family=family, type=socket.SOCK_DGRAM)
    except OSError as error:
        raise BadInput(f"{key}: {address[0]!r} is no address that can be used here: {error.strerror}") from None
    return found[0][0], found[0][4]
