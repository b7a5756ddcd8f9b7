"""What is true of a settled network, as code: whatever says "stable" or "recovered" asks here.

There is one function per property.  Each examines all living nodes, given in ascending id, on the `Ground` of who can
hear whom, per connected component, with the time on each node's own clock.  It returns (how many values are wrong, the
first node with one, what it has, what it should have).  `problems` checks all of them and answers in words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import constants as k
from . import ring, table, tree
from .form import survey
from .links import find, sender, two_way
from .numbers import mix
from .positions import NONE, ahead
from .pubsub import custom, shen
from .records import Link, Node

Verdict = tuple[int, int, int, int]


class Ground(NamedTuple):
    """What a network stands on: lists, or arrays for the compiled form."""

    part: Any  # the component of each node, named by the place of its first node
    first: Any  # the nodes in reach of node v are near[first[v]:first[v + 1]]
    near: Any


@survey
def find_node(nodes: Sequence[Node], id: int) -> int:
    """Return the place of a living node, or NONE."""
    low, high = 0, len(nodes)
    while low < high:
        middle = (low + high) // 2
        if nodes[middle].id < id:
            low = middle + 1
        else:
            high = middle
    return low if low < len(nodes) and nodes[low].id == id else NONE


@survey
def compare(verdict: Verdict, id: int, has: int, should: int) -> Verdict:
    """Return the verdict, updated for one more value of node `id`."""
    if has == should:
        return verdict
    if verdict[0] == 0:
        return 1, id, has, should
    return verdict[0] + 1, verdict[1], verdict[2], verdict[3]


@survey
def links(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """Links are two-way, between living nodes in reach of each other.  (has: the link; should: −1, none)"""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me = nodes[v]
        for i in range(len(me.link)):
            if two_way(me.link[i]):
                u = find_node(nodes, me.link[i].id)
                good = u != NONE and in_reach(ground, v, u) and sender(nodes[u], me.id) != NONE
                verdict = compare(verdict, me.id, me.link[i].id, me.link[i].id if good else k.NOBODY)
    return verdict


@survey
def in_reach(ground: Ground, v: int, u: int) -> bool:
    for i in range(ground.first[v], ground.first[v + 1]):
        if ground.near[i] == u:
            return True
    return False


@survey
def one_root(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """All nodes of a component follow its smallest id: that of its first node, by whose place it is named."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        verdict = compare(verdict, nodes[v].id, nodes[v].root, nodes[ground.part[v]].id)
    return verdict


