"""A network at rest, as compiled code takes it."""

from typing import NamedTuple

from psvr.graphs.csr import Ints, Longs


class Tables(NamedTuple):
    """The ring, the positions of every node, and those of its neighbours: its shortcuts.

    The positions of v are own[first_own[v]:first_own[v + 1]], those of its neighbours near[start[v]:start[v + 1]], and
    those of neighbours with very many positions are in hub in the same way.
    """

    ring: Ints  # the node at each position
    after: Ints  # per position the next one of the same node
    start: Longs
    near: Ints
    first_hub: Longs
    hub: Ints
    first_own: Ints
    own: Ints
