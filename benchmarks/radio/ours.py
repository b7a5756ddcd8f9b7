"""Our wireless channel alone, without nodes: the same programs as on ns-3, using the simulator's code."""

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from psvr.compiled.numbers import mix

from psvr.graphs.csr import Floats
from psvr.jit import jit_no_alloc
from psvr.sim.engine.events import ANSWER, FINISH, LATE, SENSE, START
from psvr.sim.engine.queue import new_queue, pop, push
from psvr.sim.radio.access import (
    ACK_BYTES,
    EXPECTING,
    FAILED,
    MAC_BYTES,
    SENDING,
    TURNING,
    airtime,
    done,
    enqueue,
    expect_ack,
    schedule_ack,
    sense,
    take_off,
    wait_again,
)
from psvr.sim.radio.access import contend as contend_again
from psvr.sim.radio.air import NOBODY, Air
from psvr.sim.radio.field import Field
from psvr.sim.radio.signal import begin, end
from psvr.sim.scenario import parse

from .ns3 import Row

TIMER = 14
ACK, DATA = 0, 1
RETRIES = 3
SECOND = 1_000_000
TALLY = np.dtype(
    [
        (name, "i8")
        for name in ("events", "handed", "sent", "received", "delivered", "success", "no_ack", "access_failure")
    ]
)
WORK = np.dtype([("length", "i8"), ("to", "i8"), ("sink", "i8"), ("saturated", "i8"), ("period", "i8"), ("key", "i8")])


class Bench(NamedTuple):
    air: Air
    heap: NDArray[Any]
    counter: NDArray[Any]
    cut: NDArray[np.uint8]
    tries: NDArray[np.int64]  # of a node's current frame, and whether its addressee has received it
    got: NDArray[np.int64]
    tally: NDArray[Any]
    work: NDArray[Any]


@jit_no_alloc
def hand_over(b: Bench, v: int, now: int) -> None:
    b.tally[0].handed += 1
    b.tries[v], b.got[v] = 1, 0
    enqueue(b.air, b.heap, b.counter, v, DATA, now)


