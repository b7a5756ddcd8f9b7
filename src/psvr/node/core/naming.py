"""What a PUB carries: the payload, and the name of its channel, because two names can have the same hash."""

import functools
import struct

from psvr.errors import BadInput

HEAD = struct.Struct("!H")
MAX_NAME_BYTES = 1024
MAX_PAYLOAD_BYTES = 64 << 10


@functools.lru_cache(1024)
def head_of(name: str) -> bytes:
    """The header of a payload: the name and its length."""
    encoded = name.encode()
    return HEAD.pack(len(encoded)) + encoded


def pack(name: str, payload: bytes) -> bytes:
    return head_of(name) + payload


def parts_of(data: bytes) -> tuple[str, int] | None:
    """The name and the length of the payload after it; None if they are malformed."""
    if len(data) < HEAD.size:
        return None
    end = HEAD.size + HEAD.unpack_from(data)[0]
    length = len(data) - end
    if end > HEAD.size + MAX_NAME_BYTES or not 0 <= length <= MAX_PAYLOAD_BYTES:
        return None
    try:
        return data[HEAD.size : end].decode(), length
    except UnicodeDecodeError:
        return None


def payload_of(data: bytes) -> bytes:
    """The payload after the name."""
    return data[HEAD.size + HEAD.unpack_from(data)[0] :]


def checked(name: object, payload: object) -> tuple[str, bytes]:
    """What an application wants to publish, validated."""
    if type(payload) is bytes:
        pass  # the usual case
    elif isinstance(payload, str):
        try:
            payload = payload.encode()
        except UnicodeEncodeError:
            raise BadInput("data: must be bytes, or Unicode text without single surrogates") from None
    elif isinstance(payload, bytes | bytearray | memoryview):
        payload = bytes(payload)
    else:
        raise BadInput(f"data: must be bytes or text, not {type(payload).__name__}")
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise BadInput(f"data: must be at most {MAX_PAYLOAD_BYTES:,} bytes, not {len(payload):,}; send it in pieces")
    return checked_name(name), payload


def checked_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise BadInput(f"channel: must be a name of one character or more, not {name!r}")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise BadInput("channel: must be Unicode text, without single surrogates") from None
    if length > MAX_NAME_BYTES:
        raise BadInput(f"channel: must be at most {MAX_NAME_BYTES:,} bytes, not {length:,}")
    return name
