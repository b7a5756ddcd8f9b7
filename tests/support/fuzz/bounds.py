"""The bounds of a node's memory: whatever it is sent, nothing grows beyond them."""

from collections.abc import Iterator

from psvr.node.core import growing, host, losses, transport
from psvr.node.core.peer import MAX_IN_FLIGHT, PARTS, REMEMBERED, Peer
from psvr.node.node import Node
from psvr.node.secure import seal, sessions
from psvr.protocol.constants import MAX_HELD_BYTES
from psvr.protocol.host import weigh


class Grown(Exception):
    """Something is larger than it should ever be."""


def of_peer(peer: Peer) -> Iterator[tuple[str, int, int]]:
    yield "numbers known", peer.seen.bit_length(), REMEMBERED
    yield "partial frames", len(peer.partial_frames), transport.MAX_PARTIAL_FRAMES + 1
    yield (
        "bytes of partial frames",
        sum(len(p) for partial in peer.partial_frames.values() for p in partial.parts.values()),
        (transport.MAX_PARTIAL_FRAMES + 1) * PARTS * transport.ROOM,
    )
    yield "in flight", len(peer.in_flight), MAX_IN_FLIGHT
    yield "waiting", len(peer.waiting), transport.QUEUE_LIMIT + 16 * PARTS
    yield "waiting SUBs", len(peer.subs), transport.MAX_SUBS
    yield "acknowledgements", len(peer.acks), 256


def of_transport(it: transport.Transport) -> Iterator[tuple[str, int, int]]:
    for peer in it.peers.values():
        yield from of_peer(peer)
    yield "peers", len(it.peers), 1024
    yield "kinds counted", len(it.frames), 4


def of_sessions(it: sessions.Sessions) -> Iterator[tuple[str, int, int]]:
    yield "proven", len(it.proven), it.max_boots
    yield "unproven", len(it.unproven), it.max_boots
    yield "challenges", len(it.mine), sessions.RECENT_ROUNDS
    for boot in it.proven.values():
        yield "counters seen", boot.seen.bit_length(), sessions.WINDOW


def of_node(node: Node) -> Iterator[tuple[str, int, int]]:
    yield from of_sessions(node.sessions)
    yield from of_transport(node.transport)
    yield "ciphers", len(node.seal.ciphers), seal.MAX_CIPHERS
    yield "names", len(node.host.body.names), host.MAX_NAMES
    yield "channels", len(node.host.me.channel), growing.PLACES * node.config.channels
    yield "wants", len(node.host.me.wants), growing.PLACES * node.config.channels
    yield "slots", len(node.host.body.held), host.MAX_SLOTS
    yield "bytes in hand", weigh(node.host.body), MAX_HELD_BYTES
    yield "copies of SUBs", len(node.host.copies), 4096
    for table in (node.host.losses.noted, node.host.losses.sent_again, node.host.losses.counted):
        yield "losses", len(table), losses.MAX_NOTED
    yield "events counted", len(node.reporter.counts), 32
    yield "reasons counted", len(node.reporter.reasons), 32
    for subscriptions in node.inbox.wanted.values():
        for one in subscriptions:
            yield "waiting messages", one.queue.qsize(), one.limit


def check(sizes: Iterator[tuple[str, int, int]]) -> None:
    for name, size, limit in sizes:
        if size > limit:
            raise Grown(f"{name}: {size} instead of {limit} at most")
