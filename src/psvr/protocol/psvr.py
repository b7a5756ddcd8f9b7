"""Layer 4, publish/subscribe as PSVR does it.

A SUB travels over the tree and teaches every node, for each of its positions, the next subscriber ccw.  A node that
wants the channel itself does not pass it on: for everybody behind it, it is the nearer one.  A PUB serves an interval
of the ring: each own position in it starts a part of the interval, sent over the link that leads furthest towards the
subscriber without passing it.
"""

from . import constants as k
from .form import rule
from .links import sender, two_way
from .numbers import LOW32, clip, elapsed, mix
from .positions import NONE, ahead, covers, inside
from .records import Link, Node, Outcome, Pub, Sub
from .ring import has_ring, index_of
from .table import find_row, make_row, next_subscriber, update, valid, wants
from .tree import is_tree, tree_degree
from .wire.lengths import channels_per_sub


@rule
def write_sub(me: Node, part: int, out: Sub) -> int:
    """Write my subscriptions from the `part`-th place on, as many as fit; return the next part, 0 after the last."""
    start_sub(me, out)
    limit = channels_per_sub(me, out)
    if not has_ring(me):
        return 0
    i = part
    while i < len(me.wants) and out.channels < limit:
        if me.wants[i] != k.NO_CHANNEL:
            out.channel[out.channels] = me.wants[i]
            out.channels += 1
        i += 1
    while i < len(me.wants) and me.wants[i] == k.NO_CHANNEL:
        i += 1
    return i if i < len(me.wants) else 0


@rule
def start_sub(me: Node, out: Sub) -> None:
    """Begin a SUB of mine to all tree neighbours, still without channels."""
    out.src, out.to, out.back = me.id, k.NOBODY, k.NOBODY
    out.ring, out.last, out.channels = clip(me.ring, -1, LOW32), 1, 0
    out.limit = clip(me.length, 0, k.MAX_HOPS)
    for j in range(len(out.position)):
        out.position[j] = clip(me.position[j], NONE, 2 * k.MAX_SIZE - 1)
    for c in range(len(out.channel)):
        out.channel[c] = k.NO_CHANNEL


@rule
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """Learn from a SUB and return a reason; if `out.channels` is not 0 afterwards, `out` is to be broadcast."""
    out.channels = 0
    if sub.back == me.id:
        return k.ECHO
    i = sender(me, sub.src)
    if i == NONE:
        return k.NOT_A_LINK
    if not is_tree(me, me.link[i]):
        return k.NOT_IN_TREE
    if not has_ring(me):
        return k.NO_RING
    if sub.ring != me.ring:
        return k.OTHER_RING
    if sub.limit <= 0:
        return k.TOO_MANY_HOPS
    reason = learn(me, now, sub)
    if sub.limit > 1 and tree_degree(me) >= 2 and pass_on(me, sub, out) > 0 and not is_new_sub(me, now, sub):
        out.channels = 0
        return k.REPEATED if reason == k.FINE else reason
    return reason


@rule
def learn(me: Node, now: int, sub: Sub) -> int:
    """Apply UpdSn for every channel of the message, and return a reason."""
    reason = k.FINE
    for c in range(clip(sub.channels, 0, len(sub.channel))):
        i = make_row(me, sub.channel[c])
        if i == NONE:
            reason = k.NO_ROOM
            continue
        for j in range(len(me.position)):
            if me.position[j] == NONE:
                break
            for s in range(len(sub.position)):
                update(me, now, me.row[i].entry[j], me.position[j], sub.position[s])
    return reason


@rule
def pass_on(me: Node, sub: Sub, out: Sub) -> int:
    """Write SUB⟨u, C \\ C_S, P_s⟩, and return how many channels it names."""
    out.src, out.to, out.back = me.id, k.NOBODY, max(sub.src, k.NOBODY)
    out.ring, out.last = me.ring, 1
    out.limit = clip(sub.limit, 1, min(me.length, k.MAX_HOPS)) - 1
    for j in range(len(out.position)):
        out.position[j] = clip(sub.position[j], NONE, me.length - 1)
    for c in range(clip(sub.channels, 0, min(len(sub.channel), len(out.channel)))):
        if sub.channel[c] != k.NO_CHANNEL and not wants(me, sub.channel[c]):
            out.channel[out.channels] = sub.channel[c]
            out.channels += 1
    for c in range(out.channels, len(out.channel)):
        out.channel[c] = k.NO_CHANNEL
    return out.channels


