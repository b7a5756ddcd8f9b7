"""The events of the wireless channel: frames wait for it, are on the air, and are acknowledged.

An event of the engine stands for a frame that has been sent; here a frame passes through CSMA-CA, signals and
acknowledgements before the same handlers are called.
"""

from psvr.jit import jit_inlined, jit_internal, jit_no_alloc
from psvr.sim.radio.access import (
    ACK_BYTES,
    EXPECTING,
    FAILED,
    IDLE,
    MAC_BYTES,
    SENDING,
    TURNING,
    airtime,
    contend,
    done,
    enqueue,
    expect_ack,
    schedule_ack,
    sense,
    take_off,
    wait_again,
)
from psvr.sim.radio.air import NOBODY, QUEUE
from psvr.sim.radio.bursts import burst, quiet
from psvr.sim.radio.signal import begin, next_received

from . import pubs, subs
from .events import ACK, ANSWER, BURST, FINISH, HELLO_END, KINDS, LATE, PUB_END, READY, SENSE, SLOTS, START, SUB_END
from .frames import count_sent, length_of
from .hellos import hear_hello
from .world import World


@jit_inlined
def wireless(w: World, kind: int, v: int, ref: int, now: int) -> None:
    """Process an event of the wireless channel."""
    if kind == SENSE:
        if sense(w.air, w.heap, w.counter, v, now, ref) == FAILED:
            failed(w, v, now)
    elif kind == FINISH:
        finish(w, v, now)
    elif kind == START:
        start(w, v, now, ref)
    elif kind == READY:
        ready(w, v, ref, now)
    elif kind == LATE:
        late(w, v, now, ref)
    elif kind == ANSWER:
        answer(w, v, now)
    elif kind == BURST:
        burst(w.air, w.cut, w.heap, w.counter, v, now)
    else:
        quiet(w.air, w.heap, w.counter, v, now)


