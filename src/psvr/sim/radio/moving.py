"""Nodes that move: where they are at any time, and how what is on the air follows them."""

from typing import Any

import numpy as np

from psvr.errors import BadInput
from psvr.graphs.csr import Floats
from psvr.jit import in_place

from ..scenario import Scenario
from ..streams import stream
from .air import NOBODY, Air
from .fading import strength
from .placing import extent
from .signal import fall, let_go, reckon, rise

Knots = list[tuple[float, float, float]]        # time, x, y: a straight way from one to the next
MOST_KNOTS = 20_000_000


class Movement:
    def __init__(self, s: Scenario, places: Floats) -> None:
        self.places = places
        self.knots = waypoints(s, places) if s.mobility.model == "waypoint" else traced(s, places)

    def at(self, seconds: float) -> Floats:
        found = self.places.copy()
        for v, knots in self.knots.items():
            time, x, y = np.array(knots).T
            found[v] = np.interp(seconds, time, x), np.interp(seconds, time, y)
        return found


def waypoints(s: Scenario, places: Floats) -> dict[int, Knots]:
    """Random waypoint: to a place at random, with a speed at random, then a pause, and on."""
    least, most = s.mobility.speed or (1.0, 1.0)
    rng, area, found = stream(s.seed, "mobility"), extent(s, places), {}
    if not any(area):
        return {}                       # there is but one place
    check_knots(s, float(np.hypot(*area)) / most, len(places))
    for v, (x, y) in enumerate(places.tolist()):
        time, knots = 0.0, [(0.0, x, y)]
        while time < s.duration:
            to = rng.random(2) * area
            time += float(np.hypot(to[0] - x, to[1] - y) / rng.uniform(least, most))
            x, y = float(to[0]), float(to[1])
            knots.append((time, x, y))
            time += s.mobility.pause or 0.0
            knots.append((time, x, y))
        found[v] = knots
    return found


def check_knots(s: Scenario, crossing: float, n: int) -> None:
    """Ways between places take a third of the seconds of a `crossing` or more, on average."""
    knots = 2 * n * (1 + s.duration / (crossing / 3 + (s.mobility.pause or 0.0)))
    if knots > MOST_KNOTS:
        raise BadInput(f"mobility.speed: must make at most {MOST_KNOTS} turns and stops, not about {knots:.3g}")


def traced(s: Scenario, places: Floats) -> dict[int, Knots]:
    """As the scenario lists it; before its first time a node stands at that place, after its last it stays."""
    found: dict[int, Knots] = {}
    for i, (time, node, x, y) in enumerate(s.mobility.knots or ()):
        if node != int(node) or node >= len(places):
            raise BadInput(f"mobility.knots[{i}]: must name a node from 0 to {len(places) - 1}, not {node:g}")
        knots = found.setdefault(int(node), [])
        if knots and time <= knots[-1][0]:
            raise BadInput(f"mobility.knots[{i}]: must come after {knots[-1][0]:g} s, where node {node:g} was before, "
                           f"not at {time:g}")
        knots.append((time, x, y))
    return found


@in_place
def lift(air: Air, now: int) -> None:
    """Take all that is on the air away from its receivers; who receives something stays with it."""
    for v in range(len(air.radios)):
        if air.radios[v].sending != 0:
            for e in range(air.first[v], air.first[v + 1]):
                r = air.radios[air.near[e]]
                reckon(air.log_ok, r, now)
                fall(r, air.powers[e])
                if r.locked == v:
                    r.signal = 0.0


@in_place
def put_back(air: Air, cut: Any, now: int) -> None:
    """Let all that is on the air reach those who can hear it from here; who cannot any more loses it.

    Fading goes on with the next frame, as where nothing moves.
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
            let_go(air.radios[v], now)


def kept(fades: Any, before: Any, anew: Any, after: Any) -> Any:
    """The fading of pairs that were there before goes on; `before` and `after` are the pairs, ascending."""
    if len(before):
        place = np.minimum(np.searchsorted(before, after), len(before) - 1)
        known = before[place] == after
        anew[known] = fades[place[known]]
    return anew
