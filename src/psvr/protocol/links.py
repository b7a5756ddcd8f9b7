"""Layer 1, topology control (TCA): which of the nodes heard become links.

Only good, two-way, stable links are passed upwards, at most as many as the table has places.  A node is a candidate at
first.  One side proposes by putting the other into its table, which its HELLO announces; the other accepts by doing the
same.  Frames from a node outside the table stop here.
"""

from . import constants as k
from .form import rule
from .numbers import clip, due, elapsed, spread
from .positions import NONE
from .records import Candidate, Hello, Link, Node
from .wire.lengths import heards_per_hello, links_per_hello


@rule
def two_way(link: Link) -> bool:
    return link.id != k.NOBODY and link.keeps_me == 1


@rule
def find(me: Node, id: int) -> int:
    """Return the place of a node in the table of links, or NONE."""
    if id >= 0:
        for i in range(len(me.link)):
            if me.link[i].id == id:
                return i
    return NONE


@rule
def sender(me: Node, id: int) -> int:
    """Return the place of a node if its link is two-way, so that upper layers listen to it; otherwise NONE."""
    i = find(me, id)
    if i != NONE and two_way(me.link[i]):
        return i
    return NONE


@rule
def link_quality(x: Link | Candidate) -> int:
    """Return the quality of the worse direction."""
    return min(clip(x.q_in, 0, k.QUALITY_ONE), clip(x.q_out, 0, k.QUALITY_ONE))


@rule
def sample(x: Link | Candidate, got: bool) -> None:
    """Average in one HELLO, received or missed.  Rounding away from the present value keeps it from stalling."""
    q, parts = clip(x.q_in, 0, k.QUALITY_ONE), clip(x.samples, 0, k.SAMPLES) + 2
    if got:
        x.q_in = q + (k.QUALITY_ONE - q + parts - 1) // parts
    else:
        x.q_in = q - (q + parts - 1) // parts
    x.samples = min(parts - 1, k.SAMPLES)


@rule
def hear_quality(x: Link | Candidate, now: int, hello: Hello) -> None:
    """Update inbound quality from the gaps between the numbers of HELLOs."""
    if 0 <= x.number < hello.number and x.samples > 0:
        for _ in range(min(hello.number - x.number - 1, k.MAX_GAP)):
            sample(x, False)
    if x.number != hello.number or x.samples <= 0:
        sample(x, True)
    x.number = clip(hello.number, 0, k.SEQ_LIMIT)
    x.heard = now


@rule
def hear_about_me(me: Node, x: Link | Candidate, hello: Hello) -> None:
    """Record whether the sender keeps me, and how well it hears me if this HELLO says so."""
    x.keeps_me = 0
    for i in range(clip(hello.links, 0, len(hello.link))):
        if hello.link[i].id == me.id:
            x.keeps_me = 1
            x.q_out = clip(hello.link[i].quality, 0, 255) * k.QUALITY_BYTE
            return
    for i in range(clip(hello.heards, 0, len(hello.heard))):
        if hello.heard[i].id == me.id:
            x.q_out = clip(hello.heard[i].quality, 0, 255) * k.QUALITY_BYTE
            return


@rule
def hear(me: Node, now: int, hello: Hello) -> int:
    """Record who was heard and how well; return the place of the link, or NONE if there is no link to the sender."""
    if hello.src < 0 or hello.src == me.id:
        return NONE
    i = find(me, hello.src)
    if i != NONE:
        link = me.link[i]
        hear_quality(link, now, hello)
        hear_about_me(me, link, hello)
        link.free = clip(hello.free, 0, 255)
        link.alt = 1 if hello.alt == 1 else 0
        return i
    j = place_of_candidate(me, now, hello)
    if j != NONE:
        candidate = me.candidate[j]
        if candidate.id != hello.src:
            forget_candidate(candidate)
            candidate.id = hello.src
        hear_quality(candidate, now, hello)
        hear_about_me(me, candidate, hello)
        candidate.free = clip(hello.free, 0, 255)
        candidate.root = max(hello.root, k.NOBODY)
    return NONE


@rule
def forget_candidate(c: Candidate) -> None:
    c.id = k.NOBODY
    c.heard = c.shun = 0
    c.number = c.samples = 0
    c.q_in, c.q_out = k.QUALITY_START, 0
    c.keeps_me = c.free = c.evicted = 0
    c.root = k.NOBODY


