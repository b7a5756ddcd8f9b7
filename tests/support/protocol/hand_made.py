"""Single nodes and messages made by hand, for tests of single rules."""

from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import forget_candidate
from psvr.protocol.positions import NONE
from psvr.protocol.records import Candidate, Hello, Link, Node

SMALL = Capacity(links=4, candidates=4, channels=4, batch=4, window=4, relays=3)
NOW = 100_000 * k.SECOND
LONG_AGO = NOW - 50_000 * k.SECOND
GOOD = 60_000  # a quality that nobody objects to
PARENT, CHILD, OTHER = 5, 20, 21  # of `inner`: two tree links, and one beside the tree


def started(id: int = 9, capacity: Capacity = SMALL, **settings: int) -> Node:
    """A node that has heard nothing yet."""
    me = blank(Node, capacity)
    node.default_settings(me.settings)
    me.settings.links = capacity.links
    assign(me.settings, settings)
    node.start(me, id, NOW)
    return me


def assign(record: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(record, name, value)


def add_link(me: Node, i: int, id: int, /, **said: Any) -> Link:
    """A good two-way link in the i-th place; it follows its own root unless `said` otherwise."""
    link = me.link[i]
    link.id, link.keeps_me, link.heard, link.since = id, 1, NOW, LONG_AGO
    link.q_in = link.q_out = GOOD
    link.samples, link.number = k.SAMPLES, 100
    link.root, link.parent, link.dist, link.seq = id, k.NOBODY, 0, 5
    link.size, link.digest = 1, 1000 + id
    assign(link, said)
    return link


def add_candidate(me: Node, j: int, id: int, /, **said: int) -> Candidate:
    """A good node heard just now, of the same tree, with a place free."""
    c = me.candidate[j]
    forget_candidate(c)
    c.id, c.heard, c.samples, c.number = id, NOW, k.SAMPLES, 100
    c.q_in = c.q_out = GOOD
    c.free, c.root = 1, me.root
    assign(c, said)
    return c


def follow(me: Node, parent: int, root: int = 0, dist: int = 1) -> None:
    """The node is in a tree of this root; `parent` is to be a link."""
    me.root, me.parent, me.dist, me.seq, me.fresh = root, parent, dist, 5, NOW


def put_on_ring(me: Node, length: int, *positions: int, ring: int = 77) -> None:
    me.ring, me.length = ring, length
    me.position[:] = [*positions, *[NONE] * (len(me.position) - len(positions))]


def hello(src: int, capacity: Capacity = SMALL, **said: int) -> Hello:
    """A HELLO that lists nobody, of a root without children and without a ring."""
    made = blank(Hello, capacity)
    made.src, made.root, made.parent, made.number, made.size = src, src, k.NOBODY, 101, 1
    made.ring, made.start = -1, NONE
    assign(made, said)
    return made


def ids(places: Any) -> list[int]:
    """Return the ids in a table of links or candidates."""
    return [x.id for x in places if x.id != k.NOBODY]


def inner(**settings: Any) -> Node:
    """Node 9: from its parent to 4, the child at 5 … 9, back to the parent from 10."""
    me = started(**settings)
    follow(me, PARENT)
    put_on_ring(me, 20, 4, 10)
    add_link(me, 0, PARENT, root=0, parent=0, ring=77, length=20, position=[3, 11, NONE, NONE])
    add_link(me, 1, CHILD, root=0, parent=9, dist=2, ring=77, length=20, position=[5, 7, 9, NONE])
    add_link(me, 2, OTHER, root=0, parent=2, dist=2, ring=77, length=20, position=[14, 16, NONE, NONE])
    return me


def offered(**said: int) -> Node:
    """Node 9 with a link 5 that offers root 2 at distance 3."""
    me = started(depth=10)
    add_link(me, 0, 5, **{"root": 2, "dist": 3, "parent": 4, "seq": 50, **said})
    return me
