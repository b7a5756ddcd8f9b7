"""What can happen to a network: crashes, cuts, noise.  Memory is written by `corruption`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.compiled import node as rules
from psvr.graphs.csr import link_to
from psvr.protocol import constants as k
from psvr.protocol.holding import FLYING, RESTING, STUCK, WAITING

from .footing import in_use
from .hosting import schedule, start
from .radio.fading import milliwatts
from .radio.signal import let_go, reckon
from .wireless import silence
from .world import World

JAMMED = -40.0                  # dBm of the noise at a node that is jammed


def crash(world: World, v: int, now: int) -> None:
    """The node falls silent; what it has on the air is lost."""
    lose(world, v)
    world.stations["alive"][v] = 0
    switch(world, v, now, False)


def lose(world: World, v: int) -> None:
    """What the node alone had is lost with it, but for frames that have arrived and were only not acknowledged."""
    held, flights = tables_of(world, v)
    state, arrived = held["state"], flights["got"] != 0
    lost = (state == WAITING) | ((state == FLYING) & ~arrived) | (state == RESTING) | (state == STUCK)
    world.publications["reason"][held["handle"][lost]] = k.NODE_STOPPED


def tables_of(world: World, v: int) -> tuple[Any, Any]:
    """The slots of a host that may be in use, and the flights from there."""
    held = in_use(world.held[v:v + 1], world.hosts[v:v + 1])[0]
    return held, world.flights[v, :len(held)]


def switch(world: World, v: int, now: int, on: bool) -> None:
    """A node's radio is off from now on, or starts with nothing to send."""
    if not world.tally["wireless"][0]:
        return
    silence(world, v)
    radio = world.air.radios[v]
    let_go(radio, now)
    radio["on_us"] += (now - radio["on_at"]) * radio["on"]
    radio["on"], radio["on_at"] = on, now


def jam(world: World, v: int, now: int, by: int) -> None:
    """One more, or one less, who jams a node.  On a wireless channel that is noise, which keeps it from sending too."""
    world.stations["jammed"][v] += by
    if world.tally["wireless"][0]:
        radio = world.air.radios[v]
        reckon(world.air.log_ok, radio, now)
        radio["noise"] += by * milliwatts(JAMMED)


def boot(world: World, v: int, now: int, offset: int) -> None:
    """The node starts with empty memory; settings and the application's subscriptions are as they were."""
    station = world.stations[v:v + 1]
    if station["alive"][0]:
        lose(world, v)
    station["alive"], station["offset"], station["wake_at"] = 1, offset, -1
    station["starts"] += 1
    switch(world, v, now, True)
    rules.start(world.nodes[v], int(world.ids[v]), now + offset)
    rules.go_on_from(world.nodes[v], now // int(world.nodes["settings"]["hello"][v]))
    if station["starts"][0] > 1:        # else it has never been touched, and need not take up memory
        held, flights = tables_of(world, v)
        world.names[v], held[:] = 0, 0
        flights["number"] += 1
    start(world, v, now, int(world.hosts["boot"][v]) + 1)
    schedule(world, v, now)


def set_cut(world: World, u: int, v: int, cut: bool) -> None:
    """Cut or heal a link, in both directions; a link that does not exist is left alone."""
    for a, b in ((u, v), (v, u)):
        e = link_to(world.first, world.near, a, b)
        if e >= 0:
            world.cut[e] = cut


def boundary(world: World, nodes: NDArray[np.int32]) -> list[tuple[int, int]]:
    """The links between a set of nodes and the rest."""
    inside = np.zeros(len(world.ids), bool)
    inside[nodes] = True
    source = np.repeat(np.arange(len(world.ids)), np.diff(world.first))
    crossing = inside[source] & ~inside[world.near]
    return list(zip(source[crossing].tolist(), world.near[crossing].tolist()))
