"""Hosts in the simulator: when they are woken, and how the effects of their rules are carried out."""

from typing import Any

from psvr.compiled import constants as k
from psvr.compiled import host as rules
from psvr.compiled.host import Body
from psvr.jit import jit_inlined, jit_internal, jit_no_alloc
from psvr.trace.columns import DELIVERED, DROPPED, PUB_LEVEL, SENT

from .events import PUB_END, SLOTS, WAKE
from .frames import launch
from .medium import reaction_time
from .notes import note_pub
from .queue import push
from .world import World


@jit_internal
def local(w: World, v: int, now: int) -> int:
    """The time on a node's own clock."""
    return now + w.stations[v].offset


@jit_internal
def index_of(w: World, id: int) -> int:
    """The index of the node with this id, or −1."""
    low, high = 0, len(w.ids)
    while low < high:
        middle = (low + high) // 2
        if w.ids[middle] < id:
            low = middle + 1
        else:
            high = middle
    return low if low < len(w.ids) and w.ids[low] == id else -1


@jit_inlined
def body(w: World, v: int) -> Body:
    """The memory of a node and its host, as the rules take it."""
    return Body(w.nodes[v], w.hosts[v], w.held[v], w.names[v], w.effects[0], w.outcome[0])


@jit_no_alloc
def start(w: World, v: int, now: int, boot: int) -> None:
    """Start a node's host; the node itself has been started."""
    rules.start(body(w, v), local(w, v, now), boot)


@jit_no_alloc
def schedule(w: World, v: int, now: int) -> None:
    """Schedule the next time that a node is due; an earlier time replaces a later one."""
    station = w.stations[v]
    due = rules.next_due(body(w, v), local(w, v, now)) - station.offset
    if station.wake_at < now or due < station.wake_at:
        station.wake_at = max(due, now)
        push(w.heap, w.counter, station.wake_at, WAKE, v, 0)


@jit_internal
def transmit(w: World, v: int, slot: int, ready: int) -> None:
    """Try once more to send the PUB in a slot."""
    flight = w.flights[v][slot]
    flight.tries += 1
    launch(w, v, ready, PUB_END, flight.number * SLOTS + slot)


@jit_internal
def take_off(w: World, v: int, slot: int, now: int, ready: int) -> None:
    """Start sending the PUB in a slot, as the rules asked for."""
    h, flight = w.held[v][slot], w.flights[v][slot]
    flight.number = (flight.number + 1) & 0x3FFFFFFF
    flight.to = index_of(w, h.to) if h.to != k.NOBODY else -1
    flight.tries = flight.got = 0
    w.publications[h.handle].messages += 1
    if w.tally[0].level >= PUB_LEVEL:
        note_pub(w, now, SENT, v, h.to, h.pub, w.publications[h.handle].channel, h.start, -1)
    transmit(w, v, slot, ready)


@jit_internal
def drain(w: World, v: int, now: int, heard: Any, publication: int) -> None:
    """Carry out what the rules asked for; `heard` is the PUB that they were handed, if any."""
    out = w.effects[0]
    for s in range(out.count):
        e = out.effect[s]
        if e.kind == rules.SEND:
            w.stations[v].pubs = (w.stations[v].pubs + 1) & 0xFFFF
            take_off(w, v, e.slot, now, now + reaction_time(w.ids[v], now + w.stations[v].pubs))
        elif e.kind == rules.DELIVER:
            if e.slot >= 0:
                deliver(w, v, now, w.held[v][e.slot].pub, w.held[v][e.slot].handle)
            else:
                deliver(w, v, now, heard, publication)
        elif e.kind == rules.DROPPED:
            if e.slot >= 0:
                h = w.held[v][e.slot]
                drop(w, v, now, h.pub, h.handle, h.to, h.start, e.reason)
            else:
                drop(w, v, now, heard, publication, heard.src, -1, e.reason)
    rules.drained(body(w, v))


@jit_internal
def deliver(w: World, v: int, now: int, pub: Any, publication: int) -> None:
    """Hand a publication to the application of v."""
    tally = w.tally[0]
    d = w.deliveries[tally.delivered]
    d.time, d.publication, d.node, d.hops = now, publication, v, pub.hops
    tally.delivered += 1
    if tally.level >= PUB_LEVEL:
        note_pub(w, now, DELIVERED, v, pub.src, pub, w.publications[publication].channel, -1, -1)


@jit_internal
def drop(w: World, v: int, now: int, pub: Any, publication: int, peer: int, at: int, reason: int) -> None:
    """Record that a PUB goes no further, and why."""
    w.drops[reason] += 1
    if w.nodes[v].settings.system != k.FLOOD:  # a dropped copy means nothing under flood: others follow
        w.publications[publication].reason = reason
    if w.tally[0].level >= PUB_LEVEL:
        note_pub(w, now, DROPPED, v, peer, pub, w.publications[publication].channel, at, reason)
