"""How much memory a run will need, and whether this machine has it: checked before the network is drawn."""

import math
import re
from pathlib import Path

from psvr.errors import BadInput
from psvr.graphs.places import share_within
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Handed, Held, Hello, Host, Node, Sub
from psvr.sim.engine.queue import EVENT
from psvr.sim.engine.table_sizes import MIN_NAMES, MIN_SLOTS
from psvr.sim.engine.world import FLIGHT, FRAME, STATION, capacity_for
from psvr.sim.radio.air import RADIO
from psvr.sim.radio.choices import channel_of
from psvr.sim.radio.hearing import AUDIBLE, farthest
from psvr.sim.radio.placing import sides
from psvr.sim.scenario.tables import Scenario

from .scenario import topology

GIGABYTE = 1e9
PROGRAM = 300_000_000  # bytes: Python, libraries and compiled code
LINK = 64  # bytes of a link, while the network is drawn
PAIR = 160  # bytes for two nodes that may hear each other on a wireless channel, while this is computed
MEMINFO, GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def check(s: Scenario) -> None:
    """Refuse a scenario that would not fit into memory."""
    n, free = topology.size(s.topology), available()
    needed = PROGRAM + n * per_node(s) + between_nodes(s)
    if free is not None and needed > free:
        key = "rows, columns" if s.topology.kind == "grid" and s.topology.n is None else "n"
        fitting = rounded_down(n * max(free - PROGRAM, 0) / (needed - PROGRAM))
        raise BadInput(
            f"topology.{key}: must make at most about {fitting:,} nodes like these on this machine: {n:,} "
            f"need {needed / GIGABYTE:,.1f} GB of memory, and {free / GIGABYTE:.1f} GB are free" + others(s)
        )


def others(s: Scenario) -> str:
    """The end of the message: further keys that decide how much memory is needed."""
    usual = Capacity()
    size = [f"protocol.{name}" for name in ("links", "channels") if getattr(s.protocol, name) > getattr(usual, name)]
    density = [f"topology.{name}" for name in ("degree", "p", "range") if getattr(s.topology, name) is not None]
    return f"; or lower {', '.join([*size, *density])}" if size or density else ""


def per_node(s: Scenario) -> int:
    """Bytes for a node and its host."""
    capacity = capacity_for(s.protocol.links, s.protocol.channels)
    frames = (dtype(Sub, capacity).itemsize + FRAME.itemsize) // 4
    radio = RADIO.itemsize + dtype(Hello, capacity).itemsize if s.radio.wireless else 0
    held = MIN_SLOTS * (dtype(Held, capacity).itemsize + FLIGHT.itemsize) + MIN_NAMES * dtype(Handed, capacity).itemsize
    return (
        dtype(Node, capacity).itemsize
        + dtype(Host, capacity).itemsize
        + dtype(Hello, capacity).itemsize
        + radio
        + STATION.itemsize
        + frames
        + 4 * EVENT.itemsize
        + held
    )


def between_nodes(s: Scenario) -> float:
    """Bytes for links, or on a wireless channel for all pairs that may hear each other."""
    t, n = s.topology, topology.size(s.topology)
    pairs = n * (n - 1) / 2
    if s.radio.wireless:
        channel, area = channel_of(s), extent(s)
        reach = farthest(channel, channel.noise + AUDIBLE, channel.power)
        return PAIR * pairs * share_within(min(reach, math.hypot(*area)), *area)
    if t.kind in ("gnp", "geometric"):
        return LINK * pairs * topology.share(t)
    return LINK * (len(t.edges) if t.edges is not None else 2 * n)


def extent(s: Scenario) -> tuple[float, float]:
    """Width and height of the area of the nodes, at least one metre."""
    t = s.topology
    if t.kind == "geometric":
        width, height = sides(s)
    elif t.places is not None:
        width, height = (max(axis) - min(axis) for axis in zip(*t.places))
    else:
        rows, columns = topology.shape(t) if t.kind == "grid" else (1, topology.size(t))
        width, height = (t.spacing or 0.0) * (columns - 1), (t.spacing or 0.0) * (rows - 1)
    return max(width, 1.0), max(height, 1.0)


def available() -> int | None:
    """Bytes that a process on this machine, or in this container, can still allocate; None if unknown."""
    try:
        match = re.search(r"^MemAvailable: +([0-9]+) kB$", MEMINFO.read_text(), re.M)
    except OSError:
        match = None
    if match is None:
        return None
    free = 1024 * int(match[1])
    try:
        stat = dict(line.split() for line in (GROUP / "memory.stat").read_text().splitlines())
        used = int((GROUP / "memory.current").read_text()) - int(stat["inactive_file"])
        return max(0, min(free, int((GROUP / "memory.max").read_text()) - used))
    except (OSError, ValueError, KeyError):
        return free


def rounded_down(n: float) -> int:
    """The number rounded down to two digits."""
    step = 10 ** max(0, math.floor(math.log10(n)) - 1) if n >= 1 else 1
    return int(n // step * step)
