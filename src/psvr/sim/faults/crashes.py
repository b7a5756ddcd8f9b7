"""Crashes, cuts and noise.  `corruption` overwrites memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.compiled import node as rules
from psvr.graphs.csr import link_to
from psvr.protocol import constants as k
from psvr.protocol.host.holding import IN_FLIGHT, RETRYING, STUCK, WAITING
from psvr.sim.engine.hosting import schedule, start
from psvr.sim.engine.table_sizes import in_use
from psvr.sim.engine.wireless import silence
from psvr.sim.engine.world import World
from psvr.sim.radio.fading import milliwatts
from psvr.sim.radio.signal import release, update_reception

JAMMED = -40.0  # dBm of the noise at a node that is jammed


def crash(world: World, v: int, now: int) -> None:
    """Stop a node; what it has on the air is lost."""
    lose(world, v)
    world.stations["alive"][v] = 0
    switch(world, v, now, False)


def lose(world: World, v: int) -> None:
    """Record as lost what only this node had, except frames that have arrived and just lack their acknowledgement."""
    held, flights = tables_of(world, v)
    state, arrived = held["state"], flights["got"] != 0
    lost = (state == WAITING) | ((state == IN_FLIGHT) & ~arrived) | (state == RETRYING) | (state == STUCK)
    world.publications["reason"][held["handle"][lost]] = k.NODE_STOPPED


def tables_of(world: World, v: int) -> tuple[Any, Any]:
    """The slots of a host that may be in use, and their flights."""
    held = in_use(world.held[v : v + 1], world.hosts[v : v + 1])[0]
    return held, world.flights[v, : len(held)]


def switch(world: World, v: int, now: int, on: bool) -> None:
    """Switch a node's radio off, or on with nothing to send."""
    if not world.tally["wireless"][0]:
        return
    silence(world, v)
    radio = world.air.radios[v]
    release(radio, now)
    radio["on_us"] += (now - radio["on_at"]) * radio["on"]
    radio["on"], radio["on_at"] = on, now


def jam(world: World, v: int, now: int, by: int) -> None:
    """Add or remove a jammer of a node.  On a wireless channel that is noise, which keeps the node from sending too."""
    world.stations["jammed"][v] += by
    if world.tally["wireless"][0]:
        radio = world.air.radios[v]
        update_reception(world.air.log_ok, radio, now)
        radio["noise"] += by * milliwatts(JAMMED)


def boot(world: World, v: int, now: int, offset: int) -> None:
    """Start a node with empty memory; settings and the application's subscriptions are kept."""
    station = world.stations[v : v + 1]
    if station["alive"][0]:
        lose(world, v)
    station["alive"], station["offset"], station["wake_at"] = 1, offset, -1
    station["starts"] += 1
    switch(world, v, now, True)
    rules.start(world.nodes[v], int(world.ids[v]), now + offset)
    rules.resume_from(world.nodes[v], now // int(world.nodes["settings"]["hello"][v]))
    if station["starts"][0] > 1:  # else these were never touched, and take up no memory yet
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
    """The links between a set of nodes and all others."""
    inside = np.zeros(len(world.ids), bool)
    inside[nodes] = True
    source = np.repeat(np.arange(len(world.ids)), np.diff(world.first))
    crossing = inside[source] & ~inside[world.near]
    return list(zip(source[crossing].tolist(), world.near[crossing].tolist()))
