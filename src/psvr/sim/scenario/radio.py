"""The tables [radio] and [mobility] of a scenario."""

from dataclasses import dataclass
from typing import Annotated

from psvr.fields.kinds import Choice, Number, Rows, Sizes, Text, Whole
from psvr.fields.tables import Tables
from psvr.sim.radio.devices import Device, DeviceName
from psvr.sim.radio.loss import MODELS

MAX_SECONDS = 1e9  # some thirty years: up to here µs are exact as floats
MIN_SECONDS = 1e-6  # a µs is the smallest step of time
MAX_METRES = 1e9
MAX_PER_MINUTE = 1e6
DBM = Number(-200, 100)
DECIBELS = Number(0, 60)
BITRATE = 250_000


@dataclass(frozen=True, kw_only=True)
class Interference:
    """Interference on the same channel: bursts at random times, from places that are given or drawn."""

    rate: Annotated[float, Number(0, MAX_PER_MINUTE, above=True)]
    length: Annotated[float, Number(MIN_SECONDS, MAX_SECONDS)]
    power: Annotated[float, DBM] = 0.0
    place: Annotated[tuple[float, ...] | None, Sizes(("x", "y"), MAX_METRES)] = None
    sources: Annotated[int, Whole(1, 10_000)] = 1
    start: Annotated[float, Number(0, MAX_SECONDS)] = 0.0
    stop: Annotated[float | None, Number(0, MAX_SECONDS)] = None


@dataclass(frozen=True, kw_only=True)
class Radio:
    """How frames reach nodes in reach.  `radio_checks` says which keys belong to which model."""

    model: Annotated[str, Choice(("ideal", "lossy", "ieee802154"))] = "ideal"
    loss: Annotated[float, Number(0, 1, below=True)] = 0.0
    retries: Annotated[int, Whole(0, 255)] = 3
    bitrate: Annotated[int, Whole(1, 10**12)] = BITRATE
    device: Annotated[str | Device | None, DeviceName()] = None
    power: Annotated[float | None, DBM] = None
    range: Annotated[float | None, Number(0, MAX_METRES, above=True)] = None
    noise: Annotated[float | None, DBM] = None
    pathloss: Annotated[str | None, Choice(tuple(MODELS))] = None
    shadowing: Annotated[float | None, DECIBELS] = None
    asymmetry: Annotated[float | None, DECIBELS] = None
    fading: Annotated[float | None, DECIBELS] = None
    fading_time: Annotated[float | None, Number(0.001, MAX_SECONDS)] = None
    interference: Annotated[tuple[Interference, ...], Tables(Interference)] = ()

    @property
    def wireless(self) -> bool:
        return self.model == "ieee802154"


@dataclass(frozen=True, kw_only=True)
class Mobility:
    """Mobility of nodes: to one random place after another, or as a file or a list says."""

    model: Annotated[str, Choice(("none", "waypoint", "trace"))] = "none"
    speed: Annotated[tuple[float, ...] | None, Sizes(("least", "most"), 1000, False, 2)] = None
    pause: Annotated[float | None, Number(0, MAX_SECONDS)] = None
    file: Annotated[str | None, Text(4096, "the name of a file")] = None
    knots: Annotated[tuple[tuple[float, ...], ...] | None, Rows(("time", "node", "x", "y"), MAX_METRES)] = None
    step: Annotated[float, Number(0.01, 3600)] = 1.0


DEFAULT, STILL = Radio(), Mobility()
