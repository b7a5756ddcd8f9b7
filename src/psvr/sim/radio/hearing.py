"""Who hears whom, and how strongly: computes the ways of the air from places.

Received power is the sending power, less path loss, less the shadowing of the pair, which is the same in both
directions except for a small asymmetry.  Shadowing belongs to the pair, wherever its nodes are.  Pairs whose mean power
is less than a tenth of the noise are ignored; the others form the cache of neighbours.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.compiled.numbers import mix
from psvr.graphs.csr import Floats, Ints, Longs, rows_of
from psvr.graphs.graph import Graph
from psvr.graphs.places import near_pairs
from psvr.jit import jit_no_alloc

from .errors import least_ratio
from .loss import MODELS, reach
from .signal import LOW31

AUDIBLE = -10.0  # dB relative to the noise: weaker nodes, on average, are not heard at all
CLIP = 3.0  # the most σ of shadowing that occur, so that the cache is bounded
NEVER = 4.0  # σ of fading by which a way may be too weak and still be received now and then
GOOD = 0.5244  # σ of fading that a way must have in reserve to be received 70 % of the time
MAX_FRAME = 127  # bytes of a frame


@dataclass(frozen=True)
class Channel:
    """What decides how strongly nodes hear each other; in dBm and dB."""

    power: float
    sensitivity: float
    noise: float
    pathloss: str
    shadowing: float
    asymmetry: float
    fading: float
    key: int

    @property
    def least(self) -> float:
        """The dBm that a frame needs without interference: enough for the receiver, and enough above the noise."""
        return max(self.sensitivity, self.noise + least_ratio(MAX_FRAME, 0.5))

    def sending(self, power: float) -> "Channel":
        return replace(self, power=power)

    @property
    def range(self) -> float:
        """The metres up to which a signal is strong enough on average."""
        return reach(self.pathloss, self.power - self.least)


@dataclass(frozen=True, eq=False)
class Hearing:
    """Ways, sorted by sender and then by receiver."""

    first: Longs
    near: Ints
    mean: Floats  # dBm, of each way
    pair: Longs  # lesser · places + greater, of each way

    @property
    def sender(self) -> Longs:
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


@jit_no_alloc
def normal(key: int, a: int, b: int) -> float:
    """A standard normal variable determined by two numbers and a key."""
    h = mix(mix(key, a), b)
    radius = math.sqrt(-2.0 * math.log(((h & LOW31) + 0.5) / (LOW31 + 1.0)))
    return radius * math.cos(2.0 * math.pi * (mix(h, 1) & LOW31) / (LOW31 + 1.0))


@jit_no_alloc
def shadows(key: int, pairs: NDArray[np.int64], both: NDArray[np.float64], skew: NDArray[np.float64]) -> None:
    """For each pair, the part that both directions share, and the part by which they differ."""
    for i in range(len(pairs)):
        both[i] = normal(key, pairs[i, 0], pairs[i, 1])
        skew[i] = normal(key, pairs[i, 1], pairs[i, 0])


@jit_no_alloc
def first_fades(key: int, pairs: NDArray[np.int64], n: int, sigma: float, fades: Any) -> None:
    """Draw the initial fading of pairs, lesser · n + greater, and the name from which each continues."""
    for i in range(len(pairs)):
        u, v = pairs[i] // n, pairs[i] % n
        fades[i].decibels = sigma * normal(key, u, v)
        fades[i].name = mix(mix(key, u), v)


def mean_powers(channel: Channel, places: Floats, pairs: Longs, power: float | Floats) -> tuple[Floats, Floats]:
    """The dBm received from the first to the second of each pair, and back, if both send with `power`."""
    both, skew = np.empty(len(pairs)), np.empty(len(pairs))
    shadows(channel.key, pairs, both, skew)
    metres = np.hypot(*(places[pairs[:, 0]] - places[pairs[:, 1]]).T)
    clipped = channel.shadowing * np.clip(both, -CLIP, CLIP)
    skewed = channel.asymmetry * np.clip(skew, -CLIP, CLIP) / math.sqrt(2.0)
    middle = power - MODELS[channel.pathloss](metres) + clipped
    return middle + skewed, middle - skewed


def candidate_pairs(channel: Channel, places: Floats, floor: float, power: float) -> Longs:
    """All pairs that might hear each other at `floor` dBm or more."""
    longest = min(farthest(channel, floor, power), 1.0 + float(np.hypot(*np.ptp(places, axis=0))))
    return near_pairs(places - places.min(axis=0), longest)


def farthest(channel: Channel, floor: float, power: float) -> float:
    """The metres beyond which no pair can hear each other at `floor` dBm, even with the best shadowing."""
    return reach(channel.pathloss, power - floor + CLIP * (channel.shadowing + channel.asymmetry))


def hearing(channel: Channel, places: Floats) -> Hearing:
    """The ways between nodes."""
    n, floor = len(places), channel.noise + AUDIBLE
    pairs = candidate_pairs(channel, places, floor, channel.power)
    there, back = mean_powers(channel, places, pairs, channel.power)
    heard = np.maximum(there, back) >= floor
    pairs, there, back = pairs[heard], there[heard], back[heard]
    sender = np.concatenate((pairs[:, 0], pairs[:, 1]))
    receiver = np.concatenate((pairs[:, 1], pairs[:, 0]))
    order = np.lexsort((receiver, sender))
    name = np.tile(pairs[:, 0] * n + pairs[:, 1], 2)
    return Hearing(
        counted(sender, n), receiver[order].astype(np.int32), np.concatenate((there, back))[order], name[order]
    )


def counted(sender: Longs, n: int) -> Longs:
    """Where the ways of each sender begin."""
    first: Longs = np.concatenate(([0], np.cumsum(np.bincount(sender, minlength=n)))).astype(np.int64)
    return first


def good_ways(channel: Channel, heard: Hearing) -> NDArray[np.bool_]:
    """Whether each way is good in both directions."""
    order = np.argsort(heard.pair, kind="stable")
    worse = heard.mean[order].reshape(-1, 2).min(axis=1)
    found = np.empty(len(order), bool)
    found[order] = np.repeat(worse >= channel.least + GOOD * channel.fading, 2)
    return found


def good_pairs(channel: Channel, places: Floats) -> Longs:
    """Pairs that receive at least 70 % of each other's frames, averaged over fading, when nobody else sends."""
    least = channel.least + GOOD * channel.fading
    pairs = candidate_pairs(channel, places, least, channel.power)
    there, back = mean_powers(channel, places, pairs, channel.power)
    return pairs[np.minimum(there, back) >= least]


def good_graph(channel: Channel, places: Floats) -> Graph:
    return Graph(*rows_of(len(places), good_pairs(channel, places)))


def from_outside(channel: Channel, places: Floats, sources: Floats, powers: Floats) -> tuple[Longs, Ints, Floats]:
    """The ways from interferers to nodes: where those of each source start, their receivers and their dBm."""
    n, m = len(places), len(sources)
    pairs = np.stack((np.repeat(np.arange(n, n + m), n), np.tile(np.arange(n), m)), axis=1).astype(np.int64)
    there, _ = mean_powers(channel, np.concatenate((places, sources)), pairs, np.repeat(powers, n))
    heard = there >= channel.noise + AUDIBLE
    return counted(pairs[heard, 0] - n, m), pairs[heard, 1].astype(np.int32), there[heard]


def may_be_received(channel: Channel, mean: Any) -> Any:
    """Whether fading may lift ways above the receiver's sensitivity."""
    return mean + NEVER * channel.fading >= channel.sensitivity
