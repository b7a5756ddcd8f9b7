"""The medium: how long a frame is on the air, when it may start, whether it arrives.

Each question has a function of its own, so that a wireless channel can answer it differently.  In `ideal` and `lossy`
reach is a disk; in `lossy` every reception has the same chance of loss.  Frames do not collide, but a node sends one at
a time.
"""

from psvr.compiled.numbers import mix, spread
from psvr.jit import jit_no_alloc

PREAMBLE = 6  # bytes on the air before a frame of 802.15.4
MIN_REACTION, MAX_REACTION = 1_000, 5_000  # µs from hearing a frame to passing on what follows from it
LOW31 = (1 << 31) - 1


@jit_no_alloc
def airtime(length: int, bitrate: int) -> int:
    """The µs that a frame of this many bytes is on the air."""
    return (PREAMBLE + length) * 8 * 1_000_000 // bitrate


@jit_no_alloc
def chance(key: int, serial: int, node: int) -> int:
    """31 random bits, for the reception of a transmission by a node."""
    return mix(mix(key, serial), node) & LOW31


@jit_no_alloc
def lost(key: int, serial: int, node: int, threshold: int) -> bool:
    """Whether a reception fails; threshold is the number of failures in 2³¹."""
    return threshold > 0 and chance(key, serial, node) < threshold


@jit_no_alloc
def reaction_time(id: int, now: int) -> int:
    """The µs that a node takes to react."""
    return spread(id, now, 6, MIN_REACTION, MAX_REACTION)


@jit_no_alloc
def access(free_at: int, ready: int) -> int:
    """The time at which a frame that is ready may start: a node sends one at a time."""
    return max(free_at, ready)
