"""What nodes do with frames, and what frames do to nodes: the handlers of the engine's events.

Nothing is ever told to a node but what arrives in a frame.
"""

from typing import Any

from psvr.compiled import constants as k
from psvr.compiled import node as rules
from psvr.compiled.invariants import where
from psvr.compiled.positions import NONE
from psvr.compiled.publication import carry, detour
from psvr.compiled.wire_length import hello_length, pub_length, sub_length
from psvr.graphs.csr import link_to
from psvr.jit import in_place

from .handed import forget, is_new, knows
from .medium import access, airtime, lost, work
from .notes import (
    ALL_LEVEL,
    CONTROL_LEVEL,
    CROWDED,
    DELIVERED,
    DROPPED,
    LINK_FAILED,
    NODE_STOPPED,
    PUB_LEVEL,
    PUBLISHED,
    RECEIVED,
    SENT,
    note,
    note_changes,
    note_pub,
    note_table,
)
from .queue import push
from .radio.access import READY
from .world import PUBS, SUBS, World

WAKE, HELLO_END, SUB_START, SUB_END, PUB_END, SOURCE = range(6)
WAITED, AGAIN = 14, 15          # after the events of the wireless channel
ACK = 0                         # of a frame on the air: what it is beside HELLO_END, SUB_END and PUB_END
KINDS = 16
SURE, DOUBTED = 1, 2            # of a publication that was sent and is kept: was there doubt that it would reach all?
LOOK, KEPT_LOOK = 250_000, 1_000_000    # µs between two looks at one that waits for a ring, and at one that is kept
ROUNDS, ROUND_PAUSE = 2, 1_000_000      # a frame that failed, detour and all, is tried again so often, µs later


@in_place
def local(w: World, v: int, now: int) -> int:
    """The time on a node's own clock."""
    return now + w.hosts[v].offset


@in_place
def schedule(w: World, v: int, now: int) -> None:
    """See to it that a node is woken when it is next due; an earlier date replaces a later one."""
    host = w.hosts[v]
    due = rules.next_due(w.nodes[v], local(w, v, now)) - host.offset
    if host.wake_at < now or due < host.wake_at:
        host.wake_at = max(due, now)
        push(w.heap, w.counter, host.wake_at, WAKE, v, 0)


@in_place
def launch(w: World, v: int, ready: int, kind: int, ref: int) -> None:
    """Hand a frame over to the medium.  Without a wireless channel it is known when the frame will end."""
    if w.tally[0].wireless != 0:
        push(w.heap, w.counter, ready, READY, v, KINDS * ref + kind)
        return
    host, length = w.hosts[v], length_of(w, v, kind, ref)
    count_sent(w, kind, length)
    host.free_at = access(host.free_at, ready) + airtime(length, w.tally[0].bitrate)
    push(w.heap, w.counter, host.free_at, kind, v, ref)


@in_place
def length_of(w: World, v: int, kind: int, ref: int) -> int:
    """Bytes of a frame."""
    settings = w.nodes[v].settings
    if kind == HELLO_END:
        return hello_length(w.hellos[v], settings.id_bytes, settings.position_bytes)
    if kind == SUB_END:
        return sub_length(w.subs[ref], settings.id_bytes, settings.position_bytes)
    return pub_length(w.pubs[ref], settings.id_bytes, settings.position_bytes)


@in_place
def count_sent(w: World, kind: int, length: int) -> None:
    tally = w.tally[0]
    if kind == HELLO_END:
        tally.hello_sent += 1
        tally.hello_bytes += length
    elif kind == SUB_END:
        tally.sub_sent += 1
        tally.sub_bytes += length
    else:
        tally.pub_sent += 1
        tally.pub_bytes += length


