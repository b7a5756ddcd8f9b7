"""What all systems share: rows of the tables, plans of processes, and the message format."""

import struct
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

BYTES = 100  # of a message
HEAD = struct.Struct("!QII")  # when it was published (monotonic, ns), in which run, its number there
FILL = bytes(BYTES - HEAD.size)
CHANNEL = "bench"
QUEUED = 1024  # messages that may wait in a publisher whose API has no bound

Spec = dict[str, Any]  # what a process has to know, as JSON
Send = Callable[[bytes], Awaitable[None]]
Arrived = Callable[[bytes], None]


@dataclass(frozen=True)
class Variant:
    name: str
    system: str  # module of this package
    options: Spec = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    publisher: Spec
    subscriber: Spec
    hops: str  # what a hop is
    relays: Iterable[Spec] = ()
    commands: Iterable[list[str]] = ()  # processes that are not ours
