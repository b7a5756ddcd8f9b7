"""From a file to plain JSON values, and the small checks every field of a case goes through."""

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from psvr.errors import BadInput

SHOWN = 40          # characters of a wrong value that an error repeats


def read_json(source: str) -> Any:
    """The JSON value in a file, or on standard input where the file is called `-`."""
    label = "standard input" if source == "-" else source
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise BadInput(f"{label}: {error.strerror or error}") from None
    except ValueError:
        raise BadInput(f"{label!r}: not the name of a file") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{label}: not UTF-8 text (byte {error.start})") from None
    return parse_json(text, label)


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
    except ValueError:          # Python refuses to read integers of thousands of digits
        raise BadInput(f"{label}: a number has too many digits") from None


def refuse_constant(name: str) -> NoReturn:
    raise BadInput(f"{name} is not JSON; only finite numbers are allowed")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A field given twice is a mistake: JSON would silently keep the last."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BadInput(f"{shorten(twice)}: given twice")
    return fields


def show(value: Any) -> str:
    """A wrong value for an error message: short, whatever it is."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, list):
        pair = len(value) == 2 and all(type(x) in (int, float) for x in value)
        return f"[{show(value[0])}, {show(value[1])}]" if pair else f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return shorten(json.dumps(value, ensure_ascii=False)) if isinstance(value, str) else shorten(repr(value))


def shorten(text: str) -> str:
    """Cut, and without characters that cannot be printed."""
    plain = "".join(c if c.isprintable() else "?" for c in text[:SHOWN])
    return plain if len(text) <= SHOWN else f"{plain}…"


def integer(value: Any, field: str, least: int, most: int, what: str = "a whole number") -> int:
    if type(value) is not int or not least <= value <= most:
        allowed = f"{what} from {least} to {most}" if most > least else f"{what}: only {least}"
        raise BadInput(f"{field}: must be {allowed}, not {show(value)}")
    return value


def array(value: Any, field: str, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput(f"{field}: must be a list of {what}, not {show(value)}")
    return value
