"""Small wireless networks and bare channels for tests, and the bounds that chance allows."""

import math
from typing import Any

import numpy as np

from psvr.sim.network import Network
from psvr.sim.radio.air import Air
from psvr.sim.radio.field import Field
from psvr.sim.scenario import parse

SURE = 3.2905  # σ on either side of the mean: 99.9 % of a normal variable
STILL = {"fading": 0, "shadowing": 0, "asymmetry": 0}
DEAF = {
    "name": "test",
    "sensitivity": -95.0,
    "clear": -77.0,
    "carrier": True,
    "turnaround": 192,
    "volts": 3.0,
    "receive": 18.8,
    "listen": 18.8,
    "power": [-25.0, 0.0],
    "send": [8.5, 17.4],
}
KEEN = {**DEAF, "sensitivity": -130.0}


def mapping(places: list[list[float]], **tables: Any) -> dict[str, Any]:
    """A scenario with nodes at these places, whether they hear each other or not."""
    radio = {"model": "ieee802154", **tables.pop("radio", STILL)}
    return {"topology": {"kind": "places", "places": places, "connected": False}, "radio": radio, **tables}


def network(places: list[list[float]], **tables: Any) -> Network:
    return Network(parse(mapping(places, **tables)))


def bare(places: list[list[float]], **radio: Any) -> tuple[Air, Any]:
    """A channel without nodes' protocol, all radios on; and its cuts, none."""
    field = Field(parse(mapping(places, radio={**STILL, **radio})), np.array(places, np.float64))
    air = field.air()
    air.radios["on"] = 1
    return air, np.zeros(len(air.near), np.uint8)


def way(air: Air, v: int, u: int) -> int:
    """The way from v to u."""
    first, last = int(air.first[v]), int(air.first[v + 1])
    return int(first + air.near[first:last].tolist().index(u))


def metres(decibels: float) -> float:
    """Where free space has taken so much."""
    return float(10.0 ** ((decibels - 40.2) / 20.0))


def binomial_bounds(n: int, p: float, outside: float = 0.001) -> tuple[int, int]:
    """Successes of n that are not surprising: less or more of them have half the chance `outside` each."""
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(n + 1)
    ]
    below = np.cumsum(np.exp(logs))
    return int(np.searchsorted(below, outside / 2)), int(np.searchsorted(below, 1 - outside / 2))
