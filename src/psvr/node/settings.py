"""What the value of a setting may be, and how it is read: typed from TOML and Python, as text from elsewhere."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from psvr.errors import BadInput, did_you_mean, refuse, shown
from psvr.protocol.profiles import POLICIES, PROFILES

EXAMPLES = "such as 192.168.1.5:7372 or [fe80::1%eth0]:7372"


class Kind(Protocol):
    """What the value of a setting may be."""

    @property
    def allowed(self) -> str: ...

    def read(self, value: Any, where: str) -> Any:
        """A value from TOML or Python, checked; `where` is what the user calls the place it came from."""

    def from_text(self, text: str, where: str) -> Any:
        """The same, from a variable or a flag."""


@dataclass(frozen=True)
class Whole:
    least: int
    most: int

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def read(self, value: Any, where: str) -> int:
        if type(value) is not int or not self.least <= value <= self.most:
            refuse(where, self.allowed, value)
        return value

    def from_text(self, text: str, where: str) -> int:
        if not re.fullmatch(r"\s*-?[0-9]{1,30}\s*", text):
            refuse(where, self.allowed, text)
        return self.read(int(text), where)


@dataclass(frozen=True)
class Number:
    least: float
    most: float
    or_zero: bool = False

    @property
    def allowed(self) -> str:
        return f"{'0, or ' if self.or_zero else ''}a number from {self.least:g} to {self.most:g}"

    def read(self, value: Any, where: str) -> float:
        good = type(value) in (int, float) and (self.least <= value <= self.most or (self.or_zero and value == 0))
        if not good:
            refuse(where, self.allowed, value)
        return float(value)

    def from_text(self, text: str, where: str) -> float:
        try:
            number = float(text)
        except ValueError:
            refuse(where, self.allowed, text)
        return self.read(number, where)


@dataclass(frozen=True)
class Switch:
    allowed: str = "true or false"

    def read(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            refuse(where, self.allowed, value)
        return value

    def from_text(self, text: str, where: str) -> bool:
        if text.lower() not in ("true", "false", "1", "0"):
            refuse(where, self.allowed, text)
        return text.lower() in ("true", "1")


class Texts:
    """A kind that is text in any case."""

    def from_text(self: Kind, text: str, where: str) -> Any:
        return self.read(text, where)


@dataclass(frozen=True)
class Choice(Texts):
    names: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(self.names)}"

    def read(self, value: Any, where: str) -> str:
        if value not in self.names:
            refuse(where, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class Name(Texts):
    allowed: str = "a name of 1 to 100 printable characters"

    def read(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= 100:
            refuse(where, self.allowed, value)
        return value


@dataclass(frozen=True)
class Place(Texts):
    """A file or folder; ~ is the home of the user."""

    allowed: str = "the name of a file or folder"

    def read(self, value: Any, where: str) -> Path:
        if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
            refuse(where, self.allowed, value)
        try:
            return Path(value).expanduser()
        except RuntimeError:
            raise BadInput(f"{where}: the home folder is not known, write the name without ~") from None


@dataclass(frozen=True)
class Group(Texts):
    allowed: str = "a multicast address, such as ff02::7073:7672 or 239.255.112.115"

    def read(self, value: Any, where: str) -> str:
        try:
            good = isinstance(value, str) and ipaddress.ip_address(value).is_multicast
        except ValueError:
            good = False
        if not good:
            refuse(where, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class HostPort(Texts):
    least: int = 1              # of the port; 0 is any that is free

    @property
    def allowed(self) -> str:
        return f"HOST:PORT, {EXAMPLES}"

    def read(self, value: Any, where: str) -> str:
        found = host_port(value) if isinstance(value, str) else None
        if found is None or found[1] < self.least:
            refuse(where, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class EtherPlace(Texts):
    """Where an ether in user space is, and the number of the node in it."""

    allowed: str = "HOST:PORT/NUMBER, such as 127.0.0.1:5000/3"

    def read(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or ether_place(value) is None:
            refuse(where, self.allowed, value)
        return str(value)


@dataclass(frozen=True)
class HostPorts:
    """A list of them; as text, with commas between."""

    @property
    def allowed(self) -> str:
        return f"a list of HOST:PORT, {EXAMPLES}"

    def read(self, value: Any, where: str) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            refuse(where, self.allowed, value)
        return tuple(HostPort().read(entry, where) for entry in value)

    def from_text(self, text: str, where: str) -> tuple[str, ...]:
        return self.read([part.strip() for part in text.split(",") if part.strip()], where)


@dataclass(frozen=True)
class Policies:
    """What a host does beyond the paper: a profile, and single policies that differ from it."""

    allowed: str = "a profile, full or paper, and single policies, such as profile=paper,custody=5"

    def read(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(where, self.allowed, value)
        return {name: kind_of(name, where).read(one, f"{where}: {name}") for name, one in value.items()}

    def from_text(self, text: str, where: str) -> dict[str, Any]:
        parts = [part.partition("=") for part in text.split(",")]
        if not all(sign for _, sign, _ in parts):
            refuse(where, self.allowed, text)
        return {name.strip(): kind_of(name.strip(), where).from_text(one.strip(), f"{where}: {name.strip()}")
                for name, _, one in parts}


def kind_of(policy: str, where: str) -> Kind:
    if policy == "profile":
        return Choice(PROFILES)
    if policy not in POLICIES:
        names = ("profile", *POLICIES)
        raise BadInput(f"{where}: {shown(policy)} is no policy{did_you_mean(policy, names)}; "
                       f"there are {', '.join(names)}")
    found = POLICIES[policy]
    if isinstance(found.full, bool):
        return Switch()
    if isinstance(found.full, float):
        return Number(found.least, found.most)
    return Whole(int(found.least), int(found.most))


def host_port(text: str) -> tuple[str, int] | None:
    """HOST:PORT, or [HOST]:PORT for IPv6; None if it is neither."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})", text)
    if found is None or int(found[3]) > 65535:
        return None
    return found[1] or found[2], int(found[3])


def ether_place(text: str) -> tuple[tuple[str, int], int] | None:
    place, slash, number = text.rpartition("/")
    found = host_port(place)
    if found is None or not slash or not re.fullmatch("[0-9]{1,9}", number):
        return None
    return found, int(number)
