"""What a node needs of a link: to reach everyone who can hear it, or one neighbour that it has heard."""

from collections.abc import Callable, Hashable
from typing import Protocol

Address = Hashable  # whatever the link uses; nodes only pass it back
Receive = Callable[[bytes, Address], None]


class Link(Protocol):
    """Unreliable datagrams: lost, repeated, out of order.  All it knows of a neighbour is an address."""

    async def start(self, receive: Receive) -> None:
        """Open sockets; from now on `receive` gets every datagram, with the address of its sender."""

    def broadcast(self, datagram: bytes) -> None:
        """Send to everyone who can hear this node."""

    def send(self, datagram: bytes, to: Address) -> None:
        """Send to one node that a datagram came from."""

    def close(self) -> None: ...
