"""The spanning tree that the whole stack builds: nodes find it in the simulator, and it is taken as they leave it."""

import numpy as np

from psvr.graphs.csr import Ints
from psvr.graphs.graph import Graph
from psvr.protocol import constants as k
from psvr.protocol.wire.lengths import hello_fixed
from psvr.sim.network import Network
from psvr.sim.scenario import parse

LIMIT = 600.0  # seconds until a network must be at rest
ID, POSITION = 4, 4  # bytes, at most, of networks as large as a trial's


def stack_tree(graph: Graph, c_n: int, seed: int) -> Ints:
    """Return the parents once all invariants hold, on an ideal channel, with up to C_N links per node.

    Node 0 has the least id and becomes the root.
    """
    scenario = {
        "seed": seed,
        "topology": {"kind": "edges", "n": graph.n, "edges": graph.edges().tolist()},
        "protocol": {"links": c_n, "frame": max(k.FRAME, frame_for(c_n))},
    }
    net = Network(parse(scenario))
    net.run_until_stable(LIMIT)
    ids, parent = net.world.ids, net.world.nodes["parent"]
    found: Ints = np.where(parent == k.NOBODY, -1, np.searchsorted(ids, parent)).astype(np.int32)
    return found


def frame_for(c_n: int) -> int:
    """Return the bytes of a HELLO that lists this many links, all of them children, and one candidate."""
    return int(hello_fixed(ID, POSITION)) + (ID + 1) + c_n * (ID + 1 + POSITION + 4)
