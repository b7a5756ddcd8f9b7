"""What a node does around the four layers: wait for a ring, keep, repeat, and look after what is stuck.

A driver (a simulator, a process with a socket, a test) reports what happens, with the time: an application publishes, a
frame is heard, a frame was acknowledged or its link failed, a time is due.  It then carries out the effects, in their
order, and calls `drained`.  Payloads are kept apart from the records: a handle is whatever the driver likes.

A node that has acknowledged a publication is responsible for its part of the ring.  If it cannot send it on, it keeps
that part and tries again when its links, ring or table have changed (custody).  The origin repeats only what custody
cannot know about: what may have been in the hands of a node that is gone, or was sent in doubt.  Every such policy is a
setting.
"""

from .body import (
    AGAIN,
    DELIVER,
    DROPPED,
    EVICTION_SHARE,
    FORGOTTEN,
    HEARD,
    KNOWN,
    NO_SLOTS,
    REFUSED,
    SEND,
    TAKEN,
    Body,
    drained,
    has_few_slots,
    has_room,
    has_slots,
    is_early_sub,
    phase,
    slots_needed,
    start,
    weigh,
)
from .events import (
    acknowledged,
    begin,
    failed,
    hand_over_heard,
    hear_hello,
    hear_pub,
    hear_sub,
    next_due,
    note_changes,
    note_table_change,
    publish,
    scan_is_due,
    stop,
    wake,
)
from .forwarding import go
from .scanning import scan, scan_slot
from .slots import make_room

__all__ = [
    "AGAIN",
    "DELIVER",
    "DROPPED",
    "EVICTION_SHARE",
    "FORGOTTEN",
    "HEARD",
    "KNOWN",
    "NO_SLOTS",
    "REFUSED",
    "SEND",
    "TAKEN",
    "Body",
    "acknowledged",
    "begin",
    "drained",
    "failed",
    "go",
    "hand_over_heard",
    "has_few_slots",
    "has_room",
    "has_slots",
    "hear_hello",
    "hear_pub",
    "hear_sub",
    "is_early_sub",
    "make_room",
    "next_due",
    "note_changes",
    "note_table_change",
    "phase",
    "publish",
    "scan",
    "scan_is_due",
    "scan_slot",
    "slots_needed",
    "start",
    "stop",
    "wake",
    "weigh",
]
