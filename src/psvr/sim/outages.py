"""Which links are cut and which nodes are down, by the faults that are going on.

Faults overlap.  A link is whole again when the last of the faults that cut it is over, and a node starts when the last
of its crashes is.  `heal` and `restart` work at once, whatever holds the link or the node, and end all that does.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from .damage import FaultEvent

Pair = tuple[int, int]
T = TypeVar("T", bound=Hashable)


class Change(NamedTuple):
    """What becomes of links and nodes when a fault begins or ends."""

    cut: Sequence[Pair] = ()
    healed: Sequence[Pair] = ()
    died: Sequence[int] = ()
    started: Sequence[int] = ()         # also those that were alive: a restart empties their memory


class Holds(Generic[T]):
    """Things, each held by any number of faults."""

    def __init__(self) -> None:
        self.holders: dict[T, set[FaultEvent]] = {}         # of the things that are held
        self.taken: dict[FaultEvent, list[T]] = {}

    def hold(self, things: Sequence[T], fault: FaultEvent) -> list[T]:
        """Those that nothing held before."""
        new = [thing for thing in dict.fromkeys(things) if thing not in self.holders]
        for thing in things:
            self.holders.setdefault(thing, set()).add(fault)
        self.taken[fault] = list(things)
        return new

    def release(self, fault: FaultEvent) -> list[T]:
        """Those that nothing holds any more."""
        mine = [thing for thing in self.taken.pop(fault, ()) if fault in self.holders.get(thing, ())]
        for thing in mine:
            self.holders[thing].discard(fault)
        return self.free(thing for thing in mine if not self.holders[thing])

    def free(self, things: Iterable[T]) -> list[T]:
        """Those that were held; whatever held them does no more."""
        return [thing for thing in things if self.holders.pop(thing, None) is not None]


class Outages:
    """Links are pairs u < v."""

    def __init__(self) -> None:
        self.links, self.nodes = Holds[Pair](), Holds[int]()

    def begin(self, fault: FaultEvent, links: Iterable[Iterable[int]]) -> Change:
        """A fault strikes; `links` are those that it cuts or heals."""
        pairs: list[Pair] = [(min(u, v), max(u, v)) for u, v in links]
        nodes = [int(v) for v in fault.nodes]
        if fault.kind in ("cut", "partition"):
            return Change(cut=self.links.hold(pairs, fault))
        if fault.kind == "heal":
            return Change(healed=self.links.free(pairs))
        if fault.kind == "crash":
            return Change(died=self.nodes.hold(nodes, fault))
        if fault.kind == "restart":
            self.nodes.free(nodes)
            return Change(started=nodes)
        return Change()

    def end(self, fault: FaultEvent) -> Change:
        return Change(healed=self.links.release(fault), started=self.nodes.release(fault))
