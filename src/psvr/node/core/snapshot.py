"""The part of a node's memory that decides whether a network is correct, to plain numbers and lists and back."""

from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import node as rules
from psvr.protocol import table
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import clear
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node as Memory

NODE_FIELDS = ("id", "root", "parent", "dist", "size", "digest", "ring", "length")
LINK_FIELDS = ("id", "keeps_me", "root", "parent", "dist", "size", "digest", "ring", "length")


def to_plain(me: Memory) -> dict[str, Any]:
    """Everything that `psvr.protocol.invariants` looks at."""
    positions = without_gaps(me.position)
    return {
        **{name: getattr(me, name) for name in NODE_FIELDS},
        "position": positions,
        "link": [
            [[getattr(link, name) for name in LINK_FIELDS], without_gaps(link.position)]
            for link in me.link
            if link.id != k.NOBODY
        ],
        "wants": [channel for channel in me.wants if channel != k.NO_CHANNEL],
        "row": [
            [channel, [me.row[i].entry[j].ns for j in range(len(positions))]]
            for i, channel in enumerate(me.channel)
            if channel != k.NO_CHANNEL
        ],
    }


def without_gaps(positions: list[int]) -> list[int]:
    return [p for p in positions if p != NONE]


def from_plain(plain: dict[str, Any], links: int) -> Memory:
    """A node with this memory and no other; it keeps up to `links` links."""
    room = 16 + 4 * max(len(plain["wants"]), len(plain["row"]))
    me = blank(Memory, Capacity(links, 1, room, 1, 1, 1))
    rules.default_settings(me.settings)
    rules.start(me, plain["id"], 0)
    for name in NODE_FIELDS:
        setattr(me, name, plain[name])
    put_positions(me.position, plain["position"])
    for link, (values, positions) in zip(me.link, plain["link"]):
        clear(link)
        for name, value in zip(LINK_FIELDS, values):
            setattr(link, name, value)
        put_positions(link.position, positions)
    for channel in plain["wants"]:
        me.wants[table.free_place(me.wants, channel)] = channel
    for channel, entries in plain["row"]:
        i = table.make_row(me, channel)
        for j, ns in enumerate(entries):
            me.row[i].entry[j].ns = ns
    return me


def put_positions(place: list[int], positions: list[int]) -> None:
    place[:] = positions + [NONE] * (len(place) - len(positions))
