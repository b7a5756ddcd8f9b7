"""A wireless channel between places: makes the air of a scenario, and remakes it when nodes have moved."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.graphs.csr import Floats, Longs
from psvr.protocol.constants import SECOND
from psvr.sim.engine.cache_lines import zeros
from psvr.sim.engine.world import World, room_for
from psvr.sim.scenario.tables import Scenario
from psvr.sim.streams import key, stream

from .air import BURST, FADE, NOBODY, RADIO, SETTING, WAY, Air
from .choices import channel_of, device_of, fading_time
from .errors import CELLS, NORMAL
from .fading import MILLIWATTS
from .hearing import Hearing, first_fades, from_outside, good_ways, hearing, may_be_received
from .moving import Movement, kept, lift, put_back
from .placing import extent

HOLDS = 50  # of fading per time constant: how often it advances at most
OPEN = 1 << 60


class Field:
    """The parts of a channel that do not depend on where the nodes are."""

    def __init__(self, s: Scenario, places: Floats) -> None:
        self.scenario, self.channel, self.device = s, channel_of(s), device_of(s)
        self.fade_key = key(s.seed, "fading")
        self.sources, self.powers, self.bursts = interferers(s, extent(s, places))
        self.pairs: Longs = np.zeros(0, np.int64)  # whose fading is in the air, ascending
        self.places, self.heard = places, hearing(self.channel, places)
        self.movement = Movement(s, places) if s.mobility.model != "none" else None

    def good(self, heard: Hearing) -> NDArray[np.bool_]:
        """Which ways are good links, in both directions."""
        return good_ways(self.channel, heard)

    def air(self) -> Air:
        """The air before anything is sent."""
        n = len(self.places)
        radios = zeros(n + len(self.sources), RADIO)
        radios["noise"], radios["locked"], radios["answer"] = milliwatts(self.channel.noise), NOBODY, NOBODY
        first, near, ways, fades = self.ways(self.places, self.heard, 0)
        return Air(radios, first, near, ways, np.zeros(len(ways)), fades, self.bursts, self.setting(n), CELLS, NORMAL)

    def moved(self, world: World, now: int, cuts: Iterable[tuple[int, int]]) -> tuple[World, NDArray[np.bool_]]:
        """The world with its nodes where they are now, and which links are good; `cuts` are pairs of nodes."""
        assert self.movement is not None
        places, before, air = self.movement.at(now / SECOND), self.pairs, world.air
        heard = hearing(self.channel, places)
        lift(air, now)
        first, near, ways, fades = self.ways(places, heard, now)
        cut = np.isin(heard.sender * len(places) + heard.near, both_ways(cuts, len(places))).astype(np.uint8)
        air = air._replace(
            first=first,
            near=near,
            ways=ways,
            powers=np.zeros(len(ways)),
            fades=kept(air.fades, before, fades, self.pairs),
        )
        put_back(air, cut, now)
        world.tally["room"] = room_for(heard.first)
        return world._replace(first=heard.first, near=heard.near, cut=cut, air=air), self.good(heard)

    def setting(self, n: int) -> Any:
        """The figures of the channel, as the compiled code needs them."""
        s, found = self.scenario, np.zeros(1, SETTING)
        tau = fading_time(s) * SECOND
        found["sensitivity"], found["clear"] = milliwatts(self.device.sensitivity), milliwatts(self.device.clear)
        found["sigma"], found["tau"], found["hold"] = self.channel.fading, tau, max(1, int(tau / HOLDS))
        found["key"], found["backoff_key"] = key(s.seed, "reception"), key(s.seed, "back-off")
        found["turnaround"], found["carrier"], found["nodes"] = self.device.turnaround, self.device.carrier, n
        return found

    def ways(self, places: Floats, heard: Hearing, now: int) -> tuple[Any, Any, Any, Any]:
        """The ways between nodes, then from interferers, with fading that starts now."""
        n = len(places)
        first, near, mean = from_outside(self.channel, places, self.sources, self.powers)
        ways = zeros(len(heard.near) + len(near), WAY)
        ways["mean"] = np.concatenate((heard.mean, mean))
        ways["level"], ways["until"], ways["fade"] = milliwatts(ways["mean"]), OPEN, -1
        fading = np.zeros(len(heard.near), bool)
        if self.channel.fading > 0:
            fading = np.isin(heard.pair, heard.pair[may_be_received(self.channel, heard.mean)])
        self.pairs, place = np.unique(heard.pair[fading], return_inverse=True)
        between = ways[: len(heard.near)]
        between["fade"][fading], between["until"][fading] = place, 0
        return (
            np.concatenate((heard.first, heard.first[-1] + first[1:])),
            np.concatenate((heard.near, near)),
            ways,
            self.fades(n, now),
        )

    def fades(self, n: int, now: int) -> Any:
        """The fading of each pair, which starts now."""
        found = zeros(len(self.pairs), FADE)
        first_fades(self.fade_key, self.pairs, n, self.channel.fading, found)
        found["when"] = now
        return found


def both_ways(pairs: Iterable[tuple[int, int]], n: int) -> Longs:
    """sender · n + receiver, in both directions."""
    u, v = np.array([*pairs], np.int64).reshape(-1, 2).T
    return np.concatenate((u * n + v, v * n + u))


def milliwatts(dbm: Any) -> Any:
    """The same as in `fading`, for arrays."""
    return np.exp(MILLIWATTS * dbm)


def interferers(s: Scenario, area: tuple[float, float]) -> tuple[Floats, Floats, Any]:
    """The places of interferers, their powers, and when they are on."""
    places, powers, bursts = [], [], []
    for i, other in enumerate(s.radio.interference):
        rng = stream(s.seed, f"interference/{i}")
        drawn = rng.random((other.sources, 2)) * area if other.place is None else [other.place]
        stop = OPEN if other.stop is None else round(other.stop * SECOND)
        for j, place in enumerate(drawn):
            places.append(place)
            powers.append(other.power)
            bursts.append(
                (
                    (60 / other.rate - other.length) * SECOND,
                    max(1, round(other.length * SECOND)),
                    round(other.start * SECOND),
                    stop,
                    key(s.seed, f"interference/{i}/{j}"),
                    0,
                )
            )
    return (np.array(places, np.float64).reshape(-1, 2), np.array(powers, np.float64), np.array(bursts, BURST))
