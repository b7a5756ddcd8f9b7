"""SUBs under way: to each tree neighbour, which acknowledges them, or broadcast in several copies."""

from psvr.compiled import constants as k
from psvr.compiled import host as rules
from psvr.compiled import node
from psvr.compiled.pubsub import subscription
from psvr.graphs.csr import link_to
from psvr.jit import jit_internal, jit_no_alloc
from psvr.trace.columns import ALL_LEVEL, CONTROL_LEVEL, RECEIVED, SENT, SUB

from .events import SUB_END, SUB_START
from .frames import answered, arrives, launch
from .hosting import body, index_of, local, schedule
from .medium import reaction_time
from .notes import note, note_table
from .queue import push
from .world import World


@jit_internal
def take(w: World) -> int:
    """Take a free place from the pool; the caller makes sure that there is one."""
    pool = w.pool[0]
    i = pool.free
    f = w.sub_frames[i]
    pool.free, pool.used = f.next, pool.used + 1
    f.used, f.tries, f.got = 1, 0, 0
    return i


@jit_internal
def give_back(w: World, i: int) -> None:
    """Return a place to the pool."""
    pool = w.pool[0]
    w.sub_frames[i].used, w.sub_frames[i].next = 0, pool.free
    pool.free, pool.used = i, pool.used - 1


@jit_internal
def say_subs(w: World, v: int, now: int) -> None:
    """Send the SUBs of a node, in as many frames as they need."""
    part, sub = 0, w.sub_out[0]
    while True:
        part = node.write_sub(w.nodes[v], local(w, v, now), part, sub)
        if sub.channels > 0 or sub.to != k.NOBODY:
            spread_sub(w, v, now)
        if part == 0 or w.pool[0].used + len(w.nodes[v].link) >= len(w.subs) - 1:
            break


@jit_internal
def spread_sub(w: World, v: int, ready: int) -> None:
    """Send the SUB in `sub_out` to each tree neighbour except the one it came from, or broadcast it."""
    me, sub = w.nodes[v], w.sub_out[0]
    if me.settings.sub_acks == 0:
        send_sub(w, v, -1, subscription.copies(me, sub), ready)
        return
    for i in range(len(me.link)):
        link = me.link[i]
        if subscription.is_for(me, link, sub):
            send_sub(w, v, index_of(w, link.id), 1, ready)


@jit_no_alloc
def send_sub(w: World, v: int, to: int, copies: int, ready: int) -> None:
    """Send the SUB in `sub_out` to a node, or to all in reach if `to` is −1."""
    i = take(w)
    w.subs[i] = w.sub_out[0]
    f = w.sub_frames[i]
    f.node, f.to, f.copies = v, to, copies
    fly(w, i, ready)


@jit_internal
def fly(w: World, i: int, ready: int) -> None:
    """Write a row of the trace about a SUB, and send it."""
    f = w.sub_frames[i]
    if w.tally[0].level >= CONTROL_LEVEL:
        note(w, ready, SENT, f.node, w.subs[i].to if f.to < 0 else w.ids[f.to], -1, SUB)
    transmit(w, i, ready)


@jit_internal
def transmit(w: World, i: int, ready: int) -> None:
    """Try once more to send a SUB."""
    w.sub_frames[i].tries += 1
    launch(w, w.sub_frames[i].node, ready, SUB_END, i)


@jit_internal
def end_sub(w: World, i: int, now: int) -> None:
    """A SUB has been sent: all nodes in reach hear it, or its addressee; those that have to relay it do so."""
    f, tally = w.sub_frames[i], w.tally[0]
    v = f.node
    if w.stations[v].alive == 0:
        give_back(w, i)
        return
    tally.serial += 1
    serial = tally.serial
    if f.to < 0:
        for e in range(w.first[v], w.first[v + 1]):
            if arrives(w, e, v, serial):
                hear_sub(w, w.near[e], i, now)
        complete(w, i, now)
        return
    e = link_to(w.first, w.near, v, f.to)
    heard = e >= 0 and arrives(w, e, v, serial)
    if heard and f.got == 0:
        f.got = 1 if hear_sub(w, f.to, i, now) else 0
    if heard and f.got != 0 and answered(w, v, serial):
        complete(w, i, now)
    elif f.tries <= tally.retries:
        transmit(w, i, now + reaction_time(w.ids[v], now))
    else:
        complete(w, i, now)


@jit_internal
def complete(w: World, i: int, now: int) -> None:
    """After a SUB was sent: schedule the next copy, or free its place."""
    f = w.sub_frames[i]
    if f.copies > 1:
        f.copies -= 1
        f.tries = 0
        push(w.heap, w.counter, now + k.SUB_COPY_GAP, SUB_START, f.node, i)
    else:
        give_back(w, i)


@jit_internal
def hear_sub(w: World, u: int, i: int, now: int) -> bool:
    """Let u hear a SUB; returns whether u accepts it."""
    tally, out = w.tally[0], w.sub_out[0]
    tally.receptions += 1
    reason = rules.hear_sub(body(w, u), local(w, u, now), w.subs[i], out)
    if reason == k.NO_ROOM:
        tally.no_room += 1
    if tally.level >= ALL_LEVEL:
        note(w, now, RECEIVED, u, w.subs[i].src, reason if reason != 0 else -1, SUB)
    note_table(w, u, now)
    if out.channels > 0:
        spread_sub(w, u, now + reaction_time(w.ids[u], now))
    schedule(w, u, now)
    return not rules.is_early_sub(reason)
