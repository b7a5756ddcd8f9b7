"""Lines of JSON between a node and its applications."""

import base64
import binascii
import json
from typing import Any

from psvr.errors import BadInput

LONGEST = 512 << 10             # bytes of a line: the longest data, every character of it escaped, and a name


def packed(told: dict[str, Any]) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"


def unpacked(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput("must be a line of JSON") from None
    if not isinstance(told, dict):
        raise BadInput("must be an object of JSON")
    return told


def with_data(data: bytes) -> dict[str, str]:
    """Under `data` as text, or under `base64` if it is none."""
    try:
        return {"data": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def data_of(told: dict[str, Any]) -> bytes:
    if ("data" in told) == ("base64" in told):
        raise BadInput("must have data, or base64, and not both")
    text = told.get("data", told.get("base64"))
    if not isinstance(text, str):
        raise BadInput(f"{'data' if 'data' in told else 'base64'}: must be text")
    try:
        return text.encode() if "data" in told else base64.b64decode(text, validate=True)
    except UnicodeEncodeError:
        raise BadInput("data: must be Unicode text, without single surrogates; other data goes under base64") from None
    except (binascii.Error, ValueError):
        raise BadInput("base64: must be base64") from None
