"""Reads and writes tables of keys: what a key may be is declared as an annotation of a dataclass field.

    loss: Annotated[float, Number(0, 1, below=True)] = 0.0

A key without a default is required; one whose default is None may be absent, and then follows from other keys.  Every
error is one line that names the key and says what is allowed.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from psvr.errors import BadInput, did_you_mean, refuse, shortened

from .kinds import Kind, is_list

T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    """A nested table, read as a dataclass."""

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


def annotations(cls: type) -> dict[str, Any]:
    """The keys of a table, and the annotations of each."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: get_args(hint)[1:] for name, hint in hints.items() if get_origin(hint) is Annotated}


@cache
def kinds(cls: type) -> dict[str, Kind]:
    """The keys of a table, and the kind of each."""
    return {name: found[0] for name, found in annotations(cls).items()}


def read_table(cls: type[T], table: Any, path: str) -> T:
    """The dataclass for a table whose keys are under `path`; whether keys are consistent is not checked."""
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
    """The message about a key that does not exist."""
    hint = did_you_mean(str(name), known)
    return f"{joined(path, shortened(str(name)))}: unknown key{hint}; allowed are {', '.join(known)}"


def to_plain(value: Any) -> Any:
    """A dataclass as dictionaries and lists, without absent keys."""
    if hasattr(type(value), "__dataclass_fields__"):
        found = {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
        return {name: held for name, held in found.items() if held is not None}
    return [to_plain(item) for item in value] if isinstance(value, tuple) else value


def to_text(value: Any) -> str:
    """A value in TOML; JSON's escapes are valid there too."""
    if isinstance(value, list):
        return f"[{', '.join(map(to_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {to_text(held)}" for name, held in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
