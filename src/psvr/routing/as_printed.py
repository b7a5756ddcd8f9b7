"""The paper's pseudo-code as printed, so that each of its slips can be judged alone; `docs/errata.md` lists them.

Algorithms 1 to 3 over a network at rest, with the paper's names.  A `Reading` says which slips are kept; all others are
corrected.  Nodes keep nothing of a publication, so what a PUB causes depends on its curPos and ep alone.  Whether a
publication ends is therefore known exactly, without a limit on its messages: it never does if a PUB causes its like,
directly or by way of others.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from psvr.protocol.positions import NONE, ahead, covers

from .settled import Settled
from .systems import Message, Publication

Pub = tuple[int, int]  # its curPos and ep
MANY = 2  # copies of the same PUB that are followed; more cause nothing new
MOST_MESSAGES = 1000  # of a publication that are listed


@dataclass(frozen=True)
class Reading:
    """Which slips are kept: each field that differs from its default is one."""

    text: str
    from_cur: bool = False  # Algorithm 2 asks isBetween(nextS, curPos, newEp) instead of isBetween(nextS, p, newEp)
    everywhere: bool = False  # Algorithm 2 serves all own positions, also those outside of [curPos, ep)
    ends: str = "()"  # of isBetween in Algorithm 2
    renewal: str = "(]"  # of isBetween in UpdSn
    own_channels: bool = False  # Algorithm 1 updates the channels of the receiver instead of those of the message
    children_only: bool = False  # Algorithm 1 forwards if a node has children, even if it has no other neighbour


READINGS = {
    "corrected": Reading("the paper's pseudo-code with every slip corrected"),
    "as-printed": Reading("the paper's pseudo-code as printed", True, True, "[]", "[]", True, True),
    "printed-publications": Reading("Algorithm 2 as printed, with the ends of isBetween that suit it", True, True),
    "printed-curpos": Reading("Algorithm 2 with isBetween(nextS, curPos, newEp)", from_cur=True),
    "printed-everywhere": Reading("Algorithm 2 without asking whether p is in [curPos, ep)", everywhere=True),
    "printed-left-end": Reading("Algorithm 2 with an isBetween that includes its left end", ends="[)"),
    "printed-right-end": Reading("Algorithm 2 with an isBetween that includes its right end", ends="(]"),
    "printed-own-channels": Reading("Algorithm 1 with a loop over the receiver's channels", own_channels=True),
}


def is_between(test: int, left: int, right: int, length: int, ends: str) -> bool:
    """Return isBetween(test, left, right); isBetween(x, y, y) is true, as the paper notes, and so it is up to ⊥."""
    if right in (left, NONE):
        return True
    gap, span = ahead(left, test, length), ahead(left, right, length)
    return (gap > 0 or ends[0] == "[") and (gap < span or (gap == span and ends[1] == "]"))


@dataclass
class Entry:
    """An entry of RS: ⟨ns, t_s, nstmp⟩."""

    ns: int = NONE
    ts: float = 0.0
    nstmp: int = NONE

    def update(self, sp: int, p: int, now: float, lease: float, length: int, ends: str) -> None:
        """UpdSn of Algorithm 3, for one position of the subscriber and one of the receiver."""
        if is_between(sp, p, self.ns, length, ends):
            self.ns = sp
            self.ts = now
        elif is_stale(now, self.ts, lease) and is_between(sp, p, self.nstmp, length, ends):
            self.nstmp = sp

    def clean(self, now: float, write_back: float) -> None:
        """What Algorithm 3 does with each entry when Timer_Clean expires."""
        if is_stale(now, self.ts, write_back):
            self.ns = self.nstmp
            self.ts = now
            self.nstmp = NONE


def is_stale(now: float, ts: float, exptimer: float) -> bool:
    return now - ts > exptimer


@dataclass
class Subscribed:
    """What has come of SUBs: RS as `table[channel][position]`, and every SUB sent, as (sender, r, channels)."""

    table: dict[str, list[Entry]]
    subs: list[tuple[int, int, frozenset[str]]] = field(default_factory=list)

    def ns(self, channel: str) -> list[int]:
        return [entry.ns for entry in self.table[channel]]


def subscribe(settled: Settled, wants: Sequence[Collection[str]], reading: Reading) -> Subscribed:
    """Play Algorithm 1: each node v sends one SUB for the channels `wants[v]`, and none is lost."""
    done = Subscribed({c: [Entry() for _ in range(settled.length)] for c in sorted(set().union(*wants))})
    for s in range(settled.graph.n):
        if wants[s]:
            spread_sub(settled, wants, reading, s, done)
    return done


def spread_sub(settled: Settled, wants: Sequence[Collection[str]], reading: Reading, s: int, done: Subscribed) -> None:
    """Send the SUB of one subscriber over the tree, and note what it changes."""
    on_air = deque([(s, NONE, frozenset(wants[s]))])
    while on_air:
        u, r, channels = on_air.popleft()
        done.subs.append((u, r, channels))
        for v in settled.tree.neighbours(u).tolist():
            if r == v:
                continue
            for c in wants[v] if reading.own_channels else channels:
                learn(settled, v, s, done.table[c], reading.renewal)
            left = channels - frozenset(wants[v])
            if left and may_forward(settled, v, reading):
                on_air.append((v, u, left))


def learn(settled: Settled, v: int, s: int, entries: list[Entry], ends: str) -> None:
    """UpdSn at v for one channel, with all positions of the subscriber s."""
    for sp in settled.positions(s).tolist():
        for p in settled.positions(v).tolist():
            entries[p].update(sp, p, 0.0, 1.0, settled.length, ends)


def may_forward(settled: Settled, v: int, reading: Reading) -> bool:
    neighbours = settled.tree.neighbours(v).size
    children = neighbours if v == settled.root else neighbours - 1
    return children > 0 if reading.children_only else neighbours > 1


class Routing:
    """Algorithm 2 in one network, with the next subscriber of each position given."""

    def __init__(self, settled: Settled, ns: Iterable[int], reading: Reading, shortcuts: str = "all") -> None:
        self.settled, self.reading, self.shortcuts = settled, reading, shortcuts
        self.length, self.ns = settled.length, list(ns)
        self.ring, self.after = settled.ring.tolist(), settled.after.tolist()
        self.own = [settled.positions(v).tolist() for v in range(settled.graph.n)]
        self.goals: dict[int, int] = {}

    def handle_pub(self, cur: int, ep: int) -> list[Message]:
        """Return the PUBs that a node sends when it handles one, as (p, goal, newEp)."""
        sent: list[Message] = []
        for p in self.own[self.ring[cur]]:
            if self.ns[p] == NONE or not (self.reading.everywhere or covers(cur, ep, p, self.length)):
                continue
            new_ep, left = self.calc_new_ep(p, ep), cur if self.reading.from_cur else p
            if is_between(self.ns[p], left, new_ep, self.length, self.reading.ends):
                sent.append((p, self.goal(p), new_ep))
        return sent

    def calc_new_ep(self, p: int, max_ep: int) -> int:
        following = self.after[p]
        return following if is_between(following, p, max_ep, self.length, self.reading.ends) else max_ep

    def goal(self, p: int) -> int:
        """Return getPosClosestTo(p, nextS): the furthest position of a neighbour in (p, nextS]."""
        if p not in self.goals:
            limit = ahead(p, self.ns[p], self.length)
            steps = [ahead(p, q, self.length) for q in self.neighbour_positions(self.ring[p])]
            far = max((step for step in steps if 0 < step <= limit), default=1)
            self.goals[p] = (p + far) % self.length
        return self.goals[p]

    def neighbour_positions(self, v: int) -> list[int]:
        """Return the positions that count as shortcuts of v; a ring successor can be reached in any case."""
        parent = self.settled.parent
        near = self.settled.graph.neighbours(v).tolist()
        counted = [u for u in near if self.shortcuts == "all" or (parent[u] != v and parent[v] != u)]
        return [q for u in counted for q in self.own[u]]

    def follow(self, publisher: int) -> "Journey":
        """Return what comes of one publication."""
        first = self.own[publisher][0], self.own[publisher][0]
        causes: dict[Pub, list[Message]] = {}
        copies, received = Counter[Pub](), Counter[int]()
        todo = deque([first])
        while todo:
            pub = todo.popleft()
            if pub not in causes:
                causes[pub] = self.handle_pub(*pub)
            for _, goal, new_ep in causes[pub]:
                if copies[goal, new_ep] < MANY:
                    copies[goal, new_ep] += 1
                    received[self.ring[goal]] += 1
                    todo.append((goal, new_ep))
        return Journey(first, causes, received)


@dataclass(frozen=True)
class Journey:
    """What comes of one publication: every PUB that is sent, with those that it causes, and who receives any."""

    first: Pub  # what the publisher handles itself
    causes: dict[Pub, list[Message]]
    received: Counter[int]  # copies at each node; from two on, there may be more

    @property
    def ends(self) -> bool:
        try:
            TopologicalSorter({pub: [x[1:] for x in sent] for pub, sent in self.causes.items()}).prepare()
        except CycleError:
            return False
        return True

    def messages(self, most: int = MOST_MESSAGES) -> list[Message]:
        """Return the messages in the order in which they are sent, the first `most` if there are more."""
        sent: list[Message] = []
        todo = deque([self.first])
        while todo and len(sent) < most:
            caused = self.causes[todo.popleft()]
            sent += caused
            todo.extend((goal, new_ep) for _, goal, new_ep in caused)
        return sent[:most]


def messages(settled: Settled, publication: Publication, reading: Reading) -> list[Message]:
    """Return the messages of one publication under a reading, as a system does; `MOST_MESSAGES` if it never ends."""
    if not settled.length or not publication.subscribers.size:
        return []
    subscribers = set(publication.subscribers.tolist())
    wants = [("c",) if v in subscribers else () for v in range(settled.graph.n)]
    ns = subscribe(settled, wants, reading).ns("c")
    return Routing(settled, ns, reading, publication.shortcuts).follow(publication.publisher).messages()