@survey
def distances(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """The root is at 0, and every other node one step further than a parent that has it as a child."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me = nodes[v]
        if ground.part[v] == v:
            verdict = compare(compare(verdict, me.id, me.dist, 0), me.id, me.parent, k.NOBODY)
            continue
        p = find_node(nodes, me.parent) if sender(me, me.parent) != NONE else NONE
        if p == NONE:
            verdict = compare(verdict, me.id, k.NOBODY, me.dist)
            continue
        i = find(nodes[p], me.id)
        known = i != NONE and tree.is_child(nodes[p], nodes[p].link[i])
        verdict = compare(verdict, me.id, me.dist if known else NONE, nodes[p].dist + 1)
    return verdict


@survey
def sizes(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """Size and digest of a node follow from those that its children have now."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me, size, digest = nodes[v], 1, mix(0, nodes[v].id)
        i = ring.next_child(me, k.NOBODY)
        while i != NONE:
            u = find_node(nodes, me.link[i].id)
            if u != NONE:
                size, digest = size + nodes[u].size, mix(digest, nodes[u].digest)
            i = ring.next_child(me, me.link[i].id)
        verdict = compare(compare(verdict, me.id, me.size, size), me.id, me.digest, digest)
    return verdict


@survey
def positions(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """Every node is on the ring of its root, at the positions where the walk around the tree passes it."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        me, root = nodes[v], nodes[ground.part[v]]
        alone = root.size == 1
        verdict = compare(verdict, me.id, me.length, 2 * (root.size - 1))
        verdict = compare(verdict, me.id, me.ring, -1 if alone else root.digest)
        if ground.part[v] == v:
            verdict = compare(verdict, me.id, me.position[0], NONE if alone else 0)
        if me.position[0] != NONE:
            verdict = walk(nodes, v, verdict)
    return verdict


@survey
def walk(nodes: Sequence[Node], v: int, verdict: Verdict) -> Verdict:
    """Check where the children of a node start, from its own first position, and where the walk returns to it."""
    me, at, j = nodes[v], nodes[v].position[0], 0
    i = ring.next_child(me, k.NOBODY)
    while i != NONE:
        u, i = find_node(nodes, me.link[i].id), ring.next_child(me, me.link[i].id)
        if u == NONE:
            continue
        verdict = compare(verdict, nodes[u].id, nodes[u].position[0], at + 1)
        at, j = at + 2 * nodes[u].size, j + 1
        if i != NONE or me.root != me.id:
            verdict = compare(verdict, me.id, me.position[j] if j < len(me.position) else NONE, at)
    for rest in range(j + 1 if me.root != me.id else max(j, 1), len(me.position)):
        verdict = compare(verdict, me.id, me.position[rest], NONE)
    return verdict


@survey
def shortcuts(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """Links know each other's positions."""
    verdict = (0, k.NOBODY, 0, 0)
    for v in range(len(nodes)):
        for i in range(len(nodes[v].link)):
            u = find_node(nodes, nodes[v].link[i].id)
            if u != NONE and two_way(nodes[v].link[i]):
                verdict = same_positions(nodes[v].link[i], nodes[u], nodes[v].id, verdict)
    return verdict


@survey
def same_positions(link: Link, other: Node, id: int, verdict: Verdict) -> Verdict:
    verdict = compare(verdict, id, link.ring, other.ring)
    for j in range(len(link.position)):
        verdict = compare(verdict, id, link.position[j], other.position[j])
    return verdict


@survey
def tables(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> Verdict:
    """RS names the next subscriber for every channel and position (`shen`: the links that want the channel)."""
    verdict = (0, k.NOBODY, 0, 0)
    if len(nodes) == 0 or nodes[0].settings.system == k.RING or nodes[0].settings.system == k.FLOOD:
        return verdict
    if custom.has_custom_table(nodes[0]):
        return verdict  # only its author knows what it should say
    subscribers = [v for v in range(len(nodes)) if subscribes(nodes[v])]
    for v in range(len(nodes)):
        me = nodes[v]
        for i in range(len(me.channel)):
            if me.channel[i] != k.NO_CHANNEL:
                verdict = table_of(nodes, ground, clock, subscribers, v, me.channel[i], verdict)
        for w in subscribers:
            if w == v or ground.part[w] != ground.part[v]:
                continue
            for c in range(len(nodes[w].wants)):
                channel = nodes[w].wants[c]
                if channel != k.NO_CHANNEL and table.find_row(me, channel) == NONE:
                    verdict = table_of(nodes, ground, clock, subscribers, v, channel, verdict)
    return verdict


@survey
def subscribes(me: Node) -> bool:
    for c in range(len(me.wants)):
        if me.wants[c] != k.NO_CHANNEL:
            return True
    return False


@survey
def table_of(
    nodes: Sequence[Node],
    ground: Ground,
    clock: Sequence[int],
    subscribers: Sequence[int],
    v: int,
    channel: int,
    verdict: Verdict,
) -> Verdict:
    """Check one channel at one node."""
    me = nodes[v]
    if me.settings.system == k.SHEN:
        return wanted(nodes, clock, v, channel, verdict)
    for j in range(len(me.position)):
        if me.position[j] != NONE:
            has = table.next_subscriber(me, channel, j)
            verdict = compare(verdict, me.id, has, nearest(nodes, ground, subscribers, v, me.position[j], channel))
    return verdict


@survey
def nearest(nodes: Sequence[Node], ground: Ground, subscribers: Sequence[int], v: int, p: int, channel: int) -> int:
    """Return the ccw-nearest position of a subscriber other than v."""
    best, lowest, length = NONE, k.FOREVER, nodes[v].length
    for w in subscribers:
        if w == v or ground.part[w] != ground.part[v] or length < 2 or not table.wants(nodes[w], channel):
            continue
        for j in range(len(nodes[w].position)):
            s = nodes[w].position[j]
            if s != NONE and ahead(p, s, length) < lowest:
                best, lowest = s, ahead(p, s, length)
    return best


@survey
def wanted(nodes: Sequence[Node], clock: Sequence[int], v: int, channel: int, verdict: Verdict) -> Verdict:
    """Check that what `shen` knows about each tree neighbour is what that neighbour would say."""
    me, row = nodes[v], table.find_row(nodes[v], channel)
    for i in range(len(me.link)):
        u = find_node(nodes, me.link[i].id)
        if u == NONE or not tree.is_tree(me, me.link[i]):
            continue
        has = row != NONE and shen.wanted_by(me, clock[v], i, me.row[row].entry[i])
        back = find(nodes[u], me.id)
        should = back != NONE and shen.wanted_beyond(nodes[u], clock[u], channel, back)
        verdict = compare(verdict, me.id, 1 if has else 0, 1 if should else 0)
    return verdict


@survey
def check(nodes: Sequence[Node], ground: Ground, clock: Sequence[int]) -> int:
    """Return which properties are violated, as bits in the order of PROPERTIES; 0: the network is settled."""
    broken = 1 if links(nodes, ground, clock)[0] > 0 else 0
    broken |= 2 if one_root(nodes, ground, clock)[0] > 0 else 0
    broken |= 4 if distances(nodes, ground, clock)[0] > 0 else 0
    broken |= 8 if sizes(nodes, ground, clock)[0] > 0 else 0
    broken |= 16 if positions(nodes, ground, clock)[0] > 0 else 0
    broken |= 32 if shortcuts(nodes, ground, clock)[0] > 0 else 0
    if broken == 0 and tables(nodes, ground, clock)[0] > 0:
        return 64
    return broken


PROPERTIES = (links, one_root, distances, sizes, positions, shortcuts, tables)
NAMES = ("links", "one root", "distances", "sizes", "positions", "shortcuts", "tables")


@dataclass(frozen=True)
class Problem:
    """A property that does not hold."""

    property: str
    count: int  # how many values are wrong
    node: int  # the first node with a wrong one
    has: int
    should: int

    def __str__(self) -> str:
        more = f" (and {self.count - 1} more)" if self.count > 1 else ""
        return f"{self.property}: node {self.node} has {self.has} instead of {self.should}{more}"


def components(n: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the connected component of each of n nodes, named by its smallest member."""
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


def ground_of(n: int, edges: Iterable[tuple[int, int]]) -> Ground:
    """Return the ground of n nodes and the links over which they hear each other, as lists."""
    edges = list(edges)
    reach: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        reach[u].append(v)
        reach[v].append(u)
    first = [0]
    for others in reach:
        first.append(first[-1] + len(others))
    return Ground(components(n, edges), first, [u for others in reach for u in others])


def problems(nodes: Sequence[Any], ground: Ground, clock: Sequence[int]) -> list[Problem]:
    """Return everything that is wrong with a network: nothing, if it is settled."""
    found = []
    for name, examine in zip(NAMES, PROPERTIES):
        verdict = examine(nodes, ground, clock)
        if verdict[0] > 0:
            found.append(Problem(name, *verdict))
    return found
