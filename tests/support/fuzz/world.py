"""Three whole nodes in a line, without sockets and in virtual time: an honest one, the one under attack, and a thief.

The thief follows the protocol, so that it is a neighbour as good as any; what it is made to send comes on top.
"""

import asyncio
import tempfile
from collections import deque
from pathlib import Path
from typing import Any

from psvr.node import node as node_module
from psvr.node.core.host import ID_BYTES, POSITION_BYTES
from psvr.node.link.base import Address, Receive
from psvr.node.node import Node
from psvr.node.secure.keys import Keyring
from psvr.node.secure.seal import Seal
from psvr.node.secure.sessions import Sessions
from psvr.protocol.wire import messages

from . import forge

KEYS = Keyring((bytes(range(32)),))
HONEST, VICTIM, THIEF = 1, 2, 3
HELLO = 0.1  # seconds
ROUNDS = 200  # of passing datagrams on, after which those left continue with the next input


class Tap:
    """A link whose datagrams go into one queue; addresses are ids."""

    def __init__(self, world: "World", id: int, near: tuple[int, ...]) -> None:
        self.world, self.id, self.near = world, id, near

    async def start(self, receive: Receive) -> None:
        self.receive = receive

    def broadcast(self, datagram: bytes) -> None:
        for id in self.near:
            self.world.queue.append((self.id, id, datagram))

    def send(self, datagram: bytes, to: Address) -> None:
        if to in self.near:
            self.world.queue.append((self.id, to, datagram))

    def close(self) -> None: ...


class Quiet(Node):
    """A node with the clock and event loop of the world, and without randomness."""

    def finish_turn_soon(self) -> None: ...

    def arm(self) -> None: ...

    def make_plain(self, keys: Keyring | None) -> None:
        salt = bytes([self.id]) * 8
        self.seal, self.sessions = Seal(keys, self.id, salt), Sessions(self.id, salt)
        self.host.me.own = self.host.me.seq = 1
        self.host.body.host.boot = self.id


class World:
    """`keys`: those of the nodes, or None."""

    def __init__(self, keys: Keyring | None = KEYS) -> None:
        self.time, self.queue = 1_000_000, deque[tuple[int, Any, bytes]]()
        self.said: list[bytes] = []  # datagrams of the first seconds, as examples
        self.folder = tempfile.TemporaryDirectory()
        lines = {HONEST: (VICTIM,), VICTIM: (HONEST, THIEF), THIEF: (VICTIM,)}
        self.nodes = {id: self.node(id, near, keys) for id, near in lines.items()}
        self.honest, self.victim, self.thief = self.nodes.values()
        for name, node in (("a", self.victim), ("b", self.honest), ("c", self.thief)):
            node.subscribe(name, 16)
        for _ in range(60):
            self.step(round(HELLO * 1e6))

    def node(self, id: int, near: tuple[int, ...], keys: Keyring | None) -> Quiet:
        node = Quiet(id=id, state=Path(self.folder.name, str(id)), hello=HELLO, link=Tap(self, id, near), channels=1024)
        before, node_module.now = node_module.now, lambda: self.time
        try:
            asyncio.run(node.start())
        finally:
            node_module.now = before
        node.make_plain(keys)
        return node

    def step(self, time: int, *datagrams: bytes) -> None:
        """Let time pass, and give these to the victim as if the thief had sent them."""
        before, node_module.now = node_module.now, lambda: self.time
        try:
            self.time += time
            for node in self.nodes.values():
                if node.host.next_due(self.time) <= self.time:
                    node.host.wake(self.time)
            for datagram in datagrams:
                self.victim.receive(datagram, THIEF)
            self.carry()
        finally:
            node_module.now = before

    def carry(self) -> None:
        for _ in range(ROUNDS):
            for node in self.nodes.values():
                node.transport.flush()
            if not self.queue:
                return
            for _ in range(len(self.queue)):
                sender, to, datagram = self.queue.popleft()
                if len(self.said) < 1000:
                    self.said.append(datagram)
                self.nodes[to].receive(datagram, sender)

    def facts(self) -> forge.Facts:
        """Facts that the victim understands."""
        me, peer = self.victim.host.me, self.victim.transport.peers.get(THIEF)
        positions = [p for p in me.position if p >= 0]
        hello = messages.encode_hello(self.thief.host.hello, ID_BYTES, POSITION_BYTES)
        return forge.facts(
            hello, THIEF, (VICTIM, HONEST), me.ring, me.length, positions or [0], peer.newest + 1 if peer else 1
        )

    def close(self) -> None:
        for node in self.nodes.values():
            node.identity.close()
        self.folder.cleanup()
