"""Which links are cut and which nodes are down because of the current faults.

Faults may overlap.  A link works again when the last of the faults that cut it is over, and a node starts when the last
of its crashes is.  `heal` and `restart` act at once, and release the link or node from all faults that hold it.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from psvr.sim.plan.faults import FaultEvent

Pair = tuple[int, int]
T = TypeVar("T", bound=Hashable)


class Change(NamedTuple):
    """What changes when a fault begins or ends."""

    cut: Sequence[Pair] = ()
    healed: Sequence[Pair] = ()
    died: Sequence[int] = ()
    started: Sequence[int] = ()  # including those that were running: a restart clears their memory


class Holds(Generic[T]):
    """Links or nodes, each held down by any number of faults."""

    def __init__(self) -> None:
        self.holders: dict[T, set[FaultEvent]] = {}  # of everything that is held
        self.taken: dict[FaultEvent, list[T]] = {}

    def hold(self, things: Sequence[T], fault: FaultEvent) -> list[T]:
        """Let a fault hold things; returns those that nothing held before."""
        new = [thing for thing in dict.fromkeys(things) if thing not in self.holders]
        for thing in things:
            self.holders.setdefault(thing, set()).add(fault)
        self.taken[fault] = list(things)
        return new

    def release(self, fault: FaultEvent) -> list[T]:
        """End the holds of a fault; returns the things that nothing holds any more."""
        mine = [thing for thing in self.taken.pop(fault, ()) if fault in self.holders.get(thing, ())]
        for thing in mine:
            self.holders[thing].discard(fault)
        return self.free(thing for thing in mine if not self.holders[thing])

    def free(self, things: Iterable[T]) -> list[T]:
        """Free things from all faults; returns those that were held."""
        return [thing for thing in things if self.holders.pop(thing, None) is not None]


class Outages:
    """The links that are cut, as pairs u < v, and the nodes that are down."""

    def __init__(self) -> None:
        self.links, self.nodes = Holds[Pair](), Holds[int]()

    def begin(self, fault: FaultEvent, links: Iterable[Iterable[int]]) -> Change:
        """Begin a fault; `links` are those that it cuts or heals."""
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
        """End a fault."""
        return Change(healed=self.links.release(fault), started=self.nodes.release(fault))
