"""Frames of any kind: how they are sent, how long they are, whom they reach."""

from psvr.compiled.wire.lengths import hello_length, pub_length, sub_length
from psvr.jit import jit_internal, jit_no_alloc

from .events import HELLO_END, KINDS, READY, SLOTS, SUB_END
from .medium import access, airtime, lost
from .queue import push
from .world import World


@jit_no_alloc
def launch(w: World, v: int, ready: int, kind: int, ref: int) -> None:
    """Pass a frame to the medium.  Without a wireless channel, the time at which it ends is known at once."""
    if w.tally[0].wireless != 0:
        push(w.heap, w.counter, ready, READY, v, KINDS * ref + kind)
        return
    station, length = w.stations[v], length_of(w, v, kind, ref)
    count_sent(w, kind, length)
    station.free_at = access(station.free_at, ready) + airtime(length, w.tally[0].bitrate)
    push(w.heap, w.counter, station.free_at, kind, v, ref)


@jit_internal
def length_of(w: World, v: int, kind: int, ref: int) -> int:
    """The length of a frame in bytes."""
    settings = w.nodes[v].settings
    if kind == HELLO_END:
        return hello_length(w.hellos[v], settings.id_bytes, settings.position_bytes)
    if kind == SUB_END:
        return sub_length(w.subs[ref], settings.id_bytes, settings.position_bytes)
    return pub_length(w.held[v][ref % SLOTS].pub, settings.id_bytes, settings.position_bytes)


@jit_internal
def count_sent(w: World, kind: int, length: int) -> None:
    """Count a frame that is sent, by its kind."""
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


@jit_internal
def arrives(w: World, e: int, v: int, serial: int) -> bool:
    """Whether a transmission of v reaches the node at the far end of link e."""
    u = w.near[e]
    if w.cut[e] != 0 or w.stations[u].alive == 0 or w.stations[u].jammed != 0:
        return False
    return not lost(w.tally[0].loss_key, serial, u, w.tally[0].loss)


@jit_internal
def answered(w: World, v: int, serial: int) -> bool:
    """Send the acknowledgement for a transmission of v; returns whether it reaches v."""
    w.tally[0].ack_sent += 1
    return w.stations[v].jammed == 0 and not lost(w.tally[0].ack_key, serial, v, w.tally[0].loss)
