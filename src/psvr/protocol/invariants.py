"""What is true of a settled network, as code: everything that ever says "stable" or "recovered" asks here.

One function per property.  Each looks at all living nodes, given in ascending id, of a network whose connected
component each node's `part` names, and returns (nodes at which it is wrong, the first such node, what it has, what it
should have).  `problems` asks all of them and answers in words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import constants as k
from . import ring, shen, table, tree
from .form import rule
from .links import find, sender, two_way
from .numbers import mix
from .positions import NONE, ahead
from .records import Link, Node

Verdict = tuple[int, int, int, int]


@rule
def where(nodes: Sequence[Node], id: int) -> int:
    """The place of a living node, or NONE."""
    low, high = 0, len(nodes)
    while low < high:
        middle = (low + high) // 2
        if nodes[middle].id < id:
            low = middle + 1
        else:
            high = middle
    return low if low < len(nodes) and nodes[low].id == id else NONE


@rule
def tell(verdict: Verdict, id: int, has: int, should: int) -> Verdict:
    """The verdict after a look at one more value of node `id`."""
    if has == should:
        return verdict
    if verdict[0] == 0:
        return 1, id, has, should
    return verdict[0] + 1, verdict[1], verdict[2], verdict[3]


@rule
def links(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """Links are two-way, and lead to living nodes of the same component.  (has: the link; should: −1, not to)"""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me = nodes[v]
        for i in range(len(me.link)):
            if two_way(me.link[i]):
                u = where(nodes, me.link[i].id)
                good = u != NONE and part[u] == part[v] and sender(nodes[u], me.id) != NONE
                verdict = tell(verdict, me.id, me.link[i].id, me.link[i].id if good else k.NOBODY)
    return verdict


@rule
def one_root(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """All of a component follow its least id.  A part is named by the place of its first node, so of its least id."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        verdict = tell(verdict, nodes[v].id, nodes[v].root, nodes[part[v]].id)
    return verdict


