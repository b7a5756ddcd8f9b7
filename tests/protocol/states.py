"""Any state × any message: nodes with arbitrary memory, for tests of single rules."""

import random
from typing import Any

from hypothesis import strategies as st

from network import CHANNEL, anything_of
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank, restore
from psvr.protocol.records import Node

CAPACITY = Capacity(links=4, candidates=3, channels=4, batch=3, window=4, relays=2)
NOW = 10**9

randoms = st.integers(0, 2**32).map(random.Random)


def any_node(rng: random.Random, system: int | None = None) -> Node:
    """Arbitrary memory, but for what is read-only."""
    me = blank(Node, CAPACITY)
    shot = anything_of(rng, Node, CAPACITY)
    shot["id"] = rng.choice([0, 3, 2**40])
    shot["wants"] = [rng.choice([k.NO_CHANNEL, CHANNEL, 5]) for _ in shot["wants"]]
    shot["settings"] = {"hello": k.SECOND, "lease": rng.choice([0, k.SECOND]), "links": rng.choice([3, 4]),
                        "depth": 8, "frame": 116, "own": 0,
                        "id_bytes": 2, "position_bytes": 2, "shortcuts": rng.randint(0, 1),
                        "system": rng.randrange(5) if system is None else system}
    restore(me, Node, shot)
    return me


def any_message(rng: random.Random, cls: type, me: Node) -> Any:
    """An arbitrary message; half of them from a link, about the ring the node is on."""
    made = blank(cls, CAPACITY)
    restore(made, cls, anything_of(rng, cls, CAPACITY))
    if rng.random() < 0.5:
        made.src = rng.choice(me.link).id
        made.ring = me.ring
    return made
