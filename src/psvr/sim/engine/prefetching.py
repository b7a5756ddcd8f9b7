"""Prefetching of what the next events will access, while the current one is processed.

By the time it is a node's turn again, its memory has left the nearer caches: in a large network, most of the time would
be spent waiting for it.
"""

from typing import Any

from psvr.compiled.host.handed import turn_of
from psvr.compiled.host.taken import place
from psvr.jit import jit_internal
from psvr.prefetch import LINE, line, prefetch

from .events import HELLO_END, PUB_END, SLOTS, SOURCE, WAKE
from .queue import earlier
from .world import World

HOST = 2 * LINE  # of a host: all but its table
HELLO = 5 * LINE  # of a HELLO: all but the list of nodes heard


@jit_internal
def prefetch_events(w: World, asked: int) -> int:
    """Prefetch for the next two events known now; one may be over before the memory for the next has arrived.

    `asked` is the serial number of the event that was prefetched for last; returns that of the second one.
    """
    queued = w.counter[0].queued
    if queued > 0 and w.heap[0].order != asked:
        prefetch_event(w, w.heap[0])
    if queued < 5:
        return asked
    prefetch_later(w)
    second = w.heap[earlier(w.heap, earlier(w.heap, 1, 2), earlier(w.heap, 3, 4))]
    if second.order != asked:
        prefetch_event(w, second)
    return int(second.order)


@jit_internal
def prefetch_event(w: World, event: Any) -> None:
    """Prefetch the memory that an event will access first."""
    v = event.node
    if event.kind == WAKE:
        if w.stations[v].wake_at == event.time:  # else it has been woken since, and nothing happens
            prefetch_wake(w, v)
    elif event.kind == HELLO_END:
        line(w.stations[v], 0)
        for at in range(0, HELLO, LINE):
            line(w.hellos[v], at)
        prefetch_hearing(w, w.first[v], w.first[v + 1])
    elif event.kind == PUB_END:
        prefetch_pub(w, w.held[v][event.ref % SLOTS].pub, w.flights[v][event.ref % SLOTS].to)


@jit_internal
def prefetch_later(w: World) -> None:
    """Prefetch what `prefetch_event` itself will read, for the events that may be second or third."""
    for i in range(1, 5):
        event = w.heap[i]
        v = event.node
        if event.kind > SOURCE:  # of the wireless channel: it may be an interferer's
            continue
        line(w.stations[v], 0)
        if event.kind == PUB_END:
            slot = event.ref % SLOTS
            line(w.flights[v][slot], 0)
            prefetch(w.held[v][slot], w.held[v][slot])


@jit_internal
def prefetch_pub(w: World, pub: Any, to: int) -> None:
    """Prefetch the addressee of a PUB, and where it would remember the publication."""
    if to >= 0:
        prefetch_node(w, to)
        line(place(w.hosts[to], pub), 0)


@jit_internal
def prefetch_wake(w: World, v: int) -> None:
    """Prefetch a node with its candidates and its HELLO."""
    known = w.nodes[v].candidate
    prefetch_node(w, v)
    prefetch(known[1], known[len(known) - 1])
    prefetch(w.hellos[v], w.hellos[v])


@jit_internal
def prefetch_hearing(w: World, e: int, last: int) -> None:
    """Prefetch the node at the far end of link e, if there is one, which will hear a HELLO."""
    if e < last:
        prefetch_node(w, w.near[e])


@jit_internal
def prefetch_node(w: World, v: int) -> None:
    """Prefetch what a node accesses when it hears something new: all but its larger tables."""
    me = w.nodes[v]
    line(w.stations[v], 0)
    prefetch(me, me.candidate[0])
    for at in range(0, HOST, LINE):
        line(w.hosts[v], at)


@jit_internal
def prefetch_names(w: World, v: int) -> None:
    """Prefetch the part of the delivered names that a node checks when it sends a HELLO."""
    names = w.names[v]
    first, last = turn_of(len(names), w.nodes[v].number + 1)
    prefetch(names[first], names[last - 1])


@jit_internal
def prefetch_clean(w: World, v: int) -> None:
    """Prefetch what a node scans when it cleans its tables."""
    me = w.nodes[v]
    prefetch(me.seen[0], me.relayed[len(me.relayed) - 1])
