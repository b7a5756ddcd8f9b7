"""Named random streams: one seed gives a stream per purpose, so that a change in one does not shift the others."""

import hashlib

import numpy as np


def key(seed: int, name: str) -> int:
    """A key of 31 bits for compiled code, where `numbers.mix` turns it into random draws."""
    digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def stream(seed: int, name: str) -> np.random.Generator:
    """A random generator for what is drawn before a run."""
    digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
