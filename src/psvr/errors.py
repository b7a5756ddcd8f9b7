"""The exception for errors that the user can fix, and how error messages are worded."""

import difflib
import json
import traceback
from collections.abc import Iterable
from typing import Any, NoReturn

SHOWN = 40  # characters of a wrong value that an error repeats
MAX_MESSAGE = 160  # characters of the message of an error in a user's file


class BadInput(ValueError):
    """Input that cannot be used.  Its text is one line that names the field and says what is allowed."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for an error message, in brackets, if one of the known words resembles this one."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def refuse(where: str, allowed: str, value: Any) -> NoReturn:
    """Raise BadInput; `where` is what the user calls the place that the value came from."""
    raise BadInput(f"{where}: must be {allowed}, not {shown(value)}")


def shown(value: Any) -> str:
    """A wrong value as it appears in an error message: always short."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, list | tuple):
        pair = len(value) == 2 and all(type(x) in (int, float) for x in value)
        return f"[{shown(value[0])}, {shown(value[1])}]" if pair else f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and value.bit_length() > 256:  # Python refuses to print thousands of digits
        return "a huge number"
    return shortened(json.dumps(value[: SHOWN + 1], ensure_ascii=False) if isinstance(value, str) else repr(value))


def shortened(text: str) -> str:
    """The text cut to a fixed length, with a ? for every character that cannot be printed."""
    plain = "".join(c if c.isprintable() else "?" for c in text[:SHOWN])
    return plain if len(text) <= SHOWN else f"{plain}…"


def error_line(error: BaseException, file: str) -> int | None:
    """The line of a user's file at which an error arose: the last one that was running there; None if none was."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def describe_error(error: BaseException, file: str) -> str:
    """What to append to a name for an error in a user's file: `, line 12: ZeroDivisionError: division by zero`."""
    line, what = error_line(error, file), f"{type(error).__name__}: {error}"
    if isinstance(error, BadInput):
        what = str(error)
    elif isinstance(error, SyntaxError) and error.filename == file:
        what = error.msg
    return f"{'' if line is None else f', line {line}'}: {one_line(what)}"


def one_line(text: str) -> str:
    """The text on a single line, cut to MAX_MESSAGE characters."""
    plain = " ".join(text.split()).removesuffix(":")
    return plain if len(plain) <= MAX_MESSAGE else f"{plain[:MAX_MESSAGE]}…"
