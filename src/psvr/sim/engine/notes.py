"""Rows of the trace, written while the engine runs."""

from typing import Any

from psvr.compiled import constants as k
from psvr.compiled.numbers import mix
from psvr.jit import jit_internal, jit_no_alloc
from psvr.trace.columns import CONTROL_LEVEL, PARENT_CHANGED, RING_CHANGED, TABLE_CHANGED

from .world import World


@jit_no_alloc
def note(w: World, now: int, event: int, v: int, peer: int, reason: int, detail: int) -> None:
    """Write a row of the trace that is not about a publication."""
    row = w.rows[w.tally[0].rows]
    w.tally[0].rows += 1
    row.time, row.node, row.event, row.peer, row.reason, row.detail = now, w.ids[v], event, peer, reason, detail
    row.origin = row.channel = row.boot = row.sequence = row.from_ = row.to = row.ep = row.hops = row.bytes = -1


@jit_internal
def note_pub(w: World, now: int, event: int, v: int, peer: int, pub: Any, channel: int, at: int, reason: int) -> None:
    """Write a row about a publication; `at` is the position that it was sent from."""
    note(w, now, event, v, peer, reason, -1)
    row = w.rows[w.tally[0].rows - 1]
    row.channel, row.origin, row.boot, row.sequence = channel, pub.origin, pub.boot, pub.number
    row.from_, row.to, row.ep, row.hops, row.bytes = at, pub.cur, pub.ep, pub.hops, pub.load


@jit_internal
def note_changes(w: World, v: int, now: int) -> None:
    """Write rows about parent and ring if they have changed."""
    me, last, tally = w.nodes[v], w.stations[v], w.tally[0]
    if me.parent != last.parent:
        last.parent = me.parent
        tally.parent_changes += 1
        if tally.level >= CONTROL_LEVEL:
            note(w, now, PARENT_CHANGED, v, me.parent, -1, me.root)
    if me.ring != last.ring:
        last.ring = me.ring
        tally.ring_changes += 1
        if tally.level >= CONTROL_LEVEL:
            note(w, now, RING_CHANGED, v, -1, -1, me.ring)


@jit_internal
def note_table(w: World, v: int, now: int) -> None:
    """Write a row about RS if a next subscriber in it has changed."""
    if w.tally[0].level < CONTROL_LEVEL:
        return
    me, last, h = w.nodes[v], w.stations[v], 0
    for i in range(len(me.channel)):
        if me.channel[i] != k.NO_CHANNEL:
            h = mix(h, me.channel[i])
            for j in range(len(me.position)):
                h = mix(h, me.row[i].entry[j].ns)
    if h != last.table:
        last.table = h
        note(w, now, TABLE_CHANGED, v, -1, -1, h)
