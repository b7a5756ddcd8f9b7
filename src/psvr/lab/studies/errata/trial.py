"""One network: what becomes of its publications under each reading of the paper's pseudo-code, and under PSVR."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.checks import real, whole
from psvr.graphs.drawn import geometric, gnp
from psvr.graphs.graph import Graph
from psvr.lab.kinds import Values
from psvr.routing.as_printed import READINGS, Routing, subscribe
from psvr.routing.settled import Settled
from psvr.routing.systems import Message, route
from psvr.routing.tree import bfs_tree, centre

RESULTS = pa.schema(
    {
        **dict.fromkeys(("nodes", "links", "published"), pa.int64()),
        **dict.fromkeys(("never_ends", "repeated", "missed", "not_once", "unlike_psvr"), pa.float64()),
    }
)

TOPOLOGIES = ("geometric", "gnp")
SHORTCUTS = ("all", "nontree")
SETS, PUBLISHERS = 5, 4  # sets of subscribers in each network, and publishers to each; these are not subscribers
CHANNEL = "c"


def resolve(parameters: Values) -> Values | None:
    if parameters.get("topology") not in TOPOLOGIES:
        raise BadInput(f"topology: must be one of {', '.join(TOPOLOGIES)}, not {shown(parameters.get('topology'))}")
    n, s = whole(parameters.get("n"), "n", 2, 1000), whole(parameters.get("s"), "s", 1, 1000)
    degree = real(parameters.get("degree"), "degree", 5, 1000)
    return parameters if degree <= n - 1 and s + PUBLISHERS <= n else None


def cost(parameters: Values, scenario: Values | None) -> float:
    return 1e-3 + 1e-5 * SETS * float(parameters["n"])


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    graph = drawn(parameters, seed)
    root = centre(graph)
    settled = Settled(graph, root, bfs_tree(graph, root))
    order = np.random.default_rng([seed, 1]).permuted(np.tile(np.arange(graph.n), (SETS, 1)), axis=1)
    s = parameters["s"]
    sets = [(row[:s].tolist(), row[s : s + PUBLISHERS].tolist()) for row in order]
    return [{"nodes": graph.n, "links": graph.m, **judged(settled, sets, system)} for system in systems]


def drawn(parameters: dict[str, Any], seed: int) -> Graph:
    n, degree = parameters["n"], parameters["degree"]
    if parameters["topology"] == "geometric":
        return geometric(n, seed, degree=degree)[0]
    return gnp(n, degree / (n - 1), seed)


def judged(settled: Settled, sets: list[tuple[list[int], list[int]]], name: str) -> dict[str, Any]:
    """Return how many publications there were, and how many percent of them went wrong in each way."""
    found, published = Counter[str](), 0
    for subscribers, publishers in sets:
        for publisher, (ends, received, sent) in zip(publishers, journeys(settled, subscribers, publishers, name)):
            published += 1
            copies = [received[v] for v in subscribers]
            found["never_ends"] += not ends
            found["repeated"] += max(copies) > 1
            found["missed"] += min(copies) == 0
            found["not_once"] += not ends or set(copies) != {1}
            found["unlike_psvr"] += sent != psvr(settled, subscribers, publisher, shortcuts_of(name))
    shares = {what: 100 * found[what] / published for what in RESULTS.names if what in found}
    return {"published": published, **shares}


Judged = tuple[bool, Counter[int], list[Message]]  # whether it ends, copies at each node, its different messages


def journeys(settled: Settled, subscribers: list[int], publishers: list[int], name: str) -> list[Judged]:
    """Return what comes of the publications of these nodes; `name` is a reading or PSVR, and a set of shortcuts."""
    reading, shortcuts = name.partition("/")[0], shortcuts_of(name)
    if reading == "psvr":
        sent = [psvr(settled, subscribers, publisher, shortcuts) for publisher in publishers]
        return [(True, Counter(settled.ring[[x[1] for x in messages]].tolist()), messages) for messages in sent]
    if reading not in READINGS:
        known = ("psvr", *READINGS)
        raise BadInput(f"system {shown(name)}: unknown{did_you_mean(reading, known)}; there are {', '.join(known)}")
    wants = [(CHANNEL,) if v in subscribers else () for v in range(settled.graph.n)]
    routing = Routing(settled, subscribe(settled, wants, READINGS[reading]).ns(CHANNEL), READINGS[reading], shortcuts)
    found = [routing.follow(publisher) for publisher in publishers]
    return [(j.ends, j.received, sorted(x for sent in j.causes.values() for x in sent)) for j in found]


def psvr(settled: Settled, subscribers: list[int], publisher: int, shortcuts: str) -> list[Message]:
    return sorted(route(settled, "psvr", publisher, subscribers, shortcuts).messages)


def shortcuts_of(name: str) -> str:
    shortcuts = name.partition("/")[2] or SHORTCUTS[0]
    if shortcuts not in SHORTCUTS:
        raise BadInput(f"system {shown(name)}: after / must come one of {', '.join(SHORTCUTS)}")
    return shortcuts
