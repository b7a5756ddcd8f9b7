"""The workload with SimPy: as its documentation teaches, and with bare callbacks."""

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Any

import simpy

from psvr.graphs.graph import Graph

from . import workload as k
from .plain import Beacon, Draws, Flood, Node, origin_of, pause

Process = Generator[simpy.Event, Any, None]
Message = Beacon | Flood


class Air:
    """A frame is a process: it is on the air for a while, then goes into the stores of its receivers."""

    def __init__(self, env: simpy.Environment, draws: Draws) -> None:
        self.env, self.draws = env, draws
        self.frames: Counter[int] = Counter()
        self.inboxes: list[simpy.Store] = []

    def send(self, v: int, message: Message) -> None:
        self.env.process(self.transmit(self.draws.receivers[v][self.frames[v]], message))
        self.frames[v] += 1

    def transmit(self, receivers: list[int], message: Message) -> Process:
        yield self.env.timeout(k.AIRTIME)
        for u in receivers:
            self.inboxes[u].put(message)


class Station(Node):
    """A node with two processes: one that beacons, one that listens."""

    def __init__(self, id: int, n: int, air: Air, tally: Counter[str]) -> None:
        super().__init__(id, n)
        self.air, self.env, self.tally = air, air.env, tally
        self.inbox = simpy.Store(air.env)
        air.inboxes.append(self.inbox)
        air.env.process(self.beacons())
        air.env.process(self.listen())

    def beacons(self) -> Process:
        for period in self.air.draws.periods[self.id]:
            yield self.env.timeout(period)
            self.tally["beacons"] += 1
            self.air.send(self.id, self.on_timer(self.env.now))

    def listen(self) -> Process:
        while True:
            message = yield self.inbox.get()
            self.tally["receptions"] += 1
            if isinstance(message, Beacon):
                self.on_beacon(self.env.now, message)
            elif self.on_flood(message):
                self.tally["delivered"] += 1
                self.env.process(self.hand_on())

    def hand_on(self) -> Process:
        yield self.env.timeout(pause(self.id, self.flood))
        self.forward()

    def forward(self) -> None:
        self.tally["forwards"] += 1
        self.air.send(self.id, Flood(self))


def floods(env: simpy.Environment, stations: Sequence[Any], tally: Counter[str]) -> Process:
    while True:
        yield env.timeout(k.FLOOD_EVERY)
        tally["floods"] += 1
        me = stations[origin_of(tally["floods"], len(stations))]
        me.flood, me.origin = tally["floods"], me.id
        me.forward()


class LeanStation(Node):
    """The same with callbacks on timeouts: no process or store per node, one event per frame."""

    stations: list["LeanStation"]

    def __init__(self, id: int, n: int, env: simpy.Environment, draws: Draws, tally: Counter[str]) -> None:
        super().__init__(id, n)
        self.env, self.tally, self.frames = env, tally, 0
        self.periods, self.receivers = draws.periods[id], draws.receivers[id]
        self.after(self.periods[0], self.timer)

    def after(self, delay: int, callback: Callable[[simpy.Event], None], value: Any = None) -> None:
        self.env.timeout(delay, value).callbacks.append(callback)

    def timer(self, _: simpy.Event) -> None:
        self.tally["beacons"] += 1
        beacon = self.on_timer(self.env.now)
        self.after(k.AIRTIME, self.end_beacon, (self.receivers[self.frames], beacon))
        self.frames += 1
        self.after(self.periods[self.seq], self.timer)

    def end_beacon(self, event: Any) -> None:
        receivers, beacon = event.value
        now, stations = self.env.now, self.stations
        self.tally["receptions"] += len(receivers)
        for u in receivers:
            stations[u].on_beacon(now, beacon)

    def forward(self, _: simpy.Event | None = None) -> None:
        self.tally["forwards"] += 1
        self.after(k.AIRTIME, self.end_flood, (self.receivers[self.frames], Flood(self)))
        self.frames += 1

    def end_flood(self, event: Any) -> None:
        receivers, flood = event.value
        self.tally["receptions"] += len(receivers)
        for u in receivers:
            station = self.stations[u]
            if station.on_flood(flood):
                self.tally["delivered"] += 1
                station.after(pause(u, flood.number), station.forward)


def timed(
    env: simpy.Environment, stations: Sequence[Node], tally: Counter[str], seconds: int
) -> tuple[float, k.Counts]:
    clock = time.perf_counter()
    env.run(until=seconds * k.SECOND + 1)
    took = time.perf_counter() - clock
    names = ("beacons", "floods", "forwards", "receptions", "delivered")
    counts = {name: tally[name] for name in names}
    return took, k.Counts(**counts, state=k.state_of(station.shot() for station in stations))


def idiomatic(graph: Graph, draws: Draws, seconds: int) -> tuple[float, k.Counts]:
    """Return the seconds of the run alone, and its counts."""
    env, tally = simpy.Environment(), Counter[str]()
    air = Air(env, draws)
    stations = [Station(v, graph.n, air, tally) for v in range(graph.n)]
    env.process(floods(env, stations, tally))
    return timed(env, stations, tally, seconds)


def lean(graph: Graph, draws: Draws, seconds: int) -> tuple[float, k.Counts]:
    env, tally = simpy.Environment(), Counter[str]()
    LeanStation.stations = stations = [LeanStation(v, graph.n, env, draws, tally) for v in range(graph.n)]
    env.process(floods(env, stations, tally))
    return timed(env, stations, tally, seconds)
