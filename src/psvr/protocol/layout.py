"""Memory layouts, each declared once: a class whose annotations say what a record holds.

    @record
    class Link:
        id: Id
        position: Annotated[list[int], Many("links", POSITION)]

Uncompiled rules run on the class itself: it has slots, and lists as long as the capacities say (`blank`).  `dtype`
returns the numpy record type with the same fields, for the compiled form, where tables come after everything else.
Only signed integers are used: numba turns mixtures of uint64 and int64 into floating point or negative numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")


class Capacity(NamedTuple):
    """How much a node can remember and a message can carry, each at least 1: the parameters of every layout."""

    links: int = 8  # places for links, and thus for positions of a node; C_N may not exceed it
    candidates: int = 24  # further nodes that are heard but not kept
    channels: int = 16  # rows of RS; subscriptions of the application
    batch: int = 16  # channels named by one SUB
    window: int = 64  # publications remembered, to recognize repetitions
    relays: int = 64  # relayed SUBs remembered: must hold those of one second, or copies multiply
    taken: int = 32  # PUBs of neighbours remembered, in case their acknowledgements are lost
    effects: int = 160  # what the rules of a host may ask for at a time


@dataclass(frozen=True)
class Int:
    """A stored integer: its bytes in memory, and the range in which rules keep it."""

    bytes: int
    low: int
    high: int

    @property
    def limits(self) -> tuple[int, int]:
        """The range that the memory can hold, faults included."""
        return -(1 << 8 * self.bytes - 1), (1 << 8 * self.bytes - 1) - 1


@dataclass(frozen=True)
class Many:
    """A table with as many items as the named capacity says; for records, the annotated class is the item type."""

    capacity: str
    item: Int | None = None


@dataclass(frozen=True)
class Field:
    """One field of a record, as declared."""

    name: str
    item: Int | type  # a number, or the class of a record
    capacity: str  # name of a capacity; empty for a single item


def record(cls: type[T]) -> type[T]:
    """Turn a class of annotations into a record with slots."""
    hints = get_type_hints(cls, include_extras=True)
    fields = tuple(_field(name, hint) for name, hint in hints.items())
    flat = all(isinstance(f.item, Int) and not f.capacity for f in fields)
    body = {
        "__slots__": tuple(hints),
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "FIELDS": fields,
        "FLAT": flat,
    }
    return type(cls.__name__, (), body)


def _field(name: str, hint: Any) -> Field:
    if get_origin(hint) is not Annotated:
        return Field(name, hint, "")
    kind, mark = get_args(hint)
    if isinstance(mark, Many):
        return Field(name, mark.item or get_args(kind)[0], mark.capacity)
    return Field(name, mark, "")


def fields(cls: type) -> tuple[Field, ...]:
    """Return the fields of a record in the order of declaration."""
    return cls.FIELDS  # type: ignore[attr-defined, no-any-return]


def blank(cls: type[T], capacity: Capacity) -> T:
    """Return a record of zeros, as a plain object."""
    made = cls()
    if cls.FLAT:  # type: ignore[attr-defined]        # most are: messages are created all the time
        for name in cls.__slots__:  # type: ignore[attr-defined]
            setattr(made, name, 0)
        return made
    for f in fields(cls):
        make: Callable[[], Any] = int if isinstance(f.item, Int) else functools.partial(blank, f.item, capacity)
        setattr(made, f.name, [make() for _ in range(getattr(capacity, f.capacity))] if f.capacity else make())
    return made


@functools.cache
def dtype(cls: type, capacity: Capacity) -> np.dtype[Any]:
    """Return the numpy record type of a layout, with its fields ordered by `nearness`."""
    import numpy as np

    parts: list[Any] = []
    for f in sorted(fields(cls), key=nearness):
        kind = f"i{f.item.bytes}" if isinstance(f.item, Int) else dtype(f.item, capacity)
        parts.append((f.name, kind, (getattr(capacity, f.capacity),)) if f.capacity else (f.name, kind))
    return np.dtype(parts, align=True, metadata={"declared": tuple(f.name for f in fields(cls))})


def nearness(f: Field) -> int:
    """Return a sort key: numbers come first, then tables of numbers, then tables of records.

    What every rule reads thus lies together, however long the tables are.  A node has thousands of bytes, but a HELLO
    that says nothing new needs only a few hundred of them.
    """
    return 0 if not f.capacity else 1 if isinstance(f.item, Int) else 2


def declared(kind: np.dtype[Any]) -> tuple[str, ...]:
    """Return the fields of a record type in the order of declaration, wherever they lie in memory."""
    names: tuple[str, ...] = kind.metadata["declared"] if kind.metadata else kind.names or ()
    return names


def snapshot(value: Any, cls: type) -> dict[str, Any]:
    """Return all that a record holds, in either form, as nested dictionaries of Python numbers."""
    plain = isinstance(value, cls)

    def part(x: Any, item: Int | type) -> Any:
        return int(x) if isinstance(item, Int) else snapshot(x, item)

    return {
        f.name: [part(x, f.item) for x in held] if f.capacity else part(held, f.item)
        for f in fields(cls)
        for held in [getattr(value, f.name) if plain else value[f.name]]
    }


def restore(value: Any, cls: type, shot: dict[str, Any]) -> None:
    """Write a snapshot into a record, in either form; tables must have equal lengths."""
    plain = isinstance(value, cls)
    for f in fields(cls):
        held = getattr(value, f.name) if plain else value[f.name]
        if not isinstance(f.item, Int):
            for x, y in zip(held, shot[f.name], strict=True) if f.capacity else [(held, shot[f.name])]:
                restore(x, f.item, y)
        elif f.capacity:
            held[:] = shot[f.name]
        elif plain:
            setattr(value, f.name, shot[f.name])
        else:
            value[f.name] = shot[f.name]


def outside(value: Any, cls: type, path: str = "") -> list[str]:
    """Return the fields of a record whose values are out of range, for tests and for people."""
    found: list[str] = []
    for f in fields(cls):
        held = getattr(value, f.name) if isinstance(value, cls) else value[f.name]
        for i, x in enumerate(held) if f.capacity else [(0, held)]:
            name = f"{path}{f.name}[{i}]" if f.capacity else path + f.name
            if not isinstance(f.item, Int):
                found += outside(x, f.item, name + ".")
            elif not f.item.low <= int(x) <= f.item.high:
                found.append(f"{name} = {int(x)}")
    return found
