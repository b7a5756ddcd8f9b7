"""Trials of the full stack: the gaps of a scenario are filled with parameters, and it is simulated with each system.

All systems of a trial meet the same network, the same traffic and the same faults.
"""

from typing import Any

import numpy as np

from psvr.errors import BadInput, shown
from psvr.fields.checks import real, whole
from psvr.lab.columns import SIMULATED
from psvr.protocol.systems import load_provided
from psvr.results.deliveries import SECOND, Deliveries, count, stability
from psvr.results.figures import window
from psvr.sim.custom import settings_of
from psvr.sim.engine.world import blank_world, capacity_for
from psvr.sim.network import Network
from psvr.sim.plan import Plan, plan
from psvr.sim.plan.demand import channels_of
from psvr.sim.radio.energy import joules
from psvr.sim.running import run_to_end
from psvr.sim.scenario import Scenario
from psvr.sim.scenario.selection import MAX_NODES, Nodes
from psvr.sim.scenario.topology import size
from psvr.sim.summary import fingerprint, left_out

from . import Values
from .legitimate import compiled_survey
from .loads import Loads
from .template import check, check_same_tree, same_tree, scenario_of

RESULTS = SIMULATED
COMPILED_AS = "simulated"  # the kind that compiles what these trials run
SYSTEMS_OF_A_TREE = 3  # of a trial, about: they share the time in which it forms
NO_SYSTEM = "ring"  # which has neither tables nor SUBs, on the same links and tree as all others
ON_AIR = ("frames", "no_access", "no_ack", "queue_full")
BIN = 600 * SECOND  # of results over time
SENT = ("hello_sent", "sub_sent", "pub_sent", "ack_sent")
BYTES = ("hello_bytes", "sub_bytes", "pub_bytes")


def resolve(parameters: Values) -> Values | None:
    """Return numbers for words: `s = "all"` is every node.  All else is checked by the scenario."""
    found = dict(parameters)
    for name, value in found.items():
        if not isinstance(value, bool | int | float | str):
            raise BadInput(f"{name}: must be a number, a text, true or false, not {shown(value)}")
    if "n" not in found:
        return found
    n = found["n"] = whole(found["n"], "n", 1, MAX_NODES)
    if "s" in found:
        found["s"] = n if found["s"] == "all" else whole(found["s"], "s", 0, MAX_NODES, 'a number, or "all":')
    if "degree" in found:
        found["degree"] = real(found["degree"], "degree", 0, MAX_NODES, above=True)
    return None if found.get("s", 0) > n or found.get("degree", 0) > n - 1 else found


def cost(parameters: Values, scenario: Values | None) -> float:
    """Return seconds on one core: for HELLOs, heard by all neighbours, SUBs, which go everywhere, and PUBs."""
    check(scenario, parameters)
    s = scenario_of(scenario or {}, parameters, 1, "psvr")
    check_same_tree(same_tree(scenario or {}, parameters), s)
    check_publications(scenario or {}, s)
    n, degree = size(s.topology), s.topology.degree or 8.0
    seconds = s.duration - (1 - 1 / SYSTEMS_OF_A_TREE) * same_tree(scenario or {}, parameters)
    hellos = n * seconds / s.protocol.hello * (1e-5 + 1e-6 * degree) * (0.5 + s.protocol.links / 32)
    lease = s.protocol.lease or 5 + 0.1 * n
    subs, pubs = 0.0, 0.0
    for t in s.traffic:
        subscribers = node_count(t.subscribers, n)
        subs += subscribers * (1 - subscribers / n)  # not passed on by nodes that subscribe themselves
        times = max(0.0, (s.duration if t.stop is None else t.stop) - t.start) / t.every
        pubs += node_count(t.publishers, n) * times * min(n, subscribers + 4)
    return 0.02 + 1e-4 * seconds + hellos + 5e-7 * subs * n * degree * s.duration / lease + 5e-6 * pubs


def check_publications(template: dict[str, Any], s: Scenario) -> None:
    """Refuse a scenario in which nothing is published that would count, unless it says `traffic = []`."""
    if "traffic" in template and not template["traffic"]:
        return
    for t in s.traffic:
        stop = s.duration if t.stop is None else min(t.stop, s.duration)
        if node_count(t.publishers, size(s.topology)) and max(t.start, s.warmup) < stop:
            return
    raise BadInput(
        f"scenario: nothing is published between the end of the warmup, {s.warmup:g} s, and {s.duration:g} s; if that "
        "is what you want, say traffic = []"
    )


def node_count(nodes: Nodes, n: int) -> int:
    """Return how many of n nodes a selection has."""
    return n if isinstance(nodes, str) else nodes if isinstance(nodes, int) else len(nodes)


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    scenarios = [scenario_of(scenario or {}, parameters, seed, system) for system in systems]
    drawn = plan(scenarios[0])
    try:
        formed = with_tree(scenario or {}, parameters, seed, drawn)
        return [simulated(s, drawn, formed) for s in scenarios]
    except OverflowError as error:
        raise BadInput(f"scenario: {error}") from None


def with_tree(template: Values, parameters: Values, seed: int, drawn: Plan) -> Network | None:
    """Return the network in which the tree of all systems has formed; None if each system forms its own."""
    seconds = same_tree(template, parameters)
    if not seconds:
        return None
    net = Network(scenario_of(template, parameters, seed, NO_SYSTEM), drawn, "pub")
    net.run(seconds)
    return net


