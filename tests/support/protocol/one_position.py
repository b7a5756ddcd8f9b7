"""A node with one position in a ring of 40, for tests of its table."""

from typing import Any

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.node import default_settings
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node
from psvr.protocol.table import make_row, reset, update
from tests.support.network import CHANNEL

LENGTH, P = 40, 10
LEASE = 10 * k.SECOND


def node_at(p: int = P, capacity: Capacity | None = None) -> Any:
    me = blank(Node, capacity or Capacity(links=2, channels=4))
    default_settings(me.settings)
    me.settings.lease, me.length, me.ring, me.id = LEASE, LENGTH, 7, 3
    me.position = [p] + [NONE] * (len(me.position) - 1)
    reset(me)
    return me


def hear(me: Any, now: int, *positions: int) -> None:
    entry = me.row[make_row(me, CHANNEL)].entry[0]
    for s in positions:
        update(me, now, entry, me.position[0], s)
