"""Tables that grow: a live node does not know in advance how many channels there will be."""

from psvr.protocol import constants as k
from psvr.protocol import table
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node, Row


def grow(me: Node, capacity: Capacity, most: int) -> bool:
    """Twice as many rows, and places for subscriptions, up to the bound; False at the bound."""
    size = len(me.channel)
    while size < most:
        size = min(2 * size, most)
        if rebuilt(me, capacity, size):
            return True
    return False


def rebuilt(me: Node, capacity: Capacity, size: int) -> bool:
    """Every row at its new place; False if one found none, and then nothing has changed."""
    channel, row = [k.NO_CHANNEL] * size, [blank(Row, capacity) for _ in range(size)]
    wants = [k.NO_CHANNEL] * size
    for i, key in enumerate(me.channel):
        if key != k.NO_CHANNEL:
            at = table.free_place(channel, key)
            if at == NONE:
                return False
            channel[at], row[at] = key, me.row[i]
    for key in me.wants:
        if key != k.NO_CHANNEL:
            at = table.free_place(wants, key)
            if at == NONE:
                return False
            wants[at] = key
    me.channel, me.row, me.wants = channel, row, wants
    return True
