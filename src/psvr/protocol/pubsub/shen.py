"""Publish/subscribe over the tree alone, after Shen: the system with which the paper compares PSVR.

Each node tells each tree neighbour which channels are wanted on its own side of their link; the receiver overwrites
what it knew.  A publication goes to every tree neighbour that wants it, except the sender.  The table is RS again, with
an entry per link instead of per position: ns = 0 means wanted.
"""

from .. import constants as k
from ..form import rule
from ..links import sender
from ..numbers import elapsed, spread
from ..positions import NONE
from ..psvr import start_sub
from ..records import Entry, Node, Outcome, Pub, Sub
from ..table import clear_entry, find_row, lease, make_row, wants
from ..tree import is_tree
from ..wire.lengths import channels_per_sub

WANTED = 0


@rule
def wanted_by(me: Node, now: int, i: int, entry: Entry) -> bool:
    """Return whether the i-th link wants it: it has said so since it became a link, and not too long ago."""
    link = me.link[i]
    if entry.ns != WANTED or not is_tree(me, link) or elapsed(now, entry.since) > me.settings.write_back * lease(me):
        return False
    return entry.since >= link.since


@rule
def wanted_beyond(me: Node, now: int, channel: int, i: int) -> bool:
    """Return whether anybody on my side of the i-th link wants the channel."""
    if wants(me, channel):
        return True
    row = find_row(me, channel)
    if row == NONE:
        return False
    for other in range(len(me.link)):
        if other != i and wanted_by(me, now, other, me.row[row].entry[other]):
            return True
    return False


@rule
def add_if_wanted(me: Node, now: int, channel: int, i: int, limit: int, out: Sub) -> bool:
    """Name a channel in the message for the i-th link if it is wanted; return False if the message is full."""
    if channel == k.NO_CHANNEL or not wanted_beyond(me, now, channel, i):
        return True
    if out.channels >= limit:
        return False
    out.channel[out.channels] = channel
    out.channels += 1
    return True


@rule
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """Write what is wanted on my side, for one tree neighbour after another; return the next part, 0 after the last.

    A part is (place of the link, place of the channel), counting the application's channels first and then the rows.
    """
    places = len(me.wants) + len(me.channel)
    i, at = part // places, part % places
    while i < len(me.link) and not is_tree(me, me.link[i]):
        i, at = i + 1, 0
    start_sub(me, out)
    if i >= len(me.link):
        return 0
    out.to = me.link[i].id
    for j in range(len(out.position)):
        out.position[j] = NONE
    limit, first = channels_per_sub(me, out), at
    while at < places:
        channel = me.wants[at] if at < len(me.wants) else me.channel[at - len(me.wants)]
        mine_too = at >= len(me.wants) and wants(me, channel)
        if not mine_too and not add_if_wanted(me, now, channel, i, limit, out):
            break
        at += 1
    out.last = 1 if first == 0 and at == places else 0
    return i * places + at if at < places else (i + 1) * places


@rule
def hear_sub(me: Node, now: int, sub: Sub) -> int:
    """Overwrite what a tree neighbour wants, announce changes soon, and return a reason."""
    i = sender(me, sub.src)
    if i == NONE:
        return k.NOT_A_LINK
    if sub.to != me.id or not is_tree(me, me.link[i]):
        return k.NOT_IN_TREE
    reason, news = k.FINE, False
    if sub.last == 1:
        news = withdraw(me, now, sub, i)
    for c in range(max(0, min(sub.channels, len(sub.channel)))):
        row = make_row(me, sub.channel[c])
        if row == NONE:
            reason = k.NO_ROOM
            continue
        entry = me.row[row].entry[i]
        news = news or not wanted_by(me, now, i, entry)
        entry.ns, entry.since = WANTED, now
    if news:
        announce_soon(me, now)
    return reason


@rule
def announce_soon(me: Node, now: int) -> None:
    """Pass changes on, but collect them for a moment.

    Otherwise, on a cycle in a tree that is still forming, they would circulate as fast as frames can be sent, and the
    HELLOs that would end the cycle could not get through.
    """
    if not 0 <= me.sub_at - now <= k.TRIGGER_MAX:
        me.sub_at = now + spread(me.id, now, 3, k.TRIGGER_MIN, k.TRIGGER_MAX)


@rule
def withdraw(me: Node, now: int, sub: Sub, i: int) -> bool:
    """Forget what a complete message does not name; return whether anything was forgotten."""
    news = False
    for row in range(len(me.channel)):
        entry = me.row[row].entry[i]
        if not names(sub, me.channel[row]):
            news = news or wanted_by(me, now, i, entry)
            clear_entry(entry)
    return news


@rule
def names(sub: Sub, channel: int) -> bool:
    for c in range(max(0, min(sub.channels, len(sub.channel)))):
        if sub.channel[c] == channel:
            return True
    return False


@rule
def clean(me: Node, now: int) -> None:
    """Forget what no tree neighbour has renewed, and free empty rows."""
    for row in range(len(me.channel)):
        empty = True
        for i in range(len(me.link)):
            entry = me.row[row].entry[i]
            if wanted_by(me, now, i, entry):
                empty = False
                entry.spare, entry.spare_since = NONE, 0
            else:
                clear_entry(entry)
        if empty and not wants(me, me.channel[row]):
            me.channel[row] = k.NO_CHANNEL


@rule
def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    row = find_row(me, pub.channel)
    if row == NONE:
        return
    for i in range(len(me.link)):
        if me.link[i].id != pub.src and wanted_by(me, now, i, me.row[row].entry[i]):
            x = out.send[out.sends]
            x.to, x.at, x.goal, x.ep = me.link[i].id, NONE, NONE, NONE
            out.sends += 1
