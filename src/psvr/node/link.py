"""What a node needs of the world below: a way to reach all who can hear it, and one that was heard."""

from collections.abc import Callable, Hashable
from typing import Protocol

Address = Hashable                                  # whatever the link uses; nodes only hand it back
Receive = Callable[[bytes, Address], None]


class Link(Protocol):
    """Datagrams, as they come: lost, repeated, out of order.  Nothing is known of a neighbour but its address."""

    async def start(self, receive: Receive) -> None:
        """Open sockets; from now on `receive` gets every datagram, with the address of its sender."""

    def broadcast(self, datagram: bytes) -> None:
        """To all who can hear this node, if nothing is lost."""

    def send(self, datagram: bytes, to: Address) -> None:
        """To one from whom a datagram came."""

    def close(self) -> None: ...
