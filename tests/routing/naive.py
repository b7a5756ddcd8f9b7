"""Every result once more, slowly and from the definitions.  Nothing here is shared with the package.

Positions are compared by walking from one to the other, trees are plain networkx, and each system is played out
message by message.
"""

from collections import deque
from itertools import combinations

import networkx as nx


def network(n, edges):
    g = nx.Graph()
    g.add_nodes_from(range(n))
    g.add_edges_from(edges)
    return g


def ring(root, parent):
    """The depth-first walk that records every visit, without the last return to the root."""
    visits = []

    def visit(v):
        visits.append(v)
        for child in range(len(parent)):
            if parent[child] == v:
                visit(child)
                visits.append(v)
    visit(root)
    return visits[:-1]


def strictly_between(lo, hi, length):
    """The positions met walking ccw from lo until hi is reached, both left out."""
    met = []
    p = (lo + 1) % length
    while p != hi:
        met.append(p)
        p = (p + 1) % length
    return met


def inside(x, lo, hi, length):
    return x in strictly_between(lo, hi, length)


def closer(x, p, ns, length):
    if ns is None:
        return x != p
    return x != p and x in [*strictly_between(p, ns, length), ns]


def covers(cur, ep, p, length):
    return p in [cur, *strictly_between(cur, ep, length)]


def next_subscriber(ring, subscribers):
    """Position by position ahead, until one belongs to a subscriber that is another node."""
    length = len(ring)
    result = []
    for p in range(length):
        ahead = [(p + k) % length for k in range(1, length)]
        result.append(next((q for q in ahead if ring[q] in subscribers and ring[q] != ring[p]), None))
    return result


def neighbour_positions(g, parent, ring, p, shortcuts):
    """The positions a message at p may go to."""
    v = ring[p]
    usable = {(p + 1) % len(ring)}
    for q, u in enumerate(ring):
        tree_link = u == parent[v] or v == parent[u]
        if g.has_edge(u, v) and (shortcuts == "all" or not tree_link):
            usable.add(q)
    return usable


def furthest(g, parent, ring, p, s, shortcuts):
    usable = neighbour_positions(g, parent, ring, p, shortcuts)
    return next(q for q in reversed([*strictly_between(p, s, len(ring)), s]) if q in usable)


def psvr(g, root, parent, publisher, subscribers, shortcuts):
    """Messages (from, to, ep) as sent, and for each node the hops of every copy it received."""
    places = ring(root, parent)
    length = len(places)
    ns = next_subscriber(places, subscribers)
    own = {v: [p for p in range(length) if places[p] == v] for v in g}
    messages, received = [], {v: [] for v in g}
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
            if ns[p] is not None and inside(ns[p], p, new_ep, length):
                goal = furthest(g, parent, places, p, ns[p], shortcuts)
                messages.append((p, goal, new_ep))
                received[places[goal]].append(hops + 1)
                queue.append((goal, new_ep, hops + 1))
    return messages, received


def vr2015_from(g, parent, places, ns, start, shortcuts):
    length = len(places)
    messages = []
    p, left = start, length
    while True:
        goal = (p + 1) % length if ns[p] is None else furthest(g, parent, places, p, ns[p], shortcuts)
        left -= len(strictly_between(p, goal, length)) + 1
        if left <= 0:
            return messages
        messages.append((p, goal, start))
        p = goal


def vr2015(g, root, parent, publisher, subscribers, shortcuts):
    """The laps from all positions of the publisher, of which the shortest counts, the first of equals."""
    places = ring(root, parent)
    ns = next_subscriber(places, subscribers)
    starts = [p for p, v in enumerate(places) if v == publisher]
    laps = [vr2015_from(g, parent, places, ns, start, shortcuts) for start in starts]
    return min(laps, key=len, default=[])


def whole_ring(root, parent, publisher):
    places = ring(root, parent)
    length = len(places)
    start = places.index(publisher) if places else 0
    return [((start + k) % length, (start + k + 1) % length, start) for k in range(length)]


def bfs_parents(g, root):
    parent = {root: -1}
    queue = deque([root])
    while queue:
        v = queue.popleft()
        for w in sorted(g[v]):
            if w not in parent:
                parent[w] = v
                queue.append(w)
    return parent


def tree_network(parent):
    return network(len(parent), [(v, parent[v]) for v in range(len(parent)) if parent[v] >= 0])


def centre(g):
    far = nx.eccentricity(g)
    return min(far, key=lambda v: (far[v], v))


def branches(g, publisher, subscribers):
    """Links of the publisher's breadth-first tree that lie on a way to a subscriber, as (from, to), breadth first."""
    parent = bfs_parents(g, publisher)
    kept = set()
    for v in subscribers:
        while v != publisher:
            kept.add(v)
            v = parent[v]
    return [(parent[v], v) for v in parent if v in kept]


def ts_network(g):
    parent = bfs_parents(g, centre(g))
    return tree_network([parent[v] for v in range(len(g))])


def steiner_size(g, terminals):
    """Links of the smallest tree with all terminals: try every set of further nodes, the smallest first."""
    terminals = set(terminals)
    others = [v for v in g if v not in terminals]
    for extra in range(len(others) + 1):
        for chosen in combinations(others, extra):
            nodes = terminals | set(chosen)
            if nx.is_connected(g.subgraph(nodes)):
                return len(nodes) - 1
    raise AssertionError("the network is not connected")
