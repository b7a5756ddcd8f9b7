"""The tables [radio] and [mobility] of a scenario."""

from dataclasses import dataclass
from typing import Annotated

from ..schema import Choice, Number, Tables, Text, Whole
from ..selection import Rows, Sizes
from .devices import Device, DeviceName
from .loss import MODELS

LONGEST = 1e9               # seconds
METRES = 1e9
PER_MINUTE = 1e6
DBM = Number(-200, 100)
DECIBELS = Number(0, 60)
BITRATE = 250_000


@dataclass(frozen=True, kw_only=True)
class Interference:
    """Others on the same channel: bursts at random times, from places that are given or drawn."""

    rate: Annotated[float, Number(0, PER_MINUTE, above=True)]
    length: Annotated[float, Number(1e-6, LONGEST)]
    power: Annotated[float, DBM] = 0.0
    place: Annotated[tuple[float, ...] | None, Sizes(("x", "y"), METRES)] = None
    sources: Annotated[int, Whole(1, 10_000)] = 1
    start: Annotated[float, Number(0, LONGEST)] = 0.0
    stop: Annotated[float | None, Number(0, LONGEST)] = None


@dataclass(frozen=True, kw_only=True)
class Radio:
    """How frames reach those in reach.  Which keys belong to which model is in `checks`."""

    model: Annotated[str, Choice(("ideal", "lossy", "ieee802154"))] = "ideal"
    loss: Annotated[float, Number(0, 1, below=True)] = 0.0
    retries: Annotated[int, Whole(0, 255)] = 3
    bitrate: Annotated[int, Whole(1, 10**12)] = BITRATE
    device: Annotated[str | Device | None, DeviceName()] = None
    power: Annotated[float | None, DBM] = None
    range: Annotated[float | None, Number(0, METRES, above=True)] = None
    noise: Annotated[float | None, DBM] = None
    pathloss: Annotated[str | None, Choice(tuple(MODELS))] = None
    shadowing: Annotated[float | None, DECIBELS] = None
    asymmetry: Annotated[float | None, DECIBELS] = None
    fading: Annotated[float | None, DECIBELS] = None
    fading_time: Annotated[float | None, Number(0.001, LONGEST)] = None
    interference: Annotated[tuple[Interference, ...], Tables(Interference)] = ()

    @property
    def wireless(self) -> bool:
        return self.model == "ieee802154"


@dataclass(frozen=True, kw_only=True)
class Mobility:
    """Nodes that move: to places at random, one after the other, or as a file or a list says."""

    model: Annotated[str, Choice(("none", "waypoint", "trace"))] = "none"
    speed: Annotated[tuple[float, ...] | None, Sizes(("least", "most"), 1000, False, 2)] = None
    pause: Annotated[float | None, Number(0, LONGEST)] = None
    file: Annotated[str | None, Text(4096, "the name of a file")] = None
    knots: Annotated[tuple[tuple[float, ...], ...] | None, Rows(("time", "node", "x", "y"), METRES)] = None
    step: Annotated[float, Number(0.01, 3600)] = 1.0


DEFAULT, STILL = Radio(), Mobility()