@rule
def is_new_sub(me: Node, now: int, sub: Sub) -> bool:
    """Return whether the same (P_s[0], ring, C) was not relayed a moment ago, and remember it."""
    key = mix(mix(0, sub.position[0]), sub.ring)
    for c in range(clip(sub.channels, 0, len(sub.channel))):
        key = mix(key, sub.channel[c])
    place, oldest = 0, -1
    for i in range(len(me.relayed)):
        age = elapsed(now, me.relayed[i].at)
        if me.relayed[i].key == key and age < me.settings.relay_pause:
            return False
        if age > oldest:
            place, oldest = i, age
    me.relayed[place].key, me.relayed[place].at = key, now
    return True


@rule
def usable(me: Node, link: Link, avoid: int) -> bool:
    """Return whether a PUB can go over this link: it is two-way, on my ring, and not to the node to avoid."""
    return link.ring == me.ring and link.length == me.length and two_way(link) and link.id != avoid


@rule
def furthest(me: Node, p: int, s: int, avoid: int) -> tuple[int, int]:
    """Return the link with the furthest usable position in (p, s], and that position; NONE if no link leads there."""
    ring, length, nontree = me.ring, me.length, me.settings.shortcuts == k.NONTREE
    best, goal, longest, limit = NONE, NONE, 0, ahead(p, s, length)
    for i in range(len(me.link)):
        link = me.link[i]
        if link.ring != ring or not usable(me, link, avoid):  # mostly a free place, which has no ring
            continue
        successor_only = nontree and is_tree(me, link)
        for j in range(len(link.position)):
            q = link.position[j]
            if q == NONE:
                break
            step = ahead(p, q, length)
            if longest < step <= limit and 0 <= q < length and not (successor_only and step > 1):
                best, goal, longest = i, q, step
    return best, goal


@rule
def send(me: Node, p: int, s: int, ep: int, avoid: int, out: Outcome) -> None:
    """Add a PUB from p towards s to the outcome."""
    i, goal = furthest(me, p, s, avoid)
    if i == NONE or out.sends >= len(out.send):
        out.reason = k.NO_WAY
        add_stuck(p, ep, out)
        return
    x = out.send[out.sends]
    x.to, x.at, x.goal, x.ep = me.link[i].id, p, goal, ep
    out.sends += 1


@rule
def forward(me: Node, pub: Pub, out: Outcome) -> None:
    """Serve the interval [cur, ep): one part for each own position in it that is followed by a subscriber."""
    row = find_row(me, pub.channel)
    for j in range(len(me.position) if row != NONE else 0):
        p = me.position[j]
        if p == NONE:
            break
        if not covers(pub.cur, pub.ep, p, me.length):
            continue
        s = valid(me, me.row[row].entry[j].ns)
        if s != NONE:
            ep = end_of_part(me, j, pub.ep)
            if inside(s, p, ep, me.length):
                send(me, p, s, ep, k.NOBODY, out)
    if pub.hops > 0 and out.sends == 0 and out.stuck == 0 and out.deliver == 0 and not wants(me, pub.channel):
        out.reason = k.NO_SUBSCRIBER  # the sender knows one; perhaps one that has left
        add_stuck(pub.cur, pub.ep, out)


@rule
def add_stuck(p: int, ep: int, out: Outcome) -> None:
    """Add a part of the ring that cannot be served now."""
    if out.stuck < len(out.left):
        x = out.left[out.stuck]
        x.to, x.at, x.goal, x.ep = k.NOBODY, p, p, ep
        out.stuck += 1


@rule
def end_of_part(me: Node, j: int, ep: int) -> int:
    """Return the next own position if it comes before ep, otherwise ep."""
    following = me.position[j + 1] if j + 1 < len(me.position) else NONE
    if following == NONE:
        following = me.position[0]
    return following if inside(following, me.position[j], ep, me.length) else ep


@rule
def detour(me: Node, channel: int, at: int, ep: int, avoid: int, out: Outcome) -> None:
    """The link that was to carry a PUB from my position `at` failed: use the second-best one."""
    j = index_of(me, at)
    if j == NONE or not has_ring(me) or not 0 <= ep < me.length:
        out.reason = k.NOT_MY_POSITION
        return
    s = next_subscriber(me, channel, j)
    if s != NONE and inside(s, at, ep, me.length):
        send(me, at, s, ep, avoid, out)
