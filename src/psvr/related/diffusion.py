"""diffusion: directed diffusion, after Intanagonwiwat, Govindan, Estrin et al.

A subscriber floods its interest every δ_S.  A node that hears of an interest remembers a gradient for the neighbour it
came from, for as long as the interest lives, and passes it on as its own, to each neighbour, with its age.  So nobody
knows who subscribes, and an interest that is not renewed at its origin dies everywhere at the same time.

A gradient has a rate.  Exploratory publications follow all gradients, each node passing each of them on once.  The
neighbour that brought one first is reinforced: from then on, the interest told to it is one at the high rate.  It does
the same with the neighbour from which it has the publication itself, and so on back to the publisher.  All other
publications follow only gradients of the high rate.  A neighbour that has not been the first for long, or whose
publications nobody behind me wants, is told the low rate again: negative reinforcement.

The table is RS, with an entry per link:

    ns           whose gradient it is, and its rate
    since        when the interest was born at its subscriber
    spare_since  when the neighbour last brought a publication that counts as its merit
    spare        a publication whose merit is still open: another neighbour may bring it on a better path

`relayed` holds the publications that were here, and when this node, as a publisher, last began to explore.
"""

from collections.abc import Sequence

from psvr.protocol import constants as k
from psvr.protocol.invariants import find_node
from psvr.protocol.links import sender, two_way
from psvr.protocol.numbers import LOW32, clip, elapsed, mix
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub.shen import announce_soon
from psvr.protocol.records import Node, Outcome, Pub, Relayed, Sub
from psvr.protocol.systems import custom_rule
from psvr.protocol.table import find_row, lease, make_row, wants
from psvr.protocol.wire.lengths import sub_fixed
from psvr.routing.systems import Message, Publication, Settled, along, system

LOW, HIGH = 0, 1  # rates
EXPLORATORY = 1  # in `ep` of a PUB
AGES = 10_000  # an interest's age, as a share of its life in these steps, rounded up so that it only ever grows
NAMES = 1 << 28  # ids of neighbours are remembered modulo this, hashed, …
TAGS, HOPS = 1 << 19, 1 << 10  # … and publications modulo this, together with hops up to the second number
BEGINNINGS = 16  # places of `relayed` for the node's own explorations; all others are for publications …
REMEMBERED = 1 * k.SECOND  # … each of which keeps its place for at least this time, far longer than a flood lasts


@system("diffusion", positions=False, text="along the paths that its publisher's data have reinforced: shortest ones")
def messages(settled: Settled, publication: Publication) -> list[Message]:
    return along(settled.graph, publication)


def life(me: Node) -> int:
    """Return how long an interest lives, and within how long a publisher explores again: T_w/back."""
    return me.settings.write_back * lease(me)


def is_gradient(me: Node, now: int, row: int, i: int, rate: int) -> bool:
    """Return whether the i-th neighbour has told a living interest, at this rate or a higher one."""
    link, entry = me.link[i], me.row[row].entry[i]
    if not two_way(link) or entry.ns < 0 or entry.ns // 2 != mix(0, link.id) % NAMES:
        return False
    return entry.ns % 2 >= rate and elapsed(now, entry.since) <= life(me)


def is_upstream(me: Node, now: int, row: int, i: int) -> bool:
    """Return whether the i-th neighbour has brought publications on the best path not too long ago."""
    link, entry = me.link[i], me.row[row].entry[i]
    return two_way(link) and entry.spare_since >= link.since and elapsed(now, entry.spare_since) <= 2 * life(me)


def is_needed(me: Node, now: int, row: int, i: int) -> bool:
    """Return whether I, or a neighbour other than the i-th, wants every publication."""
    if wants(me, me.channel[row]):
        return True
    for other in range(len(me.link)):
        if other != i and is_gradient(me, now, row, other, HIGH):
            return True
    return False


def rate_for(me: Node, now: int, row: int, i: int) -> int:
    """Return the rate at which I want publications from the i-th neighbour."""
    brings = me.row[row].entry[i].spare != NONE or is_upstream(me, now, row, i)
    return HIGH if brings and is_needed(me, now, row, i) else LOW


def age_for(me: Node, now: int, row: int, i: int) -> int:
    """Return the age of the youngest interest that I know from elsewhere than the i-th neighbour."""
    if wants(me, me.channel[row]):
        return 0
    youngest = life(me) + 1
    for other in range(len(me.link)):
        if other != i and is_gradient(me, now, row, other, LOW):
            youngest = min(youngest, elapsed(now, me.row[row].entry[other].since))
    return youngest