def simulated(scenario: Scenario, drawn: Plan, formed: Network | None) -> dict[str, Any]:
    """Simulate a scenario, from the beginning or on a tree that has formed."""
    loads = Loads(drawn, round(scenario.warmup * SECOND))
    net = Network(scenario, drawn, "pub", loads.take) if formed is None else formed.forked(loads.take)
    if formed is not None:
        net.start_system(scenario)
    run_to_end(net)
    return {**run_results(net), **publication_results(net), **loads.results()}


def run_results(net: Network) -> dict[str, Any]:
    """Return the results that do not depend on which publications count."""
    tally = net.world.tally[0]
    stable, recoveries = stability(net.history)
    return {
        "nodes": net.plan.n,
        "links": len(net.plan.near) // 2,
        "simulated_us": net.now,
        **{name: int(tally[name]) for name in SENT + BYTES},
        "stable_us": micros(stable),
        "recovery_us": [micros(r) for r in recoveries],
        "max_table_bytes": net.max_table_bytes,
        "max_table_bytes_packed": net.max_table_bytes_packed,
        "left_out": len(left_out(net)),
        "overflow": int(tally["no_room"]),
        "events": int(sum(tally[name] for name in SENT) + tally["receptions"]),
        "fingerprint": fingerprint(net),
        "parent_changes": int(tally["parent_changes"]),
        "ring_changes": int(tally["ring_changes"]),
        "dropped": net.world.drops.tolist(),
        **radio_results(net),
    }


def radio_results(net: Network) -> dict[str, int | None]:
    """Return what only a wireless channel has; energies in µJ, of all nodes together and of the one that used most."""
    field, air = net.plan.field, net.world.air
    if field is None:
        return dict.fromkeys((*ON_AIR, "energy_uj", "transmit_uj", "energy_uj_max"))
    parts = joules(air, field.device, field.channel.power, net.plan.n, net.now)
    each = 1e6 * sum(parts.values(), np.zeros(net.plan.n))
    return {
        **{name: int(air.setting[name][0]) for name in ON_AIR},
        "energy_uj": round(each.sum()),
        "transmit_uj": round(1e6 * parts["transmit"].sum()),
        "energy_uj_max": round(each.max()),
    }


def publication_results(net: Network) -> dict[str, Any]:
    """Return the results of the publications after the warmup."""
    tally, world, warmup = net.world.tally[0], net.world, round(net.scenario.warmup * SECOND)
    publications, deliveries = world.publications[: tally["published"]], world.deliveries[: tally["delivered"]]
    d = count(net.history, publications, deliveries, warmup, window(net.plan.n))
    counted = publications[publications["time"] >= warmup]
    by_channel = np.zeros(len(channels_of(net.scenario)), dtype=np.int64)
    np.add.at(by_channel, counted["channel"], counted["messages"])
    hops = [d.hops.get(h, 0) for h in range(max(d.hops, default=-1) + 1)]
    return {
        "published": d.published,
        "expected": d.expected,
        "delivered": d.delivered,
        "duplicates": d.duplicates,
        "messages": d.messages,
        "messages_by_channel": by_channel.tolist(),
        "hops": hops,
        "hops_sum": sum(h * number for h, number in d.hops.items()),
        **latency(d),
        **by_time(d),
    }


def by_time(d: Deliveries) -> dict[str, list[int]]:
    """Return how much was expected and delivered of the publications of each ten minutes."""
    bins = d.due // BIN
    bin_count = int(bins.max(initial=-1)) + 1
    return {
        "expected_by_time": np.bincount(bins, minlength=bin_count).tolist(),
        "delivered_by_time": np.bincount(bins[d.met], minlength=bin_count).tolist(),
    }


def latency(d: Deliveries) -> dict[str, int | None]:
    """Return latencies in whole µs; a percentile is the latency of the delivery by which that share is reached."""
    times = np.sort(np.rint(d.latencies * SECOND).astype(np.int64))
    if not times.size:
        return {"latency_us_sum": 0, "latency_us_p50": None, "latency_us_p99": None}
    return {
        "latency_us_sum": int(times.sum()),
        "latency_us_p50": int(times[(50 * times.size - 1) // 100]),
        "latency_us_p99": int(times[(99 * times.size - 1) // 100]),
    }


def micros(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * SECOND)


def variant(parameters: Values, scenario: Values | None) -> tuple[int, ...]:
    """Return what compiled code depends on: how many links and channels nodes have room for."""
    protocol = scenario_of(scenario or {}, parameters, 1, "psvr").protocol
    room = capacity_for(protocol.links, protocol.channels)
    return room.links, room.channels


def compile(variant: tuple[int, ...]) -> None:
    """Run a little of everything, so that all of it is compiled."""
    links, channels = variant
    networks = [({"kind": "gnp", "n": 4, "p": 0.9}, {"model": "lossy", "loss": 0.1})]
    if links <= capacity_for(1, 1).links:  # frames over the wireless channel have no room for more
        networks.append(({"kind": "geometric", "n": 8, "degree": 5}, {"model": "ieee802154"}))
    for topology, radio in networks:
        scenario = {
            "duration": 3,
            "topology": topology,
            "radio": radio,
            "protocol": {"links": links, "channels": channels},
            "traffic": [{"channel": "c", "subscribers": 2, "every": 1}],
            "fault": [{"at": 1, "kind": "crash", "nodes": 1, "duration": 1}],
        }
        run({}, scenario, 1, ["psvr"])


def compile_related(variant: tuple[int, ...], system: str) -> None:
    """Compile the rules of a related system, and what says whether its tables are right; nothing else is needed."""
    room = capacity_for(*variant)
    load_provided(system)
    settings_of(system, room)
    survey = compiled_survey(system)
    if survey is not None:
        survey(blank_world(room).nodes, np.zeros(1, np.int64))
