"""The small protocol, on records: a table of neighbours, a breadth-first tree, floods along it.

Qualities are integers, as in the real protocol, and what a neighbour offers is a single number that can be compared:
root first, then distance, then the quality of the link in both directions, then its place in the table.
"""

from typing import Any

import numpy as np

from psvr.jit import jit_no_alloc

NOBODY = -1
PLACES = 8  # neighbours kept
QUALITY_ONE = 65535  # every beacon arrives
QUALITY_NEW = 32768  # of a new neighbour
QUALITY_EVICT = 32768  # a full table evicts its worst neighbour if below this
WEIGHT = 3277  # of 65536, one twentieth: the weight of one beacon, heard or missed, in the quality
BONUS = 5_013_427  # 0.3 of the best link: the advantage of the present parent in ties
RANK_BITS, PLACE_BITS = 25, 3
RANK_MOST = (1 << RANK_BITS) - 1
NO_OFFER = (1 << 62) - 1
STALE = 5_000_000  # µs without a beacon until a neighbour is dropped

NODE = np.dtype(
    [
        ("id", "i4"),
        ("n", "i4"),
        ("seq", "i4"),
        ("root", "i4"),
        ("dist", "i4"),
        ("parent", "i4"),
        ("size", "i4"),
        ("changes", "i4"),
        ("flood", "i4"),
        ("origin", "i4"),
        ("ids", "i4", PLACES),
        ("seqs", "i4", PLACES),
        ("quality", "i4", PLACES),
        ("below", "i4", PLACES),  # nodes in its subtree, if it is a child
        ("offer", "i8", PLACES),
        ("heard", "i8", PLACES),
    ],
    align=True,
)
BEACON = np.dtype(
    [
        ("src", "i4"),
        ("seq", "i4"),
        ("root", "i4"),
        ("dist", "i4"),
        ("parent", "i4"),
        ("size", "i4"),
        ("ids", "i4", PLACES),
        ("quality", "i4", PLACES),
    ],
    align=True,
)
FLOOD = np.dtype([("src", "i4"), ("parent", "i4"), ("origin", "i4"), ("number", "i4")], align=True)


@jit_no_alloc
def start(me: Any, id: int, n: int) -> None:
    """Initialize a node, which is its own tree until it hears others."""
    me.id = me.root = me.parent = id
    me.n, me.size = n, 1
    for i in range(PLACES):
        drop(me, i)


@jit_no_alloc
def drop(me: Any, i: int) -> None:
    me.ids[i], me.offer[i], me.below[i] = NOBODY, NO_OFFER, 0


@jit_no_alloc
def find(me: Any, id: int) -> int:
    place = NOBODY
    for i in range(PLACES):
        place = i if me.ids[i] == id else place
    return place


@jit_no_alloc
def make_room(me: Any) -> int:
    """A free place, or that of the worst neighbour if it is bad enough."""
    place, worst = NOBODY, QUALITY_EVICT
    for i in range(PLACES):
        quality = -1 if me.ids[i] == NOBODY else me.quality[i]
        if quality < worst:
            place, worst = i, quality
    return place


@jit_no_alloc
def hear(me: Any, now: int, beacon: Any) -> bool:
    """Enter a beacon into the table; return False if there is no place for its sender."""
    i = find(me, beacon.src)
    if i != NOBODY:
        quality = me.quality[i]
        for _ in range(beacon.seq - me.seqs[i] - 1):
            quality -= quality * WEIGHT >> 16
        quality += (QUALITY_ONE - quality) * WEIGHT >> 16
    else:
        i, quality = make_room(me), QUALITY_NEW
        if i == NOBODY:
            return False
    me.ids[i], me.seqs[i], me.quality[i], me.heard[i] = beacon.src, beacon.seq, quality, now
    me.below[i] = beacon.size if beacon.parent == me.id else 0
    me.offer[i] = offer_of(me, beacon, quality) + i
    return True


@jit_no_alloc
def offer_of(me: Any, beacon: Any, quality: int) -> int:
    """What a beacon offers; lower is better.  Offers of a dead root end at distance n."""
    if beacon.dist + 1 >= me.n:
        return NO_OFFER - PLACES
    back = 0
    for i in range(PLACES):
        back += beacon.quality[i] * (beacon.ids[i] == me.id)
    place = (beacon.root << 16) + beacon.dist + 1
    offer: int = ((place << RANK_BITS) + RANK_MOST - quality * back) << PLACE_BITS
    return offer


@jit_no_alloc
def tree_rule(me: Any) -> None:
    """Follow the best offer, or become root; the present parent has a bonus."""
    best, size = me.id << (16 + RANK_BITS + PLACE_BITS), 1
    for i in range(PLACES):
        best = min(best, me.offer[i] - (BONUS << PLACE_BITS if me.ids[i] == me.parent else 0))
        size += me.below[i]
    place = best >> (RANK_BITS + PLACE_BITS)
    me.root, me.dist, me.size = place >> 16, place & 0xFFFF, min(size, me.n)
    parent = me.ids[best & (PLACES - 1)] if me.dist > 0 else me.id
    if parent != me.parent:
        me.changes += 1
        me.parent = parent


@jit_no_alloc
def on_timer(me: Any, now: int, out: Any) -> None:
    """Once per period: forget silent neighbours, apply the rule, write the beacon."""
    for i in range(PLACES):
        if now - me.heard[i] > STALE:
            drop(me, i)
    tree_rule(me)
    me.seq += 1
    out.src, out.seq, out.root, out.dist, out.parent, out.size = me.id, me.seq, me.root, me.dist, me.parent, me.size
    for i in range(PLACES):
        out.ids[i], out.quality[i] = me.ids[i], me.quality[i] >> 8


@jit_no_alloc
def on_beacon(me: Any, now: int, beacon: Any) -> None:
    if hear(me, now, beacon):
        tree_rule(me)


@jit_no_alloc
def on_flood(me: Any, flood: Any) -> bool:
    """Whether this node is to pass the message on."""
    if flood.number <= me.flood or (flood.src != me.parent and flood.parent != me.id):
        return False
    me.flood, me.origin = flood.number, flood.origin
    return True


@jit_no_alloc
def write_flood(me: Any, out: Any) -> None:
    out.src, out.parent, out.origin, out.number = me.id, me.parent, me.origin, me.flood
