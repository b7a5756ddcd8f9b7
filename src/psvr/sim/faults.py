"""What can happen to a network: memory at random, crashes, cuts, noise."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.compiled import node as rules
from psvr.graphs.csr import link_to
from psvr.protocol.records import READ_ONLY

from .frames import schedule
from .radio.signal import let_go, milliwatts, reckon
from .wireless import silence
from .world import World

JAMMED = -40.0                  # dBm of the noise at a node that is jammed
CLOCK_MOST = 1 << 40            # µs, twelve days: how far apart the clocks of nodes may be


def scramble(record: NDArray[Any], rng: np.random.Generator, keep: Iterable[str]) -> None:
    """Every byte of one record at random, but for the fields that are kept; `record` is a slice of length one, or of
    more if nothing is kept."""
    kept = {name: record[name].copy() for name in keep}
    record.view(np.uint8)[:] = rng.integers(0, 256, record.nbytes, np.uint8)
    for name, value in kept.items():
        record[name] = value


def corrupt(world: World, v: int, now: int, rng: np.random.Generator) -> None:
    """All memory of a node, its clock and counters, and the frames that it has on the air.

    Of a frame, its length is physical and stays: how many channels or bytes of data it has.
    """
    scramble(world.nodes[v:v + 1], rng, READ_ONLY)
    for hellos in (world.hellos, world.spoken):
        scramble(hellos[v:v + 1], rng, ("links", "heards", "children"))
    pools = (world.sub_frames, world.subs, "channels"), (world.pub_frames, world.pubs, "load")
    for frames, messages, length in pools:
        for i in np.flatnonzero((frames["used"] != 0) & (frames["node"] == v)):
            scramble(messages[i:i + 1], rng, (length,))
    scramble(world.handed[v], rng, ())
    host = world.hosts[v:v + 1]
    host["offset"], host["number"] = rng.integers(0, CLOCK_MOST), rng.integers(0, 1 << 30)
    host["boot"] = rng.integers(0, 1 << 30)
    if host["alive"][0]:
        host["wake_at"] = -1
        schedule(world, v, now)


def crash(world: World, v: int, now: int) -> None:
    """The node falls silent; what it has on the air is lost."""
    world.hosts["alive"][v] = 0
    switch(world, v, now, False)


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
    world.hosts["jammed"][v] += by
    if world.tally["wireless"][0]:
        radio = world.air.radios[v]
        reckon(world.air, radio, now)
        radio["noise"] += by * milliwatts(JAMMED)


def boot(world: World, v: int, now: int, offset: int) -> None:
    """The node starts with empty memory; settings and the application's subscriptions are as they were."""
    host = world.hosts[v:v + 1]
    host["alive"], host["offset"], host["wake_at"], host["born"] = 1, offset, -1, now
    host["boot"] += 1
    host["starts"] += 1
    host["number"] = host["waiting"] = host["kept"] = 0
    switch(world, v, now, True)
    if host["starts"][0] > 1:           # else it has never been touched, and need not take up memory
        world.handed[v] = 0
    rules.start(world.nodes[v], int(world.ids[v]), now + offset)
    rules.go_on_from(world.nodes[v], now // int(world.nodes["settings"]["hello"][v]))
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
