"""What the next events will look at, asked for while this one is served.

The memory of a node has left the nearer caches when it is its turn again: in a large network, most of the time would go
into waiting for it.
"""

from typing import Any

from psvr.compiled.handed import turn_of
from psvr.compiled.taken import place
from psvr.jit import within
from psvr.prefetch import LINE, line, prefetch

from .events import HELLO_END, PUB_END, SLOTS, SOURCE, WAKE
from .queue import earlier
from .world import World

HOST = 2 * LINE         # of a host: all but its table
HELLO = 5 * LINE        # of a HELLO: all but who else is heard


@within
def expect_events(w: World, asked: int) -> int:
    """The next two events that are known of now; one may be over before the memory for the next has come.

    `asked` is the serial number of an event that was asked for before; returns that of the second.
    """
    queued = w.counter[0].queued
    if queued > 0 and w.heap[0].order != asked:
        expect_event(w, w.heap[0])
    if queued < 5:
        return asked
    expect_later(w)
    second = w.heap[earlier(w.heap, earlier(w.heap, 1, 2), earlier(w.heap, 3, 4))]
    if second.order != asked:
        expect_event(w, second)
    return int(second.order)


@within
def expect_event(w: World, event: Any) -> None:
    v = event.node
    if event.kind == WAKE:
        if w.stations[v].wake_at == event.time:     # else it has been woken since, and nothing happens
            expect_wake(w, v)
    elif event.kind == HELLO_END:
        line(w.stations[v], 0)
        for at in range(0, HELLO, LINE):
            line(w.hellos[v], at)
        expect_hearing(w, w.first[v], w.first[v + 1])
    elif event.kind == PUB_END:
        expect_pub(w, w.held[v][event.ref % SLOTS].pub, w.flights[v][event.ref % SLOTS].to)


@within
def expect_later(w: World) -> None:
    """What `expect_event` will look at itself, of those among which the second is, and soon the third."""
    for i in range(1, 5):
        event = w.heap[i]
        v = event.node
        if event.kind > SOURCE:                     # of the wireless channel: it may be an interferer's
            continue
        line(w.stations[v], 0)
        if event.kind == PUB_END:
            slot = event.ref % SLOTS
            line(w.flights[v][slot], 0)
            prefetch(w.held[v][slot], w.held[v][slot])


@within
def expect_pub(w: World, pub: Any, to: int) -> None:
    """Its addressee, and where that would remember it."""
    if to >= 0:
        expect_node(w, to)
        line(place(w.hosts[to], pub), 0)


@within
def expect_wake(w: World, v: int) -> None:
    """Whom it knows beside its links, and what it will say, too."""
    known = w.nodes[v].candidate
    expect_node(w, v)
    prefetch(known[1], known[len(known) - 1])
    prefetch(w.hellos[v], w.hellos[v])


@within
def expect_hearing(w: World, e: int, last: int) -> None:
    """The node at the far end of the e-th link will hear a HELLO, if there are so many."""
    if e < last:
        expect_node(w, w.near[e])


@within
def expect_node(w: World, v: int) -> None:
    """What a node looks at when it hears something new: all but larger tables."""
    me = w.nodes[v]
    line(w.stations[v], 0)
    prefetch(me, me.candidate[0])
    for at in range(0, HOST, LINE):
        line(w.hosts[v], at)


@within
def expect_names(w: World, v: int) -> None:
    """What a node has handed over, as far as it will look at that when it says a HELLO."""
    names = w.names[v]
    first, last = turn_of(len(names), w.nodes[v].number + 1)
    prefetch(names[first], names[last - 1])


@within
def expect_clean(w: World, v: int) -> None:
    """What a node looks through when it cleans its tables."""
    me = w.nodes[v]
    prefetch(me.seen[0], me.relayed[len(me.relayed) - 1])
