"""The reference with a wireless channel: medium access and reception, with plain objects.

Unslotted IEEE 802.15.4: a node backs off at random, senses the channel, turns around and sends; a frame for one node is
acknowledged by it, or sent again.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from psvr.protocol.layout import Capacity, blank, restore, snapshot
from psvr.protocol.numbers import mix
from psvr.protocol.records import Hello, Pub
from psvr.sim.radio.field import Field

from .air import DRAWS, Medium, Radio, milliwatts
from .hosts import Frame, Host, Message
from .network import Reference

UNIT, LOOK = 320, 128  # µs of a back-off unit, and of sensing the channel
PAUSE, WAIT = 640, 560  # µs after a frame until the next, and until an acknowledgement is given up
WAITS = {0: 8, 1: 16}  # back-off units to draw from at the first and second back-off; then 32
TRIES = 5  # at finding the channel clear
MAX_QUEUED = 16  # frames that wait at a node
HEADER, ACK_LENGTH = 11, 5  # bytes of the medium access layer
JAMMING = -40.0  # dBm


class Queued(NamedTuple):
    """A frame that waits for the channel."""

    message: Message
    frame: Frame | None  # of a SUB or PUB

    @property
    def to(self) -> int | None:
        """The addressee; None for a broadcast."""
        return self.frame.to if self.frame is not None and self.frame.to >= 0 else None


class RadioReference(Reference):
    """A network of hosts on a wireless channel."""

    def __init__(self, field: Field, ids: list[int], hashes: list[int], capacity: Capacity, **options: Any) -> None:
        super().__init__(ids, [[] for _ in ids], hashes, capacity, **options)
        self.medium = Medium(field, self.cut)
        self.radios, self.counted = self.medium.radios, Counter[str]()
        self.steps = [0] * len(self.medium.bursts)

    # --- faults and interference

    def boot(self, now: int, v: int, offset: int) -> None:
        self.silence(now, v, True)
        super().boot(now, v, offset)

    def crash(self, now: int, v: int) -> None:
        super().crash(now, v)
        self.silence(now, v, False)

    def silence(self, now: int, v: int, on: bool) -> None:
        """Frames that wait are lost, the one on the air breaks off."""
        r = self.radios[v]
        left = list(r.queue)[:1] if r.phase == "sending" else []
        r.queue.clear()
        r.queue.extend(left)
        r.phase = "sending" if left else "idle"
        r.broken, r.answer, r.on = r.sending, None, on
        r.token += 1
        self.medium.release(now, r)

    def jam(self, now: int, v: int, by: int) -> None:
        self.medium.update_reception(now, self.radios[v])
        self.radios[v].noise += by * milliwatts(JAMMING)

    def begin_bursts(self) -> None:
        for i, b in enumerate(self.medium.bursts):
            self.next_burst(int(b["start"]), self.medium.nodes + i)

    def burst(self, now: int, v: int) -> None:
        self.medium.begin(now, self.radios[v])
        self.at(now + int(self.medium.bursts[v - self.medium.nodes]["length"]), self.quiet, v)

    def quiet(self, now: int, v: int) -> None:
        self.medium.end(now, self.radios[v])
        self.next_burst(now, v)

    def next_burst(self, now: int, v: int) -> None:
        i = v - self.medium.nodes
        b = self.medium.bursts[i]
        self.steps[i] += 1
        share = (mix(int(b["name"]), self.steps[i]) % DRAWS + 0.5) / DRAWS
        begin = now + 1 + int(-math.log(share) * float(b["gap"]))
        if begin < int(b["stop"]):
            self.at(begin, self.burst, v)

    # --- medium access

    def launch(self, ready: int, host: Host, message: Message, action: Callable[..., None], *more: Any) -> None:
        """Schedule a frame for when it is ready; unlike without a wireless channel, its end is not known yet."""
        self.at(ready, self.ready, host, Queued(message, more[0] if isinstance(more[0], Frame) else None))

    def ready(self, now: int, host: Host, frame: Queued) -> None:
        r = self.radios[host.index]
        waiting = list(r.queue)[1:] if r.phase == "sending" else r.queue
        if not host.alive or not self.is_current(host, frame):
            return
        if isinstance(frame.message, Hello) and any(isinstance(f.message, Hello) for f in waiting):
            return  # the waiting one is updated when it is sent
        if len(r.queue) < MAX_QUEUED:
            r.queue.append(frame)
            if r.phase == "idle":
                self.contend(now, host, r)
            return
        self.counted["queue_full"] += 1
        if isinstance(frame.message, Pub) and frame.frame is not None:
            self.complete(now, host, frame.frame, False)

    def is_current(self, host: Host, frame: Queued) -> bool:
        """Whether a frame is still to be sent: if it is a PUB, its host has not restarted since."""
        return (
            not isinstance(frame.message, Pub)
            or frame.frame is None
            or host.flights.get(frame.frame.slot) is frame.frame
        )

    def contend(self, now: int, host: Host, r: Radio) -> None:
        r.backoffs = 0
        self.back_off(max(now, r.rest), host, r)

    def back_off(self, now: int, host: Host, r: Radio) -> None:
        r.phase = "waiting"
        r.token += 1
        draw = mix(mix(int(self.medium.setting["backoff_key"]), r.index), r.token)
        self.at(now + UNIT * (draw % WAITS.get(r.backoffs, 32)) + LOOK, self.sense, host, r.token)

    def sense(self, now: int, host: Host, token: int) -> None:
        r = self.radios[host.index]
        if (r.phase, r.token) != ("waiting", token):
            return
        if self.medium.clear(r):
            r.phase = "turning"
            self.at(now + int(self.medium.setting["turnaround"]), self.start, host, token)
        else:
            self.wait_again(now, host, r)

    def wait_again(self, now: int, host: Host, r: Radio) -> None:
        r.backoffs += 1
        if r.backoffs < TRIES:
            self.back_off(now, host, r)
        else:
            self.counted["no_access"] += 1
            self.failed(now, host, r)

    def start(self, now: int, host: Host, token: int) -> None:
        r = self.radios[host.index]
        if (r.phase, r.token) != ("turning", token):
            return
        if r.answer is not None:
            self.wait_again(now, host, r)
            return
        r.phase, frame = "sending", r.queue[0]
        if isinstance(frame.message, Hello):
            frame = Queued(self.spoken(host.hello), None)
        self.counted[type(frame.message).__name__] += 1
        self.take_off(now, host, r, frame, HEADER + self.length_of(host, frame.message))

    def spoken(self, hello: Hello) -> Hello:
        """A copy of a HELLO: while it is on the air the node may write the next one."""
        said = blank(Hello, self.capacity)
        restore(said, Hello, snapshot(hello, Hello))
        return said

    def answer(self, now: int, host: Host) -> None:
        r = self.radios[host.index]
        if r.answer is not None and not r.sending:
            self.counted["ACK"] += 1
            self.take_off(now, host, r, None, ACK_LENGTH)

    def take_off(self, now: int, host: Host, r: Radio, frame: Queued | None, length: int) -> None:
        self.medium.begin(now, r)
        r.frame, r.broken = frame, False
        r.sent_us += (6 + length) * 32
        self.at(now + (6 + length) * 32, self.finish, host)

    # --- reception

    def finish(self, now: int, host: Host) -> None:
        r = self.radios[host.index]
        frame, asked = r.frame, r.answer
        self.medium.serial += 1
        got = self.medium.end(now, r)
        if frame is None:
            r.answer = None
            if asked in got:
                self.acknowledged(now, self.hosts[asked], host.index)
        elif frame.to is None or r.broken:
            for u in got if frame.to is None else ():
                self.hear_all(now, self.hosts[u], self.ids[host.index], frame)
            self.done(now, host, r)
            if frame.frame is not None and not r.broken and self.is_current(host, frame):
                self.complete(now, host, frame.frame, True)
        else:
            self.expect(now, host, r, frame, frame.to in got)

    def hear_all(self, now: int, host: Host, sender: int, frame: Queued) -> None:
        """Let a host hear a broadcast frame."""
        if isinstance(frame.message, Hello):
            self.hear_hello(now, host, sender, frame.message)
        elif frame.frame is not None:
            self.hear(now, host, frame.frame)

    def expect(self, now: int, host: Host, r: Radio, frame: Queued, got: bool) -> None:
        """Wait for an acknowledgement, which the addressee sends if it accepts the frame, now or earlier."""
        r.phase = "expecting"
        r.token += 1
        self.at(now + WAIT, self.late, host, r.token)
        if not got or frame.frame is None or frame.to is None:
            return
        frame.frame.got = frame.frame.got or self.hear(now, self.hosts[frame.to], frame.frame)
        if frame.frame.got:
            self.radios[frame.to].answer = host.index
            self.at(now + int(self.medium.setting["turnaround"]), self.answer, self.hosts[frame.to])

    def acknowledged(self, now: int, host: Host, by: int) -> None:
        r = self.radios[host.index]
        if r.phase == "expecting" and r.queue[0].to == by:
            frame = r.queue[0]
            self.done(now, host, r)
            if frame.frame is not None and self.is_current(host, frame):
                self.complete(now, host, frame.frame, True)

    def late(self, now: int, host: Host, token: int) -> None:
        r = self.radios[host.index]
        if (r.phase, r.token) == ("expecting", token):
            self.counted["no_ack"] += 1
            self.failed(now, host, r)

    def failed(self, now: int, host: Host, r: Radio) -> None:
        """The channel was never clear, or no acknowledgement came: try again, or give the frame up."""
        queued = r.queue[0]
        frame = queued.frame
        if frame is not None and queued.to is not None and frame.tries <= self.retries:
            frame.tries += 1
            self.contend(now, host, r)
            return
        self.done(now, host, r)
        if frame is not None and self.is_current(host, queued):
            self.complete(now, host, frame, False)

    def done(self, now: int, host: Host, r: Radio) -> None:
        """Continue with the next frame, after a pause if one was sent."""
        r.queue.popleft()
        if r.phase in ("sending", "expecting"):
            r.rest = now + PAUSE
        r.phase = "idle"
        r.token += 1
        if r.queue:
            self.contend(now, host, r)
