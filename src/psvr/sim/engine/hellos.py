"""Waking nodes, sending HELLOs and hearing those of others."""

from typing import Any

from psvr.compiled import host as rules
from psvr.compiled import node
from psvr.jit import jit_internal
from psvr.trace.columns import ALL_LEVEL, CONTROL_LEVEL, HELLO, RECEIVED, SENT

from .events import HELLO_END
from .frames import arrives, launch
from .hosting import body, drain, local, schedule
from .notes import note, note_changes, note_table
from .prefetching import prefetch_clean, prefetch_hearing, prefetch_names
from .subs import say_subs
from .world import World


@jit_internal
def wake(w: World, v: int, now: int) -> None:
    """Let a node do what is due, and send what it has to say."""
    station = w.stations[v]
    if station.alive == 0 or station.wake_at != now:
        return  # it stopped, or has been woken since
    station.wake_at = -1
    prefetch_names(w, v)
    if w.nodes[v].clean_at <= local(w, v, now):
        prefetch_clean(w, v)
    said = rules.wake(body(w, v), local(w, v, now), w.hellos[v])
    if said & node.SAY_HELLO:
        station.hellos += 1
        if w.tally[0].level >= CONTROL_LEVEL:
            note(w, now, SENT, v, -1, -1, HELLO)
        launch(w, v, now, HELLO_END, station.hellos)
    if said & node.SAY_SUB:
        say_subs(w, v, now)
    drain(w, v, now, w.held[v][0].pub, -1)
    note_changes(w, v, now)
    note_table(w, v, now)
    schedule(w, v, now)


@jit_internal
def end_hello(w: World, v: int, now: int, number: int) -> None:
    """A HELLO has been sent: all nodes in reach hear it."""
    if w.stations[v].alive == 0 or w.stations[v].hellos != number:
        return
    tally = w.tally[0]
    tally.serial += 1
    serial = tally.serial
    last = w.first[v + 1]
    for e in range(w.first[v], last):
        prefetch_hearing(w, e + 1, last)
        if arrives(w, e, v, serial):
            hear_hello(w, w.near[e], v, w.hellos[v], now)


@jit_internal
def hear_hello(w: World, u: int, v: int, hello: Any, now: int) -> None:
    """Let u hear a HELLO of v."""
    w.tally[0].receptions += 1
    if w.tally[0].level >= ALL_LEVEL:
        note(w, now, RECEIVED, u, w.ids[v], -1, HELLO)
    new = rules.hear_hello(body(w, u), local(w, u, now), hello)
    note_changes(w, u, now)
    if new:
        schedule(w, u, now)
