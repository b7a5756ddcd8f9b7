"""JSON that every program can read: it knows no numbers but finite ones, so that others become null."""

import json
import math
from typing import Any


def dumps(value: Any, indent: int | None = None, ascii: bool = False) -> str:
    """Return a value as JSON; what JSON has no form for, such as a time, as text."""
    return json.dumps(plain(value), indent=indent, allow_nan=False, ensure_ascii=ascii, default=str)


def plain(value: Any) -> Any:
    """Return the same value with None for every number that is not finite, and with lists for tuples."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value
