"""The memory of the wireless channel: everything that its compiled code reads and writes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import CELLS, NORMAL

NOBODY = -1
QUEUE = 16  # frames that wait at a node; more are dropped

# A node's radio; each interferer has one too, after those of the nodes.  Powers are mW, times µs.  The fields that
# every frame in the neighbourhood touches come first, in one cache line.
RADIO = np.dtype(
    [
        ("noise", "f8"),  # of the receiver, and of jammers
        ("incident", "f8"),  # power received now, from all who send
        ("signal", "f8"),  # of that, the power of the frame that is being received …
        ("log_ok", "f8"),  # … the logarithm of its chance of success so far …
        ("since", "i8"),  # … and the time up to which that is computed
        ("locked", "i4"),  # whose frame is being received
        ("in_air", "i4"),  # how many senders can be heard here now
        ("sending", "i4"),
        ("on", "i4"),
        ("locked_at", "i8"),
        ("sent_us", "i8"),
        ("received_us", "i8"),
        ("on_at", "i8"),
        ("on_us", "i8"),
        ("rest", "i8"),  # until when it pauses after a frame
        ("token", "i8"),  # of the pending step of CSMA-CA: an older one is void
        ("frame", "i8"),  # what it has on the air
        ("answer", "i4"),  # to whom an acknowledgement is due, or is being sent
        ("broken", "i4"),  # the frame on the air was cut off
        ("state", "i4"),
        ("exponent", "i4"),
        ("backoffs", "i4"),
        ("hello", "i4"),  # a HELLO waits in the queue
        ("head", "i4"),
        ("queued", "i4"),
        ("pad", "i8", (5,)),
        ("queue", "i8", (QUEUE,)),
    ],
    align=True,
)
# From a sender to a node that can hear it.
WAY = np.dtype(
    [
        ("level", "f8"),  # mW …
        ("until", "i8"),  # … and until when its fading is certain not to change
        ("mean", "f8"),  # dBm, over all fading
        ("fade", "i4"),  # index of the pair's fading, or −1
        ("heard", "i4"),  # HELLOs that were received
    ],
    align=True,
)
FADE = np.dtype([("decibels", "f8"), ("when", "i8"), ("name", "i8"), ("step", "i8")])  # of a pair, both directions
BURST = np.dtype([("gap", "f8"), ("length", "i8"), ("start", "i8"), ("stop", "i8"), ("name", "i8"), ("step", "i8")])
SETTING = np.dtype(
    [
        ("sensitivity", "f8"),
        ("clear", "f8"),
        ("sigma", "f8"),
        ("tau", "f8"),
        ("hold", "i8"),
        ("key", "i8"),
        ("backoff_key", "i8"),
        ("serial", "i8"),
        ("turnaround", "i8"),
        ("carrier", "i8"),
        ("nodes", "i8"),
        ("frames", "i8"),
        ("no_access", "i8"),
        ("no_ack", "i8"),
        ("queue_full", "i8"),
    ]
)


class Air(NamedTuple):
    """The arrays of a wireless channel; brackets give what an array is indexed by."""

    radios: NDArray[Any]  # [node, then interferer] RADIO
    first: NDArray[np.int64]  # nodes that can hear v are near[first[v]:first[v + 1]], as in the world
    near: NDArray[np.int32]
    ways: NDArray[Any]  # WAY
    powers: NDArray[np.float64]  # [way] the power that the frame on the air adds at the receiver
    fades: NDArray[Any]  # FADE
    bursts: NDArray[Any]  # [interferer] BURST
    setting: NDArray[Any]  # [1] SETTING
    log_ok: NDArray[Any]  # tables of `errors`
    normal: NDArray[np.float64]


def no_air() -> Air:
    """The air of networks without a wireless channel."""
    return Air(
        np.zeros(0, RADIO),
        np.zeros(1, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0, WAY),
        np.zeros(0),
        np.zeros(0, FADE),
        np.zeros(0, BURST),
        np.zeros(1, SETTING),
        CELLS,
        NORMAL,
    )
