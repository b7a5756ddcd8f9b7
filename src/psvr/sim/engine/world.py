"""The memory of a simulation: all that the compiled engine reads and writes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from psvr.protocol.constants import REASONS
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Effects, Handed, Held, Hello, Host, Node, Outcome, Pub, Sub
from psvr.references import by_reference
from psvr.sim.radio.air import Air, no_air
from psvr.trace import ROW

from .cache_lines import zeros
from .queue import new_queue
from .table_sizes import rooms

# What the simulator knows about a node besides the memory of node and host: 64 bytes, which are fetched together.
STATION = np.dtype(
    [
        ("wake_at", "i8"),  # when it is to be woken, in simulation time; −1: never
        ("offset", "i8"),  # of its clock
        ("free_at", "i8"),  # when its radio has finished sending
        ("alive", "i2"),
        ("pubs", "u2"),  # sent so far, modulo 2¹⁶
        ("jammed", "i4"),  # by how many jammers
        ("hellos", "i4"),  # sent so far
        ("starts", "i4"),
        ("parent", "i8"),  # parent, ring and table as last written to the trace
        ("ring", "i8"),
        ("table", "i8"),
    ],
    align=True,
)
# A SUB under way; the message is at the same index in `subs`.  Free ones form a linked list.
FRAME = np.dtype(
    [
        ("node", "i4"),  # that sends it
        ("to", "i4"),  # its addressee; −1: all in reach
        ("tries", "i4"),
        ("copies", "i4"),  # still to be sent, this one included
        ("got", "i4"),  # whether the addressee has accepted it
        ("next", "i4"),  # free place in the list
        ("used", "i4"),
        ("pad", "i4"),
    ]
)
POOL = np.dtype([("free", "i8"), ("used", "i8")])
# A PUB under way is in a slot of its host: the number of this flight from the slot, and its progress.
FLIGHT = np.dtype([("number", "i4"), ("to", "i4"), ("tries", "i4"), ("got", "i4")])
PUBLICATION = np.dtype(
    [
        ("time", "i8"),
        ("node", "i4"),
        ("channel", "i4"),
        ("messages", "i4"),
        ("receptions", "i4"),
        ("reason", "i4"),  # why a part of it was last given up; 0: none was
        ("pad", "i4"),
    ]
)
SOURCE = np.dtype(
    [  # periodic publications of a node
        ("node", "i4"),
        ("channel", "i4"),
        ("first", "i8"),
        ("period", "i8"),
        ("stop", "i8"),
        ("load", "i4"),
    ]
)
DELIVERY = np.dtype([("time", "i8"), ("publication", "i4"), ("node", "i4"), ("hops", "i4"), ("pad", "i4")])
TALLY = np.dtype(
    [
        ("events", "i8"),
        ("serial", "i8"),  # of the last transmission: every chance of loss is drawn from it
        ("print_a", "i8"),  # the two halves of the fingerprint
        ("print_b", "i8"),
        ("published", "i8"),
        ("delivered", "i8"),
        ("rows", "i8"),  # of the trace that have not been passed on
        ("level", "i8"),  # of the trace
        ("hello_sent", "i8"),
        ("sub_sent", "i8"),
        ("pub_sent", "i8"),
        ("ack_sent", "i8"),
        ("receptions", "i8"),
        ("no_room", "i8"),  # receptions of a SUB for which the table had no row
        ("hello_bytes", "i8"),
        ("sub_bytes", "i8"),
        ("pub_bytes", "i8"),
        ("parent_changes", "i8"),
        ("ring_changes", "i8"),
        ("loss", "i8"),  # receptions that fail, of 2³¹
        ("loss_key", "i8"),
        ("ack_key", "i8"),
        ("retries", "i8"),
        ("bitrate", "i8"),
        ("wireless", "i8"),
        ("room", "i8"),  # `room_for` one event
    ]
)


@by_reference
class World(NamedTuple):
    """The arrays of a simulation; brackets give what an array is indexed by."""

    nodes: NDArray[Any]  # [node] Node
    hosts: NDArray[Any]  # [node] Host
    held: NDArray[Any]  # [node, slot] Held
    names: NDArray[Any]  # [node, place] Handed
    effects: NDArray[Any]  # [1] Effects, of the host that has just run
    outcome: NDArray[Any]  # [1] Outcome
    stations: NDArray[Any]  # [node] STATION
    flights: NDArray[Any]  # [node, slot] FLIGHT
    ids: NDArray[np.int64]  # [node], ascending
    hellos: NDArray[Any]  # [node] the HELLO that each is sending
    subs: NDArray[Any]  # a pool of SUBs under way
    sub_frames: NDArray[Any]
    pool: NDArray[Any]  # [1] POOL
    sub_out: NDArray[Any]  # [1] Sub, written by a rule
    said: NDArray[Any]  # [1] Pub, the name of a publication that is being made
    first: NDArray[np.int64]  # the nodes in reach of v are near[first[v]:first[v + 1]] …
    near: NDArray[np.int32]
    cut: NDArray[np.uint8]  # … unless that link is cut
    hashes: NDArray[np.int64]  # [channel]
    sources: NDArray[Any]  # SOURCE
    heap: NDArray[Any]
    counter: NDArray[Any]
    publications: NDArray[Any]  # PUBLICATION, in order of time
    deliveries: NDArray[Any]  # DELIVERY
    rows: NDArray[Any]  # ROW, of the trace, until they are passed on
    tally: NDArray[Any]  # [1] TALLY
    drops: NDArray[np.int64]  # [reason] PUBs that went no further
    air: Air  # the wireless channel, if there is one …
    spoken: NDArray[Any]  # … and [node] the HELLO that is on the air there


def new_world(
    capacity: Capacity,
    ids: NDArray[np.int64],
    first: NDArray[np.int64],
    near: NDArray[np.int32],
    hashes: NDArray[np.int64],
    sources: NDArray[Any],
    air: Air,
) -> World:
    """The memory of a network in which nothing has happened yet."""
    n = len(ids)
    slots, places = rooms(n, sources)
    room = room_for(first)
    pool = max(2 * room, n // 4)
    heap, counter = new_queue(4 * n + len(sources) + 2 * room)
    world = World(
        nodes=np.zeros(n, dtype(Node, capacity)),
        hosts=np.zeros(n, dtype(Host, capacity)),
        held=np.zeros((n, slots), dtype(Held, capacity)),
        names=np.zeros((n, places), dtype(Handed, capacity)),
        effects=np.zeros(1, dtype(Effects, capacity)),
        outcome=np.zeros(1, dtype(Outcome, capacity)),
        stations=zeros(n, STATION),
        flights=np.zeros((n, slots), FLIGHT),
        ids=np.ascontiguousarray(ids, np.int64),
        hellos=np.zeros(n, dtype(Hello, capacity)),
        spoken=np.zeros(n if len(air.radios) else 0, dtype(Hello, capacity)),
        subs=np.zeros(pool, dtype(Sub, capacity)),
        sub_frames=np.zeros(pool, FRAME),
        pool=np.zeros(1, POOL),
        sub_out=np.zeros(1, dtype(Sub, capacity)),
        said=np.zeros(1, dtype(Pub, capacity)),
        first=np.ascontiguousarray(first, np.int64),
        near=np.ascontiguousarray(near, np.int32),
        cut=np.zeros(len(near), np.uint8),
        hashes=np.ascontiguousarray(hashes, np.int64),
        sources=sources.astype(SOURCE),
        heap=heap,
        counter=counter,
        publications=np.zeros(1024, PUBLICATION),
        deliveries=np.zeros(2 * room, DELIVERY),
        rows=np.zeros(0, ROW),
        tally=np.zeros(1, TALLY),
        drops=np.zeros(len(REASONS), np.int64),
        air=air,
    )
    world.tally["room"], world.tally["wireless"] = room, len(air.radios) > 0
    chain(world.sub_frames, 0)
    return world


def blank_world(capacity: Capacity) -> World:
    """A world of one node, with the types of all worlds of this capacity."""
    return new_world(
        capacity,
        np.zeros(1, np.int64),
        np.zeros(2, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0, np.int64),
        np.zeros(0, SOURCE),
        no_air(),
    )


def room_for(first: NDArray[np.int64]) -> int:
    """The number of places that one event may fill: as many as the nodes that a frame can reach, and some more."""
    return 512 + 2 * int(np.diff(first).max(initial=0))


def chain(frames: NDArray[Any], start: int) -> None:
    """Link the free places of a pool, from `start` on, into a list."""
    frames["next"][start:] = np.arange(start + 1, len(frames) + 1)
    frames["next"][-1] = -1


def grown(array: NDArray[Any]) -> NDArray[Any]:
    """An array of twice the length with the same contents at its beginning."""
    larger = np.zeros(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


def capacity_for(links: int, channels: int) -> Capacity:
    """The capacity for these settings: one of a few sizes, because each is compiled separately."""

    def least(wanted: int, *sizes: int) -> int:
        return next((size for size in sizes if size >= wanted), wanted)

    size = least(links, 8, 16, 32, 64)
    return Capacity(links=size, channels=least(channels, 16, 64, 256, 1024), effects=64 + 12 * size)
