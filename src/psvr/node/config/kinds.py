"""Kinds of values that only settings of a node have, in addition to those of `psvr.fields.kinds`."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psvr.errors import BadInput, did_you_mean, refuse, shown
from psvr.fields.kinds import Choice, Number, Switch, TextKind, TextValue, Whole
from psvr.protocol.host.profiles import POLICIES, PROFILES

EXAMPLES = "such as 192.168.1.5:7372 or [fe80::1%eth0]:7372"


@dataclass(frozen=True)
class FilePath(TextValue):
    """A file or folder; ~ stands for the user's home folder."""

    allowed: str = "the name of a file or folder"

    def read(self, value: Any, key: str) -> Path:
        if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
            refuse(key, self.allowed, value)
        try:
            return Path(value).expanduser()
        except RuntimeError:
            raise BadInput(f"{key}: the home folder is not known, write the name without ~") from None


@dataclass(frozen=True)
class Group(TextValue):
    allowed: str = "a multicast address, such as ff02::7073:7672 or 239.255.112.115"

    def read(self, value: Any, key: str) -> str:
        try:
            good = isinstance(value, str) and ipaddress.ip_address(value).is_multicast
        except ValueError:
            good = False
        if not good:
            refuse(key, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class HostPort(TextValue):
    min_port: int = 1  # 0: any free port may be asked for

    @property
    def allowed(self) -> str:
        return f"HOST:PORT, {EXAMPLES}"

    def read(self, value: Any, key: str) -> str:
        found = host_port(value) if isinstance(value, str) else None
        if found is None or found[1] < self.min_port:
            refuse(key, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class EtherAddress(TextValue):
    """The address of an ether in user space, and the number of the node in it."""

    allowed: str = "HOST:PORT/NUMBER, such as 127.0.0.1:5000/3"

    def read(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or ether_address(value) is None:
            refuse(key, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class HostPorts:
    """A list of addresses; as text, separated by commas."""

    @property
    def allowed(self) -> str:
        return f"a list of HOST:PORT, {EXAMPLES}"

    def read(self, value: Any, key: str) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            refuse(key, self.allowed, value)
        return tuple(HostPort().read(entry, key) for entry in value)

    def from_text(self, text: str, key: str) -> tuple[str, ...]:
        return self.read([part.strip() for part in text.split(",") if part.strip()], key)


@dataclass(frozen=True)
class Policies:
    """What a host does beyond the paper: a profile, and individual policies that differ from it."""

    allowed: str = "a profile, full or paper, and single policies, such as profile=paper,custody=5"

    def read(self, value: Any, key: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(key, self.allowed, value)
        return {name: kind_of(name, key).read(one, f"{key}: {name}") for name, one in value.items()}

    def from_text(self, text: str, key: str) -> dict[str, Any]:
        parts = [part.partition("=") for part in text.split(",")]
        if not all(sign for _, sign, _ in parts):
            refuse(key, self.allowed, text)
        return {
            name.strip(): kind_of(name.strip(), key).from_text(one.strip(), f"{key}: {name.strip()}")
            for name, _, one in parts
        }


def kind_of(policy: str, key: str) -> TextKind:
    """What values a policy takes."""
    if policy == "profile":
        return Choice(PROFILES)
    if policy not in POLICIES:
        names = ("profile", *POLICIES)
        raise BadInput(
            f"{key}: {shown(policy)} is no policy{did_you_mean(policy, names)}; there are {', '.join(names)}"
        )
    found = POLICIES[policy]
    if isinstance(found.full, bool):
        return Switch()
    if isinstance(found.full, float):
        return Number(found.low, found.high)
    return Whole(int(found.low), int(found.high))


def host_port(text: str) -> tuple[str, int] | None:
    """HOST:PORT, or [HOST]:PORT for IPv6; None if it is neither."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})", text)
    if found is None or int(found[3]) > 65535:
        return None
    return found[1] or found[2], int(found[3])


def ether_address(text: str) -> tuple[tuple[str, int], int] | None:
    """HOST:PORT/NUMBER; None if it is malformed."""
    place, slash, number = text.rpartition("/")
    found = host_port(place)
    if found is None or not slash or not re.fullmatch("[0-9]{1,9}", number):
        return None
    return found, int(number)
