"""Why publications were missed: each expected pair that was not delivered is counted once, under one reason."""

import numpy as np
from numpy.typing import NDArray

from psvr.protocol.constants import FLOOD, REASONS
from psvr.protocol.host.holding import FREE, KEPT
from psvr.results.deliveries import Deliveries
from psvr.sim.engine.table_sizes import in_use
from psvr.sim.engine.world import World

UNNOTICED = "nobody noticed: no table led there"
UNHEARD = "nobody noticed: no broadcast of it was heard"  # under `flood`, which has no tables
UNDER_WAY = "it was still under way at the end"
NAMES = (UNNOTICED, *REASONS[1:], UNDER_WAY, UNHEARD)


def under_way(world: World) -> NDArray[np.int64]:
    """The publication of each PUB that is under way or waiting, except those that their origin only keeps."""
    held = in_use(world.held, world.hosts)
    state, alive = held["state"], world.stations["alive"] != 0
    found: NDArray[np.int64] = held["handle"][(state != FREE) & (state != KEPT) & alive[:, None]]
    return found


def missed_by(world: World, d: Deliveries) -> dict[str, int]:
    """Reason → number of missed pairs, largest first: why a part of the publication was last given up, if any was."""
    reasons = world.publications["reason"][d.missed]
    if world.nodes["settings"]["system"][0] == FLOOD:
        reasons[reasons == 0] = NAMES.index(UNHEARD)
    reasons[np.isin(d.missed, under_way(world))] = NAMES.index(UNDER_WAY)
    values, numbers = np.unique(reasons, return_counts=True)
    return {NAMES[values[i]]: int(numbers[i]) for i in np.argsort(-numbers, kind="stable")}
