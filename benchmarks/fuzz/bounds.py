"""What a node may remember at most: whatever it is sent, none of these grows beyond its bound."""

from collections.abc import Iterator

from psvr.node import growing, host, losses, seal, sessions, transport
from psvr.node.node import Node
from psvr.node.peer import MANY, REMEMBERED, Peer
from psvr.protocol.constants import HELD_BYTES
from psvr.protocol.host import weigh


class Grown(Exception):
    """Something is larger than it should ever be."""


def of_peer(peer: Peer) -> Iterator[tuple[str, int, int]]:
    yield "numbers known", peer.seen.bit_length(), REMEMBERED
    yield "halves", len(peer.halves), transport.HALVES + 1
    yield "bytes of halves", sum(len(p) for half in peer.halves.values() for p in half.parts.values()), \
        (transport.HALVES + 1) * transport.PARTS * transport.ROOM
    yield "flying", len(peer.flying), MANY
    yield "waiting", len(peer.waiting), transport.QUEUE + 16 * transport.PARTS
    yield "SUBs that wait", len(peer.subs), transport.SUBS
    yield "acknowledgements", len(peer.acks), 256


def of_transport(it: transport.Transport) -> Iterator[tuple[str, int, int]]:
    for peer in it.peers.values():
        yield from of_peer(peer)
    yield "peers", len(it.peers), 1024
    yield "kinds counted", len(it.frames), 4


def of_sessions(it: sessions.Sessions) -> Iterator[tuple[str, int, int]]:
    yield "proven", len(it.proven), it.most
    yield "unproven", len(it.unproven), it.most
    yield "challenges", len(it.mine), sessions.LATELY
    for boot in it.proven.values():
        yield "counters seen", boot.seen.bit_length(), sessions.WINDOW


def of_node(node: Node) -> Iterator[tuple[str, int, int]]:
    yield from of_sessions(node.sessions)
    yield from of_transport(node.transport)
    yield "ciphers", len(node.seal.ciphers), seal.CIPHERS
    yield "names", len(node.host.body.names), host.NAMES_MOST
    yield "channels", len(node.host.me.channel), growing.PLACES * node.config.channels
    yield "wants", len(node.host.me.wants), growing.PLACES * node.config.channels
    yield "slots", len(node.host.body.held), host.SLOTS_MOST
    yield "bytes in hand", weigh(node.host.body), HELD_BYTES
    yield "copies of SUBs", len(node.host.copies), 4096
    for table in (node.host.losses.noted, node.host.losses.sent_again, node.host.losses.counted):
        yield "losses", len(table), losses.MOST
    yield "events counted", len(node.teller.counts), 32
    yield "reasons counted", len(node.teller.reasons), 32
    for subscriptions in node.inbox.wanted.values():
        for one in subscriptions:
            yield "messages that wait", one.queue.qsize(), one.limit


def check(sizes: Iterator[tuple[str, int, int]]) -> None:
    for name, size, most in sizes:
        if size > most:
            raise Grown(f"{name}: {size} instead of {most} at most")
