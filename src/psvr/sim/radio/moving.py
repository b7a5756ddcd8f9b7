"""Mobility: where nodes are at any time, and how frames on the air follow them."""

from typing import Any

import numpy as np

from psvr.errors import BadInput
from psvr.graphs.csr import Floats
from psvr.jit import jit_no_alloc
from psvr.sim.scenario.tables import Scenario
from psvr.sim.streams import stream

from .air import NOBODY, Air
from .fading import strength
from .placing import extent
from .signal import fall, release, rise, update_reception

Knots = list[tuple[float, float, float]]  # time, x, y: straight lines from one to the next
MAX_KNOTS = 20_000_000


class Movement:
    """Where each node is at any time."""

    def __init__(self, s: Scenario, places: Floats) -> None:
        self.places = places
        self.knots = waypoints(s, places) if s.mobility.model == "waypoint" else traced(s, places)

    def at(self, seconds: float) -> Floats:
        """The places of all nodes at a time."""
        found = self.places.copy()
        for v, knots in self.knots.items():
            time, x, y = np.array(knots).T
            found[v] = np.interp(seconds, time, x), np.interp(seconds, time, y)
        return found


def waypoints(s: Scenario, places: Floats) -> dict[int, Knots]:
    """Random waypoint: each node moves to a random place at a random speed, pauses, and moves on."""
    slowest, fastest = s.mobility.speed or (1.0, 1.0)
    rng, area, found = stream(s.seed, "mobility"), extent(s, places), {}
    if not any(area):
        return {}  # there is only one place
    check_knots(s, float(np.hypot(*area)) / fastest, len(places))
    for v, (x, y) in enumerate(places.tolist()):
        time, knots = 0.0, [(0.0, x, y)]
        while time < s.duration:
            to = rng.random(2) * area
            time += float(np.hypot(to[0] - x, to[1] - y) / rng.uniform(slowest, fastest))
            x, y = float(to[0]), float(to[1])
            knots.append((time, x, y))
            time += s.mobility.pause or 0.0
            knots.append((time, x, y))
        found[v] = knots
    return found


def check_knots(s: Scenario, crossing: float, n: int) -> None:
    """Refuse too many knots: on average, moving between places takes at least a third of a `crossing`, in seconds."""
    knots = 2 * n * (1 + s.duration / (crossing / 3 + (s.mobility.pause or 0.0)))
    if knots > MAX_KNOTS:
        raise BadInput(f"mobility.speed: must make at most {MAX_KNOTS} turns and stops, not about {knots:.3g}")


def traced(s: Scenario, places: Floats) -> dict[int, Knots]:
    """The movement that the scenario lists; a node stays at its first place before, and at its last place after."""
    found: dict[int, Knots] = {}
    for i, (time, node, x, y) in enumerate(s.mobility.knots or ()):
        if node != int(node) or node >= len(places):
            raise BadInput(f"mobility.knots[{i}]: must name a node from 0 to {len(places) - 1}, not {node:g}")
        knots = found.setdefault(int(node), [])
        if knots and time <= knots[-1][0]:
            raise BadInput(
                f"mobility.knots[{i}]: must come after {knots[-1][0]:g} s, where node {node:g} was before, "
                f"not at {time:g}"
            )
        knots.append((time, x, y))
    return found


@jit_no_alloc
def lift(air: Air, now: int) -> None:
    """Remove everything on the air from its receivers, which stay locked to what they are receiving."""
    for v in range(len(air.radios)):
        if air.radios[v].sending != 0:
            for e in range(air.first[v], air.first[v + 1]):
                r = air.radios[air.near[e]]
                update_reception(air.log_ok, r, now)
                fall(r, air.powers[e])
                if r.locked == v:
                    r.signal = 0.0


@jit_no_alloc
def put_back(air: Air, cut: Any, now: int) -> None:
    """Let everything on the air reach those who can hear it now; receivers that no longer can lose their frame.

    Fading advances with the next frame, as without mobility.
    """
    for v in range(len(air.radios)):
        if air.radios[v].sending != 0:
            for e in range(air.first[v], air.first[v + 1]):
                r = air.radios[air.near[e]]
                power = strength(air, e, now) if v >= air.setting[0].nodes or cut[e] == 0 else 0.0
                rise(r, power)
                air.powers[e] = power
                if r.locked == v:
                    r.signal = power
    for v in range(len(air.radios)):
        if air.radios[v].locked != NOBODY and air.radios[v].signal == 0.0:
            release(air.radios[v], now)


def kept(fades: Any, before: Any, fresh: Any, after: Any) -> Any:
    """The fades, continued for pairs that existed before; `before` and `after` are the pairs, ascending."""
    if len(before):
        place = np.minimum(np.searchsorted(before, after), len(before) - 1)
        known = before[place] == after
        fresh[known] = fades[place[known]]
    return fresh
