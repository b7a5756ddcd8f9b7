"""How a publication travels on the ring: by PSVR's intervals, or as the single message of 2015 that goes all round.

The list of messages also serves as the queue of those not yet handled, so they come out breadth first.
"""

from psvr.graphs.csr import Ints
from psvr.jit import jit

from .shortcuts import beyond, furthest
from .tables import Tables


@jit
def spread(tables: Tables, origin: int, ns: Ints, source: Ints, goal: Ints, end: Ints) -> int:
    """Route a publication that starts at position `origin`; fills source, goal and end point of every message.

    A node serves the interval [cur, ep) from one of its own positions to the next.  `left` is how far ahead the end
    point is, `gap` the next subscriber and `step` the next own position; equal positions are a whole ring apart, so
    that `covers` and `inside` become comparisons of distances.  An own position that comes before the next subscriber
    is skipped, and if no subscriber comes before the end point the node is done.
    """
    ring, after, start, near, first_hub, hub, first_own, own = tables
    length = ring.size
    sent, handled = 0, 0
    p = ep = origin
    while True:
        v = ring[p]
        left = ep - p if ep > p else ep - p + length
        while left > 0:
            s = ns[p]
            gap = s - p if s > p else s - p + length
            if s < 0 or gap >= left:
                break
            q = after[p]
            step = q - p if q > p else q - p + length
            while step <= gap:
                left -= step
                gap -= step
                p = q
                q = after[p]
                step = q - p if q > p else q - p + length
            x = furthest(p, s, length, near, start[v], start[v + 1])
            if hub.size > 0:
                x = beyond(x, s, v, length, first_hub, hub, first_own, own)
            source[sent], goal[sent], end[sent] = p, x, q if step < left else ep
            sent += 1
            left -= step
            p = q
        if handled == sent:
            return sent
        p, ep = goal[handled], end[handled]
        handled += 1


@jit
def hops_of_2015(tables: Tables, ns: Ints, hop: Ints) -> None:
    """Fill hop: where a message at each position goes next.  Without a next subscriber it follows the plain ring."""
    ring, _, start, near, first_hub, hub, first_own, own = tables
    length = ring.size
    for p in range(length):
        s, v = ns[p], ring[p]
        x = p + 1 if p + 1 < length else 0
        if s >= 0:
            x = furthest(p, s, length, near, start[v], start[v + 1])
            if hub.size > 0:
                x = beyond(x, s, v, length, first_hub, hub, first_own, own)
        hop[p] = x


@jit
def lap(origin: int, hop: Ints, goal: Ints) -> int:
    """Follow the hops until the next one would reach or pass the origin; fills the goals."""
    length = hop.size
    sent = 0
    p = origin
    left = length
    while True:
        q = hop[p]
        step = q - p if q > p else q - p + length
        if step >= left:
            return sent
        goal[sent] = q
        sent += 1
        left -= step
        p = q


@jit
def skips(hop: Ints, depth: Ints, jump: Ints) -> None:
    """Prepare `lap_length`: for two unrolled laps, how many hops are left and one long jump over many of them.

    The jumps are those of a skew-binary list, so any number of hops takes a logarithmic number of jumps.  Counting
    hop by hop would take a lap for each position of a publisher, of which a hub has very many.
    """
    length = hop.size
    last = 2 * length
    depth[last], jump[last] = 0, last
    for i in range(last - 1, -1, -1):
        p = i if i < length else i - length
        above = min(last, i - p + (hop[p] if hop[p] > p else hop[p] + length))
        over = jump[above]
        depth[i] = depth[above] + 1
        jump[i] = jump[over] if depth[above] - depth[over] == depth[over] - depth[jump[over]] else above


@jit
def lap_length(origin: int, hop: Ints, depth: Ints, jump: Ints) -> int:
    """The number of hops that `lap` takes from the origin."""
    length = hop.size
    i = origin
    while True:
        if jump[i] < origin + length:
            i = jump[i]
            continue
        p = i if i < length else i - length
        above = i - p + (hop[p] if hop[p] > p else hop[p] + length)
        if above >= origin + length:
            return int(depth[origin] - depth[i])
        i = above


@jit
def best_origin(v: int, hop: Ints, depth: Ints, jump: Ints, first_own: Ints, own: Ints) -> tuple[int, int]:
    """The position of v from which the lap takes the fewest messages, the lowest on ties; and how many that is."""
    best, fewest = -1, hop.size
    for k in range(first_own[v], first_own[v + 1]):
        count = lap_length(own[k], hop, depth, jump)
        if count < fewest:
            best, fewest = int(own[k]), count
    return best, fewest
