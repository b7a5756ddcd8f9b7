"""What a PUB carries: the name of its channel, so that two names with one hash are told apart, and the payload."""

import struct

from psvr.errors import BadInput

HEAD = struct.Struct("!H")
NAME_MOST = 1024            # bytes
PAYLOAD_MOST = 64 << 10


def pack(name: str, payload: bytes) -> bytes:
    encoded = name.encode()
    return HEAD.pack(len(encoded)) + encoded + payload


def name_of(data: bytes) -> str | None:
    """The name, if there is one that could be one, and a payload that could be one behind it."""
    if len(data) < HEAD.size:
        return None
    end = HEAD.size + HEAD.unpack_from(data)[0]
    if end > HEAD.size + NAME_MOST or not 0 <= len(data) - end <= PAYLOAD_MOST:
        return None
    try:
        return data[HEAD.size:end].decode()
    except UnicodeDecodeError:
        return None


def payload_of(data: bytes) -> bytes:
    """What stands behind a name."""
    return data[HEAD.size + HEAD.unpack_from(data)[0]:]


def payload_length(data: bytes) -> int:
    return len(data) - HEAD.size - int(HEAD.unpack_from(data)[0])


def checked(name: object, payload: object) -> tuple[str, bytes]:
    """What an application wants to publish, or one line that says what is wrong with it."""
    if isinstance(payload, str):
        try:
            payload = payload.encode()
        except UnicodeEncodeError:
            raise BadInput("data: must be bytes, or Unicode text without single surrogates") from None
    if not isinstance(payload, bytes | bytearray | memoryview):
        raise BadInput(f"data: must be bytes or text, not {type(payload).__name__}")
    payload = bytes(payload)
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
