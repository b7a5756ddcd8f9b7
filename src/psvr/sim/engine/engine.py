"""The engine: takes events from the queue and lets nodes run the rules.  Compiled as a whole.

An event that cannot be processed because some table of the world is full stays in the queue: `run` then returns which
table has to grow, and is called again.
"""

from psvr.compiled.numbers import mix
from psvr.jit import jit_no_alloc
from psvr.trace.columns import OFF

from .events import HELLO_END, KINDS, PUB_END, SOURCE, SUB_END, SUB_START, WAKE
from .hellos import end_hello, wake
from .prefetching import prefetch_events
from .pubs import end_pub, fire
from .queue import pop
from .subs import end_sub, fly
from .wireless import wireless
from .world import World

DONE, FULL_HEAP, FULL_SUBS, FULL_PUBLICATIONS, FULL_DELIVERIES, FULL_ROWS = range(6)
ROWS_PER_RECEPTION = 8


@jit_no_alloc
def full_table(w: World) -> int:
    """The table that has no room for what one more event may write; DONE if all have."""
    tally, counter = w.tally[0], w.counter[0]
    if counter.queued + tally.room > len(w.heap):
        return FULL_HEAP
    if w.pool[0].used + tally.room > len(w.subs):
        return FULL_SUBS
    if tally.published + 1 > len(w.publications):
        return FULL_PUBLICATIONS
    if tally.delivered + tally.room > len(w.deliveries):
        return FULL_DELIVERIES
    if tally.level > OFF and tally.rows + ROWS_PER_RECEPTION * tally.room > len(w.rows):
        return FULL_ROWS
    return DONE


@jit_no_alloc
def run(w: World, until: int) -> int:
    """Process all events before `until`; returns DONE, or the table that has to grow first."""
    tally, asked = w.tally[0], 0
    while w.counter[0].queued > 0 and w.heap[0].time < until:
        full = full_table(w)
        if full != DONE:
            return full
        now, kind, v, ref = pop(w.heap, w.counter)
        asked = prefetch_events(w, asked)
        tally.events += 1
        tally.print_a = mix(mix(tally.print_a, now), KINDS * v + kind)
        tally.print_b = mix(tally.print_b, tally.print_a + tally.receptions)
        if kind == HELLO_END:
            end_hello(w, v, now, ref)
        elif kind == WAKE:
            wake(w, v, now)
        elif kind == PUB_END:
            end_pub(w, v, ref, now)
        elif kind == SUB_END:
            end_sub(w, ref, now)
        elif kind == SUB_START:
            fly(w, ref, now)
        elif kind == SOURCE:
            fire(w, ref, now)
        else:
            wireless(w, kind, v, ref, now)
    return DONE
