"""Trials of self-stabilization: a settled network, arbitrary memory in some of its nodes, and what comes of it.

Each trial has two calm phases, before the fault and after the network is legitimate again.  In both, every publication
is followed frame by frame: Theorem 1 is about the PUBs that a subscriber receives.  What its host then hands over is
another matter: names of publications that the fault has planted may suppress them for a while, and hosts that repeat
what may have been lost rely on names.  So under the profile `paper` receptions decide whether a trial has failed, and
otherwise, once planted names are forgotten, what is handed over does.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from psvr.errors import BadInput, shown
from psvr.fields.checks import real, whole
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity
from psvr.results.deliveries import SECOND
from psvr.sim.bound import forgotten, healing_bound, lease_for
from psvr.sim.engine.world import capacity_for
from psvr.sim.faults.memory import KINDS
from psvr.sim.network import Network
from psvr.sim.scenario import Scenario, parse
from psvr.trace import EVENTS

from . import Values
from .legitimate import until_legitimate
from .names import variant_of

RESULTS = pa.schema(
    {
        **dict.fromkeys(("nodes", "links", "depth", "corrupted_nodes"), pa.int64()),
        **dict.fromkeys(("bound_s", "healed_s", "share_of_bound"), pa.float64()),
        **dict.fromkeys(("published", "expected", "delivered", "duplicates"), pa.int64()),
        **dict.fromkeys(
            ("missed", "received_again", "withheld", "handed_to_others", "interlaced", "restless", "not_healed"),
            pa.int64(),
        ),
        "failure": pa.string(),  # what went wrong, if anything did
    }
)

COMPILED_AS = "simulated"
TOPOLOGIES = ("geometric", "gnp", "grid", "line", "ring")
PARAMETERS = ("topology", "n", "loss", "corrupted", "memory")
MIN_DEGREE, MAX_DEGREE = 6, 14  # of drawn networks; with less, few of them are connected
MAX_SUBSCRIBERS = 10
PUBLICATIONS = 3  # in each calm phase, by different nodes
MAX_RESTLESS = 10  # attempts at a calm phase
TRAVEL = 10.0  # seconds in which these arrive
SETTLING = 600.0  # seconds that a network may take from nothing, several times what is needed
MAX_BOUNDS = 4  # times the bound, after which a trial ends
COUNTED = (
    "published",
    "expected",
    "delivered",
    "duplicates",
    "missed",
    "received_again",
    "withheld",
    "handed_to_others",
    "interlaced",
    "restless",
)
WRONG = {
    "missed": "not received",
    "received_again": "received more than once",
    "withheld": "not handed over",
    "duplicates": "handed over more than once",
    "handed_to_others": "handed to nodes that do not subscribe",
    "interlaced": "positions interlaced",
}
RECEIVED, DELIVERED = EVENTS.index("received"), EVENTS.index("delivered")


def resolve(parameters: Values) -> Values | None:
    for name in PARAMETERS:
        if name not in parameters:
            raise BadInput(f"{name}: missing; trials of stabilization need {', '.join(PARAMETERS)}")
    for name in parameters:
        if name not in PARAMETERS:
            raise BadInput(f"{name}: unknown parameter; allowed are {', '.join(PARAMETERS)}")
    for name, allowed in (("topology", TOPOLOGIES), ("memory", KINDS)):
        if parameters[name] not in allowed:
            raise BadInput(f"{name}: must be one of {', '.join(allowed)}, not {shown(parameters[name])}")
    real(parameters["loss"], "loss", 0, 0.5)
    real(parameters["corrupted"], "corrupted", 0, 1, above=True)
    n = whole(parameters["n"], "n", 1, 10_000)
    return None if parameters["topology"] == "ring" and n < 3 else {**parameters, "n": n}


def cost(parameters: Values, scenario: Values | None) -> float:
    n = int(parameters["n"])
    return 0.01 + 0.002 * n


def variant(parameters: Values, scenario: Values | None) -> tuple[int, ...]:
    """Return what compiled code depends on, as for simulated trials: how many links and channels nodes have."""
    room = capacity_for(k.LINKS, Capacity().channels)
    return room.links, room.channels


def smaller(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield parameters of smaller networks, smallest first, in which to look for the same failure."""
    sizes = sorted({2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50} | {parameters["n"] - 1, parameters["n"] // 2})
    for n in sizes:
        if 2 <= n < parameters["n"] and (found := resolve({**parameters, "n": n})) is not None:
            yield found


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    return [stabilized(parameters, seed, system) for system in systems]


def stabilized(parameters: dict[str, Any], seed: int, system: str) -> dict[str, Any]:
    """Return what comes of one network under one system."""
    rng, loss = np.random.default_rng([seed, 0]), parameters["loss"]
    watch = Watch()
    net = Network(scenario_of(parameters, seed, system, rng), None, "pub", watch.take)
    struck = rng.permutation(net.plan.n)[: max(1, round(parameters["corrupted"] * net.plan.n))]
    result: dict[str, Any] = {
        "nodes": net.plan.n,
        "links": len(net.plan.near) // 2,
        "corrupted_nodes": len(struck),
        "not_healed": 0,
    }
    if until_legitimate(net, SETTLING) is None:
        return {**result, **blank(), "failure": f"did not settle from nothing within {SETTLING:g} s"}
    before = calm_phase(net, watch, rng)
    start = net.now
    net.corrupt(struck.tolist(), parameters["memory"])
    took = until_legitimate(net, MAX_BOUNDS * bound_of(net, net.plan.n, loss))
    depth = int(net.world.nodes["dist"].max())
    bound = bound_of(net, depth, loss)
    result |= {
        "depth": depth,
        "bound_s": bound,
        "healed_s": took,
        "share_of_bound": None if took is None else took / bound,
        "not_healed": int(took is None or took > bound),
    }
    if took is None:
        after = Counter[str]()
    else:
        after = calm_phase(net, watch, rng)
    counts = {name: before[name] + after[name] for name in COUNTED}
    return {**result, **counts, "failure": failure(system, took, bound, counts, (net.now - start) / SECOND)}


def scenario_of(parameters: dict[str, Any], seed: int, name: str, rng: np.random.Generator) -> Scenario:
    """Return the scenario of a network in which a few nodes subscribe and nobody publishes by itself."""
    system, shortcuts, profile = variant_of(name)
    loss, drawn = parameters["loss"], topology(parameters["topology"], parameters["n"], rng)
    n = drawn.get("n") or drawn["rows"] * drawn["columns"]  # of a grid, maybe fewer
    return parse(
        {
            "seed": seed,
            "duration": 1e6,
            "topology": drawn,
            "radio": {"model": "lossy", "loss": loss} if loss else {"model": "ideal"},
            "protocol": {"system": system, "shortcuts": shortcuts},
            "host": {"profile": profile or "full"},
            "traffic": [
                {"channel": "c", "subscribers": int(rng.integers(1, min(MAX_SUBSCRIBERS, n) + 1)), "publishers": 0}
            ],
        }
    )


def topology(kind: str, n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return a topology of about n nodes."""
    drawn: dict[str, Any] = {"kind": kind, "ids": str(rng.choice(["index", "random"]))}
    if kind == "grid":
        rows = int(rng.integers(1, math.isqrt(n) + 1))
        return {**drawn, "rows": rows, "columns": n // rows}
    if kind in ("geometric", "gnp"):
        drawn["degree"] = min(float(rng.uniform(MIN_DEGREE, MAX_DEGREE)), n - 1)
    return {**drawn, "n": max(n, 3) if kind == "ring" else n}


def bound_of(net: Network, depth: int, loss: float) -> float:
    """Return the documented bound, for a tree of this depth."""
    system = net.scenario.protocol.system
    return healing_bound(1.0, k.LINKS, depth, lease_for(net.plan.n), loss, net.plan.depth, system)


def blank() -> dict[str, None]:
    """Return the results of a trial that did not get far enough to have any."""
    return dict.fromkeys(("depth", "bound_s", "healed_s", "share_of_bound", *COUNTED))


class Watch:
    """Counts who receives and who is handed what, from the rows of the trace."""

    def __init__(self) -> None:
        self.received: Counter[tuple[int, int, int, int]] = Counter()  # origin, boot, number, node
        self.delivered: Counter[tuple[int, int, int, int]] = Counter()

    def take(self, rows: Any) -> None:
        for event, counter in ((RECEIVED, self.received), (DELIVERED, self.delivered)):
            chosen = rows[rows["event"] == event]
            names = (chosen[name].tolist() for name in ("origin", "boot", "sequence", "node"))
            counter.update(zip(*names, strict=True))


def calm_phase(net: Network, watch: Watch, rng: np.random.Generator) -> Counter[str]:
    """Publish in a legitimate network, until it has stayed legitimate meanwhile; count what its subscribers received.

    Links that are still being taken in, or that lose frames, may change the tree once more: then this was no calm
    phase, and counts for nothing but itself.
    """
    restless = 0
    while restless < MAX_RESTLESS and is_ready(net):
        if (counts := published(net, watch, rng)) is not None:
            return counts + Counter(restless=restless)
        restless += 1
    return Counter(restless=restless)


def published(net: Network, watch: Watch, rng: np.random.Generator) -> Counter[str] | None:
    """Publish, and count what is received; None if the network did not stay legitimate."""
    first, subscribers = len(net.history.checks), subscribers_of(net)
    watch.received.clear()
    watch.delivered.clear()
    publishers = rng.permutation(net.plan.n)[:PUBLICATIONS].tolist()
    names = [publish(net, v) for v in publishers]
    net.run(TRAVEL)
    if not all(good for _, good in net.history.checks[first:]):
        return None
    ids = net.world.ids.tolist()
    counts = Counter(published=len(publishers), interlaced=interlaced(net))
    for name, publisher in zip(names, publishers):
        for v, id in enumerate(ids):
            count_node(counts, v in subscribers, v == publisher, watch.received[*name, id], watch.delivered[*name, id])
    return counts


def count_node(counts: Counter[str], subscribes: bool, publishes: bool, received: int, delivered: int) -> None:
    """Count what one node received of one publication, and what was handed to its applications."""
    if not subscribes:
        counts["handed_to_others"] += delivered
        return
    counts["expected"] += 1
    counts["delivered"] += min(delivered, 1)
    counts["withheld"] += max(1 - delivered, 0)
    counts["duplicates"] += max(delivered - 1, 0)
    wanted = 0 if publishes else 1  # a publisher hands its own to its applications at once
    counts["missed"] += max(wanted - received, 0)
    counts["received_again"] += max(received - wanted, 0)


def is_ready(net: Network) -> bool:
    """Wait until the network is legitimate, and no name of a publication that a fault has planted counts any more."""
    if net.history.faults:
        net.run(max(0.0, remembered(net) + (net.history.faults[-1] - net.now) / SECOND))
    return until_legitimate(net, SETTLING) is not None


def remembered(net: Network) -> float:
    """Return for how many seconds names count: hosts may have a memory for them, and directed diffusion has a cache."""
    if net.world.nodes["settings"]["memory"][0]:
        return forgotten(1.0)
    return k.REPEAT_LIFE / SECOND if net.scenario.protocol.system == "diffusion" else 0.0


def subscribers_of(net: Network) -> set[int]:
    """Return who wants the channel now; a fault may have changed that."""
    wanted = net.world.nodes["wants"] == net.world.hashes[net.channel("c")]
    return set(np.flatnonzero(wanted.any(axis=1)).tolist())


def publish(net: Network, v: int) -> tuple[int, int, int]:
    """Publish, and return the name of the publication: origin, boot and number."""
    net.publish(v, "c")
    host = net.world.hosts[v]
    return int(net.world.ids[v]), int(host["boot"]), int(host["number"])


def interlaced(net: Network) -> int:
    """Return how many positions break Lemma 1: between two positions of a node, others must come and go as a whole."""
    ring: dict[int, int] = {}
    for v, me in enumerate(net.world.nodes):
        ring.update((int(p), v) for p in me["position"] if p >= 0)
    inside, closed, wrong = list[int](), set[int](), 0
    for p in sorted(ring):
        if ring[p] in closed:
            wrong += 1
        elif ring[p] in inside:
            while inside[-1] != ring[p]:
                closed.add(inside.pop())
        else:
            inside.append(ring[p])
    return wrong


def failure(system: str, took: float | None, bound: float, counts: dict[str, int], seconds: float) -> str | None:
    """Return what went wrong, in words, or None.

    Nodes of VR:2015 receive publications more than once by design, and those of directed diffusion while these explore;
    so do all where hosts repeat.
    """
    if took is None:
        return f"not legitimate {seconds:.0f} s after the fault"
    if took > bound:
        return f"legitimate after {took:.1f} s, but the bound is {bound:.1f} s"
    name, _, profile = variant_of(system)
    found = dict(counts)
    if profile == "paper":
        found |= {"withheld": 0, "duplicates": 0}
    if profile != "paper" or name in ("vr2015", "vr2015-ring", "ring", "flood", "diffusion"):
        found |= {"received_again": 0}
    return ", ".join(f"{found[what]} {text}" for what, text in WRONG.items() if found[what]) or None
