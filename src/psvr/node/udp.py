"""UDP below a node: multicast on an interface, or a list of peers that are known by address."""

import asyncio
import contextlib
import ipaddress
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from psvr.errors import BadInput

from .link import Address, Receive

GROUP6, GROUP4, PORT = "ff02::7073:7672", "239.255.112.115", 7372
BUFFER = 4 << 20            # bytes that the kernel may keep for us; it gives what it allows
AT_ONCE, TURN = 256, 0.02   # datagrams taken in one turn of the event loop, and seconds, so that timers have theirs
PATIENCE = 3.0              # seconds of failing after which sockets are opened anew
PAUSE = 600.0               # seconds between two complaints about the same
LARGEST = 8192              # bytes of a datagram: with 255 links, the most there can be, a HELLO takes 5,200


class Sockets:
    """What both kinds share: sockets drained in turns, sending that never blocks."""

    def __init__(self) -> None:
        self.sockets: list[socket.socket] = []
        self.sender: socket.socket | None = None
        self.refused = 0                # datagrams that the system would not take
        self.fails: float | None = None             # since when none was taken
        self.complain: Callable[..., None] = say_nothing
        self.said: dict[str, float] = {}            # what was complained of, and when

    def listen(self, loop: asyncio.AbstractEventLoop, sock: socket.socket, receive: Receive) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.sockets.append(sock)
        loop.add_reader(sock, drain, sock, receive)

    def put(self, datagram: bytes, to: Any) -> None:
        assert self.sender is not None
        try:
            self.sender.sendto(datagram, to)
            self.fails = None
        except BlockingIOError:         # full: as good as lost on the way
            self.refused += 1
        except OSError as error:        # unreachable, gone
            self.refused += 1
            self.failed(error)

    def failed(self, error: OSError) -> None:
        now, reason = time.monotonic(), error.strerror or str(error)
        self.fails = now if self.fails is None else self.fails
        if now - self.said.get(reason, -PAUSE) >= PAUSE:
            self.said[reason] = now
            self.complain("datagrams cannot be sent", error=reason)

    def send(self, datagram: bytes, to: Address) -> None:
        self.put(datagram, to)

    def close(self) -> None:
        loop = asyncio.get_running_loop()
        for sock in self.sockets:
            loop.remove_reader(sock)
            sock.close()
        self.sockets, self.sender = [], None


def say_nothing(message: str, **fields: Any) -> None:
    """Where nobody reads complaints."""


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
        """The interface with this number, instead of another if there was one."""
        version = version6 if ipaddress.ip_address(self.group).version == 6 else version4
        ip = version(self.group, self.port, index)
        group, own = self.open(ip)
        self.close()
        self.sender, self.everybody, self.index = own, ip.everybody, index
        for sock in (own, group):
            self.listen(asyncio.get_running_loop(), sock, self.receive)

    def look(self) -> None:
        """An interface that goes and comes again has another number, and sockets of the old one are of no use."""
        now = time.monotonic()
        late = self.fails is not None and now - self.fails > PATIENCE
        try:
            index = socket.if_nametoindex(self.interface)
            if index == self.index and not late:
                return
            another, self.fails = index != self.index, now
            self.use(index)
        except OSError as error:        # it is not there, or not ready
            self.failed(error)
            return
        if another:
            self.said.clear()
            self.complain("interface is there again", interface=self.interface)

    def open(self, ip: "Version") -> tuple[socket.socket, socket.socket]:
        """A socket for what is said to all, and one for what is for this node alone, which sends as well."""
        with contextlib.ExitStack() as undo:
            group = undo.enter_context(socket.socket(ip.family, socket.SOCK_DGRAM))
            group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            group.bind(ip.everybody)
            group.setsockopt(ip.level, ip.join, ip.membership)
            check_way(outgoing(ip), ip.everybody)
            own = undo.enter_context(outgoing(ip))
            own.bind((self.at or ip.anywhere, 0))
            undo.pop_all()
        return group, own

    def broadcast(self, datagram: bytes) -> None:
        self.look()
        self.put(datagram, self.everybody)


class Version(NamedTuple):
    """What the two versions of IP call the same things."""

    family: int
    level: int
    join: int                   # a group …
    membership: bytes           # … and which, on which interface
    through: int                # which interface to send …
    interface: int | bytes      # … this one
    loop: int                   # hear what this machine sends itself
    everybody: Any
    anywhere: str


def version6(group: str, port: int, index: int) -> Version:
    membership = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", index)
    return Version(socket.AF_INET6, socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, membership, socket.IPV6_MULTICAST_IF,
                   index, socket.IPV6_MULTICAST_LOOP, (group, port, 0, index), "::")


def version4(group: str, port: int, index: int) -> Version:
    membership = socket.inet_aton(group) + struct.pack("@4si", b"\0" * 4, index)
    return Version(socket.AF_INET, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership, socket.IP_MULTICAST_IF,
                   membership, socket.IP_MULTICAST_LOOP, (group, port), "0.0.0.0")


def outgoing(ip: Version) -> socket.socket:
    sock = socket.socket(ip.family, socket.SOCK_DGRAM)
    sock.setsockopt(ip.level, ip.through, ip.interface)
    sock.setsockopt(ip.level, ip.loop, 1)
    return sock


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
