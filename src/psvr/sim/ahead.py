"""What the next events will look at, asked for while this one is served.

The memory of a node has left the nearer caches when it is its turn again: in a large network, most of the time would go
into waiting for it.
"""

from psvr.compiled.handed import turn_of
from psvr.jit import within
from psvr.prefetch import LINE, line, prefetch

from .events import HELLO_END, PUB_END, SLOTS, WAKE
from .world import World

HOST = 2 * LINE         # of a host: all but its table
HELLO = 5 * LINE        # of a HELLO: all but who else is heard


@within
def expect_event(w: World) -> None:
    """The next event that is known of now."""
    if w.counter[0].queued == 0:
        return
    event = w.heap[0]
    v = event.node
    if event.kind == WAKE:
        expect_wake(w, v)
    elif event.kind == HELLO_END:
        line(w.stations[v], 0)
        for at in range(0, HELLO, LINE):
            line(w.hellos[v], at)
        expect_hearing(w, w.first[v], w.first[v + 1])
    elif event.kind == PUB_END:
        slot = event.ref % SLOTS
        prefetch(w.held[v][slot], w.held[v][slot])
        if w.flights[v][slot].to >= 0:
            expect_node(w, w.flights[v][slot].to)


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