@jit_no_alloc
def timer(b: Bench, v: int, now: int) -> None:
    """Schedule the next beacon: a period after the last, up to a tenth earlier or later."""
    if b.air.radios[v].queued == 0:
        hand_over(b, v, now)
    period = b.work[0].period
    jitter = mix(mix(b.work[0].key, v), now) % (period // 5 + 1) - period // 10
    push(b.heap, b.counter, now + period + jitter, TIMER, v, 0)


@jit_no_alloc
def over(b: Bench, v: int, now: int) -> None:
    """A frame is finished, one way or the other."""
    done(b.air, b.heap, b.counter, v, now)
    if b.work[0].saturated != 0:
        hand_over(b, v, now)


@jit_no_alloc
def start(b: Bench, v: int, now: int, token: int) -> None:
    r = b.air.radios[v]
    if r.state != TURNING or r.token != token:
        return
    if r.answer != NOBODY:
        if wait_again(b.air, b.heap, b.counter, v, now) == FAILED:
            failed(b, v, now, False)
        return
    r.state = SENDING
    b.tally[0].sent += 1
    begin(b.air, b.cut, v, now)
    take_off(b.air, b.heap, b.counter, v, DATA, airtime(b.work[0].length - MAC_BYTES), now)


@jit_no_alloc
def failed(b: Bench, v: int, now: int, late: bool) -> None:
    """Retry as the simulator's nodes do: any failure costs a try."""
    if b.work[0].to != NOBODY and b.tries[v] <= RETRIES:
        b.tries[v] += 1
        contend_again(b.air, b.heap, b.counter, v, now)
        return
    if late:
        b.tally[0].no_ack += 1
    else:
        b.tally[0].access_failure += 1
    over(b, v, now)


@jit_no_alloc
def finish(b: Bench, v: int, now: int) -> None:
    air, r, tally = b.air, b.air.radios[v], b.tally[0]
    to = r.answer if r.frame == ACK else b.work[0].to
    got, sink = False, b.work[0].sink
    air.setting[0].serial += 1
    r.sending = 0
    for e in range(air.first[v], air.first[v + 1]):
        if end(air, e, v, now):
            got = got or air.near[e] == to
            tally.received += 1 if r.frame == DATA and (sink == NOBODY or air.near[e] == sink) else 0
    if r.frame == ACK:
        r.answer = NOBODY
        if got and air.radios[to].state == EXPECTING:
            tally.success += 1
            over(b, to, now)
    elif to != NOBODY:
        expect_ack(air, b.heap, b.counter, v, now)
        if got:
            tally.delivered += 1 - b.got[v]
            b.got[v] = 1
            schedule_ack(air, b.heap, b.counter, to, v, now)
    else:
        tally.success += 1
        over(b, v, now)


@jit_no_alloc
def run(b: Bench, until: int) -> None:
    air = b.air
    while b.counter[0].queued > 0 and b.heap[0].time < until:
        now, kind, v, ref = pop(b.heap, b.counter)
        b.tally[0].events += 1
        if kind == SENSE:
            if sense(air, b.heap, b.counter, v, now, ref) == FAILED:
                failed(b, v, now, False)
        elif kind == START:
            start(b, v, now, ref)
        elif kind == FINISH:
            finish(b, v, now)
        elif kind == TIMER:
            timer(b, v, now)
        elif kind == ANSWER:
            begin(air, b.cut, v, now)
            take_off(air, b.heap, b.counter, v, ACK, airtime(ACK_BYTES - MAC_BYTES), now)
        elif kind == LATE:
            if air.radios[v].state == EXPECTING and air.radios[v].token == ref:
                failed(b, v, now, True)


DEVICE = {
    "name": "as ns-3",
    "sensitivity": -120.0,
    "clear": -85.0,
    "carrier": True,
    "turnaround": 192,
    "volts": 3.0,
    "receive": 18.8,
    "listen": 18.8,
    "power": [-25.0, 0.0],
    "send": [8.5, 17.4],
}
PLAIN = {"shadowing": 0.0, "asymmetry": 0.0, "fading": 0.0}


def bench(
    places: Sequence[Sequence[float]] | Floats,
    length: int,
    to: int = NOBODY,
    sink: int = NOBODY,
    saturated: bool = False,
    period: int = SECOND,
    seed: int = 1,
    **radio: Any,
) -> Bench:
    """A channel with all its radios on, before anything is sent."""
    settings = {"model": "ieee802154", "device": DEVICE, **PLAIN, **radio}
    at = np.asarray(places, dtype=np.float64)
    least = at.min(axis=0)
    field = Field(
        parse(
            {
                "seed": seed,
                "radio": settings,
                "topology": {"kind": "places", "places": (at - least).tolist(), "connected": False},
            }
        ),
        at - least,
    )
    air, n = field.air(), len(at)
    air.radios["on"] = 1
    heap, counter = new_queue(16 * n + 1024)
    work = np.array([(length, to, sink, saturated, period, seed)], WORK)
    return Bench(
        air,
        heap,
        counter,
        np.zeros(len(air.ways), np.uint8),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(1, TALLY),
        work,
    )


def per(lengths: Iterable[int], distances: Iterable[float], frames: int = 2000) -> list[Row]:
    """One sender, one receiver; a frame every 20 ms."""
    found: list[Row] = []
    for length in lengths:
        for i, distance in enumerate(distances):
            b = bench([(0.0, 0.0), (distance, 0.0)], length, period=20_000, seed=1 + i)
            push(b.heap, b.counter, 0, TIMER, 0, 0)
            run(b, frames * 20_000)
            sent = int(b.tally["sent"][0])
            found.append(
                {
                    "length": length,
                    "distance": distance,
                    "dbm": float(b.air.ways["mean"][0]),
                    "sent": sent,
                    "received": int(b.tally["received"][0]),
                }
            )
    return found


def circle(senders: int, radius: float = 5.0) -> Floats:
    turn = 2 * np.pi * np.arange(senders) / senders
    return np.concatenate((np.stack((radius * np.cos(turn), radius * np.sin(turn)), axis=1), [[0.0, 0.0]]))


def contend(
    senders: Iterable[int], length: int, acknowledged: bool = False, seconds: float = 60.0, places: Any = circle
) -> list[Row]:
    """Senders that always have a frame ready, around one receiver; `delivered` counts each frame it received once."""
    found: list[Row] = []
    for n in senders:
        b = bench(places(n), length, to=n if acknowledged else NOBODY, sink=n, saturated=True)
        for v in range(n):
            hand_over(b, v, 1000 * v)
        run(b, round(seconds * SECOND))
        tally = {name: int(b.tally[name][0]) for name in TALLY.names or ()}
        heard = tally["delivered"] if acknowledged else tally["received"]
        found.append(
            {
                "senders": n,
                "length": length,
                "handed_per_s": tally["handed"] / seconds,
                "delivered_per_s": heard / seconds,
                "transmissions": tally["sent"],
                **{name: tally[name] for name in ("success", "no_ack", "access_failure")},
            }
        )
    return found


def beacons(
    places: Sequence[Sequence[float]] | Floats, seconds: float, payload: int = 64, sensitivity: float = -120.0
) -> Row:
    """Every node broadcasts about once a second; only the run itself is timed."""
    b = bench(places, payload + MAC_BYTES, device={**DEVICE, "sensitivity": sensitivity})
    run(b, 0)
    for v in range(len(places)):
        push(b.heap, b.counter, mix(7, v) % SECOND, TIMER, v, 0)
    begin_at = time.perf_counter()
    run(b, round(seconds * SECOND))
    wall = time.perf_counter() - begin_at
    return {
        "nodes": len(places),
        "seconds": seconds,
        "handed": int(b.tally["handed"][0]),
        "sent": int(b.tally["sent"][0]),
        "access_failure": int(b.tally["access_failure"][0]),
        "receptions": int(b.tally["received"][0]),
        "events": int(b.tally["events"][0]),
        "wall": wall,
    }
