"""What of a node's memory decides whether a network is right, as numbers and lists, there and back again."""

from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import table
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import clear
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node as Memory

OF_NODE = ("id", "root", "parent", "dist", "size", "digest", "ring", "length")
OF_LINK = ("id", "keeps_me", "root", "parent", "dist", "size", "digest", "ring", "length")


def to_plain(me: Memory) -> dict[str, Any]:
    """All that `psvr.protocol.invariants` looks at."""
    positions = standing(me.position)
    return {
        **{name: getattr(me, name) for name in OF_NODE}, "position": positions,
        "link": [[[getattr(link, name) for name in OF_LINK], standing(link.position)] for link in me.link
                 if link.id != k.NOBODY],
        "wants": [channel for channel in me.wants if channel != k.NO_CHANNEL],
        "row": [[channel, [me.row[i].entry[j].ns for j in range(len(positions))]]
                for i, channel in enumerate(me.channel) if channel != k.NO_CHANNEL],
    }


def standing(positions: list[int]) -> list[int]:
    return [p for p in positions if p != NONE]


def from_plain(told: dict[str, Any], links: int) -> Memory:
    """A node that remembers this, and nothing else; it keeps up to so many links."""
    room = 16 + 4 * max(len(told["wants"]), len(told["row"]))
    me = blank(Memory, Capacity(links, 1, room, 1, 1, 1))
    rules.default_settings(me.settings)
    rules.start(me, told["id"], 0)
    for name in OF_NODE:
        setattr(me, name, told[name])
    put_positions(me.position, told["position"])
    for link, (values, positions) in zip(me.link, told["link"]):
        clear(link)
        for name, value in zip(OF_LINK, values):
            setattr(link, name, value)
        put_positions(link.position, positions)
    for channel in told["wants"]:
        me.wants[table.free_place(me.wants, channel)] = channel
    for channel, entries in told["row"]:
        i = table.make_row(me, channel)
        for j, ns in enumerate(entries):
            me.row[i].entry[j].ns = ns
    return me


def put_positions(place: list[int], positions: list[int]) -> None:
    place[:] = positions + [NONE] * (len(place) - len(positions))
