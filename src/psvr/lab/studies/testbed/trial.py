"""One run on a testbed: nodes at some of the sockets along the corridors of a building, and others on the channel.

The layout is generated, in the manner of the corridors of the FIT IoT-LAB: two long corridors, joined by three short
ones, with a socket every metre.
"""

import numpy as np

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.checks import real
from psvr.graphs.csr import Floats, components
from psvr.lab.kinds import Values, simulated
from psvr.lab.kinds.template import scenario_of
from psvr.sim.radio.choices import channel_of
from psvr.sim.radio.hearing import Channel, good_graph

RESULTS, COMPILED_AS = simulated.RESULTS, simulated.COMPILED_AS
OURS = ("n", "length", "width", "reading")  # parameters of the layout and the load; all others are in the scenario
READINGS = ("network", "node")  # one publication of the whole network in EVERY seconds, or one of each node
EVERY = 20.0
MOST_METRES = 1000.0
DRAWS = 1000  # of sockets, until good links connect all nodes


def resolve(parameters: Values) -> Values | None:
    for name in OURS:
        if name not in parameters:
            raise BadInput(f"{name}: missing; needed are {', '.join(OURS)}")
    reading = parameters["reading"]
    if reading not in READINGS:
        raise BadInput(
            f"reading: must be one of {', '.join(READINGS)}, not {shown(reading)}{did_you_mean(str(reading), READINGS)}"
        )
    found = simulated.resolve(parameters)
    if found is None:
        return None
    sides = {name: real(found[name], name, 1, MOST_METRES) for name in ("length", "width")}
    return {**found, **sides} if found["n"] <= len(sockets(**sides)) else None


def cost(parameters: Values, scenario: Values | None) -> float:
    return simulated.cost(*as_simulated(parameters, scenario))


def variant(parameters: Values, scenario: Values | None) -> tuple[int, ...]:
    return simulated.variant(*as_simulated(parameters, scenario))


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    others, template = as_simulated(parameters, scenario)
    channel = channel_of(scenario_of(template, others, seed, systems[0]))
    every = sockets(parameters["length"], parameters["width"])
    places = drawn(every, parameters["n"], channel, np.random.default_rng([seed, 1]))
    return simulated.run(*as_simulated(parameters, scenario, places), seed, systems)


def as_simulated(parameters: Values, scenario: Values | None, places: Floats | None = None) -> tuple[Values, Values]:
    """Return parameters and scenario of a simulated trial with nodes at these places, or else at the first sockets."""
    n, reading = parameters["n"], parameters["reading"]
    if places is None:
        places = sockets(parameters["length"], parameters["width"])[:n]
    every = EVERY * n if reading == "network" else EVERY
    traffic = [{**flow, "every": every} for flow in (scenario or {}).get("traffic", [])]
    topology = {"kind": "places", "places": places.tolist()}
    others = {name: value for name, value in parameters.items() if name not in OURS}
    return others, {**(scenario or {}), "topology": topology, "traffic": traffic}


def sockets(length: float, width: float) -> Floats:
    """Return the places of all sockets, one a metre, each once."""
    along, across = np.arange(length + 1), np.arange(1, width)
    long = [(x, y) for y in (0.0, width) for x in along]
    short = [(x, y) for x in (0.0, length // 2, length) for y in across]
    return np.array([*long, *short], dtype=np.float64)


def drawn(every: Floats, n: int, channel: Channel, rng: np.random.Generator) -> Floats:
    """Return the places of n nodes at random sockets that good links connect."""
    for _ in range(DRAWS):
        places: Floats = every[np.sort(rng.choice(len(every), n, replace=False))]
        graph = good_graph(channel, places)
        if not components(graph.start, graph.near).any():
            return places
    raise BadInput(f"length, width: must be small enough to connect {n} nodes (range {channel.range:.0f} m)")
