"""Layer 2, spanning tree: the node with the smallest id becomes root, all others take a parent closer to it.

A root proves that it is alive by a number that grows every period.  A root that fails to is given up, and its old
numbers are refused for a while, so that neighbours cannot convince each other of a root that no longer exists.
Everything is derived afresh, from what the links last said, at every HELLO that is sent or says something new.
"""

from . import constants as k
from .form import rule
from .links import find, sender, two_way
from .numbers import clip, elapsed
from .positions import NONE
from .records import Hello, Link, Node


@rule
def hear(me: Node, link: Link, hello: Hello) -> bool:
    """Record what a link says about the tree; return whether anything but a grown number is new."""
    root, parent = max(hello.root, k.NOBODY), max(hello.parent, k.NOBODY)
    dist, seq = clip(hello.dist, 0, k.MAX_DISTANCE), clip(hello.seq, 0, k.SEQ_LIMIT)
    changed = link.root != root or link.parent != parent or link.dist != dist
    changed = changed or seq < link.seq or (root == me.id and seq > me.own)
    link.root, link.parent, link.dist, link.seq = root, parent, dist, seq
    return changed


@rule
def is_child(me: Node, link: Link) -> bool:
    """Return whether it has me as its parent; the conditions that few links meet come first."""
    return link.parent == me.id and link.root == me.root and two_way(link) and link.id != me.parent


@rule
def is_tree(me: Node, link: Link) -> bool:
    """Return whether the link belongs to the tree."""
    return (two_way(link) and link.id == me.parent) or is_child(me, link)


@rule
def tree_degree(me: Node) -> int:
    number = 0
    for i in range(len(me.link)):
        if is_tree(me, me.link[i]):
            number += 1
    return number


@rule
def beat(me: Node, now: int) -> None:
    """Once per period, increment the number by which I prove that I am alive."""
    me.own = me.own + 1 if 0 <= me.own < own_number_limit(me, now) else 0
    if me.root == me.id:
        me.seq = me.own


