"""Tables that grow: a live node does not know in advance how many channels there will be."""

from psvr.protocol import constants as k
from psvr.protocol import table
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Row


def grow(me: Node, capacity: Capacity, most: int) -> bool:
    """Twice as many rows, and places for subscriptions, up to the bound; False at the bound.

    A table that is half empty has no place for a channel only if somebody has chosen channels that want the same one:
    that is no reason to grow.
    """
    size, free = len(me.channel), min(me.channel.count(k.NO_CHANNEL), me.wants.count(k.NO_CHANNEL))
    return size < most and 2 * free <= size and rebuilt(me, capacity, min(2 * size, most))


def rebuilt(me: Node, capacity: Capacity, size: int) -> bool:
    """Every row at its new place, but those that find none; False, and no change, if a subscription finds none."""
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
    at = table.free_place(keys, key)
    if at != NONE:
        keys[at] = key
    return at