@custom_rule("diffusion", like="shen")
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """Write age and rate of all interests, for one neighbour after another; return the next part, 0 after the last.

    A part is (place of the link, place of the row).
    """
    rows = len(me.channel)
    i, row = part // rows, part % rows
    if part == 0:
        prepare(me, now)
    while i < len(me.link) and not two_way(me.link[i]):
        i, row = i + 1, 0
    for j in range(len(out.position)):
        out.position[j] = NONE
    if i >= len(me.link):
        return 0
    room = interests_per_sub(me, out)
    while row < rows and out.channels < room:
        if is_row(me, row):
            age = (age_for(me, now, row, i) * AGES + life(me) - 1) // life(me)
            out.position[out.channels] = 2 * age + rate_for(me, now, row, i)
            out.channel[out.channels] = me.channel[row]
            out.channels += 1
        row += 1
    if out.channels > 0:
        out.to = me.link[i].id
    return i * rows + row if row < rows else (i + 1) * rows


def is_row(me: Node, row: int) -> bool:
    """Return whether a row is in use, and not a second one for its channel, which a fault may have left."""
    return me.channel[row] != k.NO_CHANNEL and find_row(me, me.channel[row]) == row


def prepare(me: Node, now: int) -> None:
    """Before interests are written: a row for each of my own, and an end to what is open."""
    for c in range(len(me.wants)):
        make_row(me, me.wants[c])
    for row in range(len(me.channel)):
        for i in range(len(me.link)):
            settle(me, now, row, i)


