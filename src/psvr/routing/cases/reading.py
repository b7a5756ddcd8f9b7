"""Reads JSON files into plain values; refuses fields that are given twice, and checks for lists."""

import json
from pathlib import Path
from typing import Any, NoReturn

from psvr.errors import BadInput, shortened, shown
from psvr.files import decoded, read_bytes, read_stdin


def read_json(source: str) -> Any:
    """The JSON value in a file, or on standard input where the file is called `-`."""
    label = "standard input" if source == "-" else source
    return parse_json(decoded(read_stdin() if source == "-" else read_bytes(Path(source), label), label), label)


def parse_json(text: str, label: str) -> Any:
    if not text.strip():
        raise BadInput(f"{label}: empty; a case in JSON is needed")
    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:]}"
        raise BadInput(f"{label}: not JSON: line {error.lineno}, column {error.colno}: {reason}") from None
    except RecursionError:
        raise BadInput(f"{label}: lists or objects are nested too deeply") from None
    except BadInput as error:
        raise BadInput(f"{label}: {error}") from None
    except ValueError:  # Python refuses to read integers of thousands of digits
        raise BadInput(f"{label}: a number has too many digits") from None


def refuse_constant(name: str) -> NoReturn:
    raise BadInput(f"{name} is not JSON; only finite numbers are allowed")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; BadInput if one is given twice, of which JSON would silently keep the last."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BadInput(f"{shortened(twice)}: given twice")
    return fields


def array(value: Any, field: str, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput(f"{field}: must be a list of {what}, not {shown(value)}")
    return value
