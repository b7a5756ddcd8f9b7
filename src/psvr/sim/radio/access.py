"""Access to the medium: unslotted CSMA-CA, a queue per node, acknowledgements (IEEE 802.15.4, 2006).

The functions take steps of one node and schedule the next; what frames mean is the engine's.  A step that is scheduled
carries a token; when the node has gone on otherwise in the meantime, it is void.
"""

from typing import Any

from psvr.compiled.numbers import mix
from psvr.jit import in_place

from ..queue import push
from .air import NOBODY, QUEUE, Air

UNIT, ASSESS = 320, 128                 # µs of a back-off unit, and of looking whether the channel is clear
LEAST, MOST, BACKOFFS = 3, 5, 4         # exponents, and how often to wait again
PAUSE = 640                             # µs between two frames of a node
ACK_WAIT = 560                          # µs from the end of a frame to giving up its acknowledgement
PREAMBLE, BYTE = 6, 32                  # bytes before a frame, and µs of a byte
MAC_BYTES = 11                          # header with short addresses, and check sum
ACK_BYTES = 5
IDLE, WAITING, TURNING, SENDING, EXPECTING = range(5)
READY, SENSE, START, FINISH, ANSWER, LATE, BURST, QUIET = range(6, 14)      # events, after those of the engine
FINE, FAILED = range(2)


@in_place
def airtime(length: int) -> int:
    """µs that a frame with so many bytes of content takes."""
    return (PREAMBLE + MAC_BYTES + length) * BYTE


@in_place
def enqueue(air: Air, heap: Any, counter: Any, v: int, frame: int, now: int) -> bool:
    """A frame waits to be sent; False if too many do."""
    r = air.radios[v]
    if r.queued >= QUEUE:
        air.setting[0].queue_full += 1
        return False
    r.queue[(r.head + r.queued) % QUEUE] = frame
    r.queued += 1
    if r.state == IDLE:
        contend(air, heap, counter, v, now)
    return True


@in_place
def contend(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Try to send what is first in the queue, not too soon after the last."""
    air.radios[v].exponent, air.radios[v].backoffs = LEAST, 0
    back_off(air, heap, counter, v, max(now, air.radios[v].rest))


@in_place
def back_off(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    r = air.radios[v]
    r.state = WAITING
    r.token += 1
    units = mix(mix(air.setting[0].backoff_key, v), r.token) % (1 << r.exponent)
    push(heap, counter, now + UNIT * units + ASSESS, SENSE, v, r.token)


@in_place
def clear(air: Air, v: int) -> bool:
    """Nothing is on the air here: no energy, no frame that is being received, nothing of one's own."""
    r, s = air.radios[v], air.setting[0]
    if r.sending != 0 or r.answer != NOBODY or (s.carrier != 0 and r.locked != NOBODY):
        return False
    return r.noise + r.incident < s.clear


@in_place
def sense(air: Air, heap: Any, counter: Any, v: int, now: int, token: int) -> int:
    """Look whether the channel is clear; FAILED if it was not too often."""
    r = air.radios[v]
    if r.state != WAITING or r.token != token:
        return FINE
    if clear(air, v):
        r.state = TURNING
        push(heap, counter, now + air.setting[0].turnaround, START, v, token)
        return FINE
    return wait_again(air, heap, counter, v, now)


@in_place
def wait_again(air: Air, heap: Any, counter: Any, v: int, now: int) -> int:
    r = air.radios[v]
    r.backoffs += 1
    r.exponent = min(r.exponent + 1, MOST)
    if r.backoffs > BACKOFFS:
        air.setting[0].no_access += 1
        return FAILED
    back_off(air, heap, counter, v, now)
    return FINE


@in_place
def take_off(air: Air, heap: Any, counter: Any, v: int, frame: int, microseconds: int, now: int) -> None:
    """A frame of v is on the air from now on."""
    r = air.radios[v]
    r.frame, r.broken = frame, 0
    r.sent_us += microseconds
    air.setting[0].frames += 1
    push(heap, counter, now + microseconds, FINISH, v, 0)


@in_place
def expect(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """Wait for an acknowledgement."""
    r = air.radios[v]
    r.state = EXPECTING
    r.token += 1
    push(heap, counter, now + ACK_WAIT, LATE, v, r.token)


@in_place
def promise(air: Air, heap: Any, counter: Any, u: int, to: int, now: int) -> None:
    """u has received a frame that it is to acknowledge."""
    air.radios[u].answer = to
    push(heap, counter, now + air.setting[0].turnaround, ANSWER, u, 0)


@in_place
def done(air: Air, heap: Any, counter: Any, v: int, now: int) -> None:
    """The first in the queue is sent, or given up; on to the next."""
    r = air.radios[v]
    r.head = (r.head + 1) % QUEUE
    r.queued -= 1
    if r.state == SENDING or r.state == EXPECTING:
        r.rest = now + PAUSE
    r.state = IDLE
    r.token += 1
    if r.queued > 0:
        contend(air, heap, counter, v, now)