@in_place
def arrives(w: World, e: int, v: int, serial: int) -> bool:
    """A transmission of v reaches the node at the far end of its e-th link."""
    u = w.near[e]
    if w.cut[e] != 0 or w.hosts[u].alive == 0 or w.hosts[u].jammed != 0:
        return False
    return not lost(w.tally[0].loss_key, serial, u, w.tally[0].loss)


@in_place
def wake(w: World, v: int, now: int) -> None:
    """Let a node do what is due, and send what it says."""
    host = w.hosts[v]
    if host.alive == 0 or host.wake_at != now:
        return                          # it died, or has been woken since
    host.wake_at = -1
    said = rules.wake(w.nodes[v], local(w, v, now), w.hellos[v])
    if said & 1:
        host.hellos += 1
        if w.tally[0].level >= CONTROL_LEVEL:
            note(w, now, SENT, v, -1, -1, HELLO_END)
        launch(w, v, now, HELLO_END, host.hellos)
        forget(w.handed, v, local(w, v, now), host.hellos)
    if said & 2:
        say_subs(w, v, now)
    note_changes(w, v, now)
    note_table(w, v, now)
    schedule(w, v, now)


@in_place
def end_hello(w: World, v: int, now: int, number: int) -> None:
    """A HELLO is complete at all that are in reach."""
    if w.hosts[v].alive == 0 or w.hosts[v].hellos != number:
        return
    tally = w.tally[0]
    tally.serial += 1
    serial = tally.serial
    for e in range(w.first[v], w.first[v + 1]):
        if arrives(w, e, v, serial):
            hear_hello(w, w.near[e], v, w.hellos[v], now)


@in_place
def hear_hello(w: World, u: int, v: int, hello: Any, now: int) -> None:
    w.tally[0].receptions += 1
    if w.tally[0].level >= ALL_LEVEL:
        note(w, now, RECEIVED, u, w.ids[v], -1, HELLO_END)
    rules.hear_hello(w.nodes[u], local(w, u, now), hello)
    note_changes(w, u, now)
    schedule(w, u, now)


@in_place
def take(frames: Any, pool: Any) -> int:
    """A free place of a pool; the caller sees to it that there is one."""
    i = pool.free
    f = frames[i]
    pool.free, pool.used = f.next, pool.used + 1
    f.used, f.tries, f.got, f.detour, f.rounds, f.kept = 1, 0, 0, 0, 0, 0
    return i


@in_place
def give_back(frames: Any, pool: Any, i: int) -> None:
    frames[i].used, frames[i].next = 0, pool.free
    pool.free, pool.used = i, pool.used - 1


@in_place
def say_subs(w: World, v: int, now: int) -> None:
    """Send the SUBs of a node, as many frames as they take."""
    part = 0
    while True:
        i = take(w.sub_frames, w.pools[SUBS])
        part = rules.write_sub(w.nodes[v], local(w, v, now), part, w.subs[i])
        if w.subs[i].channels > 0 or w.subs[i].to != k.NOBODY:
            send_sub(w, v, i, now, k.SUB_COPIES)
        else:
            give_back(w.sub_frames, w.pools[SUBS], i)
        if part == 0 or w.pools[SUBS].used >= len(w.subs) - 1:
            break


@in_place
def send_sub(w: World, v: int, i: int, ready: int, copies: int) -> None:
    f = w.sub_frames[i]
    f.node, f.copies = v, copies
    if w.tally[0].level >= CONTROL_LEVEL:
        note(w, ready, SENT, v, w.subs[i].to, -1, SUB_END)
    launch(w, v, ready, SUB_END, i)


@in_place
def end_sub(w: World, i: int, now: int) -> None:
    """A SUB is complete at all that are in reach; those who are to pass it on do so."""
    f, tally = w.sub_frames[i], w.tally[0]
    v = f.node
    if w.hosts[v].alive == 0:
        give_back(w.sub_frames, w.pools[SUBS], i)
        return
    tally.serial += 1
    serial = tally.serial
    for e in range(w.first[v], w.first[v + 1]):
        if arrives(w, e, v, serial):
            hear_sub(w, w.near[e], i, now)
    copy_sub(w, i, now)


