"""Radios as data: the figures of a data sheet, in a file per device."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.kinds import Number, Numbers, Switch, Text, Whole
from psvr.fields.tables import read_table
from psvr.files import parse_toml, read_toml

SHEETS = files("psvr.sim.radio") / "devices"
DBM = Number(-200, 100)
MILLIAMPERES = Number(0, 10_000)
MAX_TURNAROUND = 207  # µs to turn around: an acknowledgement is awaited for 560, of which it takes 352 itself


@dataclass(frozen=True, kw_only=True)
class Device:
    """Powers in dBm, currents in mA, times in µs."""

    name: Annotated[str, Text(100)]
    sensitivity: Annotated[float, DBM]
    clear: Annotated[float, DBM]
    carrier: Annotated[bool, Switch()]
    turnaround: Annotated[int, Whole(1, MAX_TURNAROUND)]
    volts: Annotated[float, Number(0, 1000, above=True)]
    receive: Annotated[float, MILLIAMPERES]
    listen: Annotated[float, MILLIAMPERES]
    power: Annotated[tuple[float, ...], Numbers(-200, 100)]
    send: Annotated[tuple[float, ...], Numbers(0, 10_000)]

    def current(self, power: float) -> float:
        """The current in mA while sending, interpolated between the levels of the data sheet."""
        for (low, below), (high, above) in zip(zip(self.power, self.send), zip(self.power[1:], self.send[1:])):
            if power <= high:
                return below + (above - below) * (power - low) / (high - low)
        return self.send[-1]


@dataclass(frozen=True)
class DeviceName:
    """A device, by its name, as a file in the same format as ours, or as a table."""

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(known())}, or a file *.toml"

    def read(self, value: Any, key: str) -> str | Device:
        if isinstance(value, Mapping):
            return made(value, key)
        if isinstance(value, str) and (value in known() or value.endswith(".toml")):
            return value
        hint = did_you_mean(value, known()) if isinstance(value, str) else ""
        raise BadInput(f"{key}: must be {self.allowed}, not {shown(value)}{hint}")


@cache
def known() -> tuple[str, ...]:
    return tuple(sorted(s.name.removesuffix(".toml") for s in SHEETS.iterdir() if s.name.endswith(".toml")))


@cache
def built_in(name: str) -> Device:
    return made(parse_toml((SHEETS / f"{name}.toml").read_text(encoding="utf-8"), name), name)


def from_file(path: Path) -> Device:
    return made(read_toml(path, f"radio.device: {path}"), f"radio.device: {path}")


def made(table: Any, name: str) -> Device:
    return checked(read_table(Device, table, name), name)


def checked(device: Device, name: str) -> Device:
    """The device; BadInput if its levels of power are not ascending, each with a current."""
    if not device.power or len(device.power) != len(device.send) or sorted(set(device.power)) != list(device.power):
        raise BadInput(f"{name}.power: must be ascending, with one current in send for each")
    return device
