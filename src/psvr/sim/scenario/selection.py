"""Keys that select some of the nodes or links: a count to be drawn, a list, or all."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from psvr.errors import BadInput, refuse, shown
from psvr.fields.checks import whole
from psvr.fields.kinds import is_list

MAX_NODES = 10_000_000
MAX_LINKS = 100_000_000

T = TypeVar("T")
Pair: TypeAlias = tuple[int, int]
Nodes: TypeAlias = int | tuple[int, ...] | Literal["all"]
Links: TypeAlias = int | tuple[Pair, ...] | Literal["all"]


@dataclass(frozen=True)
class SomeNodes:
    """A count, a list of nodes, or "all"."""

    minimum: int = 0

    @property
    def allowed(self) -> str:
        return f'a count of {self.minimum} or more, a list of nodes, or "all"'

    def read(self, value: Any, key: str) -> Nodes:
        if is_list(value) and len(value) >= self.minimum:
            listed = tuple(whole(v, f"{key}[{i}]", 0, MAX_NODES - 1, "a node") for i, v in enumerate(value))
            return without_repeats(listed, listed, key)
        return count_or_all(value, key, self.minimum, MAX_NODES, self.allowed)


@dataclass(frozen=True)
class SomeLinks:
    """A count, a list of links, or "all"."""

    allowed: str = 'a count of 1 or more, a list of links [[u, v], …], or "all"'

    def read(self, value: Any, key: str) -> Links:
        if is_list(value) and value:
            listed = Pairs().read(value, key)
            return without_repeats(listed, tuple((min(pair), max(pair)) for pair in listed), key)
        return count_or_all(value, key, 1, MAX_LINKS, self.allowed)


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
        u, v = (whole(node, key, 0, MAX_NODES - 1, "two nodes") for node in pair)
        if u == v:
            raise BadInput(f"{key}: must link two different nodes, not {u} to itself")
        return u, v


def count_or_all(value: Any, key: str, minimum: int, maximum: int, allowed: str) -> int | Literal["all"]:
    """The value, if it is a count from minimum to maximum, or "all"."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= minimum:
        return whole(value, key, minimum, maximum, "a count")
    if not isinstance(value, str) or value != "all":
        refuse(key, allowed, value)
    return "all"


def without_repeats(listed: T, names: tuple[Any, ...], key: str) -> T:
    """The list; BadInput if one of the names of its items is there twice."""
    seen = set()
    for i, name in enumerate(names):
        if name in seen:
            raise BadInput(f"{key}[{i}]: must be listed once, but {shown(name)} is listed before")
        seen.add(name)
    return listed
