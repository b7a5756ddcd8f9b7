"""One network with arbitrary memory in all its nodes: how long it takes to heal, and what it delivers then."""

from typing import Any

import numpy as np
import pyarrow as pa

from psvr.errors import BadInput, shown
from psvr.fields.checks import real, whole
from psvr.lab.kinds import Values
from psvr.lab.kinds.legitimate import until_legitimate
from psvr.lab.kinds.stabilizing import TOPOLOGIES, bound_of, scenario_of
from psvr.results.deliveries import SECOND
from psvr.sim.bound import forgotten
from psvr.sim.faults.memory import KINDS
from psvr.sim.network import Network

RESULTS = pa.schema(
    {
        **dict.fromkeys(("nodes", "links", "depth", "expected", "delivered", "duplicates"), pa.int64()),
        **dict.fromkeys(("bound_s", "healed_s", "share_of_bound"), pa.float64()),
        **dict.fromkeys(("not_healed", "not_once"), pa.int64()),
    }
)

PUBLICATIONS = 5
TRAVEL = 25.0  # seconds that these have to arrive, even if a link breaks meanwhile and they are repeated
MAX_BOUNDS = 4  # times the bound, after which a trial ends


def resolve(parameters: Values) -> dict[str, Any]:
    for name, allowed in (("topology", TOPOLOGIES), ("memory", KINDS)):
        if parameters.get(name) not in allowed:
            raise BadInput(f"{name}: must be one of {', '.join(allowed)}, not {shown(parameters.get(name))}")
    real(parameters.get("loss"), "loss", 0, 0.5)
    whole(parameters.get("largest"), "largest", 2, 1000)
    return parameters


def cost(parameters: Values, scenario: Values | None) -> float:
    return 0.05 + 0.005 * float(parameters["largest"])


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    return [healed(parameters, seed, system) for system in systems]


def healed(parameters: dict[str, Any], seed: int, system: str) -> dict[str, Any]:
    rng, loss = np.random.default_rng([seed, 0]), parameters["loss"]
    size = int(rng.integers(2, parameters["largest"] + 1))
    net = Network(scenario_of({**parameters, "n": size}, seed, system, rng))
    n = net.plan.n
    net.run(float(rng.choice([0.0, 1.0, 30.0])))  # new, forming, or settled when it is struck
    start = net.now
    net.corrupt(range(n), parameters["memory"])
    took = until_legitimate(net, MAX_BOUNDS * bound_of(net, net.plan.n, loss))
    depth = int(net.world.nodes["dist"].max())
    bound = bound_of(net, depth, loss)
    late = took is None or took > bound
    return {
        "nodes": n,
        "links": len(net.plan.near) // 2,
        "depth": depth,
        "bound_s": bound,
        "healed_s": took,
        "share_of_bound": None if took is None else took / bound,
        "not_healed": int(late),
        **(nothing() if took is None else after(net, start, n, rng)),
    }


def nothing() -> dict[str, int | None]:
    return dict.fromkeys(("expected", "delivered", "duplicates", "not_once"))


def after(net: Network, start: int, n: int, rng: np.random.Generator) -> dict[str, int | None]:
    """Publish once names that the fault planted are forgotten and the invariants hold, and count what is delivered."""
    net.run(max(0.0, forgotten(1.0) + (start - net.now) / SECOND))
    if until_legitimate(net, bound_of(net, net.plan.n, 0.5)) is None:
        return nothing()
    channel, first = net.channel("c"), int(net.world.tally["delivered"][0])
    publishers = rng.permutation(n)[:PUBLICATIONS].tolist()
    published = {net.publish(v, "c"): v for v in publishers}
    net.run(TRAVEL)
    deliveries = net.world.deliveries[first : int(net.world.tally["delivered"][0])]
    got = [(int(d["publication"]), int(d["node"])) for d in deliveries if int(d["publication"]) in published]
    wanted = {int(v) for v in np.flatnonzero((net.world.nodes["wants"] == net.world.hashes[channel]).any(axis=1))}
    due = {(p, v) for p in published for v in wanted}
    return {
        "expected": len(due),
        "delivered": len(due & set(got)),
        "duplicates": len(got) - len(set(got)),
        "not_once": int(sorted(got) != sorted(due)),
    }
