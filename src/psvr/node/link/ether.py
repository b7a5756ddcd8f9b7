"""A link to other nodes on this machine, joined by an ether in user space that decides who hears whom.

Every datagram to and from the ether begins with the numbers of its sender and its addressee; all ones means everybody.
"""

import asyncio
import socket
import struct

from psvr.errors import BadInput

from .base import Address, Receive
from .udp import Sockets

HEAD = struct.Struct("!II")
EVERYBODY = (1 << 32) - 1


class Ether(Sockets):
    """The address of a neighbour is its number."""

    def __init__(self, address: tuple[str, int], number: int) -> None:
        super().__init__()
        self.address, self.number = address, number

    async def start(self, receive: Receive) -> None:
        sock = socket.socket(socket.AF_INET6 if ":" in self.address[0] else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            sock.connect(self.address)
        except OSError as error:
            sock.close()
            raise BadInput(f"ether: cannot reach {self.address[0]} port {self.address[1]}: {error.strerror}") from None

        def unpack(datagram: bytes, _: Address) -> None:
            if len(datagram) >= HEAD.size:
                receive(datagram[HEAD.size :], HEAD.unpack_from(datagram)[0])

        self.sender = sock
        self.listen(asyncio.get_running_loop(), sock, unpack)
        self.broadcast(b"")  # so that the ether learns this node's address

    def put(self, datagram: bytes, to: Address) -> None:
        assert self.sender is not None and isinstance(to, int)
        try:
            self.sender.send(HEAD.pack(self.number, to) + datagram)
        except OSError:  # full, or nobody there: as if lost on the way
            self.refused += 1

    def broadcast(self, datagram: bytes) -> None:
        self.put(datagram, EVERYBODY)
