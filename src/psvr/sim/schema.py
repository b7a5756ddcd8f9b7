"""How tables of keys are read and written: what a key may be is declared beside it, as the annotation of a dataclass.

    loss: Annotated[float, Number(0, 1, below=True)] = 0.0

A key without a default must be there; one whose default is None may be absent and then stands for what follows from
others.  Every refusal is one line that names the key and says what is allowed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin, get_type_hints

from psvr.errors import BadInput, did_you_mean, refuse, shortened
from psvr.graphs.checks import real, real_from, whole, whole_from

T = TypeVar("T")


class Kind(Protocol):
    """What the value of a key may be."""

    @property
    def allowed(self) -> str: ...

    def read(self, value: Any, key: str) -> Any: ...


def is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


@dataclass(frozen=True)
class Whole:
    least: int
    most: int

    @property
    def allowed(self) -> str:
        return whole_from(self.least, self.most)

    def read(self, value: Any, key: str) -> int:
        return whole(value, key, self.least, self.most)


@dataclass(frozen=True)
class Number:
    least: float
    most: float
    above: bool = False         # more than the least
    below: bool = False         # less than the most

    @property
    def allowed(self) -> str:
        return real_from(self.least, self.most, self.above, self.below)

    def read(self, value: Any, key: str) -> float:
        return real(value, key, self.least, self.most, self.above, self.below)


@dataclass(frozen=True)
class Choice:
    names: tuple[str, ...] | tuple[int, ...]

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(map(str, self.names))}"

    def read(self, value: Any, key: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int) or value not in self.names:
            refuse(key, self.allowed, value)
        return value


@dataclass(frozen=True)
class Text:
    longest: int
    allowed: str = "one line of text"

    def read(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= self.longest:
            refuse(key, f"{self.allowed}, of 1 to {self.longest} characters", value)
        return value


@dataclass(frozen=True)
class Switch:
    allowed: str = "true or false"

    def read(self, value: Any, key: str) -> bool:
        if not isinstance(value, bool):
            refuse(key, self.allowed, value)
        return value


@dataclass(frozen=True)
class Table:
    """A table of its own, read as a dataclass."""

    of: type
    allowed: str = "a table"

    def read(self, value: Any, key: str) -> Any:
        return read_table(self.of, value, key)


@dataclass(frozen=True)
class Tables:
    """A list of tables: [[key]]."""

    of: type
    allowed: str = "a list of tables"

    def read(self, value: Any, key: str) -> tuple[Any, ...]:
        if not is_list(value):
            refuse(key, f"{self.allowed}, each under [[{key}]]", value)
        return tuple(read_table(self.of, entry, f"{key}.{i}") for i, entry in enumerate(value))


@cache
def kinds(cls: type) -> dict[str, Kind]:
    """The keys of a table, and what each may be."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: get_args(hint)[1] for name, hint in hints.items() if get_origin(hint) is Annotated}


def read_table(cls: type[T], table: Any, path: str) -> T:
    """The dataclass of a table whose keys stand under `path`; what keys mean to each other is not looked at."""
    if not isinstance(table, Mapping):
        refuse(path, "a table", table)
    known = kinds(cls)  # type: ignore[arg-type]
    values = {}
    for name, value in table.items():
        if name not in known:
            raise BadInput(unknown(path, name, list(known)))
        values[name] = known[name].read(value, joined(path, name))
    for f in fields(cls):  # type: ignore[arg-type]
        if f.default is MISSING and f.name not in values:
            raise BadInput(f"{joined(path, f.name)}: missing; must be {known[f.name].allowed}")
    return cls(**values)


def joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def unknown(path: str, name: Any, known: list[str]) -> str:
    hint = did_you_mean(str(name), known)
    return f"{joined(path, shortened(str(name)))}: unknown key{hint}; allowed are {', '.join(known)}"


def to_plain(value: Any) -> Any:
    """A dataclass as dictionaries and lists, without what is absent."""
    if hasattr(type(value), "__dataclass_fields__"):
        found = {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
        return {name: held for name, held in found.items() if held is not None}
    return [to_plain(item) for item in value] if isinstance(value, tuple) else value


def to_text(value: Any) -> str:
    """A value in TOML; the escapes of JSON are TOML's too."""
    if isinstance(value, list):
        return f"[{', '.join(map(to_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {to_text(held)}" for name, held in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
