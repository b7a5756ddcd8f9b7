"""Another, settled network of the same nodes: the source of memory and messages that are right, but not here."""

from dataclasses import replace

import numpy as np

from psvr.graphs.graph import Graph, from_edges
from psvr.sim.engine.world import World
from psvr.sim.machine import Machine
from psvr.sim.plan.planning import Plan
from psvr.sim.scenario.radio import DEFAULT
from psvr.sim.scenario.tables import Scenario

PERIODS = 30  # of HELLO, enough for it to settle
PUBLICATIONS = 8


def foreign_world(scenario: Scenario, plan: Plan, rng: np.random.Generator) -> tuple[World, int]:
    """The memory of such a network, and its time in µs."""
    graph = drawn(plan.n, rng)
    elsewhere = replace(
        plan,
        first=graph.start,
        near=graph.near,
        good=np.ones(len(graph.near), bool),
        field=None,
        sources=plan.sources[:0],
        changes=plan.changes[:0],
        faults=(),
    )
    machine = Machine(replace(scenario, radio=DEFAULT), elsewhere, "off", lambda rows: None)
    channels = np.arange(min(len(plan.channels), scenario.protocol.channels))
    for v in rng.permutation(plan.n)[: 1 + plan.n // 4]:
        for channel in rng.permutation(channels)[:2]:
            machine.subscribe(int(v), int(channel), True)
    machine.advance(round(PERIODS * scenario.protocol.hello * 1_000_000))
    for v in rng.integers(0, plan.n, PUBLICATIONS if len(channels) else 0):
        machine.publish(int(v), int(rng.choice(channels)), 16)
    machine.advance(machine.now + round(scenario.protocol.hello * 1_000_000))
    return machine.world, machine.now


def drawn(n: int, rng: np.random.Generator) -> Graph:
    """A random tree, with half as many additional links as nodes."""
    order = rng.permutation(n)
    tree = [(int(order[i]), int(order[rng.integers(max(0, i - 4), i)])) for i in range(1, n)]
    more = [(int(u), int(v)) for u, v in rng.integers(0, n, (n // 2, 2)) if u != v]
    return from_edges(n, sorted({(min(pair), max(pair)) for pair in tree + more}))