@rule
def own_number_limit(me: Node, now: int) -> int:
    """Return the largest number that I can have counted to, starting below SEQ_TRUSTED, about once per period.

    A larger one is a fault and is discarded at once.  Otherwise it would seem right until it reaches SEQ_LIMIT; the
    nodes that follow me would then take my new, smaller numbers for old ones, and lose their root.
    """
    return min(k.SEQ_TRUSTED + 2 * (now // me.settings.hello), k.SEQ_LIMIT - 1)


@rule
def refused(me: Node, now: int, link: Link) -> bool:
    """Return whether the link offers no root to follow."""
    if not two_way(link) or not 0 <= link.root < me.id or link.parent == me.id:
        return True
    if link.dist + 1 > min(me.settings.depth, k.MAX_DISTANCE) or not 0 <= link.seq < k.SEQ_LIMIT:
        return True
    if (link.dist == 0) != (link.root == link.id):
        return True
    return link.root == me.dead_root and link.seq <= me.dead_seq and elapsed(now, me.dead_at) <= dead_life(me)


@rule
def root_is_dead(me: Node, now: int) -> bool:
    return elapsed(now, me.fresh) > root_life(me, clip(me.dist, 0, k.MAX_DISTANCE))


@rule
def root_life(me: Node, dist: int) -> int:
    """Return how long a root is believed to be alive without a newer number, at this distance from it."""
    return k.ROOT_LIFE * me.settings.hello + dist * me.settings.hello // k.ROOT_LIFE_STEPS


@rule
def dead_life(me: Node) -> int:
    """Return how long a dead root's old numbers are refused: longer than any node keeps that root, however far away.

    Otherwise, the number of a root that does not exist would circulate until its distance reached D_max.
    """
    return root_life(me, me.settings.depth) + k.DEAD_MARGIN * me.settings.hello


@rule
def become_root(me: Node, now: int) -> None:
    me.root, me.parent, me.dist, me.seq, me.fresh = me.id, k.NOBODY, 0, me.own, now


@rule
def derive(me: Node, now: int) -> bool:
    """Derive root, parent, distance and number from what the links offer; return whether a newer number came late."""
    catch_up(me, now)
    if me.root != me.id and root_is_dead(me, now):
        me.dead_root, me.dead_seq, me.dead_at = me.root, me.seq, now
        become_root(me, now)
    me.dead_root, me.dead_seq = max(me.dead_root, k.NOBODY), clip(me.dead_seq, 0, k.SEQ_LIMIT)
    if elapsed(now, me.dead_at) > dead_life(me):
        me.dead_root, me.dead_seq, me.dead_at = k.NOBODY, 0, 0
    best = best_offer(me, now)
    if best == NONE:
        become_root(me, now)
        return False
    return follow(me, now, best)


@rule
def catch_up(me: Node, now: int) -> None:
    """Make my number newer than any that is still around from before a restart or a fault."""
    if not 0 <= me.own <= own_number_limit(me, now):
        me.own = 0
    for i in range(len(me.link)):
        link = me.link[i]
        if two_way(link) and link.root == me.id and me.own < link.seq < k.SEQ_TRUSTED:
            me.own = link.seq


@rule
def best_offer(me: Node, now: int) -> int:
    """Return the link with the smallest (root, distance, id), or an older one at most one step longer, or NONE.

    The present parent stays if it is at most one step longer, or more steps the longer it has been a link.  On a radio,
    what has lasted will last: long links save steps but fade often, and each that breaks costs everyone a new ring.
    """
    nearest = NONE
    for i in range(len(me.link)):
        if not refused(me, now, me.link[i]) and (nearest == NONE or comes_before(me.link[i], me.link[nearest])):
            nearest = i
    if nearest == NONE:
        return NONE
    parent, root, dist = sender(me, me.parent), me.link[nearest].root, me.link[nearest].dist
    if parent != NONE and not refused(me, now, me.link[parent]):
        patience = 1 + age(me, now, me.link[parent]) // 2
        if me.link[parent].root == root and me.link[parent].dist <= dist + patience:
            return parent
    best = nearest
    for i in range(len(me.link)):
        link = me.link[i]
        if link.root == root and link.dist <= dist + 1 and not refused(me, now, link):
            if age(me, now, link) > age(me, now, me.link[best]):
                best = i
            elif age(me, now, link) == age(me, now, me.link[best]) and comes_before(link, me.link[best]):
                best = i
    return best


@rule
def age(me: Node, now: int, link: Link) -> int:
    """Return how often the lifetime of a link has doubled."""
    doublings, time = 0, elapsed(now, link.since) // (k.YOUNG * me.settings.hello)
    while time > 0 and doublings < k.MAX_DOUBLINGS:
        doublings, time = doublings + 1, time // 2
    return doublings


@rule
def comes_before(a: Link, b: Link) -> bool:
    """Return whether a offers the smaller (root, distance, id)."""
    if a.root != b.root:
        return a.root < b.root
    if a.dist != b.dist:
        return a.dist < b.dist
    return a.id < b.id


@rule
def follow(me: Node, now: int, best: int) -> bool:
    """Take over the root of a link; only a newer number renews its life, or the time-out would extend itself.

    Return whether the number came late and has to be passed on at once: a burst of HELLOs can carry one number far
    ahead, and the next, at a period per step, would reach the end of a long line only after the root was given up
    there.
    """
    parent = me.link[best]
    newest = parent.seq
    for i in range(len(me.link)):
        link = me.link[i]
        if link.root == parent.root and link.seq > newest and not refused(me, now, link):
            newest = link.seq
    late = False
    if me.root != parent.root or newest > me.seq:
        late = me.root == parent.root and elapsed(now, me.fresh) > k.LATE_AFTER * me.settings.hello
        me.fresh = now
    me.root, me.parent, me.dist, me.seq = parent.root, parent.id, parent.dist + 1, newest
    return late


@rule
def hear_newer_number(me: Node, now: int, link: Link) -> bool:
    """A link repeats itself, but perhaps with a newer number of my root; return whether that came late."""
    if link.root != me.root or link.seq <= me.seq or refused(me, now, link):
        return False
    late = elapsed(now, me.fresh) > k.LATE_AFTER * me.settings.hello
    me.seq, me.fresh = link.seq, now
    return late


@rule
def has_alternative(me: Node) -> bool:
    """Return whether another neighbour, not my child, has the same root and at most my distance."""
    for i in range(len(me.link)):
        link = me.link[i]
        if two_way(link) and link.id != me.parent and link.parent != me.id and link.root == me.root:
            if 0 <= link.dist <= me.dist:
                return True
    return False


@rule
def write(me: Node, out: Hello) -> None:
    out.root, out.parent, out.dist, out.seq = me.root, me.parent, me.dist, me.seq
    out.alt = 1 if find(me, me.parent) != NONE and has_alternative(me) else 0