@in_place
def copy_sub(w: World, i: int, now: int) -> None:
    """After a SUB was sent: once more a little later, or it is done with."""
    f = w.sub_frames[i]
    if f.copies > 1:
        push(w.heap, w.counter, now + k.SUB_COPY_GAP, SUB_START, f.node, i)
    else:
        give_back(w.sub_frames, w.pools[SUBS], i)


@in_place
def hear_sub(w: World, u: int, i: int, now: int) -> None:
    tally, out = w.tally[0], w.sub_out[0]
    tally.receptions += 1
    reason = rules.hear_sub(w.nodes[u], local(w, u, now), w.subs[i], out)
    if reason == k.NO_ROOM:
        tally.no_room += 1
    if tally.level >= ALL_LEVEL:
        note(w, now, RECEIVED, u, w.subs[i].src, reason if reason != 0 else -1, SUB_END)
    note_table(w, u, now)
    if out.channels > 0:
        j = take(w.sub_frames, w.pools[SUBS])
        w.subs[j] = out
        send_sub(w, u, j, now + work(w.ids[u], now), k.SUB_COPIES)
    schedule(w, u, now)


@in_place
def send_outcome(w: World, v: int, pub: Any, publication: int, now: int, which: int, detoured: int) -> None:
    """Put the sends of an outcome on the air, one frame each."""
    out, channel = w.outcome[which], w.publications[publication].channel
    for s in range(out.sends):
        send = out.send[s]
        i = take(w.pub_frames, w.pools[PUBS])
        f = w.pub_frames[i]
        carry(w.nodes[v], pub, send, w.pubs[i])
        f.node, f.publication, f.at, f.detour = v, publication, send.at, detoured
        f.to = where(w.nodes, send.to) if send.to != k.NOBODY else -1
        w.publications[publication].messages += 1
        if w.tally[0].level >= PUB_LEVEL:
            note_pub(w, now, SENT, v, send.to, w.pubs[i], channel, send.at, -1)
        transmit(w, i, now + work(w.ids[v], now + s))


@in_place
def transmit(w: World, i: int, ready: int) -> None:
    f = w.pub_frames[i]
    f.tries += 1
    launch(w, f.node, ready, PUB_END, i)


@in_place
def end_pub(w: World, i: int, now: int) -> None:
    """A PUB is complete: at all that are in reach, or at its addressee, who acknowledges it."""
    f, tally = w.pub_frames[i], w.tally[0]
    v = f.node
    if w.hosts[v].alive == 0:
        lose(w, i, NODE_STOPPED)
        return
    tally.serial += 1
    serial = tally.serial
    if f.to < 0:
        for e in range(w.first[v], w.first[v + 1]):
            if arrives(w, e, v, serial):
                hear_pub(w, w.near[e], i, now)
        give_back(w.pub_frames, w.pools[PUBS], i)
        return
    e = link_to(w.first, w.near, v, f.to)
    heard = e >= 0 and arrives(w, e, v, serial)
    if heard and f.got == 0:
        f.got = 1
        hear_pub(w, f.to, i, now)
    if heard:
        tally.ack_sent += 1
    if heard and w.hosts[v].jammed == 0 and not lost(tally.ack_key, serial, v, tally.loss):
        give_back(w.pub_frames, w.pools[PUBS], i)
    elif f.tries <= tally.retries:
        transmit(w, i, now + work(w.ids[v], now))
    else:
        give_up(w, i, now)


@in_place
def lose(w: World, i: int, reason: int) -> None:
    """A PUB will not arrive.  Of one that its addressee has got, only the acknowledgement was missing."""
    f = w.pub_frames[i]
    if f.to < 0 or f.got == 0:
        w.publications[f.publication].reason = reason
    give_back(w.pub_frames, w.pools[PUBS], i)


