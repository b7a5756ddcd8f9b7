"""The workload on this package's own queue and medium: one queue event per frame, all compiled."""

import time
from typing import Any, NamedTuple

import numpy as np
from psvr.compiled.numbers import mix

from psvr.graphs.graph import Graph
from psvr.jit import jit_no_alloc
from psvr.sim.engine.medium import lost
from psvr.sim.engine.queue import new_queue, pop, push

from . import rules
from . import workload as k

TIMER, BEACON_END, FLOOD_END, FORWARD, INJECT = range(5)

STATION = np.dtype(
    [
        ("node", rules.NODE),
        ("beacon", rules.BEACON),
        ("flood", rules.FLOOD),  # what it is sending, as is the beacon
        ("frames", "i8"),  # sent so far
    ],
    align=True,
)
TALLY = np.dtype([("beacons", "i8"), ("floods", "i8"), ("forwards", "i8"), ("receptions", "i8"), ("delivered", "i8")])


class World(NamedTuple):
    stations: Any
    first: Any  # the nodes in reach of v are near[first[v]:first[v + 1]]
    near: Any
    heap: Any
    counter: Any
    tally: Any


@jit_no_alloc
def begin(w: World) -> None:
    n = len(w.stations)
    for v in range(n):
        rules.start(w.stations[v].node, v, n)
        push(w.heap, w.counter, mix(mix(k.PERIOD_KEY, v), 0) % k.FIRST_SPREAD, TIMER, v, 0)
    push(w.heap, w.counter, k.FLOOD_EVERY, INJECT, 0, 0)


@jit_no_alloc
def send(w: World, v: int, now: int, kind: int) -> None:
    serial = w.stations[v].frames * len(w.stations) + v
    w.stations[v].frames += 1
    push(w.heap, w.counter, now + k.AIRTIME, kind, v, serial)


@jit_no_alloc
def end_beacon(w: World, v: int, now: int, serial: int) -> None:
    tally, beacon = w.tally[0], w.stations[v].beacon
    for e in range(w.first[v], w.first[v + 1]):
        u = w.near[e]
        if not lost(k.LOSS_KEY, serial, u, k.LOSS):
            tally.receptions += 1
            rules.on_beacon(w.stations[u].node, now, beacon)


@jit_no_alloc
def end_flood(w: World, v: int, now: int, serial: int) -> None:
    tally, flood = w.tally[0], w.stations[v].flood
    for e in range(w.first[v], w.first[v + 1]):
        u = w.near[e]
        if not lost(k.LOSS_KEY, serial, u, k.LOSS):
            tally.receptions += 1
            if rules.on_flood(w.stations[u].node, flood):
                tally.delivered += 1
                pause = mix(mix(k.FORWARD_KEY, flood.number), u) % k.FORWARD_SPREAD
                push(w.heap, w.counter, now + pause, FORWARD, u, 0)


@jit_no_alloc
def timer(w: World, v: int, now: int) -> None:
    me = w.stations[v].node
    w.tally[0].beacons += 1
    rules.on_timer(me, now, w.stations[v].beacon)
    send(w, v, now, BEACON_END)
    period = k.PERIOD_LEAST + mix(mix(k.PERIOD_KEY, v), me.seq) % k.PERIOD_SPREAD
    push(w.heap, w.counter, now + period, TIMER, v, 0)


@jit_no_alloc
def forward(w: World, v: int, now: int) -> None:
    w.tally[0].forwards += 1
    rules.write_flood(w.stations[v].node, w.stations[v].flood)
    send(w, v, now, FLOOD_END)


@jit_no_alloc
def inject(w: World, now: int) -> None:
    w.tally[0].floods += 1
    number = w.tally[0].floods
    v = mix(k.ORIGIN_KEY, number) % len(w.stations)
    w.stations[v].node.flood, w.stations[v].node.origin = number, v
    forward(w, v, now)
    push(w.heap, w.counter, now + k.FLOOD_EVERY, INJECT, 0, 0)


@jit_no_alloc
def run(w: World, until: int) -> None:
    while w.heap[0].time <= until:
        now, kind, v, serial = pop(w.heap, w.counter)
        if kind == BEACON_END:
            end_beacon(w, v, now, serial)
        elif kind == TIMER:
            timer(w, v, now)
        elif kind == FLOOD_END:
            end_flood(w, v, now, serial)
        elif kind == FORWARD:
            forward(w, v, now)
        else:
            inject(w, now)


def new_world(graph: Graph) -> World:
    heap, counter = new_queue(16 * graph.n)
    return World(np.zeros(graph.n, STATION), graph.start, graph.near, heap, counter, np.zeros(1, TALLY))


def simulate(graph: Graph, seconds: int) -> tuple[float, k.Counts]:
    """Return the seconds of the run alone, and its counts."""
    world = new_world(graph)
    begin(world)
    clock = time.perf_counter()
    run(world, seconds * k.SECOND)
    took = time.perf_counter() - clock
    nodes = world.stations["node"]
    shots = (k.Shot(*(me[name].tolist() for name in k.Shot._fields)) for me in nodes)
    beacons, floods, forwards, receptions, delivered = world.tally[0].tolist()
    return took, k.Counts(beacons, floods, forwards, receptions, delivered, k.state_of(shots))
