"""Layer 3, virtual ring: a walk around the tree gives every node its positions.

The size of a subtree and a digest of its shape travel upwards; its start on the ring travels downwards.  A start is
taken only if it was computed for the shape that my subtree has now; otherwise I have no ring.  The root's digest names
the ring, and SUB and PUB carry that name, so no message is ever interpreted with the positions of another ring.
"""

from . import constants as k
from .form import rule
from .links import sender, two_way
from .numbers import LOW32, clip, mix
from .positions import NONE
from .records import Hello, Link, Node
from .tree import is_child


@rule
def hear(me: Node, link: Link, hello: Hello) -> bool:
    """Record where a link is on the ring and where it, as my parent, would place me; return whether that is new."""
    size, digest = clip(hello.size, 0, k.MAX_SIZE), clip(hello.digest, 0, LOW32)
    ring, length = clip(hello.ring, -1, LOW32), clip(hello.length, 0, 2 * k.MAX_SIZE)
    changed = link.size != size or link.digest != digest or link.ring != ring or link.length != length
    link.size, link.digest, link.ring, link.length = size, digest, ring, length
    my_start, my_digest = link.my_start, link.my_digest
    link.my_start, link.my_digest = NONE, -1
    places, moved = (0, False) if hello.start < 0 or ring < 0 else hear_positions(me, link, hello)
    for i in range(places, len(link.position)):
        moved = set_position(link, i, NONE) or moved
    return changed or moved or link.my_start != my_start or link.my_digest != my_digest


@rule
def hear_positions(me: Node, link: Link, hello: Hello) -> tuple[int, bool]:
    """Record the positions of a link, from its start and its children's sizes; return how many, and if any is new."""
    start, places, moved = hello.start, 0, False
    for i in range(clip(hello.children, 0, min(hello.links, len(hello.link)))):
        child = hello.link[i]
        if is_place(link, places, start):
            places, moved = places + 1, set_position(link, places, start) or moved
        if child.id == me.id:
            link.my_start, link.my_digest = clip(start + 1, 0, 2 * k.MAX_SIZE - 1), clip(child.digest, -1, LOW32)
        start = clip(start + 2 * clip(child.size, 1, k.MAX_SIZE), 0, 2 * k.MAX_SIZE - 1)
    if hello.start != 0 and is_place(link, places, start):  # the root's last position is 0 again
        places, moved = places + 1, set_position(link, places, start) or moved
    return places, moved


@rule
def is_place(link: Link, places: int, position: int) -> bool:
    """Return whether there is room for one more position of the link, and this one is on its ring."""
    return places < len(link.position) and 0 <= position < link.length


@rule
def set_position(link: Link, i: int, position: int) -> bool:
    """Set the i-th position of the link; return whether it is new."""
    if link.position[i] == position:
        return False
    link.position[i] = position
    return True


@rule
def next_child(me: Node, after: int) -> int:
    """Return the place of the child with the smallest id above `after`, or NONE: children in ascending id."""
    best = NONE
    for i in range(len(me.link)):
        if me.link[i].id > after and is_child(me, me.link[i]):
            if best == NONE or me.link[i].id < me.link[best].id:
                best = i
    return best


@rule
def derive(me: Node) -> bool:
    """Derive size, digest and positions; return whether the routing table no longer means anything."""
    size, digest = 1, mix(0, me.id)
    i = next_child(me, k.NOBODY)
    while i != NONE:
        child = me.link[i]
        size += clip(child.size, 1, k.MAX_SIZE)
        digest = mix(digest, child.digest)
        i = next_child(me, child.id)
    me.size, me.digest = clip(size, 1, k.MAX_SIZE), digest
    start, ring, length = place(me)
    changed = ring != me.ring or length != me.length
    me.ring, me.length = ring, length
    return write_positions(me, start) or changed


@rule
def place(me: Node) -> tuple[int, int, int]:
    """Return (start, ring, length): my own as the root, otherwise what the parent assigns to my present subtree."""
    if me.root == me.id:
        if me.size > 1:
            return 0, me.digest, 2 * (me.size - 1)
        return NONE, -1, 0
    i = sender(me, me.parent)
    if i != NONE:
        p = me.link[i]
        fits = p.my_start > 0 and p.my_start + 2 * me.size - 2 < p.length
        if fits and p.my_digest == me.digest and p.ring >= 0 and p.root == me.root:
            return p.my_start, p.ring, p.length
    return NONE, -1, 0


@rule
def write_positions(me: Node, start: int) -> bool:
    """Write P, from the start and the sizes of the children; return whether it changed."""
    changed, places = False, 0
    i = next_child(me, k.NOBODY) if start != NONE else NONE
    at = start
    while at != NONE and places < len(me.position):
        if me.position[places] != at:
            me.position[places], changed = at, True
        places += 1
        if i == NONE:
            break
        at += 2 * clip(me.link[i].size, 1, k.MAX_SIZE)
        i = next_child(me, me.link[i].id)
        if i == NONE and me.root == me.id:
            break  # the root's last position is 0 again
    for j in range(places, len(me.position)):
        if me.position[j] != NONE:
            me.position[j], changed = NONE, True
    return changed


@rule
def has_ring(me: Node) -> bool:
    return 0 <= me.ring <= LOW32 and 2 <= me.length <= 2 * k.MAX_SIZE and 0 <= me.position[0] < me.length


@rule
def is_ahead(me: Node) -> bool:
    """Return whether a tree neighbour has yet to act on what I say: my parent's list is old, or a child lags behind."""
    for i in range(len(me.link)):
        link = me.link[i]
        if two_way(link) and link.id == me.parent and link.my_digest != me.digest:
            return True
        if is_child(me, link) and (link.ring != me.ring or link.seq + k.LATE_AFTER < me.seq):
            return True
    return False


@rule
def index_of(me: Node, position: int) -> int:
    """Return which of my positions this is, or NONE."""
    if position >= 0:
        for j in range(len(me.position)):
            own = me.position[j]
            if own == position:
                return j
            if own == NONE:
                break
    return NONE


@rule
def write(me: Node, out: Hello) -> None:
    """Write the state of the ring, and the children before all other links: their sizes give their starts."""
    out.size, out.digest, out.ring, out.length = me.size, me.digest, me.ring, me.length
    out.start = me.position[0] if has_ring(me) else NONE
    out.children = 0
    i = next_child(me, k.NOBODY)
    while i != NONE:
        child, listed = me.link[i], out.link[out.children]
        listed.id, listed.quality = child.id, clip(child.q_in, 0, k.QUALITY_ONE) // k.QUALITY_BYTE
        listed.size, listed.digest = clip(child.size, 1, k.MAX_SIZE), clip(child.digest, 0, LOW32)
        out.children += 1
        i = next_child(me, child.id)