@jit_internal
def ready(w: World, v: int, frame: int, now: int) -> None:
    """Queue a frame that is ready for the channel.  A HELLO that is already waiting is updated instead."""
    r, hello = w.air.radios[v], frame % KINDS == HELLO_END
    if w.stations[v].alive == 0 or not is_current(w, v, frame):
        forget(w, frame)
    elif hello and r.hello != 0:
        return
    elif enqueue(w.air, w.heap, w.counter, v, frame, now):
        r.hello = 1 if hello else r.hello
    elif frame % KINDS == PUB_END:
        pubs.complete(w, v, frame // KINDS % SLOTS, now, False)
    else:
        forget(w, frame)


@jit_internal
def is_current(w: World, v: int, frame: int) -> bool:
    """Whether a frame is still to be sent: if it is a PUB, its host has not restarted since."""
    return frame % KINDS != PUB_END or pubs.is_current(w, v, frame // KINDS)


@jit_internal
def forget(w: World, frame: int) -> None:
    """Discard a frame that will not be sent; a PUB stays in its slot."""
    if frame % KINDS == SUB_END:
        subs.give_back(w, frame // KINDS)


@jit_internal
def start(w: World, v: int, now: int, token: int) -> None:
    """The channel was clear: send, unless this node has to acknowledge something first."""
    r = w.air.radios[v]
    if r.state != TURNING or r.token != token:
        return
    if r.answer != NOBODY:
        if wait_again(w.air, w.heap, w.counter, v, now) == FAILED:
            failed(w, v, now)
        return
    frame = r.queue[r.head]
    kind, length = frame % KINDS, length_of(w, v, frame % KINDS, frame // KINDS)
    r.state = SENDING
    if kind == HELLO_END:
        w.spoken[v] = w.hellos[v]
        r.hello = 0
    count_sent(w, kind, length)
    begin(w.air, w.cut, v, now)
    take_off(w.air, w.heap, w.counter, v, frame, airtime(length), now)


@jit_internal
def answer(w: World, v: int, now: int) -> None:
    """Send an acknowledgement, without sensing the channel, unless the node has stopped and forgotten it."""
    if w.air.radios[v].answer == NOBODY or w.air.radios[v].sending != 0:
        return
    w.tally[0].ack_sent += 1
    begin(w.air, w.cut, v, now)
    take_off(w.air, w.heap, w.counter, v, ACK, airtime(ACK_BYTES - MAC_BYTES), now)


@jit_internal
def addressee(w: World, v: int, frame: int) -> int:
    """The addressee of a frame of v, or NOBODY."""
    if frame == ACK:
        return w.air.radios[v].answer
    if frame % KINDS == PUB_END:
        return w.flights[v][frame // KINDS % SLOTS].to
    return w.sub_frames[frame // KINDS].to if frame % KINDS == SUB_END else NOBODY


@jit_internal
def finish(w: World, v: int, now: int) -> None:
    """v has finished sending: those who received the frame hear it, or its addressee does."""
    air, r = w.air, w.air.radios[v]
    frame = r.frame
    to, got = addressee(w, v, frame), False
    air.setting[0].serial += 1
    r.sending = 0
    e = air.first[v] - 1
    while True:
        e = next_received(air, e + 1, v, now)
        if e == air.first[v + 1]:
            break
        if air.near[e] == to:
            got = True
        elif to == NOBODY:
            hear(w, e, v, frame, now)
    if frame == ACK:
        r.answer = NOBODY
        if got:
            acknowledged(w, to, v, now)
    else:
        finished(w, v, frame, to, got, now)


@jit_inlined
def hear(w: World, e: int, v: int, frame: int, now: int) -> None:
    """Let the receiver at the end of way e hear a broadcast frame."""
    u = w.air.near[e]
    if frame % KINDS == HELLO_END:
        w.air.ways[e].heard += 1
        hear_hello(w, u, v, w.spoken[v], now)
    elif frame % KINDS == SUB_END:
        subs.hear_sub(w, u, frame // KINDS, now)
    else:
        pubs.hear_pub(w, u, v, frame // KINDS % SLOTS, now)


@jit_internal
def finished(w: World, v: int, frame: int, to: int, got: bool, now: int) -> None:
    """Continue with the next frame; if this one has an addressee, wait for the acknowledgement."""
    if w.air.radios[v].broken == 0 and to != NOBODY:
        expect_ack(w.air, w.heap, w.counter, v, now)
        if got and is_taken(w, v, frame, to, now):
            schedule_ack(w.air, w.heap, w.counter, to, v, now)
        return
    done(w.air, w.heap, w.counter, v, now)
    if w.air.radios[v].broken != 0:
        forget(w, frame)
    else:
        complete(w, v, frame, now, True)


@jit_internal
def is_taken(w: World, v: int, frame: int, to: int, now: int) -> bool:
    """Whether the addressee of a frame accepts it, now or earlier, and so acknowledges it."""
    i = frame // KINDS
    if frame % KINDS == SUB_END:
        if w.sub_frames[i].got == 0:
            w.sub_frames[i].got = 1 if subs.hear_sub(w, to, i, now) else 0
        return w.sub_frames[i].got != 0
    flight = w.flights[v][i % SLOTS]
    if flight.got == 0:
        flight.got = 1 if pubs.hear_pub(w, to, v, i % SLOTS, now) else 0
    return flight.got != 0


@jit_internal
def complete(w: World, v: int, frame: int, now: int, good: bool) -> None:
    """A frame was sent, and acknowledged if it has an addressee; or all its tries failed."""
    if frame % KINDS == SUB_END:
        subs.complete(w, frame // KINDS, now)
    elif frame % KINDS == PUB_END and is_current(w, v, frame):
        pubs.complete(w, v, frame // KINDS % SLOTS, now, good)


@jit_internal
def acknowledged(w: World, v: int, by: int, now: int) -> None:
    """v has heard an acknowledgement: if it is waiting for one from there, its frame has arrived."""
    r = w.air.radios[v]
    frame = r.queue[r.head]
    if r.state == EXPECTING and addressee(w, v, frame) == by:
        done(w.air, w.heap, w.counter, v, now)
        complete(w, v, frame, now, True)


@jit_internal
def late(w: World, v: int, now: int, token: int) -> None:
    """No acknowledgement has arrived in time."""
    r = w.air.radios[v]
    if r.state == EXPECTING and r.token == token:
        w.air.setting[0].no_ack += 1
        failed(w, v, now)


@jit_internal
def failed(w: World, v: int, now: int) -> None:
    """A try has failed: try again, or give the frame up."""
    r = w.air.radios[v]
    frame = r.queue[r.head]
    if frame % KINDS != HELLO_END and addressee(w, v, frame) != NOBODY and try_again(w, v, frame):
        contend(w.air, w.heap, w.counter, v, now)
        return
    done(w.air, w.heap, w.counter, v, now)
    if frame % KINDS == HELLO_END:
        r.hello = 0
    else:
        complete(w, v, frame, now, False)


@jit_internal
def try_again(w: World, v: int, frame: int) -> bool:
    """Whether a frame that was not acknowledged may be sent again."""
    i = frame // KINDS
    if frame % KINDS == SUB_END:
        w.sub_frames[i].tries += 1
        return w.sub_frames[i].tries <= w.tally[0].retries + 1
    flight = w.flights[v][i % SLOTS]
    flight.tries += 1
    return flight.tries <= w.tally[0].retries + 1


@jit_no_alloc
def silence(w: World, v: int) -> None:
    """A node stops: its frame on the air breaks off, and those that wait are lost."""
    r = w.air.radios[v]
    keep = 1 if r.state == SENDING else 0
    for j in range(keep, r.queued):
        forget(w, r.queue[(r.head + j) % QUEUE])
    r.queued, r.broken, r.hello, r.answer = keep, r.sending, 0, NOBODY
    r.token += 1
    if keep == 0:
        r.state = IDLE
