"""Memory that is given back.

asyncio reads from a connection into 256 KB, of which a request needs little.  By default glibc soon takes such pieces
from the heap, where what is left of them is split by whatever comes next: about 90 bytes of heap were lost with every
`psvr pub`, for ever.  With a fixed limit they are mapped, and given back as a whole.
"""

import ctypes

MMAP_THRESHOLD = -3             # of mallopt(3)
LIMIT = 128 << 10               # bytes; the default, but it stays


def compact() -> bool:
    """Whether the limit is fixed now; other libraries than glibc do not have it."""
    try:
        return bool(ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, LIMIT))
    except (OSError, AttributeError):
        return False
