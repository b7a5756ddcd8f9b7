"""Kinds of values that a key may have: read from TOML, from Python, or from text such as that of a flag."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from psvr.errors import BadInput, refuse, shown

from .checks import is_real, real, real_from, whole, whole_from


class Kind(Protocol):
    """What the value of a key may be."""

    @property
    def allowed(self) -> str:
        """What is allowed, as it reads in an error message after "must be"."""

    def read(self, value: Any, key: str) -> Any:
        """The value, checked; `key` is what the user calls the place it came from."""


class TextKind(Kind, Protocol):
    """A kind whose values can also be given as text: in a flag or an environment variable."""

    def from_text(self, text: str, key: str) -> Any:
        """The value that the text stands for, checked."""


def is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    minimum: int
    maximum: int

    @property
    def allowed(self) -> str:
        return whole_from(self.minimum, self.maximum)

    def read(self, value: Any, key: str) -> int:
        return whole(value, key, self.minimum, self.maximum)

    def from_text(self, text: str, key: str) -> int:
        if not re.fullmatch(r"\s*-?[0-9]{1,30}\s*", text):
            refuse(key, self.allowed, text)
        return self.read(int(text), key)


@dataclass(frozen=True)
class Number:
    """A number, whole or not."""

    minimum: float
    maximum: float
    above: bool = False  # excludes the minimum
    below: bool = False  # excludes the maximum
    or_zero: bool = False  # also allows 0, below the minimum

    @property
    def allowed(self) -> str:
        return ("0, or " if self.or_zero else "") + real_from(self.minimum, self.maximum, self.above, self.below)

    def read(self, value: Any, key: str) -> float:
        zero = self.or_zero and is_real(value, 0, 0)
        if not zero and not is_real(value, self.minimum, self.maximum, self.above, self.below):
            refuse(key, self.allowed, value)
        return float(value)

    def from_text(self, text: str, key: str) -> float:
        try:
            number = float(text)
        except ValueError:
            refuse(key, self.allowed, text)
        return self.read(number, key)


@dataclass(frozen=True)
class Switch:
    """True or false."""

    allowed: str = "true or false"

    def read(self, value: Any, key: str) -> bool:
        if not isinstance(value, bool):
            refuse(key, self.allowed, value)
        return value

    def from_text(self, text: str, key: str) -> bool:
        if text.lower() not in ("true", "false", "1", "0"):
            refuse(key, self.allowed, text)
        return text.lower() in ("true", "1")


class TextValue:
    """A kind whose values are read from text as they are."""

    def from_text(self: Kind, text: str, key: str) -> Any:
        return self.read(text, key)


@dataclass(frozen=True)
class Choice(TextValue):
    """One of several names or numbers."""

    names: tuple[str, ...] | tuple[int, ...]

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(map(str, self.names))}"

    def read(self, value: Any, key: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int) or value not in self.names:
            refuse(key, self.allowed, value)
        return value


@dataclass(frozen=True)
class Text(TextValue):
    """A line of printable characters."""

    longest: int
    allowed: str = "one line of text"

    def read(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= self.longest:
            refuse(key, f"{self.allowed}, of 1 to {self.longest} characters", value)
        return value


@dataclass(frozen=True)
class Sizes:
    """A list of named numbers; with `alone`, a single number may be given without a list."""

    names: tuple[str, ...]
    maximum: float
    alone: bool = False  # one number may stand for all
    positive: int = 0  # how many at the end of the list must be above 0

    @property
    def allowed(self) -> str:
        return ("a number above 0, or " if self.alone else "") + f"[{', '.join(self.names)}]"

    def read(self, value: Any, key: str) -> float | tuple[float, ...]:
        if self.alone and not is_list(value):
            if isinstance(value, str | bool):
                refuse(key, self.allowed, value)
            return real(value, key, 0, self.maximum, above=True)
        if not is_list(value) or len(value) != len(self.names):
            raise BadInput(f"{key}: must be {self.allowed}, not {shown(value)}")
        first = len(self.names) - self.positive
        return tuple(real(x, f"{key}[{i}]", 0, self.maximum, above=i >= first) for i, x in enumerate(value))


@dataclass(frozen=True)
class Numbers:
    """A list of numbers."""

    minimum: float
    maximum: float

    @property
    def allowed(self) -> str:
        return f"a list of numbers from {self.minimum:g} to {self.maximum:g}"

    def read(self, value: Any, key: str) -> tuple[float, ...]:
        if not is_list(value):
            refuse(key, self.allowed, value)
        return tuple(real(x, f"{key}[{i}]", self.minimum, self.maximum) for i, x in enumerate(value))


@dataclass(frozen=True)
class Rows:
    """A list of rows of numbers, none of them negative."""

    names: tuple[str, ...]
    maximum: float

    @property
    def allowed(self) -> str:
        return f"a list of [{', '.join(self.names)}]"

    def read(self, value: Any, key: str) -> tuple[tuple[float, ...], ...]:
        if not is_list(value) or not value:
            refuse(key, self.allowed, value)
        row = Sizes(self.names, self.maximum)
        return tuple(row.read(entry, f"{key}[{i}]") for i, entry in enumerate(value))  # type: ignore[misc]