@in_place
def give_up(w: World, i: int, now: int) -> None:
    """All tries failed: take the second-best link, once; else the message is lost, and that is said."""
    f, pub = w.pub_frames[i], w.pubs[i]
    v, publication, to = f.node, f.publication, w.ids[f.to] if f.to >= 0 else -1
    w.outcome[1].sends = 0
    if f.detour == 0 and f.to >= 0:
        detour(w.nodes[v], local(w, v, now), pub, f.at, to, w.outcome[1])
    if w.outcome[1].sends > 0:
        pub.hops -= 1                   # `carry` counts the hop again
        send_outcome(w, v, pub, publication, now, 1, 1)
        give_back(w.pub_frames, w.pools[PUBS], i)
    elif f.rounds < ROUNDS and f.to >= 0:
        f.rounds, f.tries = f.rounds + 1, 0
        push(w.heap, w.counter, now + ROUND_PAUSE, AGAIN, v, i)
    else:
        w.drops[LINK_FAILED] += 1
        if w.tally[0].level >= PUB_LEVEL:
            note_pub(w, now, DROPPED, v, to, pub, w.publications[publication].channel, f.at, LINK_FAILED)
        lose(w, i, LINK_FAILED)


@in_place
def again(w: World, i: int, now: int) -> None:
    """A frame that failed a while ago is tried once more."""
    if w.hosts[w.pub_frames[i].node].alive != 0:
        transmit(w, i, now)
    else:
        lose(w, i, NODE_STOPPED)


@in_place
def hear_pub(w: World, u: int, i: int, now: int) -> None:
    tally, pub, publication = w.tally[0], w.pubs[i], w.pub_frames[i].publication
    tally.receptions += 1
    w.publications[publication].receptions += 1
    if tally.level >= PUB_LEVEL:
        note_pub(w, now, RECEIVED, u, pub.src, pub, w.publications[publication].channel, w.pub_frames[i].at, -1)
    rules.hear_pub(w.nodes[u], local(w, u, now), pub, w.outcome[0])
    after_pub(w, u, pub, publication, now)


@in_place
def after_pub(w: World, v: int, pub: Any, publication: int, now: int) -> None:
    """Deliver, report and send on, as the outcome of a PUB at v says.

    A node that has started again does not know what it had before: a host hands over nothing that is older than it.
    """
    tally, out = w.tally[0], w.outcome[0]
    new = out.deliver == 1 and w.publications[publication].time >= w.hosts[v].born
    if new and is_new(w.handed, v, local(w, v, now), pub):
        d = w.deliveries[tally.delivered]
        d.time, d.publication, d.node, d.hops = now, publication, v, pub.hops
        tally.delivered += 1
        if tally.level >= PUB_LEVEL:
            note_pub(w, now, DELIVERED, v, pub.src, pub, w.publications[publication].channel, -1, -1)
    elif new and not knows(w.handed, v, pub):
        w.publications[publication].reason = CROWDED
    if out.reason != k.FINE:
        w.drops[out.reason] += 1
        if w.nodes[v].settings.system != k.FLOOD:       # a copy that is dropped there means nothing: others come
            w.publications[publication].reason = out.reason
        if tally.level >= PUB_LEVEL:
            note_pub(w, now, DROPPED, v, pub.src, pub, w.publications[publication].channel, -1, out.reason)
    send_outcome(w, v, pub, publication, now, 0, 0)


