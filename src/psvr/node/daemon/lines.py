"""Lines of JSON between a node and its applications."""

import base64
import binascii
import json
from typing import Any

from psvr.errors import BadInput

MAX_LINE = 512 << 10  # bytes of a line: the longest data with every character escaped, and a name


def packed(fields: dict[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def unpacked(line: bytes) -> dict[str, Any]:
    """The object that a line holds."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput("must be a line of JSON") from None
    if not isinstance(fields, dict):
        raise BadInput("must be an object of JSON")
    return fields


def with_data(data: bytes) -> dict[str, str]:
    """A field `data` with the data as text, or `base64` if it is not text."""
    try:
        return {"data": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def data_of(fields: dict[str, Any]) -> bytes:
    """The data of an object that has it as text under `data`, or under `base64`."""
    if ("data" in fields) == ("base64" in fields):
        raise BadInput("must have data, or base64, and not both")
    text = fields.get("data", fields.get("base64"))
    if not isinstance(text, str):
        raise BadInput(f"{'data' if 'data' in fields else 'base64'}: must be text")
    try:
        return text.encode() if "data" in fields else base64.b64decode(text, validate=True)
    except UnicodeEncodeError:
        raise BadInput("data: must be Unicode text, without single surrogates; other data goes under base64") from None
    except (binascii.Error, ValueError):
        raise BadInput("base64: must be base64") from None
