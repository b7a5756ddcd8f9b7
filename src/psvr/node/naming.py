"""What a PUB carries: its age, the name of its channel, so that two names with one hash are told apart, the payload.

The age is that at which its origin sent it, in ms.  A node that was started again has forgotten what it handed to its
applications before: it leaves what is older than itself alone.
"""

import struct

from psvr.errors import BadInput

HEAD = struct.Struct("!IH")
AGE_MOST = (1 << 32) - 1
NAME_MOST = 1024            # bytes
PAYLOAD_MOST = 64 << 10


def pack(name: str, payload: bytes) -> bytes:
    encoded = name.encode()
    return HEAD.pack(0, len(encoded)) + encoded + payload


def aged(data: bytes, age: int) -> bytes:
    """The same data, so many µs later."""
    return min(age // 1000, AGE_MOST).to_bytes(4, "big") + data[4:]


def age_of(data: bytes) -> int:
    """µs from when it was made until its origin sent it."""
    return int.from_bytes(data[:4], "big") * 1000


def name_of(data: bytes) -> str | None:
    """The name, if there is one that could be one, and a payload that could be one behind it."""
    if len(data) < HEAD.size:
        return None
    end = HEAD.size + HEAD.unpack_from(data)[1]
    if end > HEAD.size + NAME_MOST or not 0 <= len(data) - end <= PAYLOAD_MOST:
        return None
    try:
        return data[HEAD.size:end].decode()
    except UnicodeDecodeError:
        return None


def payload_of(data: bytes) -> bytes:
    """What stands behind a name."""
    return data[HEAD.size + HEAD.unpack_from(data)[1]:]


def payload_length(data: bytes) -> int:
    return len(data) - HEAD.size - int(HEAD.unpack_from(data)[1])


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