@in_place
def publish(w: World, v: int, channel: int, load: int, now: int) -> int:
    """The application of v publishes; the place of the publication."""
    tally, host = w.tally[0], w.hosts[v]
    publication = tally.published
    tally.published += 1
    p = w.publications[publication]
    p.time, p.node, p.channel, p.messages, p.receptions, p.reason = now, v, channel, 0, 0, k.FINE
    host.number += 1
    i = take(w.pub_frames, w.pools[PUBS])
    f, pub = w.pub_frames[i], w.pubs[i]
    f.node, f.publication = v, publication
    pub.origin, pub.boot, pub.number, pub.load, pub.hops = w.ids[v], host.boot, host.number, load, 0
    pub.cur = pub.ep = k.NOBODY
    if tally.level >= PUB_LEVEL:
        note_pub(w, now, PUBLISHED, v, -1, pub, channel, -1, -1)
    f.got = host.starts                 # after a restart it is forgotten
    if rules.should_wait(w.nodes[v]) and host.waiting < k.OUTBOX:
        host.waiting += 1
        push(w.heap, w.counter, now + LOOK, WAITED, v, i)
    else:
        let_out(w, i, now)
        keep(w, i, now)
    return publication


@in_place
def let_out(w: World, i: int, now: int) -> None:
    """A publication goes its way, the first time or once more."""
    f, pub = w.pub_frames[i], w.pubs[i]
    v, hashed, first = f.node, w.hashes[w.publications[f.publication].channel], f.kept == 0
    f.kept, f.rings = DOUBTED if rules.in_doubt(w.nodes[v], hashed) else SURE, w.hosts[v].rings
    if first:
        rules.publish(w.nodes[v], local(w, v, now), hashed, pub.boot, pub.number, pub.load, pub, w.outcome[0])
    else:
        rules.repeat(w.nodes[v], local(w, v, now), pub, w.outcome[0])
    after_pub(w, v, pub, f.publication, now)


@in_place
def keep(w: World, i: int, now: int) -> None:
    """A publication has been sent.  Its origin may have to repeat it, and keeps it for a while."""
    f = w.pub_frames[i]
    host = w.hosts[f.node]
    if rules.may_repeat(w.nodes[f.node]) and host.kept < k.OUTBOX:
        host.kept += 1
        push(w.heap, w.counter, now + KEPT_LOOK, WAITED, f.node, i)
    else:
        give_back(w.pub_frames, w.pools[PUBS], i)


@in_place
def waited(w: World, i: int, now: int) -> None:
    """A publication has waited for a ring: on, if there is one now, or if it is too late.  Or it is kept."""
    f = w.pub_frames[i]
    host, late = w.hosts[f.node], now >= w.publications[f.publication].time + k.KEEP
    if host.alive == 0 or f.got != host.starts:
        if w.publications[f.publication].messages == 0:         # it was nowhere else yet
            w.publications[f.publication].reason = NODE_STOPPED
        give_back(w.pub_frames, w.pools[PUBS], i)
    elif f.kept != 0:
        kept(w, i, now, late)
    elif rules.should_wait(w.nodes[f.node]) and not late:
        push(w.heap, w.counter, now + LOOK, WAITED, f.node, i)
    else:
        host.waiting -= 1
        let_out(w, i, now)
        keep(w, i, now)


@in_place
def kept(w: World, i: int, now: int, late: bool) -> None:
    """A publication that was sent: once more, if the rules say so, until it is too old.

    Another ring may have the same name: it stands for who is where, and all may be again as it was.
    """
    f = w.pub_frames[i]
    if f.rings != w.hosts[f.node].rings:
        w.pubs[i].ring = NONE
    if late:
        w.hosts[f.node].kept -= 1
        give_back(w.pub_frames, w.pools[PUBS], i)
        return
    if rules.should_repeat(w.nodes[f.node], w.pubs[i], f.kept == DOUBTED):
        let_out(w, i, now)
    push(w.heap, w.counter, now + KEPT_LOOK, WAITED, f.node, i)


@in_place
def fire(w: World, s: int, now: int) -> None:
    """A source publishes, and will again."""
    source = w.sources[s]
    if w.hosts[source.node].alive != 0:
        publish(w, source.node, source.channel, source.load, now)
    if now + source.period < source.stop:
        push(w.heap, w.counter, now + source.period, SOURCE, source.node, s)
