"""Every result computed a second time, slowly and from the definitions.  Nothing here is shared with the package.

Positions are compared by walking from one to the other, trees are plain networkx, and each system is played out
message by message.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import networkx as nx

Message = tuple[int, ...]  # (from, to, ep) in positions, or (from, to) in nodes


def network(n: int, edges: Iterable[Sequence[int]]) -> nx.Graph:
    g = nx.Graph()
    g.add_nodes_from(range(n))
    g.add_edges_from(edges)
    return g


def ring(root: int, parent: Sequence[int]) -> list[int]:
    """The depth-first walk that records every visit, without the last return to the root."""
    visits: list[int] = []

    def visit(v: int) -> None:
        visits.append(v)
        for child in range(len(parent)):
            if parent[child] == v:
                visit(child)
                visits.append(v)

    visit(root)
    return visits[:-1]


def strictly_between(lo: int, hi: int, length: int) -> list[int]:
    """The positions met walking ccw from lo until hi, both excluded."""
    met = []
    p = (lo + 1) % length
    while p != hi:
        met.append(p)
        p = (p + 1) % length
    return met


def inside(x: int, lo: int, hi: int, length: int) -> bool:
    return x in strictly_between(lo, hi, length)


def closer(x: int, p: int, ns: int | None, length: int) -> bool:
    if ns is None:
        return x != p
    return x != p and x in [*strictly_between(p, ns, length), ns]


def covers(cur: int, ep: int, p: int, length: int) -> bool:
    return p in [cur, *strictly_between(cur, ep, length)]


def next_subscriber(ring: Sequence[int], subscribers: Collection[int]) -> list[int | None]:
    """Position by position ahead, until one belongs to a subscriber that is another node."""
    length = len(ring)
    result: list[int | None] = []
    for p in range(length):
        ahead = [(p + k) % length for k in range(1, length)]
        result.append(next((q for q in ahead if ring[q] in subscribers and ring[q] != ring[p]), None))
    return result


def neighbour_positions(g: nx.Graph, parent: Sequence[int], ring: Sequence[int], p: int, shortcuts: str) -> set[int]:
    """The positions a message at p may go to."""
    v = ring[p]
    usable = {(p + 1) % len(ring)}
    for q, u in enumerate(ring):
        tree_link = u == parent[v] or v == parent[u]
        if g.has_edge(u, v) and (shortcuts == "all" or not tree_link):
            usable.add(q)
    return usable


def furthest(g: nx.Graph, parent: Sequence[int], ring: Sequence[int], p: int, s: int, shortcuts: str) -> int:
    usable = neighbour_positions(g, parent, ring, p, shortcuts)
    return next(q for q in reversed([*strictly_between(p, s, len(ring)), s]) if q in usable)


def psvr(
    g: nx.Graph, root: int, parent: Sequence[int], publisher: int, subscribers: Collection[int], shortcuts: str
) -> tuple[list[Message], dict[int, list[int]]]:
    """Messages (from, to, ep) as sent, and for each node the hops of every copy it received."""
    places = ring(root, parent)
    length = len(places)
    ns = next_subscriber(places, subscribers)
    own: dict[int, list[int]] = {v: [p for p in range(length) if places[p] == v] for v in g}
    messages: list[Message] = []
    received: dict[int, list[int]] = {v: [] for v in g}
    if not length:
        return messages, received
    queue = deque([(own[publisher][0], own[publisher][0], 0)])
    while queue:
        cur, ep, hops = queue.popleft()
        mine = own[places[cur]]
        turn = mine.index(cur)
        for i, p in enumerate(mine[turn:] + mine[:turn]):
            if not covers(cur, ep, p, length):
                continue
            following = mine[(turn + i + 1) % len(mine)]
            new_ep = following if inside(following, p, ep, length) else ep
            goal = ns[p]
            if goal is not None and inside(goal, p, new_ep, length):
                goal = furthest(g, parent, places, p, goal, shortcuts)
                messages.append((p, goal, new_ep))
                received[places[goal]].append(hops + 1)
                queue.append((goal, new_ep, hops + 1))
    return messages, received


def vr2015_from(
    g: nx.Graph, parent: Sequence[int], places: Sequence[int], ns: Sequence[int | None], start: int, shortcuts: str
) -> list[Message]:
    length = len(places)
    messages: list[Message] = []
    p, left = start, length
    while True:
        s = ns[p]
        goal = (p + 1) % length if s is None else furthest(g, parent, places, p, s, shortcuts)
        left -= len(strictly_between(p, goal, length)) + 1
        if left <= 0:
            return messages
        messages.append((p, goal, start))
        p = goal


def vr2015(
    g: nx.Graph, root: int, parent: Sequence[int], publisher: int, subscribers: Collection[int], shortcuts: str
) -> list[Message]:
    """The laps from all positions of the publisher, of which the shortest counts, the first of equals."""
    places = ring(root, parent)
    ns = next_subscriber(places, subscribers)
    starts = [p for p, v in enumerate(places) if v == publisher]
    laps = [vr2015_from(g, parent, places, ns, start, shortcuts) for start in starts]
    return min(laps, key=len, default=[])


def whole_ring(root: int, parent: Sequence[int], publisher: int) -> list[Message]:
    places = ring(root, parent)
    length = len(places)
    start = places.index(publisher) if places else 0
    return [((start + k) % length, (start + k + 1) % length, start) for k in range(length)]


def bfs_parents(g: nx.Graph, root: int) -> dict[int, int]:
    parent = {root: -1}
    queue = deque([root])
    while queue:
        v = queue.popleft()
        for w in sorted(g[v]):
            if w not in parent:
                parent[w] = v
                queue.append(w)
    return parent


def tree_network(parent: Sequence[int]) -> nx.Graph:
    return network(len(parent), [(v, parent[v]) for v in range(len(parent)) if parent[v] >= 0])


def centre(g: nx.Graph) -> int:
    far: dict[int, int] = nx.eccentricity(g)
    return min(far, key=lambda v: (far[v], v))


def branches(g: nx.Graph, publisher: int, subscribers: Iterable[int]) -> list[Message]:
    """Links of the publisher's breadth-first tree that lie on a way to a subscriber, as (from, to), breadth first."""
    parent = bfs_parents(g, publisher)
    kept = set()
    for v in subscribers:
        while v != publisher:
            kept.add(v)
            v = parent[v]
    return [(parent[v], v) for v in parent if v in kept]


def ts_network(g: nx.Graph) -> nx.Graph:
    parent = bfs_parents(g, centre(g))
    return tree_network([parent[v] for v in range(len(g))])


def steiner_size(g: nx.Graph, terminals: Iterable[int]) -> int:
    """Links of the smallest tree with all terminals: try every set of further nodes, the smallest first."""
    terminals = set(terminals)
    others = [v for v in g if v not in terminals]
    for extra in range(len(others) + 1):
        for chosen in combinations(others, extra):
            nodes = terminals | set(chosen)
            if nx.is_connected(g.subgraph(nodes)):
                return len(nodes) - 1
    raise AssertionError("the network is not connected")
