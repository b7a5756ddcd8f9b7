"""Channels have names; frames and tables have their hashes."""

import functools
import hashlib


@functools.lru_cache(1024)
def channel_hash(name: str) -> int:
    """Return 64 bits, signed; never 0, which marks a free row."""
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) or 1
