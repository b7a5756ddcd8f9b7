"""Signals on the air, for the reference: a second implementation of reception, with plain objects.

Sums are taken in the order of events, as in compiled code: both must agree to the last bit.  The mean power at which
nodes hear each other is drawn before a run, and taken from the plan.
"""

import math
from collections import deque
from typing import Any

from psvr.protocol.numbers import mix
from psvr.sim.radio.field import Field

LOWEST, STEP, STEPS = -12.0, 0.02, 1000  # dB: bit errors are looked up in a table with these steps
NOTICED = 0.5  # relative to noise and interference: the start of a weaker frame is not noticed
DRAWS = 1 << 31
PER_DECIBEL = math.log(10.0) / 10.0


def milliwatts(dbm: float) -> float:
    return math.exp(PER_DECIBEL * dbm)


def bit_error(ratio: float) -> float:
    """O-QPSK with 16 symbols, as the standard gives it."""
    terms = [(-1.0) ** k * math.comb(16, k) * math.exp(20.0 * ratio * (1.0 / k - 1.0)) for k in range(2, 17)]
    return min(0.5, max(0.0, 8.0 / 15.0 / 16.0 * sum(terms)))


TABLE = [math.log1p(-bit_error(10.0 ** ((LOWEST + STEP * i) / 10.0))) for i in range(STEPS)]


def log_bit_ok(ratio: float) -> float:
    """The logarithm of the chance that a bit is right."""
    if ratio <= 0.0:
        return TABLE[0]
    step = int((10.0 * math.log10(ratio) - LOWEST) / STEP)
    return 0.0 if step >= STEPS else TABLE[max(step, 0)]


class Fade:
    """Slow fading of a pair of nodes, in dB."""

    def __init__(self, decibels: float, name: int) -> None:
        self.decibels, self.name, self.when, self.step = decibels, name, 0, 0


class Way:
    """From a sender to a node that hears it."""

    def __init__(self, to: int, mean: float, level: float, fade: Fade | None) -> None:
        self.to, self.mean, self.level, self.fade = to, mean, level, fade
        self.power = 0.0  # of what is on the air now


class Radio:
    """The radio of a node, or of an interferer, which only sends."""

    def __init__(self, index: int, noise: float, ways: list[Way]) -> None:
        self.index, self.noise, self.ways = index, noise, ways
        self.on = self.sending = self.broken = False
        self.incident, self.senders = 0.0, 0  # power received, and from how many senders
        self.locked: int | None = None  # whose frame is being received, since when …
        self.locked_at = self.since = 0
        self.signal = self.log_ok = 0.0  # … how strong, and with what chance up to `since`
        self.queue: deque[Any] = deque()
        self.frame: Any = None  # on the air
        self.answer: int | None = None  # the node that waits for an acknowledgement
        self.phase, self.token, self.backoffs, self.rest = "idle", 0, 0, 0
        self.sent_us = self.received_us = 0


class Medium:
    """All radios, and what happens between them."""

    def __init__(self, field: Field, cut: set[tuple[int, int]]) -> None:
        before = field.air()
        self.setting, self.normal, self.bursts, self.cut = before.setting[0], before.normal, before.bursts, cut
        self.nodes, self.serial = int(self.setting["nodes"]), 0
        fades = [Fade(float(f["decibels"]), int(f["name"])) for f in before.fades]

        def way(e: int) -> Way:
            w = before.ways[e]
            fade = fades[w["fade"]] if w["fade"] >= 0 else None
            return Way(int(before.near[e]), float(w["mean"]), float(w["level"]), fade)

        self.radios = [
            Radio(v, float(r["noise"]), [way(e) for e in range(before.first[v], before.first[v + 1])])
            for v, r in enumerate(before.radios)
        ]

    def level(self, now: int, way: Way) -> float:
        """The power in mW at which a frame that starts now is heard.  Fading advances from when it was last read."""
        fade = way.fade
        if fade is None:
            return way.level
        if now - fade.when >= int(self.setting["hold"]):
            a = math.exp((fade.when - now) / float(self.setting["tau"]))
            fade.step += 1
            draw = float(self.normal[mix(fade.name, fade.step) % len(self.normal)])
            fade.decibels = a * fade.decibels + math.sqrt(1.0 - a * a) * float(self.setting["sigma"]) * draw
            fade.when = now
        return milliwatts(way.mean + fade.decibels)

    def update_reception(self, now: int, r: Radio) -> None:
        """Account for the bits received since the interference at r last changed."""
        if r.locked is not None and now > r.since:
            ratio = r.signal / (r.noise + max(0.0, r.incident - r.signal))
            r.log_ok += (now - r.since) * 0.25 * log_bit_ok(ratio)
            r.since = now

    def release(self, now: int, r: Radio) -> None:
        if r.locked is not None:
            r.locked = None
            r.received_us += now - r.locked_at

    def notices(self, r: Radio, power: float) -> bool:
        """Whether r would lock on to a frame that starts with this power."""
        idle = r.on and not r.sending and r.locked is None
        return idle and power >= float(self.setting["sensitivity"]) and power >= NOTICED * (r.noise + r.incident)

    def begin(self, now: int, sender: Radio) -> None:
        self.release(now, sender)
        sender.sending = True
        for way in sender.ways:
            r = self.radios[way.to]
            self.update_reception(now, r)
            way.power = 0.0 if (sender.index, way.to) in self.cut else self.level(now, way)
            if sender.index < self.nodes and self.notices(r, way.power):
                r.locked, r.signal, r.log_ok, r.since, r.locked_at = sender.index, way.power, 0.0, now, now
            r.incident += way.power
            r.senders += 1

    def end(self, now: int, sender: Radio) -> list[int]:
        """End what a radio sends; returns the nodes that received it."""
        sender.sending = False
        return [way.to for way in sender.ways if self.falls(now, sender, way, self.radios[way.to])]

    def falls(self, now: int, sender: Radio, way: Way, r: Radio) -> bool:
        self.update_reception(now, r)
        r.senders -= 1
        r.incident = r.incident - way.power if r.senders > 0 else 0.0
        if r.locked != sender.index:
            return False
        self.release(now, r)
        draw = mix(mix(int(self.setting["key"]), self.serial), r.index) % DRAWS
        return not sender.broken and draw < math.exp(r.log_ok) * DRAWS

    def clear(self, r: Radio) -> bool:
        """Whether the channel is clear, as far as r can tell, and r has no acknowledgement to send first."""
        if r.sending or r.answer is not None or (bool(self.setting["carrier"]) and r.locked is not None):
            return False
        return r.noise + r.incident < float(self.setting["clear"])
