"""The wireless channel of a scenario, with defaults for what it does not specify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psvr.sim.streams import key

from .devices import Device, built_in
from .hearing import Channel
from .loss import MODELS

if TYPE_CHECKING:
    from psvr.sim.scenario.tables import Scenario

DEVICE, PATHLOSS = "cc2420", "dual-slope"
POWER, NOISE = 0.0, -100.0  # dBm
SHADOWING, ASYMMETRY, FADING = 4.0, 1.0, 3.0  # dB
FADING_TIME = 20.0  # seconds


def device_of(s: Scenario) -> Device:
    """The device of the nodes' radios."""
    named = s.radio.device or DEVICE
    return built_in(named) if isinstance(named, str) else named


def channel_of(s: Scenario) -> Channel:
    """The channel; its power follows from the range, or its range from the power."""

    def value_or(value: float | None, default: float) -> float:
        return default if value is None else value

    r = s.radio
    found = Channel(
        power=value_or(r.power, POWER),
        sensitivity=device_of(s).sensitivity,
        noise=value_or(r.noise, NOISE),
        pathloss=r.pathloss or PATHLOSS,
        shadowing=value_or(r.shadowing, SHADOWING),
        asymmetry=value_or(r.asymmetry, ASYMMETRY),
        fading=value_or(r.fading, FADING),
        key=key(s.seed, "shadowing"),
    )
    if r.range is None:
        return found
    return found.sending(found.least + float(MODELS[found.pathloss](r.range)))


def fading_time(s: Scenario) -> float:
    return FADING_TIME if s.radio.fading_time is None else s.radio.fading_time
