"""Tables that grow: a live node does not know in advance how many channels there will be.

A channel is looked up at a few places only, so there may be none left for it long before a table is full.  Tables
therefore have up to twice as many places as the node may know channels, and the bound is enforced by counting.
"""

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import psvr, table
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.numbers import count
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Row, Sub

PLACES = 2  # for each channel that a node may know


def hear_sub(me: Node, now: int, sub: Sub, out: Sub, capacity: Capacity, max_channels: int) -> int:
    """Apply the rule, enlarging the table if need be.  Only what finds no room in the end counts as overflow."""
    before = me.overflow
    new = unknown(me, sub) if len(me.channel) + sub.channels > max_channels else []
    reason = rules.hear_sub(me, now, sub, out)
    while reason == k.NO_ROOM and grow(me, capacity, max_channels):
        me.overflow = before
        reason = psvr.learn(me, now, sub)
    return k.NO_ROOM if take_back(me, new, max_channels) else reason


def unknown(me: Node, sub: Sub) -> list[int]:
    """The channels of a SUB that have no row, without repetitions."""
    return [c for c in dict.fromkeys(sub.channel[: sub.channels]) if table.find_row(me, c) == NONE]


def take_back(me: Node, new: list[int], max_channels: int) -> bool:
    """Free those rows, just made for these channels, that are beyond the bound; return whether there were any."""
    rows = [i for channel in new if (i := table.find_row(me, channel)) != NONE]
    over = len(me.channel) - me.channel.count(k.NO_CHANNEL) - max_channels if rows else 0
    for i in rows[max(len(rows) - over, 0) :]:
        me.channel[i] = k.NO_CHANNEL
        me.overflow = count(me.overflow)
    return over > 0


def grow(me: Node, capacity: Capacity, max_channels: int) -> bool:
    """Double the rows, and the places for subscriptions, up to the bound; return False at the bound.

    A table that is half empty has no place for a channel only if somebody picked channels that collide: that is no
    reason to grow.
    """
    size, free = len(me.channel), min(me.channel.count(k.NO_CHANNEL), me.wants.count(k.NO_CHANNEL))
    largest = PLACES * max_channels
    return size < largest and 2 * free <= size and rebuild(me, capacity, min(2 * size, largest))


def rebuild(me: Node, capacity: Capacity, size: int) -> bool:
    """Move every row to its new place, dropping those that find none.

    Returns False, and changes nothing, if a subscription finds none.
    """
    wants = [k.NO_CHANNEL] * size
    if not all(put(wants, key) != NONE for key in me.wants if key != k.NO_CHANNEL):
        return False
    channel, row = [k.NO_CHANNEL] * size, [blank(Row, capacity) for _ in range(size)]
    for i, key in enumerate(me.channel):
        if key != k.NO_CHANNEL and (at := put(channel, key)) != NONE:
            row[at] = me.row[i]
    me.channel, me.row, me.wants = channel, row, wants
    return True


def put(keys: list[int], key: int) -> int:
    """Store a key; return its place, or NONE."""
    at = table.free_place(keys, key)
    if at != NONE:
        keys[at] = key
    return at
