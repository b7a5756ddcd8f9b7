"""Publications by applications, and PUBs under way, each in a slot of the host that sends it."""

from psvr.compiled import constants as k
from psvr.compiled import host as rules
from psvr.graphs.csr import link_to
from psvr.jit import jit_internal, jit_no_alloc
from psvr.trace.columns import PUB_LEVEL, PUBLISHED, RECEIVED

from .events import SLOTS, SOURCE
from .frames import answered, arrives
from .hosting import body, drain, local, schedule, transmit
from .medium import reaction_time
from .notes import note_pub
from .queue import push
from .world import World


@jit_no_alloc
def publish(w: World, v: int, channel: int, load: int, now: int) -> int:
    """Let the application of v publish; returns the index of the publication."""
    tally, host, name = w.tally[0], w.hosts[v], w.said[0]
    publication = tally.published
    tally.published += 1
    p = w.publications[publication]
    p.time, p.node, p.channel, p.messages, p.receptions, p.reason = now, v, channel, 0, 0, k.FINE
    number = rules.publish(body(w, v), local(w, v, now), w.hashes[channel], load, publication)
    name.src = name.cur = name.ep = name.ring = k.NOBODY
    name.origin, name.boot, name.number, name.load, name.hops = w.ids[v], host.boot, number, load, 0
    name.again = name.age = 0
    if tally.level >= PUB_LEVEL:
        note_pub(w, now, PUBLISHED, v, -1, name, channel, -1, -1)
    drain(w, v, now, name, publication)
    schedule(w, v, now)
    return publication


@jit_internal
def fire(w: World, s: int, now: int) -> None:
    """Let a source publish, and schedule its next publication."""
    source = w.sources[s]
    if w.stations[source.node].alive != 0:
        publish(w, source.node, source.channel, source.load, now)
    if now + source.period < source.stop:
        push(w.heap, w.counter, now + source.period, SOURCE, source.node, s)


@jit_internal
def is_current(w: World, v: int, ref: int) -> bool:
    """Whether the flight is still the current one of its slot: the host has not restarted since."""
    return w.flights[v][ref % SLOTS].number == ref // SLOTS


@jit_internal
def end_pub(w: World, v: int, ref: int, now: int) -> None:
    """A PUB has been sent: all nodes in reach hear it, or its addressee, which acknowledges what it accepts."""
    if w.stations[v].alive == 0 or not is_current(w, v, ref):
        return
    slot, tally = ref % SLOTS, w.tally[0]
    flight = w.flights[v][slot]
    tally.serial += 1
    serial = tally.serial
    if flight.to < 0:
        for e in range(w.first[v], w.first[v + 1]):
            if arrives(w, e, v, serial):
                hear_pub(w, w.near[e], v, slot, now)
        complete(w, v, slot, now, True)
        return
    e = link_to(w.first, w.near, v, flight.to)
    heard = e >= 0 and arrives(w, e, v, serial)
    if heard and flight.got == 0:
        flight.got = 1 if hear_pub(w, flight.to, v, slot, now) else 0
    if heard and flight.got != 0 and answered(w, v, serial):
        complete(w, v, slot, now, True)
    elif flight.tries <= tally.retries:
        transmit(w, v, slot, now + reaction_time(w.ids[v], now))
    else:
        complete(w, v, slot, now, False)


@jit_internal
def complete(w: World, v: int, slot: int, now: int, good: bool) -> None:
    """Tell the host that a PUB was sent, and acknowledged if it has an addressee; or that it failed."""
    w.flights[v][slot].number = (w.flights[v][slot].number + 1) & 0x3FFFFFFF
    if good:
        rules.acknowledged(body(w, v), local(w, v, now), slot)
    else:
        rules.failed(body(w, v), local(w, v, now), slot)
    drain(w, v, now, w.held[v][slot].pub, -1)
    schedule(w, v, now)


@jit_internal
def hear_pub(w: World, u: int, v: int, slot: int, now: int) -> bool:
    """Let u hear a PUB of v; returns whether u accepts it."""
    tally, h = w.tally[0], w.held[v][slot]
    publication = h.handle
    tally.receptions += 1
    w.publications[publication].receptions += 1
    verdict = rules.hear_pub(body(w, u), local(w, u, now), h.pub, publication)
    if verdict == rules.TAKEN and tally.level >= PUB_LEVEL:
        note_pub(w, now, RECEIVED, u, h.pub.src, h.pub, w.publications[publication].channel, h.start, -1)
    drain(w, u, now, h.pub, publication)
    schedule(w, u, now)
    return verdict == rules.TAKEN
