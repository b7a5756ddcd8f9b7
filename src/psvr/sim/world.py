"""The memory of a simulation: all that the compiled engine reads and writes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from psvr.protocol.constants import REASONS
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Hello, Node, Outcome, Pub, Sub
from psvr.trace import ROW

from .demand import SOURCE
from .handed import HANDED, places
from .queue import new_queue
from .radio.air import Air, no_air

# What a host keeps beside a node's own memory.
HOST = np.dtype([
    ("wake_at", "i8"),          # when it is to be woken, in the simulation's time; −1: it is not
    ("offset", "i8"),           # of its clock
    ("free_at", "i8"),          # when its radio is done with what it sends
    ("born", "i8"),             # when it last started: what is older it may have handed over before
    ("alive", "i4"), ("jammed", "i4"), ("boot", "i4"), ("number", "i4"), ("hellos", "i4"),
    ("waiting", "i4"), ("kept", "i4"),          # publications that wait for a ring, or were sent and are kept
    ("starts", "i4"), ("rings", "i4"),          # how often it has started, and had another ring, or none
    ("parent", "i8"), ("ring", "i8"), ("table", "i8")], align=True)     # as last written to the trace
SUBS, PUBS = 0, 1               # the pools of frames …
POOL = np.dtype([("free", "i8"), ("used", "i8")])       # … each a chain of free places, and how many are not
# A SUB or PUB on its way; the message stands at the same place of `subs` or `pubs`.
FRAME = np.dtype([
    ("node", "i4"), ("to", "i4"), ("tries", "i4"), ("copies", "i4"), ("got", "i4"), ("detour", "i4"),
    ("rounds", "i4"), ("kept", "i4"), ("rings", "i4"), ("pad", "i4"),
    ("publication", "i4"), ("at", "i4"), ("next", "i4"), ("used", "i4")], align=True)
PUBLICATION = np.dtype([
    ("time", "i8"), ("node", "i4"), ("channel", "i4"), ("messages", "i4"), ("receptions", "i4"),
    ("reason", "i4"), ("pad", "i4")])       # why a part of it was last given up, by the numbers of `notes`; 0: none was
DELIVERY = np.dtype([("time", "i8"), ("publication", "i4"), ("node", "i4"), ("hops", "i4"), ("pad", "i4")])
TALLY = np.dtype([
    ("events", "i8"), ("serial", "i8"), ("print_a", "i8"), ("print_b", "i8"),
    ("published", "i8"), ("delivered", "i8"), ("rows", "i8"), ("level", "i8"),
    ("hello_sent", "i8"), ("sub_sent", "i8"), ("pub_sent", "i8"), ("ack_sent", "i8"), ("receptions", "i8"),
    ("no_room", "i8"), ("hello_bytes", "i8"), ("sub_bytes", "i8"), ("pub_bytes", "i8"),
    ("parent_changes", "i8"), ("ring_changes", "i8"),
    ("loss", "i8"), ("loss_key", "i8"), ("ack_key", "i8"), ("retries", "i8"), ("bitrate", "i8"), ("wireless", "i8"),
    ("room", "i8")])            # `room_for` one event


class World(NamedTuple):
    nodes: NDArray[Any]         # [node] Node
    hosts: NDArray[Any]         # [node] HOST
    ids: NDArray[np.int64]      # [node], ascending
    hellos: NDArray[Any]        # [node] the HELLO that each is sending
    subs: NDArray[Any]          # a pool of SUBs on their way …
    sub_frames: NDArray[Any]
    pubs: NDArray[Any]          # … and of PUBs
    pub_frames: NDArray[Any]
    pools: NDArray[Any]         # [2] POOL
    sub_out: NDArray[Any]       # [1] Sub, what a rule leaves
    outcome: NDArray[Any]       # [2] Outcome: of a PUB handled, and of a detour
    first: NDArray[np.int64]    # the nodes in reach of v are near[first[v]:first[v + 1]] …
    near: NDArray[np.int32]
    cut: NDArray[np.uint8]      # … unless that link is cut
    hashes: NDArray[np.int64]   # [channel]
    sources: NDArray[Any]       # SOURCE
    heap: NDArray[Any]
    counter: NDArray[Any]
    publications: NDArray[Any]  # PUBLICATION, in the order of time
    deliveries: NDArray[Any]    # DELIVERY
    handed: NDArray[Any]        # [node, place] HANDED
    rows: NDArray[Any]          # ROW, of the trace, until they are taken
    tally: NDArray[Any]         # [1] TALLY
    drops: NDArray[np.int64]    # [reason] PUBs that went no further; the last reason is the host's
    air: Air                    # the wireless channel, if there is one …
    spoken: NDArray[Any]        # … and on it [node] the HELLO that is on the air


def new_world(capacity: Capacity, ids: NDArray[np.int64], first: NDArray[np.int64], near: NDArray[np.int32],
              hashes: NDArray[np.int64], sources: NDArray[Any], air: Air) -> World:
    n = len(ids)
    room = room_for(first)
    pool = max(2 * room, n // 4)
    heap, counter = new_queue(4 * n + len(sources) + 2 * room)
    world = World(
        nodes=np.zeros(n, dtype(Node, capacity)), hosts=np.zeros(n, HOST), ids=np.ascontiguousarray(ids, np.int64),
        hellos=np.zeros(n, dtype(Hello, capacity)),
        spoken=np.zeros(n if len(air.radios) else 0, dtype(Hello, capacity)),
        subs=np.zeros(pool, dtype(Sub, capacity)), sub_frames=np.zeros(pool, FRAME),
        pubs=np.zeros(pool, dtype(Pub, capacity)), pub_frames=np.zeros(pool, FRAME),
        pools=np.zeros(2, POOL),
        sub_out=np.zeros(1, dtype(Sub, capacity)), outcome=np.zeros(2, dtype(Outcome, capacity)),
        first=np.ascontiguousarray(first, np.int64), near=np.ascontiguousarray(near, np.int32),
        cut=np.zeros(len(near), np.uint8), hashes=np.ascontiguousarray(hashes, np.int64),
        sources=sources.astype(SOURCE), heap=heap, counter=counter,
        publications=np.zeros(1024, PUBLICATION), deliveries=np.zeros(2 * room, DELIVERY),
        handed=np.zeros((n, places(n, sources["period"])), HANDED), rows=np.zeros(0, ROW),
        tally=np.zeros(1, TALLY), drops=np.zeros(len(REASONS) + 1, np.int64), air=air)
    world.tally["room"], world.tally["wireless"] = room, len(air.radios) > 0
    chain(world.sub_frames, 0)
    chain(world.pub_frames, 0)
    return world


def blank_world(capacity: Capacity) -> World:
    """A world of one node: the types of all worlds of this capacity."""
    return new_world(capacity, np.zeros(1, np.int64), np.zeros(2, np.int64), np.zeros(0, np.int32),
                     np.zeros(0, np.int64), np.zeros(0, SOURCE), no_air())


def room_for(first: NDArray[np.int64]) -> int:
    """Places that one event may fill: as many as a frame can reach nodes, and some."""
    return 512 + 2 * int(np.diff(first).max(initial=0))


def chain(frames: NDArray[Any], start: int) -> None:
    """Link the free places of a pool from `start` on; the last one ends the chain."""
    frames["next"][start:] = np.arange(start + 1, len(frames) + 1)
    frames["next"][-1] = -1


def grown(array: NDArray[Any]) -> NDArray[Any]:
    """Twice as long, with the same beginning."""
    larger = np.zeros(2 * len(array), array.dtype)
    larger[:len(array)] = array
    return larger


def capacity_for(links: int, channels: int) -> Capacity:
    """Memory in a few sizes only: each is compiled once, whatever C_N and the channels are."""
    def least(wanted: int, *sizes: int) -> int:
        return next((size for size in sizes if size >= wanted), wanted)
    return Capacity(links=least(links, 8, 16, 32, 64), channels=least(channels, 16, 64, 256, 1024))
