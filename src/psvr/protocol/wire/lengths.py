"""How many bytes a message takes on the wire: `wire` encodes to exactly this, and hosts compute airtime from it.

The widths of ids (w) and positions (p) are 2, 4 or 8 bytes, and are stated in each frame's header.
"""

from ..form import rule
from ..numbers import clip
from ..positions import NONE
from ..records import Hello, Node, Pub, Sub

HEADER = 2  # kind and version; widths and flags


@rule
def hello_fixed(w: int, p: int) -> int:
    """Return the length of a HELLO without its lists: src, number, tree, ring (3 positions, 2 digests), 4 counts."""
    return HEADER + w + 4 + (2 * w + 2 + 4) + (3 * p + 4 + 4) + 4


@rule
def hello_length(hello: Hello, w: int, p: int) -> int:
    return hello_fixed(w, p) + (hello.links + hello.heards) * (w + 1) + hello.children * (p + 4)


@rule
def sub_fixed(positions: int, w: int, p: int) -> int:
    """Return the length of a SUB without channels: sender, addressee, previous sender, hops left, ring, two counts."""
    return HEADER + 3 * w + 2 + 4 + 2 + positions * p


@rule
def positions_of(sub: Sub) -> int:
    number = 0
    while number < len(sub.position) and sub.position[number] != NONE:
        number += 1
    return number


@rule
def sub_length(sub: Sub, w: int, p: int) -> int:
    return sub_fixed(positions_of(sub), w, p) + 8 * sub.channels


@rule
def pub_length(pub: Pub, w: int, p: int) -> int:
    """Return the length of a PUB: sender, cur, ep, ring, channel, origin, boot, number, hops, age, data."""
    return HEADER + w + 2 * p + 4 + 8 + w + 4 + 4 + 2 + 2 + pub.load


@rule
def channels_per_sub(me: Node, sub: Sub) -> int:
    """Return how many channels one SUB of mine can name: at least one."""
    w, p = me.settings.id_bytes, me.settings.position_bytes
    room = (me.settings.frame - sub_fixed(positions_of(sub), w, p)) // 8
    return clip(room, 1, min(len(sub.channel), 255))


@rule
def links_per_hello(me: Node) -> int:
    """Return how many links, all of them children, a HELLO can list besides one candidate: at least one.

    A candidate that is never listed never learns how well it is heard, and so does not propose.
    """
    w, p = me.settings.id_bytes, me.settings.position_bytes
    return max((me.settings.frame - hello_fixed(w, p) - (w + 1)) // (w + 1 + p + 4), 1)


@rule
def heards_per_hello(me: Node, hello: Hello) -> int:
    """Return how many candidates fit into a HELLO whose links are already written."""
    w, p = me.settings.id_bytes, me.settings.position_bytes
    used = hello_fixed(w, p) + hello.links * (w + 1) + hello.children * (p + 4)
    return clip((me.settings.frame - used) // (w + 1), 0, min(len(hello.heard), 255))
