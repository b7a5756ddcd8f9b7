"""The events of the wireless channel: frames wait for it, are on it, and are acknowledged.

An event of the engine stands for a frame that is complete; here it takes the way through CSMA-CA, signals and
acknowledgements before the same handlers are called.
"""

from psvr.jit import in_place

from .frames import (
    ACK,
    HELLO_END,
    KINDS,
    PUB_END,
    SUB_END,
    copy_sub,
    count_sent,
    give_back,
    give_up,
    hear_hello,
    hear_pub,
    hear_sub,
    length_of,
    lose,
)
from .notes import NODE_STOPPED
from .radio.access import (
    ACK_BYTES,
    ANSWER,
    BURST,
    EXPECTING,
    FAILED,
    FINISH,
    IDLE,
    LATE,
    MAC_BYTES,
    READY,
    SENDING,
    SENSE,
    START,
    TURNING,
    airtime,
    contend,
    done,
    enqueue,
    expect,
    promise,
    sense,
    take_off,
    wait_again,
)
from .radio.air import NOBODY, QUEUE
from .radio.bursts import burst, quiet
from .radio.signal import begin, end
from .world import PUBS, SUBS, World


@in_place
def wireless(w: World, kind: int, v: int, ref: int, now: int) -> None:
    if kind == SENSE:
        if sense(w.air, w.heap, w.counter, v, now, ref) == FAILED:
            failed(w, v, now)
    elif kind == START:
        start(w, v, now, ref)
    elif kind == FINISH:
        finish(w, v, now)
    elif kind == READY:
        ready(w, v, ref, now)
    elif kind == ANSWER:
        answer(w, v, now)
    elif kind == LATE:
        late(w, v, now, ref)
    elif kind == BURST:
        burst(w.air, w.cut, w.heap, w.counter, v, now)
    else:
        quiet(w.air, w.heap, w.counter, v, now)


@in_place
def ready(w: World, v: int, frame: int, now: int) -> None:
    """A node is done with its work, and its frame waits for the channel.  A HELLO that waits already is renewed."""
    r, hello = w.air.radios[v], frame % KINDS == HELLO_END
    if w.hosts[v].alive == 0:
        break_off(w, frame)
    elif hello and r.hello != 0:
        return
    elif enqueue(w.air, w.heap, w.counter, v, frame, now):
        r.hello = 1 if hello else r.hello
    elif frame % KINDS == PUB_END:
        give_up(w, frame // KINDS, now)
    else:
        forget(w, frame)


@in_place
def forget(w: World, frame: int) -> None:
    """A frame that will not be sent."""
    if frame % KINDS == SUB_END:
        give_back(w.sub_frames, w.pools[SUBS], frame // KINDS)
    elif frame % KINDS == PUB_END:
        give_back(w.pub_frames, w.pools[PUBS], frame // KINDS)


@in_place
def break_off(w: World, frame: int) -> None:
    """A frame that is lost with its node."""
    if frame % KINDS == PUB_END:
        lose(w, frame // KINDS, NODE_STOPPED)
    else:
        forget(w, frame)


@in_place
def start(w: World, v: int, now: int, token: int) -> None:
    """The channel was clear: send, unless an acknowledgement of one's own comes first."""
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


@in_place
def answer(w: World, v: int, now: int) -> None:
    """Send an acknowledgement, without asking for the channel; a node that died since then has forgotten it."""
    if w.air.radios[v].answer == NOBODY or w.air.radios[v].sending != 0:
        return
    w.tally[0].ack_sent += 1
    begin(w.air, w.cut, v, now)
    take_off(w.air, w.heap, w.counter, v, ACK, airtime(ACK_BYTES - MAC_BYTES), now)


@in_place
def addressee(w: World, v: int, frame: int) -> int:
    if frame == ACK:
        return w.air.radios[v].answer
    return w.pub_frames[frame // KINDS].to if frame % KINDS == PUB_END else NOBODY


@in_place
def finish(w: World, v: int, now: int) -> None:
    """What v sends is complete: at all that received it, or at its addressee."""
    air, r = w.air, w.air.radios[v]
    frame = r.frame
    to, got = addressee(w, v, frame), False
    air.setting[0].serial += 1
    r.sending = 0
    for e in range(air.first[v], air.first[v + 1]):
        if end(air, e, v, now):
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


@in_place
def hear(w: World, e: int, v: int, frame: int, now: int) -> None:
    """The receiver of a way has got a frame that is meant for all."""
    u, i = w.air.near[e], frame // KINDS
    if frame % KINDS == HELLO_END:
        w.air.ways[e].heard += 1
        hear_hello(w, u, v, w.spoken[v], now)
    elif frame % KINDS == SUB_END:
        hear_sub(w, u, i, now)
    else:
        hear_pub(w, u, i, now)


@in_place
def finished(w: World, v: int, frame: int, to: int, got: bool, now: int) -> None:
    """On to the next frame; one that has an addressee waits for its acknowledgement."""
    kind, i = frame % KINDS, frame // KINDS
    if w.air.radios[v].broken == 0 and to != NOBODY:
        expect(w.air, w.heap, w.counter, v, now)
        if got:
            promise(w.air, w.heap, w.counter, to, v, now)
            if w.pub_frames[i].got == 0:
                w.pub_frames[i].got = 1
                hear_pub(w, to, i, now)
        return
    done(w.air, w.heap, w.counter, v, now)
    if w.air.radios[v].broken != 0:
        break_off(w, frame)
    elif kind == SUB_END:
        copy_sub(w, i, now)
    else:
        forget(w, frame)


@in_place
def acknowledged(w: World, v: int, by: int, now: int) -> None:
    r = w.air.radios[v]
    frame = r.queue[r.head]
    if r.state == EXPECTING and w.pub_frames[frame // KINDS].to == by:
        done(w.air, w.heap, w.counter, v, now)
        give_back(w.pub_frames, w.pools[PUBS], frame // KINDS)


@in_place
def late(w: World, v: int, now: int, token: int) -> None:
    """No acknowledgement has come."""
    r = w.air.radios[v]
    if r.state == EXPECTING and r.token == token:
        w.air.setting[0].no_ack += 1
        failed(w, v, now)


@in_place
def failed(w: World, v: int, now: int) -> None:
    """A try has failed: the next one, or the frame is given up."""
    r = w.air.radios[v]
    frame = r.queue[r.head]
    kind, i = frame % KINDS, frame // KINDS
    if kind == PUB_END and w.pub_frames[i].to != NOBODY and w.pub_frames[i].tries <= w.tally[0].retries:
        w.pub_frames[i].tries += 1
        contend(w.air, w.heap, w.counter, v, now)
        return
    done(w.air, w.heap, w.counter, v, now)
    if kind == HELLO_END:
        r.hello = 0
    elif kind == SUB_END:
        copy_sub(w, i, now)
    else:
        give_up(w, i, now)


@in_place
def silence(w: World, v: int) -> None:
    """A node dies: what it has on the air breaks off, and what waits is lost."""
    r = w.air.radios[v]
    keep = 1 if r.state == SENDING else 0
    for j in range(keep, r.queued):
        break_off(w, r.queue[(r.head + j) % QUEUE])
    r.queued, r.broken, r.hello, r.answer = keep, r.sending, 0, NOBODY
    r.token += 1
    if keep == 0:
        r.state = IDLE
