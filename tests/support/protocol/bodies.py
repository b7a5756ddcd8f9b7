"""A host with its tables, made by hand, at a node that is on a ring."""

from psvr.protocol import constants as k
from psvr.protocol import host, table
from psvr.protocol.host import Body
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.positions import NONE
from psvr.protocol.records import Effects, Handed, Held, Node, Outcome, Pub
from psvr.protocol.records import Host as Memory
from tests.support.protocol.hand_made import NOW, PARENT

SMALL = Capacity(links=4, candidates=4, channels=4, batch=4, window=4, relays=3, effects=40)
CHANNEL = 77
SLOTS = 24
FLIGHT = k.FLIGHT * k.SECOND  # after which what was sent has arrived


def body(me: Node, slots: int = SLOTS, **settings: int) -> Body:
    """A host that has run for a while, and whose ring is no longer new."""
    for name, value in settings.items():
        setattr(me.settings, name, value)
    b = Body(
        me,
        blank(Memory, SMALL),
        [blank(Held, SMALL) for _ in range(slots)],
        [blank(Handed, SMALL) for _ in range(16)],
        blank(Effects, SMALL),
        blank(Outcome, SMALL),
    )
    host.start(b, NOW - 1000 * k.SECOND, 3)
    me.bursts = 0
    return b


def teach(me: Node, position: int, channel: int = CHANNEL) -> Node:
    """Let there be a subscriber at a position of the ring."""
    i = table.make_row(me, channel)
    for j, p in enumerate(me.position):
        if p != NONE:
            me.row[i].entry[j].ns, me.row[i].entry[j].since = position, NOW
    return me


def done(b: Body) -> list[tuple[int, int, int]]:
    """Return what the rules ask for, and report it as done."""
    found = [(e.kind, e.slot, e.reason) for e in b.out.effect[: b.out.count]]
    host.drained(b)
    return found


def states(b: Body) -> list[int]:
    return [h.state for h in b.held]


def heard(b: Body, src: int = PARENT, **said: int) -> Pub:
    """A PUB that arrives at position 4 of `inner`, and serves the whole ring but position 3."""
    pub = blank(Pub, SMALL)
    pub.src, pub.origin, pub.boot, pub.number, pub.channel, pub.hops = src, 2, 1, 1, CHANNEL, 3
    pub.ring, pub.cur, pub.ep, pub.load = b.me.ring, 4, 3, 16
    for name, value in said.items():
        setattr(pub, name, value)
    return pub


def new_ring(b: Body, ring: int = 78, length: int = 20) -> None:
    b.me.ring, b.me.length = ring, length
    for link in b.me.link:
        link.ring, link.length = ring, length


def in_flight(b: Body) -> int:
    """Publish; return the slot of the one frame that goes out."""
    host.publish(b, NOW, CHANNEL, 16, 5)
    ((_, slot, _),) = done(b)
    return slot
