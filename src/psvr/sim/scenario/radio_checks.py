"""Consistency of the keys of [radio] and [mobility], also with the rest of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psvr.errors import BadInput
from psvr.protocol.constants import FRAME
from psvr.protocol.wire.lengths import hello_fixed
from psvr.sim.radio.choices import channel_of, device_of

from . import defaults
from .radio import BITRATE

if TYPE_CHECKING:
    from .tables import Scenario

MAX_STEPS = 1_000_000
WIRELESS = ("device", "power", "range", "noise", "pathloss", "shadowing", "asymmetry", "fading", "fading_time")


def check_radio(s: Scenario) -> None:
    """Check [radio]: only the wireless channel has most of its keys."""
    r = s.radio
    if r.loss > 0 and r.model != "lossy":
        raise BadInput(f'radio.loss: must be 0 for model = "{r.model}", not {r.loss:g}; or use "lossy"')
    if r.wireless:
        check_wireless(s)
        return
    for key in WIRELESS:
        if getattr(r, key) is not None:
            raise BadInput(f'radio.{key}: must be left out for model = "{r.model}"; it belongs to "ieee802154"')
    if r.interference:
        raise BadInput(f'radio.interference: must be left out for model = "{r.model}"; it belongs to "ieee802154"')


def check_wireless(s: Scenario) -> None:
    """Check the keys of a wireless channel, and its sources of interference."""
    r = s.radio
    if r.bitrate != BITRATE:
        raise BadInput(f'radio.bitrate: must be {BITRATE} for model = "ieee802154", not {r.bitrate}')
    if r.power is not None and r.range is not None:
        raise BadInput("radio.power, range: must be one of the two, not both: each follows from the other")
    check_power(s)
    check_frames(s)
    for i, other in enumerate(r.interference):
        key = f"radio.interference.{i}"
        if other.rate * other.length >= 60:
            raise BadInput(
                f"{key}.length: must be less than {60 / other.rate:g} seconds at this rate, so that bursts "
                f"end before the next begins, not {other.length:g}"
            )
        if other.place is not None and other.sources != 1:
            raise BadInput(f"{key}.sources: must be 1 where the place is given, not {other.sources}")
        if other.stop is not None and other.stop <= other.start:
            raise BadInput(f"{key}.stop: must be more than start, {other.start:g}, not {other.stop:g}")


def check_power(s: Scenario) -> None:
    """Check that the device can send with the power that is set, or that the range needs."""
    device, channel = device_of(s), channel_of(s)
    weakest, strongest = device.power[0], device.power[-1]
    if not weakest <= channel.power <= strongest:
        key = "power" if s.radio.range is None else "range"
        wanted = "" if s.radio.range is None else f"; {s.radio.range:g} m would need {channel.power:.1f}"
        raise BadInput(f"radio.{key}: {device.name} sends with {weakest:g} to {strongest:g} dBm{wanted}")


def check_frames(s: Scenario) -> None:
    """Check that the longest HELLO, in which all links are children, fits a frame of the standard."""
    w, p = defaults.id_bytes(s), defaults.position_bytes(s)
    limit = (FRAME - hello_fixed(w, p)) // (w + 1 + p + 4)
    if s.protocol.frame > FRAME:
        raise BadInput(
            f'protocol.frame: must be at most {FRAME} bytes for model = "ieee802154", not {s.protocol.frame}'
        )
    if s.protocol.links > limit:
        raise BadInput(
            f'protocol.links: must be at most {limit} for model = "ieee802154", so that a HELLO fits a '
            f"frame with ids of {w} and positions of {p} bytes, not {s.protocol.links}"
        )


def check_mobility(s: Scenario) -> None:
    """Check [mobility]."""
    m = s.mobility
    allowed = {"none": (), "waypoint": ("speed", "pause"), "trace": ("file", "knots")}[m.model]
    for key in ("speed", "pause", "file", "knots"):
        if key not in allowed and getattr(m, key) is not None:
            raise BadInput(f'mobility.{key}: does not apply to model = "{m.model}"')
    if m.model == "none":
        return
    if not s.radio.wireless:
        raise BadInput(f'mobility.model: must be "none" for radio.model = "{s.radio.model}"; use "ieee802154"')
    if s.duration / m.step > MAX_STEPS:
        raise BadInput(
            f"mobility.step: must be at least {s.duration / MAX_STEPS:g}, {MAX_STEPS} steps in all, not {m.step:g}"
        )
    if m.model == "waypoint" and m.speed is None:
        raise BadInput("mobility.speed: missing; must be [least, most], in metres per second")
    if m.speed is not None and m.speed[0] > m.speed[1]:
        raise BadInput(f"mobility.speed: must be [least, most], not {list(m.speed)}")
    if m.model == "trace" and m.file is None and not m.knots:
        raise BadInput("mobility.file: missing; must be the name of a file with lines of time, node, x and y")