@rule
def distances(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """The root is at 0, and every other node a step further than a parent that has it as a child."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me = nodes[v]
        if part[v] == v:
            verdict = tell(tell(verdict, me.id, me.dist, 0), me.id, me.parent, k.NOBODY)
            continue
        p = where(nodes, me.parent) if sender(me, me.parent) != NONE else NONE
        if p == NONE:
            verdict = tell(verdict, me.id, k.NOBODY, me.dist)
            continue
        i = find(nodes[p], me.id)
        known = i != NONE and tree.is_child(nodes[p], nodes[p].link[i])
        verdict = tell(verdict, me.id, me.dist if known else NONE, nodes[p].dist + 1)
    return verdict


@rule
def sizes(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """Size and digest of a node follow from those that its children have now."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me, size, digest = nodes[v], 1, mix(0, nodes[v].id)
        i = ring.next_child(me, k.NOBODY)
        while i != NONE:
            u = where(nodes, me.link[i].id)
            if u != NONE:
                size, digest = size + nodes[u].size, mix(digest, nodes[u].digest)
            i = ring.next_child(me, me.link[i].id)
        verdict = tell(tell(verdict, me.id, me.size, size), me.id, me.digest, digest)
    return verdict


@rule
def positions(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """Every node stands on the ring of its root, where the walk around the tree passes it."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me, root = nodes[v], nodes[part[v]]
        alone = root.size == 1
        verdict = tell(verdict, me.id, me.length, 2 * (root.size - 1))
        verdict = tell(verdict, me.id, me.ring, -1 if alone else root.digest)
        if part[v] == v:
            verdict = tell(verdict, me.id, me.position[0], NONE if alone else 0)
        if me.position[0] != NONE:
            verdict = walk(nodes, v, verdict)
    return verdict


@rule
def walk(nodes: Sequence[Node], v: int, verdict: Verdict) -> Verdict:
    """From the first position of a node through its children: where they start, and where the node is met again."""
    me, at, j = nodes[v], nodes[v].position[0], 0
    i = ring.next_child(me, k.NOBODY)
    while i != NONE:
        u, i = where(nodes, me.link[i].id), ring.next_child(me, me.link[i].id)
        if u == NONE:
            continue
        verdict = tell(verdict, nodes[u].id, nodes[u].position[0], at + 1)
        at, j = at + 2 * nodes[u].size, j + 1
        if i != NONE or me.root != me.id:
            verdict = tell(verdict, me.id, me.position[j] if j < len(me.position) else NONE, at)
    following = j + 1 if me.root != me.id else max(j, 1)
    if following < len(me.position):
        verdict = tell(verdict, me.id, me.position[following], NONE)
    return verdict


@rule
def shortcuts(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """Links know each other's positions."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        for i in range(len(nodes[v].link)):
            u = where(nodes, nodes[v].link[i].id)
            if u != NONE and two_way(nodes[v].link[i]):
                verdict = same_positions(nodes[v].link[i], nodes[u], nodes[v].id, verdict)
    return verdict


@rule
def same_positions(link: Link, other: Node, id: int, verdict: Verdict) -> Verdict:
    verdict = tell(verdict, id, link.ring, other.ring)
    for j in range(len(link.position)):
        verdict = tell(verdict, id, link.position[j], other.position[j])
    return verdict


@rule
def tables(nodes: Sequence[Node], part: Sequence[int], now: int) -> Verdict:
    """RS names, for every channel and position, the next subscriber (`shen`: the links that want the channel)."""
    verdict = (0, k.NOBODY, 0, 0)
    if len(nodes) == 0 or nodes[0].settings.system == k.RING or nodes[0].settings.system == k.FLOOD:
        return verdict
    who = [v for v in range(len(nodes)) if subscribes(nodes[v])]
    for v in range(len(nodes)):
        me = nodes[v]
        for i in range(len(me.channel)):
            if me.channel[i] != k.NO_CHANNEL:
                verdict = table_of(nodes, part, now, who, v, me.channel[i], verdict)
        for w in who:
            for c in range(len(me.wants)):
                channel = nodes[w].wants[c]
                if w != v and part[w] == part[v] and channel != k.NO_CHANNEL and table.find_row(me, channel) == NONE:
                    verdict = table_of(nodes, part, now, who, v, channel, verdict)
    return verdict


@rule
def subscribes(me: Node) -> bool:
    for c in range(len(me.wants)):
        if me.wants[c] != k.NO_CHANNEL:
            return True
    return False


@rule
def table_of(nodes: Sequence[Node], part: Sequence[int], now: int, who: Sequence[int], v: int, channel: int,
             verdict: Verdict) -> Verdict:
    """One channel at one node."""
    me = nodes[v]
    if me.settings.system == k.SHEN:
        return wanted(nodes, now, v, channel, verdict)
    for j in range(len(me.position)):
        if me.position[j] != NONE:
            has = table.next_subscriber(me, channel, j)
            verdict = tell(verdict, me.id, has, nearest(nodes, part, who, v, me.position[j], channel))
    return verdict


@rule
def nearest(nodes: Sequence[Node], part: Sequence[int], who: Sequence[int], v: int, p: int, channel: int) -> int:
    """The ccw nearest position of a subscriber other than v."""
    best, least, length = NONE, k.FOREVER, nodes[v].length
    for w in who:
        if w == v or part[w] != part[v] or length < 2 or not table.wants(nodes[w], channel):
            continue
        for j in range(len(nodes[w].position)):
            s = nodes[w].position[j]
            if s != NONE and ahead(p, s, length) < least:
                best, least = s, ahead(p, s, length)
    return best


@rule
def wanted(nodes: Sequence[Node], now: int, v: int, channel: int, verdict: Verdict) -> Verdict:
    """What `shen` knows of each tree neighbour is what that neighbour would say."""
    me, row = nodes[v], table.find_row(nodes[v], channel)
    for i in range(len(me.link)):
        u = where(nodes, me.link[i].id)
        if u == NONE or not tree.is_tree(me, me.link[i]):
            continue
        has = row != NONE and shen.wanted_by(me, now, i, me.row[row].entry[i])
        back = find(nodes[u], me.id)
        should = back != NONE and shen.wanted_beyond(nodes[u], now, channel, back)
        verdict = tell(verdict, me.id, 1 if has else 0, 1 if should else 0)
    return verdict


@rule
def check(nodes: Sequence[Node], part: Sequence[int], now: int) -> int:
    """Which properties are broken, as bits in the order of PROPERTIES; 0: the network is right."""
    broken = 0
    if links(nodes, part, now)[0] > 0:
        broken |= 1
    if one_root(nodes, part, now)[0] > 0:
        broken |= 2
    if distances(nodes, part, now)[0] > 0:
        broken |= 4
    if sizes(nodes, part, now)[0] > 0:
        broken |= 8
    if positions(nodes, part, now)[0] > 0:
        broken |= 16
    if shortcuts(nodes, part, now)[0] > 0:
        broken |= 32
    if broken == 0 and tables(nodes, part, now)[0] > 0:
        broken |= 64
    return broken


PROPERTIES = (links, one_root, distances, sizes, positions, shortcuts, tables)
NAMES = ("links", "one root", "distances", "sizes", "positions", "shortcuts", "tables")


@dataclass(frozen=True)
class Problem:
    """A property that does not hold."""

    property: str
    count: int              # values that are wrong
    node: int               # the first node at which one is
    has: int
    should: int

    def __str__(self) -> str:
        more = f" (and {self.count - 1} more)" if self.count > 1 else ""
        return f"{self.property}: node {self.node} has {self.has} instead of {self.should}{more}"


def parts(n: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """The connected component of each of n nodes, named by its least member."""
    part = list(range(n))

    def top(v: int) -> int:
        while part[v] != v:
            part[v] = part[part[v]]
            v = part[v]
        return v
    for u, v in edges:
        a, b = top(u), top(v)
        part[max(a, b)] = min(a, b)
    return [top(v) for v in range(n)]


def problems(nodes: Sequence[Any], part: Sequence[int], now: int) -> list[Problem]:
    """Everything that is wrong with a network; nothing, if it is settled."""
    found = []
    for name, broken in zip(NAMES, PROPERTIES):
        verdict = broken(nodes, part, now)
        if verdict[0] > 0:
            found.append(Problem(name, *verdict))
    return found
