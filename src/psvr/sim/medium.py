"""The medium: who is in reach, how long a frame is on the air, when it may start, whether it arrives.

Each question is a part of its own, so that a wireless channel can answer it otherwise.  `ideal` and `lossy` know a
disk of reach and, for `lossy`, one chance of loss per reception; frames do not collide, but a node sends one at a time.
"""

from psvr.compiled.numbers import mix, spread
from psvr.jit import in_place

PREAMBLE = 6                            # bytes on the air before a frame of 802.15.4
WORK_LEAST, WORK_MOST = 1_000, 5_000    # µs from hearing a frame to handing on what follows from it
LOW31 = (1 << 31) - 1


@in_place
def airtime(length: int, bitrate: int) -> int:
    """µs that a frame of this many bytes takes."""
    return (PREAMBLE + length) * 8 * 1_000_000 // bitrate


@in_place
def chance(key: int, serial: int, node: int) -> int:
    """31 bits at random, for the reception of a transmission by a node."""
    return mix(mix(key, serial), node) & LOW31


@in_place
def lost(key: int, serial: int, node: int, threshold: int) -> bool:
    """The reception fails; threshold is the share of failures in 2³¹."""
    return threshold > 0 and chance(key, serial, node) < threshold


@in_place
def work(id: int, now: int) -> int:
    """How long a node takes to react."""
    return spread(id, now, 6, WORK_LEAST, WORK_MOST)


@in_place
def access(free_at: int, ready: int) -> int:
    """When a frame that is ready may start: a node sends one at a time."""
    return max(free_at, ready)
