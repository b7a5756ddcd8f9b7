"""How many bytes a message takes on the wire: `wire` encodes to exactly this, hosts compute airtime from it.

Widths of ids (w) and positions (p) are 2, 4 or 8 bytes and stated in each frame's header.
"""

from .form import rule
from .numbers import clip
from .positions import NONE
from .records import Hello, Node, Pub, Sub

HEADER = 2          # kind and version; widths and flags


@rule
def hello_fixed(w: int, p: int) -> int:
    """HELLO without its lists: number, tree (root, parent, dist, seq), ring (3 positions, 2 digests), 4 counts."""
    return HEADER + w + 4 + (2 * w + 2 + 4) + (3 * p + 4 + 4) + 4


@rule
def hello_length(hello: Hello, w: int, p: int) -> int:
    return hello_fixed(w, p) + (hello.links + hello.heards) * (w + 1) + hello.children * (p + 4)


@rule
def sub_fixed(positions: int, w: int, p: int) -> int:
    """SUB without its channels: sender, addressee, previous sender, hops left, ring, two counts."""
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
    """PUB: sender, cur, ep, ring, channel, origin, boot, number, hops, age, data."""
    return HEADER + w + 2 * p + 4 + 8 + w + 4 + 4 + 2 + 2 + pub.load


@rule
def channels_per_sub(me: Node, sub: Sub) -> int:
    """How many channels one SUB of mine can name; one at least."""
    w, p = me.settings.id_bytes, me.settings.position_bytes
    room = (me.settings.frame - sub_fixed(positions_of(sub), w, p)) // 8
    return clip(room, 1, min(len(sub.channel), 255))


@rule
def links_per_hello(me: Node) -> int:
    """How many links a HELLO can list, if all of them are children, and one candidate beside them; one at least.

    A candidate that is never listed never learns how well it is heard, and does not propose.
    """
    w, p = me.settings.id_bytes, me.settings.position_bytes
    return max((me.settings.frame - hello_fixed(w, p) - (w + 1)) // (w + 1 + p + 4), 1)


@rule
def heards_per_hello(me: Node, hello: Hello) -> int:
    """How many candidates fit a HELLO whose links are written."""
    w, p = me.settings.id_bytes, me.settings.position_bytes
    used = hello_fixed(w, p) + hello.links * (w + 1) + hello.children * (p + 4)
    return clip((me.settings.frame - used) // (w + 1), 0, min(len(hello.heard), 255))

