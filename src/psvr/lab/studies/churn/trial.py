"""One network whose applications and nodes come and go: what arrives, and how long tables are wrong afterwards."""

from dataclasses import replace
from typing import Any

import pyarrow as pa

from psvr.lab.columns import WHOLE, columns
from psvr.lab.kinds import Values, simulated
from psvr.lab.kinds.legitimate import until_legitimate
from psvr.lab.kinds.simulated import publication_results, run_results
from psvr.lab.kinds.template import same_tree, scenario_of
from psvr.results.deliveries import SECOND, History, count
from psvr.results.figures import window
from psvr.sim.bound import lease_for, stale_bound
from psvr.sim.network import CHECK, Network
from psvr.sim.plan import plan
from psvr.sim.running import run_to_end

TAKEN = (*WHOLE[: WHOLE.index("messages") + 1], "hello_bytes", "sub_bytes", "sub_sent", "hops", "hops_sum")
RESULTS = pa.schema(
    [
        *columns(*TAKEN),
        ("stayed_missed_percent", pa.float64()),  # of what whoever had subscribed for a lease should have got
        ("stayed_expected", pa.int64()),
        ("stale_s", pa.float64()),  # after a subscriber has left, until all tables are right again
        ("stale_share", pa.float64()),  # of the bound for that, at the last check that found something wrong
        ("join_s", pa.float64()),  # after a node has subscribed, until all tables are right
    ]
)
PATIENCE = 3  # times that bound, until a trial gives up
COMPILED_AS, variant = simulated.COMPILED_AS, simulated.variant


def resolve(parameters: Values) -> Values | None:
    return simulated.resolve(parameters)


def cost(parameters: Values, scenario: Values | None) -> float:
    return 1.2 * simulated.cost(parameters, scenario)


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    scenarios = [scenario_of(scenario or {}, parameters, seed, system) for system in systems]
    formed = Network(scenario_of(scenario or {}, parameters, seed, "ring"), plan(scenarios[0]))
    formed.run(same_tree(scenario or {}, parameters))
    found = []
    for each in scenarios:
        net = formed.forked()
        net.start_system(each)
        run_to_end(net)
        found.append(results(net))
    return found


def results(net: Network) -> dict[str, Any]:
    """Return what was delivered, and then let one subscriber leave and another node join."""
    known = {**run_results(net), **publication_results(net)}
    settings = net.world.nodes["settings"][0]
    lease = settings["lease"] / SECOND if settings["lease"] else lease_for(net.plan.n)
    stay = lasting(net, lease)
    limit = stale_bound(net.scenario.protocol.system, lease, int(settings["write_back"]), int(settings["cleans"]))
    stale, join = changes(net, PATIENCE * limit)
    return {
        **{name: known[name] for name in TAKEN},
        **stay,
        "stale_s": stale,
        "stale_share": None if stale is None else max(0.0, stale - CHECK / SECOND) / limit,
        "join_s": join,
    }


def lasting(net: Network, lease: float) -> dict[str, Any]:
    """Return what those got who had subscribed for at least a lease when a publication was sent."""
    tally, world = net.world.tally[0], net.world
    since = [replace(s, start=s.start + round(lease * SECOND)) for s in net.history.subscriptions]
    history = History(net.history.epochs, since, net.history.checks, net.history.faults)
    publications, deliveries = world.publications[: tally["published"]], world.deliveries[: tally["delivered"]]
    d = count(history, publications, deliveries, round(net.scenario.warmup * SECOND), window(net.plan.n))
    return {
        "stayed_expected": d.expected,
        "stayed_missed_percent": 100 * (d.expected - d.delivered) / d.expected if d.expected else None,
    }


def changes(net: Network, patience: float) -> tuple[float | None, float | None]:
    """Return how long the tables are wrong after a subscriber has left, and after a node has subscribed.

    None where they are not right in time, or where there is nobody to leave or to join.
    """
    channel = net.channels[0]
    wants = (net.world.nodes["wants"] == net.world.hashes[0]).any(axis=1)
    alive = net.world.stations["alive"] != 0
    leaving, joining = (wants & alive).nonzero()[0], (~wants & alive).nonzero()[0]
    if not leaving.size or not joining.size or until_legitimate(net, patience) is None:
        return None, None
    net.unsubscribe(int(leaving[0]), channel)
    stale = until_legitimate(net, patience)
    net.subscribe(int(joining[0]), channel)
    return stale, until_legitimate(net, patience)
