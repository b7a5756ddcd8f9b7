"""Another network of the same nodes, settled: where memory and messages come from that are right, but elsewhere."""

from dataclasses import replace

import numpy as np

from psvr.graphs.graph import Graph, from_edges

from .machine import Machine
from .plan import Plan
from .radio.keys import DEFAULT
from .scenario import Scenario
from .world import World

PERIODS = 30                # of HELLO, in which it settles
PUBLICATIONS = 8


def foreign_world(scenario: Scenario, plan: Plan, rng: np.random.Generator) -> tuple[World, int]:
    """The memory of such a network, and its time in µs."""
    graph = drawn(plan.n, rng)
    elsewhere = replace(plan, first=graph.start, near=graph.near, good=np.ones(len(graph.near), bool), field=None,
                        sources=plan.sources[:0], changes=plan.changes[:0], faults=())
    machine = Machine(replace(scenario, radio=DEFAULT), elsewhere, "off", lambda rows: None)
    channels = np.arange(min(len(plan.channels), scenario.protocol.channels))
    for v in rng.permutation(plan.n)[:1 + plan.n // 4]:
        for channel in rng.permutation(channels)[:2]:
            machine.subscribe(int(v), int(channel), True)
    machine.advance(round(PERIODS * scenario.protocol.hello * 1_000_000))
    for v in rng.integers(0, plan.n, PUBLICATIONS if len(channels) else 0):
        machine.publish(int(v), int(rng.choice(channels)), 16)
    machine.advance(machine.now + round(scenario.protocol.hello * 1_000_000))
    return machine.world, machine.now


def drawn(n: int, rng: np.random.Generator) -> Graph:
    """A tree at random, with half as many further links as nodes."""
    order = rng.permutation(n)
    tree = [(int(order[i]), int(order[rng.integers(max(0, i - 4), i)])) for i in range(1, n)]
    more = [(int(u), int(v)) for u, v in rng.integers(0, n, (n // 2, 2)) if u != v]
    return from_edges(n, sorted({(min(pair), max(pair)) for pair in tree + more}))
