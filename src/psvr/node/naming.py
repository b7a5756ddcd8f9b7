"""What a PUB carries: the name of its channel, so that two names with one hash are told apart, and the payload."""

import functools
import struct

from psvr.errors import BadInput

HEAD = struct.Struct("!H")
NAME_MOST = 1024            # bytes
PAYLOAD_MOST = 64 << 10


@functools.lru_cache(1024)
def head_of(name: str) -> bytes:
    """What stands before a payload."""
    encoded = name.encode()
    return HEAD.pack(len(encoded)) + encoded


def pack(name: str, payload: bytes) -> bytes:
    return head_of(name) + payload


def parts_of(data: bytes) -> tuple[str, int] | None:
    """The name and the length of the payload behind it, if they could be what they should be."""
    if len(data) < HEAD.size:
        return None
    end = HEAD.size + HEAD.unpack_from(data)[0]
    length = len(data) - end
    if end > HEAD.size + NAME_MOST or not 0 <= length <= PAYLOAD_MOST:
        return None
    try:
        return data[HEAD.size:end].decode(), length
    except UnicodeDecodeError:
        return None


def payload_of(data: bytes) -> bytes:
    """What stands behind a name."""
    return data[HEAD.size + HEAD.unpack_from(data)[0]:]


def checked(name: object, payload: object) -> tuple[str, bytes]:
    """What an application wants to publish, or one line that says what is wrong with it."""
    if type(payload) is bytes:
        pass                                # as it mostly is
    elif isinstance(payload, str):
        try:
            payload = payload.encode()
        except UnicodeEncodeError:
            raise BadInput("data: must be bytes, or Unicode text without single surrogates") from None
    elif isinstance(payload, bytes | bytearray | memoryview):
        payload = bytes(payload)
    else:
        raise BadInput(f"data: must be bytes or text, not {type(payload).__name__}")
    if len(payload) > PAYLOAD_MOST:
        raise BadInput(f"data: must be at most {PAYLOAD_MOST:,} bytes, not {len(payload):,}; send it in pieces")
    return checked_name(name), payload


def checked_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise BadInput(f"channel: must be a name of one character or more, not {name!r}")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise BadInput("channel: must be Unicode text, without single surrogates") from None
    if length > NAME_MOST:
        raise BadInput(f"channel: must be at most {NAME_MOST:,} bytes, not {length:,}")
    return name
