"""Keys that choose some of the nodes, or some of the links: a count to be drawn, a list, or all."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from psvr.errors import BadInput, refuse, shown
from psvr.graphs.checks import real, whole

from .schema import is_list

MOST_NODES = 10_000_000
MOST_LINKS = 100_000_000

T = TypeVar("T")
Pair: TypeAlias = tuple[int, int]
Nodes: TypeAlias = int | tuple[int, ...] | Literal["all"]
Links: TypeAlias = int | tuple[Pair, ...] | Literal["all"]


@dataclass(frozen=True)
class SomeNodes:
    """A count, a list of nodes, or "all"."""

    least: int = 0

    @property
    def allowed(self) -> str:
        return f'a count of {self.least} or more, a list of nodes, or "all"'

    def read(self, value: Any, key: str) -> Nodes:
        if is_count(value, self.least):
            return whole(value, key, self.least, MOST_NODES, "a count")
        if is_list(value) and len(value) >= self.least:
            listed = tuple(whole(v, f"{key}[{i}]", 0, MOST_NODES - 1, "a node") for i, v in enumerate(value))
            return once(listed, listed, key)
        if not isinstance(value, str) or value != "all":
            refuse(key, self.allowed, value)
        return "all"


@dataclass(frozen=True)
class SomeLinks:
    """A count, a list of links, or "all"."""

    allowed: str = 'a count of 1 or more, a list of links [[u, v], …], or "all"'

    def read(self, value: Any, key: str) -> Links:
        if is_count(value, 1):
            return whole(value, key, 1, MOST_LINKS, "a count")
        if is_list(value) and value:
            listed = Pairs().read(value, key)
            return once(listed, tuple((min(pair), max(pair)) for pair in listed), key)
        if not isinstance(value, str) or value != "all":
            refuse(key, self.allowed, value)
        return "all"


@dataclass(frozen=True)
class Pairs:
    """A list of pairs of nodes."""

    allowed: str = "a list of links [[u, v], …]"

    def read(self, value: Any, key: str) -> tuple[Pair, ...]:
        if not is_list(value):
            refuse(key, self.allowed, value)
        return tuple(self.pair(pair, f"{key}[{i}]") for i, pair in enumerate(value))

    def pair(self, pair: Any, key: str) -> Pair:
        if not is_list(pair) or len(pair) != 2:
            refuse(key, "two nodes [u, v]", pair)
        u, v = (whole(node, key, 0, MOST_NODES - 1, "two nodes") for node in pair)
        if u == v:
            raise BadInput(f"{key}: must link two different nodes, not {u} to itself")
        return u, v


@dataclass(frozen=True)
class Sizes:
    """A list of numbers; where one alone will do, it may stand without a list."""

    names: tuple[str, ...]
    most: float
    alone: bool = False         # one number may stand for all
    positive: int = 0           # so many at the end of the list must be above 0

    @property
    def allowed(self) -> str:
        return ("a number above 0, or " if self.alone else "") + f"[{', '.join(self.names)}]"

    def read(self, value: Any, key: str) -> float | tuple[float, ...]:
        if self.alone and not is_list(value):
            if isinstance(value, str | bool):
                refuse(key, self.allowed, value)
            return real(value, key, 0, self.most, above=True)
        if not is_list(value) or len(value) != len(self.names):
            raise BadInput(f"{key}: must be {self.allowed}, not {shown(value)}")
        first = len(self.names) - self.positive
        return tuple(real(x, f"{key}[{i}]", 0, self.most, above=i >= first) for i, x in enumerate(value))


@dataclass(frozen=True)
class Numbers:
    """A list of numbers."""

    least: float
    most: float

    @property
    def allowed(self) -> str:
        return f"a list of numbers from {self.least:g} to {self.most:g}"

    def read(self, value: Any, key: str) -> tuple[float, ...]:
        if not is_list(value):
            refuse(key, self.allowed, value)
        return tuple(real(x, f"{key}[{i}]", self.least, self.most) for i, x in enumerate(value))


@dataclass(frozen=True)
class Rows:
    """A list of lists of numbers, none of them negative."""

    names: tuple[str, ...]
    most: float

    @property
    def allowed(self) -> str:
        return f"a list of [{', '.join(self.names)}]"

    def read(self, value: Any, key: str) -> tuple[tuple[float, ...], ...]:
        if not is_list(value) or not value:
            refuse(key, self.allowed, value)
        row = Sizes(self.names, self.most)
        return tuple(row.read(entry, f"{key}[{i}]") for i, entry in enumerate(value))  # type: ignore[misc]


def is_count(value: Any, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def once(listed: T, names: tuple[Any, ...], key: str) -> T:
    """The list, if nothing stands in it twice."""
    seen = set()
    for i, name in enumerate(names):
        if name in seen:
            raise BadInput(f"{key}[{i}]: must be listed once, but {shown(name)} stands there before")
        seen.add(name)
    return listed