@rule
def is_forgotten(c: Candidate) -> bool:
    written = c.heard | c.shun | c.number | c.samples | c.q_out | c.keeps_me | c.free | c.evicted
    return written == 0 and c.q_in == k.QUALITY_START and c.id == k.NOBODY and c.root == k.NOBODY


@rule
def gone(me: Node, now: int, heard: int) -> bool:
    return elapsed(now, heard) > k.SILENCE * me.settings.hello


@rule
def is_silent(me: Node, now: int, link: Link) -> bool:
    """Return whether a link is gone.  One that loses many HELLOs anyway has more time: several in a row may be lost."""
    more = clip((k.QUALITY_ADMIT - clip(link.q_in, 0, k.QUALITY_ONE)) // k.PATIENCE_STEP, 0, k.PATIENCE)
    return elapsed(now, link.heard) > (k.SILENCE + more) * me.settings.hello


@rule
def place_of_candidate(me: Node, now: int, hello: Hello) -> int:
    """Return where to note a candidate: its own place, a free one, or that of a node less worth knowing; else NONE.

    Nodes with a foreign root and nodes that keep me are worth knowing; among equals, those already known mostly stay.
    """
    best, lowest = NONE, k.FOREVER
    for j in range(len(me.candidate)):
        c = me.candidate[j]
        if c.id == hello.src:
            return j
        worth = (1 if c.root != me.root else 0) + (1 if c.keeps_me == 1 else 0)
        if c.id < 0 or gone(me, now, c.heard):
            worth = -1
        if worth < lowest:
            best, lowest = j, worth
    worth = 1 if hello.root != me.root else 0
    if lowest < worth or (lowest == worth and spread(me.id, now, best, 0, 7) == 0):
        return best
    return NONE


@rule
def clear(link: Link) -> None:
    """Make a place in the table free."""
    link.id = k.NOBODY
    link.since = link.heard = 0
    link.number = link.samples = 0
    link.q_in, link.q_out = k.QUALITY_START, 0
    link.keeps_me = link.free = link.alt = 0
    link.root = link.parent = k.NOBODY
    link.dist = link.seq = link.size = link.length = 0
    link.digest = link.ring = link.my_digest = -1
    link.my_start = NONE
    for i in range(len(link.position)):
        link.position[i] = NONE


@rule
def demote(me: Node, now: int, i: int, pause: int, evicted: int) -> None:
    """Turn a link into a candidate that is left alone for a while, and free its place."""
    link = me.link[i]
    best, oldest = NONE, -1
    for j in range(len(me.candidate)):
        c = me.candidate[j]
        age = k.FOREVER if c.id < 0 or c.id == link.id else elapsed(now, c.heard)
        if age > oldest:
            best, oldest = j, age
    if best != NONE:
        c = me.candidate[best]
        c.id, c.heard, c.number, c.samples = link.id, link.heard, link.number, link.samples
        c.q_in, c.q_out, c.keeps_me, c.free, c.root = link.q_in, link.q_out, link.keeps_me, link.free, link.root
        c.shun, c.evicted = now + pause * me.settings.hello, evicted
    clear(link)


@rule
def tidy(me: Node, now: int) -> None:
    """Free every place whose link is silent, bad, unanswered, or not a link at all."""
    limit = max_links(me)
    for i in range(len(me.link)):
        link = me.link[i]
        if link.id < 0 or link.id == me.id or i >= limit or find(me, link.id) < i:
            clear(link)
            continue
        keep_in_range(now, link)
        if is_silent(me, now, link) or link_quality(link) < min_quality(me, link):
            demote(me, now, i, 0, 0)
        elif link.keeps_me == 0 and elapsed(now, link.since) > k.HALF_OPEN * me.settings.hello:
            demote(me, now, i, spread(me.id, now, i, k.REFUSED_MIN, k.REFUSED_MAX), 0)


@rule
def min_quality(me: Node, link: Link) -> int:
    """Return the quality below which a link is dropped.  In a tree, or between two, a bad link is better than none."""
    needed = link.id == me.parent or link.parent == me.id or link.root != me.root
    return k.QUALITY_DROP_TREE if needed else k.QUALITY_DROP


@rule
def keep_in_range(now: int, link: Link) -> None:
    """Bring whatever a fault may have written back into the range of its field; what is heard next overwrites it."""
    link.since = link.since if elapsed(now, link.since) < k.FOREVER else 0
    link.number = clip(link.number, 0, k.SEQ_LIMIT)
    link.samples = clip(link.samples, 0, k.SAMPLES)
    link.q_in = clip(link.q_in, 0, k.QUALITY_ONE)
    link.q_out = clip(link.q_out, 0, k.QUALITY_ONE)
    link.keeps_me = 1 if link.keeps_me == 1 else 0
    link.alt = 1 if link.alt == 1 else 0
    link.free = clip(link.free, 0, 255)
    link.root = max(link.root, k.NOBODY)
    link.parent = max(link.parent, k.NOBODY)
    link.dist = clip(link.dist, 0, k.MAX_DISTANCE)
    link.seq = clip(link.seq, 0, k.SEQ_LIMIT)
    link.size = clip(link.size, 0, k.MAX_SIZE)
    link.digest = clip(link.digest, -1, 0xFFFFFFFF)
    link.ring = clip(link.ring, -1, 0xFFFFFFFF)
    link.length = clip(link.length, 0, 2 * k.MAX_SIZE)
    link.my_start = clip(link.my_start, NONE, 2 * k.MAX_SIZE - 1)
    link.my_digest = clip(link.my_digest, -1, 0xFFFFFFFF)
    for i in range(len(link.position)):
        link.position[i] = clip(link.position[i], NONE, 2 * k.MAX_SIZE - 1)


@rule
def tidy_candidates(me: Node, now: int) -> None:
    for j in range(len(me.candidate)):
        c = me.candidate[j]
        if is_forgotten(c):
            continue  # as most are: untouched memory need not be restored
        if c.id < 0 or c.id == me.id or find(me, c.id) != NONE or elapsed(now, c.heard) > k.MEMORY * me.settings.hello:
            forget_candidate(c)
            continue
        if due(now, c.shun, k.EVICTED_MAX * me.settings.hello):
            c.shun = 0
        c.evicted = 1 if c.shun != 0 and c.evicted == 1 else 0
        c.number = clip(c.number, 0, k.SEQ_LIMIT)
        c.samples = clip(c.samples, 0, k.SAMPLES)
        c.q_in = clip(c.q_in, 0, k.QUALITY_ONE)
        c.q_out = clip(c.q_out, 0, k.QUALITY_ONE)
        c.keeps_me = 1 if c.keeps_me == 1 else 0
        c.free = clip(c.free, 0, 255)
        c.root = max(c.root, k.NOBODY)


@rule
def each_period(me: Node, now: int) -> None:
    """Take in one node: one that already keeps me, or else one to propose to."""
    tidy(me, now)
    tidy_candidates(me, now)
    j = best_candidate(me, now, True)
    if j == NONE or not take_in(me, now, j):
        j = best_candidate(me, now, False) if half_open(me) < k.MAX_HALF_OPEN else NONE
        if j != NONE:
            take_in(me, now, j)
    me.turned_away = count_turned_away(me, now)


@rule
def count_turned_away(me: Node, now: int) -> int:
    """Return how many good nodes of other trees have no place here: a hub with more leaves than links has some."""
    number = 0
    if find_free(me) == NONE:
        for j in range(len(me.candidate)):
            c = me.candidate[j]
            if c.id != k.NOBODY and c.root != me.root and is_good(me, now, c):
                number += 1
    return number


@rule
def half_open(me: Node) -> int:
    number = 0
    for i in range(len(me.link)):
        if me.link[i].id != k.NOBODY and me.link[i].keeps_me == 0:
            number += 1
    return number


@rule
def is_good(me: Node, now: int, c: Candidate) -> bool:
    """Return whether a node was heard lately and is good enough to take in; one that joins two trees may be worse."""
    return not gone(me, now, c.heard) and link_quality(c) >= (k.QUALITY_ADMIT if c.root == me.root else k.QUALITY_JOIN)


@rule
def best_candidate(me: Node, now: int, keeps_me: bool) -> int:
    """Return the best node to accept or to propose to; a foreign root comes first, since it joins two trees."""
    best, highest = NONE, -1
    for j in range(len(me.candidate)):
        c = me.candidate[j]
        if c.id == k.NOBODY or c.evicted == 1 or (c.keeps_me == 1) != keeps_me or not is_good(me, now, c):
            continue
        if not keeps_me and (c.shun != 0 or (c.free == 0 and not 0 <= c.root < me.root)):
            continue
        worth = link_quality(c) + (k.QUALITY_ONE + 1 if c.root != me.root else 0)
        if worth > highest or (worth == highest and c.id < me.candidate[best].id):
            best, highest = j, worth
    return best


@rule
def take_in(me: Node, now: int, j: int) -> bool:
    """Give a candidate a place in the table, if one is free or can be made free; return whether it got one."""
    c = me.candidate[j]
    i = find_free(me)
    if i == NONE:
        i = to_evict(me, c)
        if i == NONE:
            return False
    id, heard, number, samples = c.id, c.heard, c.number, c.samples
    q_in, q_out, keeps_me, free = c.q_in, c.q_out, c.keeps_me, c.free
    for other in range(len(me.candidate)):  # after a fault, it may be there twice
        if me.candidate[other].id == id:
            forget_candidate(me.candidate[other])
    if me.link[i].id != k.NOBODY:
        demote(me, now, i, spread(me.id, now, i, k.EVICTED_MIN, k.EVICTED_MAX), 1)
    link = me.link[i]
    clear(link)
    link.id, link.heard, link.number, link.samples = id, heard, number, samples
    link.q_in, link.q_out, link.keeps_me, link.free = q_in, q_out, keeps_me, free
    link.since = now  # what it says about tree and ring counts from its next HELLO on
    return True


@rule
def max_links(me: Node) -> int:
    """Return C_N, or fewer if there is no memory for that many links, or no room for them in a HELLO."""
    return min(me.settings.links, len(me.link), links_per_hello(me))


@rule
def find_free(me: Node) -> int:
    for i in range(max_links(me)):
        if me.link[i].id == k.NOBODY:
            return i
    return NONE


@rule
def is_better(c: Candidate, quality: int) -> bool:
    return link_quality(c) >= quality + k.QUALITY_BETTER


@rule
def to_evict(me: Node, c: Candidate) -> int:
    """Return whose place a candidate may have: to join a foreign tree any link that can be spared, else a bad one."""
    foreign = c.root != me.root and (c.keeps_me == 1 or 0 <= c.root < me.root)
    best, lowest = NONE, k.FOREVER
    for i in range(max_links(me)):
        link = me.link[i]
        tree = link.id == me.parent or link.parent == me.id
        quality = link_quality(link)
        if foreign and link.keeps_me == 0:
            worth = quality
        elif foreign and not tree:
            worth = quality + (k.QUALITY_ONE + 1)
        elif foreign and link.id != me.parent and link.alt == 1:
            worth = quality + 2 * (k.QUALITY_ONE + 1)
        elif not tree and quality < k.QUALITY_ADMIT and c.keeps_me == 1 and is_better(c, quality):
            worth = quality
        else:
            continue
        if worth < lowest:
            best, lowest = i, worth
    return best


@rule
def write(me: Node, out: Hello) -> None:
    """Write the kept links after the children, which the ring has written, and then candidates, taking turns."""
    out.links, out.heards, out.free = out.children, 0, 0
    for i in range(len(me.link)):
        link = me.link[i]
        if link.id == k.NOBODY:
            out.free += 1 if i < max_links(me) else 0
        elif not is_listed(out, link.id):
            listed = out.link[out.links]
            listed.id, listed.quality = link.id, clip(link.q_in, 0, k.QUALITY_ONE) // k.QUALITY_BYTE
            listed.size, listed.digest = 0, -1
            out.links += 1
    me.turn = clip(me.turn, 0, len(me.candidate) - 1)
    limit, at = heards_per_hello(me, out), me.turn
    for _ in range(len(me.candidate)):
        if out.heards == limit:
            break
        c = me.candidate[at]
        if c.id >= 0:
            heard = out.heard[out.heards]
            heard.id, heard.quality = c.id, clip(c.q_in, 0, k.QUALITY_ONE) // k.QUALITY_BYTE
            out.heards += 1
        at = (at + 1) % len(me.candidate)
    me.turn = at
    blank_rest(out)


@rule
def is_listed(out: Hello, id: int) -> bool:
    for i in range(out.children):
        if out.link[i].id == id:
            return True
    return False


@rule
def blank_rest(out: Hello) -> None:
    """Blank the unused places: the record is reused, and nothing may remain of the previous HELLO."""
    for i in range(out.links, len(out.link)):
        out.link[i].id, out.link[i].quality, out.link[i].size, out.link[i].digest = k.NOBODY, 0, 0, -1
    for i in range(out.heards, len(out.heard)):
        out.heard[i].id, out.heard[i].quality = k.NOBODY, 0