def interests_per_sub(me: Node, sub: Sub) -> int:
    """Return how many channels, each with a value beside it, one SUB can name."""
    w, p = me.settings.id_bytes, me.settings.position_bytes
    return clip((me.settings.frame - sub_fixed(0, w, p)) // (8 + p), 1, min(len(sub.channel), len(sub.position)))


@custom_rule("diffusion", like="shen")
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """Remember the gradients for a neighbour, and pass on soon what is news; return a reason."""
    i = sender(me, sub.src)
    if i == NONE:
        return k.NOT_A_LINK
    if sub.to != me.id:
        return k.FINE
    reason = k.FINE
    for c in range(clip(sub.channels, 0, min(len(sub.channel), len(sub.position)))):
        value = clip(sub.position[c], 0, 2 * (AGES + 1) + 1)
        age, channel = value // 2 * life(me) // AGES, sub.channel[c]
        row = make_row(me, channel) if age <= life(me) else find_row(me, channel)
        if row != NONE:
            learn(me, now, row, i, age, value % 2)
        elif age <= life(me):
            reason = k.NO_ROOM
    return reason


def learn(me: Node, now: int, row: int, i: int, age: int, rate: int) -> None:
    """Note a gradient, and pass on soon what is news."""
    entry, was_high = me.row[row].entry[i], is_gradient(me, now, row, i, HIGH)
    news = is_news(me, now, row, i, age)
    entry.ns, entry.since = mix(0, me.link[i].id) % NAMES * 2 + rate, max(now - age, 0)
    if news or was_high != is_gradient(me, now, row, i, HIGH):
        announce_soon(me, now)


def is_news(me: Node, now: int, row: int, i: int, age: int) -> bool:
    """Return whether there is a neighbour to which the i-th one's interest is news.

    It is if it is younger than what I know from elsewhere, unless it follows that so closely that it is suppressed.
    What comes from beyond a subscriber who is nearer is news on the side of that subscriber only.
    """
    for other in range(len(me.link)):
        if other != i and two_way(me.link[other]) and age + lease(me) // 2 < age_for(me, now, row, other):
            return True
    return False


@custom_rule("diffusion", like="shen")
def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    row = find_row(me, pub.channel)
    if row == NONE:
        return
    exploring, tag = is_exploratory(me, now, pub), name_of(pub)
    if pub.hops > 0:
        judge(me, now, row, pub, tag)
    if not is_new(me, now, tag, exploring, out):
        return
    if not exploring and leads_nowhere(me, now, row, pub):
        exploring = is_new(me, now, tag, True, out)
    for i in range(len(me.link)):
        if me.link[i].id != pub.src and is_gradient(me, now, row, i, LOW if exploring else HIGH):
            add(me, i, exploring, out)


def add(me: Node, i: int, exploring: bool, out: Outcome) -> None:
    """Send it to the i-th neighbour, with a position of mine, by which hosts tell copies from different nodes apart."""
    x = out.send[out.sends]
    x.to, x.goal, x.ep = me.link[i].id, me.position[0], EXPLORATORY if exploring else NONE
    out.sends += 1


def is_exploratory(me: Node, now: int, pub: Pub) -> bool:
    """Return whether a publication explores: what others say of theirs; of mine, the first for some time, and repeats.

    Reinforcement takes a moment to come back, so all that I publish in the half lease after the first explores too.
    """
    if pub.hops > 0:
        return pub.ep == EXPLORATORY
    key = mix(0, pub.channel)
    begun = me.relayed[key % BEGINNINGS]
    if begun.key != key or elapsed(now, begun.at) > life(me):
        begun.key, begun.at = key, now
    return pub.again > 0 or elapsed(now, begun.at) <= lease(me) // 2


def name_of(pub: Pub) -> int:
    """Return an even hash of a publication; the odd one after it is that of its exploratory form."""
    return mix(mix(mix(mix(0, pub.origin), pub.boot), pub.number), pub.again) & (LOW32 - 1)


def is_new(me: Node, now: int, tag: int, exploring: bool, out: Outcome) -> bool:
    """Return whether a publication was not here in this form, nor as exploratory, and remember that it was.

    What cannot be remembered until all its copies have arrived is not passed on, or it would circulate.
    """
    known = me.relayed[place_of(me, now, tag)]
    if is_of(known, now, tag):
        if known.key % 2 == 1 or not exploring:
            return False
    elif elapsed(now, known.at) < REMEMBERED:
        out.reason = k.NO_ROOM
        return False
    known.key, known.at = tag + 1 if exploring else tag, now
    return True


def is_of(known: Relayed, now: int, tag: int) -> bool:
    """Return whether this is the memory of a publication; what is older than any copy of it can be does not count."""
    return known.key | 1 == tag | 1 and elapsed(now, known.at) <= k.REPEAT_LIFE


def place_of(me: Node, now: int, tag: int) -> int:
    """Return the place of a publication that was here, or the one that is oldest."""
    place = BEGINNINGS
    for i in range(BEGINNINGS, len(me.relayed)):
        if is_of(me.relayed[i], now, tag):
            return i
        if me.relayed[i].at < me.relayed[place].at:
            place = i
    return place


def leads_nowhere(me: Node, now: int, row: int, pub: Pub) -> bool:
    """Return whether a path ends here: a neighbour that wanted everything is gone, or there is none, nor am I one."""
    found = wants(me, pub.channel) and pub.hops > 0
    for i in range(len(me.link)):
        entry = me.row[row].entry[i]
        if is_gradient(me, now, row, i, HIGH):
            found = True
        elif entry.ns >= 0 and entry.ns % 2 == HIGH and elapsed(now, entry.since) <= life(me):
            entry.ns = NONE
            return True
    return not found


def judge(me: Node, now: int, row: int, pub: Pub, tag: int) -> None:
    """Note who brought a publication: it is to the merit of the first, unless another has the better path.

    A path is better if it is in use already, or shorter.  It is never longer in hops than that of the first copy: one
    that came through me would be.
    """
    i, first = sender(me, pub.src), not is_of(me.relayed[place_of(me, now, tag)], now, tag)
    if i == NONE:
        return
    mark, entries = tag % TAGS * HOPS + clip(pub.hops, 0, HOPS - 1), me.row[row].entry
    best = NONE
    for j in range(len(me.link)):
        if entries[j].spare >= 0 and entries[j].spare // HOPS == mark // HOPS:
            best = j
    if first or (best != NONE and best != i and is_better(me, now, row, i, mark, best)):
        settle(me, now, row, i)
        entries[i].spare = mark
        if best != NONE:
            entries[best].spare = NONE
        if not is_upstream(me, now, row, i) and is_needed(me, now, row, i):
            announce_soon(me, now)
    if pub.ep != EXPLORATORY and rate_for(me, now, row, i) == LOW:
        announce_soon(me, now)


def is_better(me: Node, now: int, row: int, i: int, mark: int, best: int) -> bool:
    """Return whether the i-th neighbour has brought the same publication on a better path."""
    theirs = me.row[row].entry[best].spare
    if mark > theirs:
        return False
    used, used_by_best = is_upstream(me, now, row, i), is_upstream(me, now, row, best)
    if used != used_by_best:
        return used
    return mark < theirs or i < best


def settle(me: Node, now: int, row: int, i: int) -> None:
    """What is open at the i-th neighbour is to its merit."""
    entry = me.row[row].entry[i]
    if entry.spare != NONE:
        entry.spare, entry.spare_since = NONE, now


@custom_rule("diffusion", like="shen")
def detour(me: Node, now: int, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
    """A path is broken: let the neighbour with the youngest interest explore.  What explores needs no detour."""
    row = find_row(me, pub.channel)
    if row == NONE or pub.ep == EXPLORATORY:
        return
    best = NONE
    for i in range(len(me.link)):
        if me.link[i].id != avoid and is_gradient(me, now, row, i, LOW):
            if best == NONE or me.row[row].entry[i].since > me.row[row].entry[best].since:
                best = i
    if best != NONE:
        add(me, best, True, out)


@custom_rule("diffusion", like="shen")
def clean(me: Node, now: int) -> None:
    """Forget gradients whose interest has died and merits of long ago, and free the rows of channels without any."""
    for row in range(len(me.channel)):
        empty = True
        for i in range(len(me.link)):
            entry = me.row[row].entry[i]
            settle(me, now, row, i)
            if elapsed(now, entry.since) > life(me) or entry.ns < 0:
                entry.ns, entry.since = NONE, 0
            if not is_upstream(me, now, row, i):
                entry.spare_since = 0
            empty = empty and not is_gradient(me, now, row, i, LOW)
        if not is_row(me, row) or (empty and not wants(me, me.channel[row])):
            me.channel[row] = k.NO_CHANNEL


def legitimate(nodes: Sequence[Node], clock: Sequence[int]) -> bool:
    """Return whether every publication will reach its subscribers, and nobody asks for what nobody wants.

    The links are right, and the nodes are in ascending id, each with the time on its clock.
    """
    for v in range(len(nodes)):
        for row in range(len(nodes[v].channel)):
            if nodes[v].channel[row] != k.NO_CHANNEL and asks_in_vain(nodes, clock, v, row):
                return False
        for c in range(len(nodes[v].wants)):
            if nodes[v].wants[c] != k.NO_CHANNEL and not is_found(nodes, clock, v, nodes[v].wants[c]):
                return False
    return True


def asks_in_vain(nodes: Sequence[Node], clock: Sequence[int], v: int, row: int) -> bool:
    """Return whether a node knows an interest of nobody, or a neighbour that wants everything, but for nobody."""
    me, channel, wanted = nodes[v], nodes[v].channel[row], False
    for w in range(len(nodes)):
        wanted = wanted or (nodes[w].root == me.root and wants(nodes[w], channel))
    for i in range(len(me.link)):
        u = find_node(nodes, me.link[i].id)
        if u == NONE or not is_gradient(me, clock[v], row, i, LOW):
            continue
        if not wanted:
            return True
        there = find_row(nodes[u], channel)
        if is_gradient(me, clock[v], row, i, HIGH) and not wants(nodes[u], channel):
            if there == NONE or not is_needed(nodes[u], clock[u], there, sender(nodes[u], me.id)):
                return True
    return False


def is_found(nodes: Sequence[Node], clock: Sequence[int], s: int, channel: int) -> bool:
    """Return whether publications of all nodes find a subscriber: when they explore, and from then on.

    A node that remembers to have explored does not for a while: its publications need a path that was reinforced since.
    """
    key = mix(0, channel)
    if not is_reached(nodes, clock, s, channel, LOW, k.FOREVER, NONE):
        return False
    for v in range(len(nodes)):
        begun = nodes[v].relayed[key % BEGINNINGS]
        age = elapsed(clock[v], begun.at)
        if begun.key == key and lease(nodes[v]) // 2 < age <= life(nodes[v]):
            if not is_reached(nodes, clock, s, channel, HIGH, age, v):
                return False
    return True


def is_reached(
    nodes: Sequence[Node], clock: Sequence[int], s: int, channel: int, rate: int, age: int, publisher: int
) -> bool:
    """Return whether gradients of this rate lead from one publisher, or from everybody if it is NONE, to node s.

    Those of the high rate count if whom they lead to has brought something at most this long ago.
    """
    reached, grows = [v == s for v in range(len(nodes))], True
    while grows:
        grows = False
        for v in range(len(nodes)):
            if not reached[v] and leads_on(nodes, clock, v, channel, rate, age, reached):
                reached[v] = grows = True
    for v in range(len(nodes)):
        if not reached[v] and nodes[v].root == nodes[s].root and (publisher == NONE or v == publisher):
            return False
    return True


def leads_on(
    nodes: Sequence[Node], clock: Sequence[int], v: int, channel: int, rate: int, age: int, reached: Sequence[bool]
) -> bool:
    """Return whether a node has such a gradient to one from which the subscriber is reached."""
    me, row = nodes[v], find_row(nodes[v], channel)
    if row == NONE:
        return False
    for i in range(len(me.link)):
        u = find_node(nodes, me.link[i].id)
        if u != NONE and reached[u] and is_gradient(me, clock[v], row, i, rate):
            if rate == LOW or merit_age(nodes[u], clock[u], channel, me.id) <= age:
                return True
    return False


def merit_age(me: Node, now: int, channel: int, id: int) -> int:
    """Return how long ago a neighbour last brought a publication to its merit."""
    row, i = find_row(me, channel), sender(me, id)
    if row == NONE or i == NONE:
        return k.FOREVER
    return 0 if me.row[row].entry[i].spare != NONE else elapsed(now, me.row[row].entry[i].spare_since)
