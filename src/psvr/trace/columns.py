"""The vocabulary of a trace: its columns, events, levels and kinds of frames, declared here and nowhere else."""

import os

VERSION = "1"  # of the schema; files of another one are refused
CLOCKS = ("sim", "unix")  # µs since the start of the simulation, or since 1970

EVENTS = (
    "published",
    "sent",
    "received",
    "delivered",
    "dropped",
    "subscribed",
    "unsubscribed",
    "parent changed",
    "ring changed",
    "table changed",
    "fault",
)
(
    PUBLISHED,
    SENT,
    RECEIVED,
    DELIVERED,
    DROPPED,
    SUBSCRIBED,
    UNSUBSCRIBED,
    PARENT_CHANGED,
    RING_CHANGED,
    TABLE_CHANGED,
    FAULT,
) = range(len(EVENTS))

# What is written: nothing; publications; also HELLOs, SUBs and changes; also all that arrives of them.
LEVELS = ("off", "pub", "control", "all")
OFF, PUB_LEVEL, CONTROL_LEVEL, ALL_LEVEL = range(len(LEVELS))

FRAMES = ("HELLO", "SUB", "PUB", "ACK")
HELLO, SUB, PUB, ACK = range(len(FRAMES))

COLUMNS = {
    "run": "string",
    "time": "int64",
    "clock": "string",
    "node": "int64",
    "event": "string",
    "peer": "int64",
    "channel": "string",
    "origin": "int64",
    "boot": "int32",
    "sequence": "int32",
    "from": "int32",
    "to": "int32",
    "end_point": "int32",
    "hops": "int32",
    "bytes": "int32",
    "reason": "string",
    "detail": "string",
}
REQUIRED = ("run", "time", "clock", "node", "event")  # the others may be null


class TraceError(ValueError):
    """A trace that cannot be written or read.  Its text is one line that says what is wrong and what is allowed."""


def one_line(problem: BaseException) -> str:
    """What the system says, or the first line of what a library says."""
    if isinstance(problem, OSError) and problem.errno:
        return os.strerror(problem.errno)
    return (str(problem) or type(problem).__name__).splitlines()[0]


def is_text(value: object) -> bool:
    """Strings from a command line may hold bytes that are no character: they cannot be written."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)
