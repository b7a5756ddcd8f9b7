"""The log of a node: a line per event on standard error, as text or as JSON."""

import json
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

LEVELS = ("debug", "info", "warning", "error")


class Log:
    """Never raises: a node carries on even if its log cannot be written."""

    def __init__(self, form: str = "text", level: str = "info", out: TextIO | None = None) -> None:
        self.write = as_json if form == "json" else as_text
        self.threshold = LEVELS.index(level)
        self.out: TextIO | None = out or sys.stderr  # None if it was closed from the start

    def debug(self, message: str, **fields: Any) -> None:
        self.put("debug", message, fields)

    def info(self, message: str, **fields: Any) -> None:
        self.put("info", message, fields)

    def warning(self, message: str, **fields: Any) -> None:
        self.put("warning", message, fields)

    def error(self, message: str, **fields: Any) -> None:
        self.put("error", message, fields)

    def put(self, level: str, message: str, fields: dict[str, Any]) -> None:
        if self.out is None or LEVELS.index(level) < self.threshold:
            return
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            self.out.write(self.write(time, level, message, fields) + "\n")
            self.out.flush()
        except (OSError, ValueError):  # full, gone, closed
            return


def as_text(time: str, level: str, message: str, fields: dict[str, Any]) -> str:
    words = [time, f"{level:7}", one_line(message), *(f"{name}={value_as_text(v)}" for name, v in fields.items())]
    return " ".join(words)


def as_json(time: str, level: str, message: str, fields: dict[str, Any]) -> str:
    return json.dumps({"time": time, "level": level, "message": message, **fields}, default=str)


def value_as_text(value: Any) -> str:
    """A value as text, without quotes if it reads as one word."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    if text and not any(c in ' "=' or not c.isprintable() for c in text):
        return text
    return json.dumps(text)


def one_line(text: str) -> str:
    """Text without control characters: names from the network must not start lines or steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
