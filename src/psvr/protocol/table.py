"""The routing table RS: one row per channel, one entry per own position.

A row is within `PROBES` places of where its channel's hash points, so finding it, or finding that there is none, costs
the same for any size and after any fault: there are no chains that could break.
"""

from collections.abc import Sequence

from . import constants as k
from .form import rule
from .numbers import clip, count, elapsed
from .positions import NONE, closer
from .records import Entry, Node
from .ring import index_of


@rule
def place_in(keys: Sequence[int], key: int) -> int:
    """Return the place of a key in a table of keys, or NONE."""
    size, home = len(keys), key % len(keys)
    if keys[home] == key:
        return home
    end = home + min(k.PROBES, size)
    if key in keys[home:end]:
        for at in range(home, end):
            if keys[at] == key:
                return at
    if end > size and key in keys[: end - size]:
        for at in range(end - size):
            if keys[at] == key:
                return at
    return NONE


@rule
def wants(me: Node, channel: int) -> bool:
    """Return whether c ∈ C_S."""
    return channel != k.NO_CHANNEL and place_in(me.wants, channel) != NONE


@rule
def find_row(me: Node, channel: int) -> int:
    return place_in(me.channel, channel) if channel != k.NO_CHANNEL else NONE


@rule
def make_row(me: Node, channel: int) -> int:
    """Return the row of a channel, made if necessary; without room for it, count that and return NONE."""
    if channel == k.NO_CHANNEL:
        return NONE
    i = place_in(me.channel, channel)
    if i != NONE:
        return i
    i = free_place(me.channel, channel)
    if i == NONE:
        me.overflow = count(me.overflow)
        return NONE
    me.channel[i] = channel
    clear_row(me, i)
    return i


@rule
def free_place(keys: Sequence[int], key: int) -> int:
    """Return the first free place for a key, or NONE."""
    home = key % len(keys)
    for i in range(min(k.PROBES, len(keys))):
        at = (home + i) % len(keys)
        if keys[at] == k.NO_CHANNEL:
            return at
    return NONE


@rule
def clear_entry(entry: Entry) -> None:
    entry.ns = entry.spare = NONE
    entry.since = entry.spare_since = 0


@rule
def clear_row(me: Node, i: int) -> None:
    entries = me.row[i].entry
    for j in range(len(entries)):
        clear_entry(entries[j])


@rule
def reset(me: Node) -> None:
    """Empty the table: on another ring it means nothing."""
    for i in range(len(me.channel)):
        me.channel[i] = k.NO_CHANNEL
        clear_row(me, i)


@rule
def lease(me: Node) -> int:
    """Return δ_S: as set, or computed from the length of the ring, which the root announces."""
    if me.settings.lease > 0:
        return me.settings.lease
    return clip(k.LEASE_BASE + k.LEASE_STEP * clip(me.length, 0, 2 * k.MAX_SIZE), k.LEASE_BASE, k.LEASE_MAX)


@rule
def valid(me: Node, position: int) -> int:
    """Return the position if it belongs to another node on my ring, otherwise NONE."""
    return position if 0 <= position < me.length and index_of(me, position) == NONE else NONE


@rule
def next_subscriber(me: Node, channel: int, j: int) -> int:
    """Return RS[c][p].ns for my j-th position; a stale entry continues to route."""
    i = find_row(me, channel)
    return valid(me, me.row[i].entry[j].ns) if i != NONE else NONE


@rule
def update(me: Node, now: int, entry: Entry, p: int, s: int) -> None:
    """UpdSn for one own position p and one position s of a subscriber."""
    if valid(me, s) == NONE:
        return
    if closer(s, p, valid(me, entry.ns), me.length):
        entry.ns, entry.since, entry.spare, entry.spare_since = s, now, NONE, 0
    elif elapsed(now, entry.since) > lease(me) and closer(s, p, valid(me, entry.spare), me.length):
        entry.spare, entry.spare_since = s, now


@rule
def write_back(me: Node, now: int, entry: Entry) -> None:
    """Timer_Clean for one entry: if it was not renewed for T_w/back, the spare takes over, with its own age.

    `vr2015` has no spare: there, a stale entry is deleted.
    """
    entry.ns, entry.spare = valid(me, entry.ns), valid(me, entry.spare)
    if me.settings.system == k.VR2015:
        entry.spare = NONE
    if entry.ns == NONE or elapsed(now, entry.since) > me.settings.write_back * lease(me):
        entry.ns, entry.since = entry.spare, entry.spare_since
        entry.spare, entry.spare_since = NONE, 0
    if entry.ns == NONE or elapsed(now, entry.since) == k.FOREVER:
        entry.since = 0
    if entry.spare == NONE or elapsed(now, entry.spare_since) == k.FOREVER:
        entry.spare_since = 0


@rule
def clean(me: Node, now: int) -> None:
    """Timer_Clean: write back stale entries, and free empty rows unless the node subscribes to their channels."""
    for i in range(len(me.channel)):
        if me.channel[i] == k.NO_CHANNEL:
            clear_row(me, i)
            continue
        entries, empty = me.row[i].entry, True
        for j in range(len(entries)):
            if me.position[j] == NONE:
                clear_entry(entries[j])
            else:
                write_back(me, now, entries[j])
                empty = empty and entries[j].ns == NONE and entries[j].spare == NONE
        if empty and not wants(me, me.channel[i]):
            me.channel[i] = k.NO_CHANNEL
