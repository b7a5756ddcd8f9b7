"""Access to the medium: unslotted CSMA-CA, a queue per node, acknowledgements (IEEE 802.15.4, 2006).

Each function does one step of a node and schedules the next; what frames mean is up to the engine.  A scheduled step
carries a token, and is void if the node has moved on in the meantime.
"""

from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import jit_no_alloc
from psvr.sim.engine.events import ANSWER, FINISH, LATE, SENSE, START
from psvr.sim.engine.queue import push

from .air import NOBODY, QUEUE, Air

UNIT, ASSESS = 320, 128  # µs of a back-off unit, and of a clear channel assessment
MIN_EXPONENT, MAX_EXPONENT, MAX_BACKOFFS = 3, 5, 4  # back-off exponents, and how many back-offs may follow the first
PAUSE = 640  # µs between two frames of a node
ACK_WAIT = 560  # µs from the end of a frame to giving up its acknowledgement
PREAMBLE, BYTE = 6, 32  # bytes before a frame, and µs of a byte
MAC_BYTES = 11  # header with short addresses, and checksum
ACK_BYTES = 5
IDLE, WAITING, TURNING, SENDING, EXPECTING = range(5)
FINE, FAILED = range(2)


@jit_no_alloc
def airtime(length: int) -> int:
    """The µs that a frame with this many bytes of content is on the air."""
    return (PREAMBLE + MAC_BYTES + length) * BYTE


@jit_no_alloc
def enqueue(air: Air, heap: Any, counter: Any, v: int, frame: int, now: int) -> bool:
    """Put a frame in the queue; returns False if it is full."""
    r = air.radios[v]
    if r.queued >= QUEUE:
        air.setting[0].queue_full += 1
        return False
    r.queue[(r.head + r.queued) % QUEUE] = frame
    r.queued += 1
    if r.state == IDLE:
        contend(air, heap, counter, v, now)
    return True


@jit_no_alloc
def contend(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Try to send the first frame in the queue, not too soon after the last one."""
    air.radios[v].exponent, air.radios[v].backoffs = MIN_EXPONENT, 0
    back_off(air, heap, counter, v, max(now, air.radios[v].rest))


@jit_no_alloc
def back_off(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Wait for a random number of units, then sense the channel."""
    r = air.radios[v]
    r.state = WAITING
    r.token += 1
    units = mix(mix(air.setting[0].backoff_key, v), r.token) % (1 << r.exponent)
    push(heap, counter, now + UNIT * units + ASSESS, SENSE, v, r.token)


@jit_no_alloc
def clear(air: Air, v: int) -> bool:
    """Whether the channel is clear here: no energy, no frame being received, nothing of this node's own."""
    r, s = air.radios[v], air.setting[0]
    if r.sending != 0 or r.answer != NOBODY or (s.carrier != 0 and r.locked != NOBODY):
        return False
    return r.noise + r.incident < s.clear


@jit_no_alloc
def sense(air: Air, heap: Any, counter: Any, v: int, now: int, token: int) -> int:
    """Check whether the channel is clear; returns FAILED if it has been busy too often."""
    r = air.radios[v]
    if r.state != WAITING or r.token != token:
        return FINE
    if clear(air, v):
        r.state = TURNING
        push(heap, counter, now + air.setting[0].turnaround, START, v, token)
        return FINE
    return wait_again(air, heap, counter, v, now)


@jit_no_alloc
def wait_again(air: Air, heap: Any, counter: Any, v: int, now: int) -> int:
    """Back off once more; returns FAILED if that was done too often already."""
    r = air.radios[v]
    r.backoffs += 1
    r.exponent = min(r.exponent + 1, MAX_EXPONENT)
    if r.backoffs > MAX_BACKOFFS:
        air.setting[0].no_access += 1
        return FAILED
    back_off(air, heap, counter, v, now)
    return FINE


@jit_no_alloc
def take_off(air: Air, heap: Any, counter: Any, v: int, frame: int, microseconds: int, now: int) -> None:
    """Put a frame of v on the air."""
    r = air.radios[v]
    r.frame, r.broken = frame, 0
    r.sent_us += microseconds
    air.setting[0].frames += 1
    push(heap, counter, now + microseconds, FINISH, v, 0)


@jit_no_alloc
def expect_ack(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Wait for an acknowledgement."""
    r = air.radios[v]
    r.state = EXPECTING
    r.token += 1
    push(heap, counter, now + ACK_WAIT, LATE, v, r.token)


@jit_no_alloc
def schedule_ack(air: Air, heap: Any, counter: Any, u: int, to: int, now: int) -> None:
    """Schedule the acknowledgement of a frame that u has received."""
    air.radios[u].answer = to
    push(heap, counter, now + air.setting[0].turnaround, ANSWER, u, 0)


@jit_no_alloc
def done(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Remove the first frame from the queue, sent or given up, and continue with the next."""
    r = air.radios[v]
    r.head = (r.head + 1) % QUEUE
    r.queued -= 1
    if r.state == SENDING or r.state == EXPECTING:
        r.rest = now + PAUSE
    r.state = IDLE
    r.token += 1
    if r.queued > 0:
        contend(air, heap, counter, v, now)
