"""The channel that a scenario describes, with what it leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..streams import key
from .devices import Device, built_in
from .hearing import Channel
from .loss import MODELS

if TYPE_CHECKING:
    from ..scenario import Scenario

DEVICE, PATHLOSS = "cc2420", "dual-slope"
POWER, NOISE = 0.0, -100.0                  # dBm
SHADOWING, ASYMMETRY, FADING = 4.0, 1.0, 3.0        # dB
FADING_TIME = 20.0                          # seconds


def device_of(s: Scenario) -> Device:
    named = s.radio.device or DEVICE
    return built_in(named) if isinstance(named, str) else named


def channel_of(s: Scenario) -> Channel:
    """Power follows from the range, or the range from the power."""
    def chosen(value: float | None, otherwise: float) -> float:
        return otherwise if value is None else value
    r = s.radio
    found = Channel(
        power=chosen(r.power, POWER), sensitivity=device_of(s).sensitivity, noise=chosen(r.noise, NOISE),
        pathloss=r.pathloss or PATHLOSS, shadowing=chosen(r.shadowing, SHADOWING),
        asymmetry=chosen(r.asymmetry, ASYMMETRY), fading=chosen(r.fading, FADING), key=key(s.seed, "shadowing"))
    if r.range is None:
        return found
    return found.sending(found.least + float(MODELS[found.pathloss](r.range)))


def fading_time(s: Scenario) -> float:
    return FADING_TIME if s.radio.fading_time is None else s.radio.fading_time
