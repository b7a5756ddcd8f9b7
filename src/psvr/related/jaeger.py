"""jaeger: self-stabilizing publish/subscribe over an acyclic overlay of brokers, after Jaeger, Mühl et al.

Every node is a broker, with its own application as its client, and the overlay is the spanning tree.  Subscribers send
their subscriptions again every δ_S; each broker renews the lease of the entry for the neighbour from which one came,
and passes it on to all others, unless its own application subscribes too.  An entry that is not renewed is removed in
two phases: it is marked, and removed if it is still marked one leasing period later.  A publication goes to every
neighbour with an entry, except the sender.

The table is RS, with an entry per link: `ns` says whether it is fresh or marked, `since` since when, and `spare_since`
when a subscription from there was last passed on.
"""

from collections.abc import Sequence

from psvr.protocol import constants as k
from psvr.protocol.invariants import find_node
from psvr.protocol.links import find, sender
from psvr.protocol.numbers import clip, elapsed
from psvr.protocol.positions import NONE
from psvr.protocol.records import Entry, Link, Node, Outcome, Pub, Sub
from psvr.protocol.systems import custom_rule
from psvr.protocol.table import clear_entry, find_row, lease, make_row, wants
from psvr.protocol.tree import is_tree, tree_degree
from psvr.protocol.wire.lengths import channels_per_sub
from psvr.routing.systems import Message, Publication, Settled, along, system

MARKED, FRESH = 0, 1


@system(
    "jaeger", positions=False, text="over the overlay of brokers, which is the tree, to every side with subscribers"
)
def messages(settled: Settled, publication: Publication) -> list[Message]:
    return along(settled.tree, publication)


def leasing_period(me: Node) -> int:
    """Return the length of a phase: an entry that is not renewed goes on routing for two of them."""
    return me.settings.write_back * lease(me) // 2


def routes(me: Node, now: int, link: Link, entry: Entry) -> bool:
    """Return whether a link has an entry, fresh or marked, that belongs to it and is not overdue."""
    if (entry.ns != FRESH and entry.ns != MARKED) or not is_tree(me, link):
        return False
    return elapsed(now, entry.since) <= (1 + entry.ns) * leasing_period(me) and entry.spare_since >= link.since


@custom_rule("jaeger", like="shen")
def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    row = find_row(me, pub.channel)
    if row == NONE:
        return
    for i in range(len(me.link)):
        if me.link[i].id != pub.src and routes(me, now, me.link[i], me.row[row].entry[i]):
            out.send[out.sends].to = me.link[i].id
            out.sends += 1


@custom_rule("jaeger", like="shen")
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """Write the application's subscriptions from the `part`-th place on; return the next part, 0 after the last."""
    without_positions(out)
    limit, at = channels_per_sub(me, out), part
    while at < len(me.wants) and out.channels < limit:
        if me.wants[at] != k.NO_CHANNEL:
            out.channel[out.channels] = me.wants[at]
            out.channels += 1
        at += 1
    return at if at < len(me.wants) else 0


@custom_rule("jaeger", like="shen")
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """Renew leases, and leave in `out` what is to be passed on to all other brokers; return a reason."""
    i = sender(me, sub.src)
    if i == NONE:
        return k.NOT_A_LINK
    if not is_tree(me, me.link[i]):
        return k.NOT_IN_TREE
    if sub.back == me.id:
        return k.ECHO
    if sub.limit <= 0:
        return k.TOO_MANY_HOPS
    without_positions(out)
    out.back, out.limit = sub.src, clip(sub.limit, 1, k.MAX_HOPS) - 1
    reason, passes_on = k.FINE, out.limit > 0 and tree_degree(me) > 1
    for c in range(clip(sub.channels, 0, min(len(sub.channel), len(out.channel)))):
        row = make_row(me, sub.channel[c])
        if row == NONE:
            reason = k.NO_ROOM
        elif renew(me, now, me.link[i], me.row[row].entry[i]) and passes_on and not wants(me, sub.channel[c]):
            out.channel[out.channels] = sub.channel[c]
            out.channels += 1
    return reason


def without_positions(out: Sub) -> None:
    """A subscription is known by its channel alone."""
    for j in range(len(out.position)):
        out.position[j] = NONE


def renew(me: Node, now: int, link: Link, entry: Entry) -> bool:
    """Renew a lease, and return whether to pass that on: now and then is enough for all subscribers behind a link."""
    known = routes(me, now, link, entry)
    entry.ns, entry.since = FRESH, now
    if known and elapsed(now, entry.spare_since) <= lease(me) // 2:
        return False
    entry.spare_since = now
    return True


@custom_rule("jaeger", like="shen")
def clean(me: Node, now: int) -> None:
    """Let leases expire, in two phases, and free the rows of channels without any."""
    for row in range(len(me.channel)):
        empty = True
        for i in range(len(me.link)):
            expire(me, now, me.link[i], me.row[row].entry[i])
            empty = empty and me.row[row].entry[i].ns == NONE
        if empty and not wants(me, me.channel[row]):
            me.channel[row] = k.NO_CHANNEL


def expire(me: Node, now: int, link: Link, entry: Entry) -> None:
    """Mark an entry that was not renewed for a leasing period, and remove one that is still marked after another."""
    entry.spare = NONE
    if entry.ns == FRESH and leasing_period(me) < elapsed(now, entry.since) < k.FOREVER:
        entry.ns, entry.since = MARKED, now
    if not routes(me, now, link, entry):
        clear_entry(entry)


def legitimate(nodes: Sequence[Node], clock: Sequence[int]) -> bool:
    """Return whether the entries of all brokers are right, in a network whose links and tree are.

    The nodes are in ascending id, each with the time on its clock.
    """
    for v in range(len(nodes)):
        for i in range(len(nodes[v].link)):
            u = find_node(nodes, nodes[v].link[i].id)
            if u != NONE and is_tree(nodes[v], nodes[v].link[i]):
                for channels in (nodes[v].channel, nodes[u].channel, nodes[u].wants):
                    if not knows(nodes, clock, v, i, u, channels):
                        return False
    return True


def knows(nodes: Sequence[Node], clock: Sequence[int], v: int, i: int, u: int, channels: Sequence[int]) -> bool:
    """Return whether v has an entry for its i-th link, to u, for exactly those channels that somebody beyond it wants.

    Neighbours that agree everywhere are right, as the overlay has no cycles.
    """
    back = find(nodes[u], nodes[v].id)
    for c in range(len(channels)):
        if channels[c] != k.NO_CHANNEL:
            beyond = wants(nodes[u], channels[c]) or has_entry(nodes[u], clock[u], channels[c], NONE, back)
            if has_entry(nodes[v], clock[v], channels[c], i, NONE) != beyond:
                return False
    return True


def has_entry(me: Node, now: int, channel: int, only: int, but: int) -> bool:
    """Return whether a channel has an entry for a link: for the one at this place, or for any other than `but`."""
    row = find_row(me, channel)
    if row == NONE:
        return False
    for i in range(len(me.link)):
        if (only == NONE or i == only) and i != but and routes(me, now, me.link[i], me.row[row].entry[i]):
            return True
    return False
