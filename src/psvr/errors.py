"""The one exception that means: the user can fix this; and the one way to say what is allowed."""

import difflib
import json
from collections.abc import Iterable
from typing import Any, NoReturn

SHOWN = 40                      # characters of a wrong value that an error repeats


class BadInput(ValueError):
    """Input that cannot be used.  Its text is one line that names the field and says what is allowed."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for an error message, in brackets, where one of the known words is much like this one."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def refuse(where: str, allowed: str, value: Any) -> NoReturn:
    """`where` is what the user calls the place from which the value came."""
    raise BadInput(f"{where}: must be {allowed}, not {shown(value)}")


def shown(value: Any) -> str:
    """A wrong value as it stands in an error message: short, whatever it is."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, list | tuple):
        pair = len(value) == 2 and all(type(x) in (int, float) for x in value)
        return f"[{shown(value[0])}, {shown(value[1])}]" if pair else f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and value.bit_length() > 256:     # thousands of digits cannot even be written
        return "a huge number"
    return shortened(json.dumps(value[:SHOWN + 1], ensure_ascii=False) if isinstance(value, str) else repr(value))


def shortened(text: str) -> str:
    """Cut, and without characters that cannot be printed."""
    plain = "".join(c if c.isprintable() else "?" for c in text[:SHOWN])
    return plain if len(text) <= SHOWN else f"{plain}…"
