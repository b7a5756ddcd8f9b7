"""Overrides of single keys of a scenario: `topology.n=200`, `fault.0.at=30`, `protocol.system=shen`.

A value is TOML, or a bare word, which is taken as text.  An empty value removes the key.  Whether the keys exist is
checked when the scenario is read.
"""

import copy
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from psvr.errors import BadInput, shortened, shown

BARE = re.compile(r"""[^\s\[\]{}"',=#]+""")


def overridden(mapping: Mapping[str, Any], overrides: Iterable[str]) -> dict[str, Any]:
    """A copy of the mapping with all overrides applied in order."""
    try:
        table = copy.deepcopy(dict(mapping))
    except RecursionError:
        raise BadInput("scenario: lists or tables are nested too deeply") from None
    for text in overrides:
        key, equals, value = text.partition("=")
        parts = [part.strip() for part in key.split(".")]
        if not equals or not all(parts):
            raise BadInput(f"{shortened(text)}: must be KEY=VALUE, such as topology.n=200")
        put(table, parts, value.strip())
    return table


def put(table: Any, parts: list[str], text: str) -> None:
    """Set or remove the key that these parts lead to."""
    path = ".".join(parts)
    for i, part in enumerate(parts[:-1]):
        table = inner(table, part, ".".join(parts[: i + 1]), create=not parts[i + 1].isdecimal())
    if isinstance(table, list):
        table[entry(table, parts[-1], path)] = value_of(text, path)
    elif not isinstance(table, dict):
        raise BadInput(f"{path}: must be a key of a table")
    elif text:
        table[parts[-1]] = value_of(text, path)
    elif table.pop(parts[-1], None) is None:
        raise BadInput(f"{path}: is not there and cannot be removed; a value must follow =")


def inner(table: Any, part: str, path: str, create: bool) -> Any:
    """The table or list under a key; with `create`, a missing table is made."""
    if isinstance(table, list):
        return table[entry(table, part, path)]
    if isinstance(table, dict):
        if create:
            return table.setdefault(part, {})
        return table.get(part, [])
    raise BadInput(f"{path}: must be a key of a table")


def entry(listed: list[Any], part: str, path: str) -> int:
    """The index that a part of a key stands for."""
    if not part.isdecimal() or int(part[:9]) >= len(listed):
        allowed = f"from 0 to {len(listed) - 1}" if listed else "but there are none"
        raise BadInput(f"{path}: must be the number of an entry, {allowed}")
    return int(part)


def value_of(text: str, path: str) -> Any:
    """The value of an override, read as TOML or as a bare word."""
    try:
        found = tomllib.loads(f"value = {text}")
    except ValueError:
        found = {"value": text} if BARE.fullmatch(text) else {}
    except RecursionError:
        found = {}
    if list(found) != ["value"]:
        raise BadInput(f"{path}: must be a value as in TOML, not {shown(text)}")
    return found["value"]
