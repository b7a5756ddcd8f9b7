"""Which living nodes can hear each other at this moment: the ground on which the invariants are checked."""

import numpy as np
from numpy.typing import NDArray

from psvr.jit import jit
from psvr.protocol.invariants import Ground
from psvr.sim.engine.world import World


@jit
def label(first: NDArray[np.int64], near: NDArray[np.int64], part: NDArray[np.int64]) -> None:
    """Label the component of each node with its lowest member."""
    n = len(part)
    waiting = np.empty(n, np.int64)
    part[:] = -1
    for v in range(n):
        if part[v] >= 0:
            continue
        part[v], waiting[0], count = v, v, 1
        while count > 0:
            count -= 1
            u = waiting[count]
            for e in range(first[u], first[u + 1]):
                if part[near[e]] < 0:
                    part[near[e]] = v
                    waiting[count] = near[e]
                    count += 1


def ground_of(world: World, good: NDArray[np.bool_]) -> Ground:
    """The ground for the living nodes, numbered among themselves.  Components are connected by good links."""
    alive = world.stations["alive"] != 0
    source = np.repeat(np.arange(len(world.ids)), np.diff(world.first))
    place, part = np.cumsum(alive) - 1, np.empty(int(alive.sum()), np.int64)
    open_links = (world.cut == 0) & alive[source] & alive[world.near]

    def rows(links: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        degrees = np.bincount(place[source[links]], minlength=part.size)
        return np.concatenate([[0], np.cumsum(degrees)]), place[world.near[links]]

    label(*rows(open_links & good), part)
    return Ground(part, *rows(open_links))
