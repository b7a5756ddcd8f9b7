"""Consistency of the keys of a scenario: contradictions are found before anything is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psvr.errors import BadInput
from psvr.fields.checks import whole
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.records import Pub
from psvr.protocol.wire.lengths import hello_fixed, pub_length

from . import defaults, topology
from .radio_checks import check_mobility, check_radio
from .selection import Links, Nodes

if TYPE_CHECKING:
    from .tables import Fault, Scenario, Traffic

KEYS = {  # the keys of each kind of fault, besides those that all have
    "corrupt": ("nodes", "area", "memory"),
    "crash": ("nodes", "area", "duration"),
    "restart": ("nodes",),
    "cut": ("links", "duration"),
    "heal": ("links",),
    "partition": ("nodes", "area", "duration"),
    "jam": ("nodes", "area", "duration"),
}
ALWAYS = ("at", "kind", "rate")
MAX_CHANGES = 1_000_000  # by the churn of one channel
MAX_FAULTS = 100_000  # by the rate of one entry


def check(s: Scenario) -> None:
    """Refuse a scenario whose keys contradict each other, or ask for more than there can be."""
    topology.check_values(s.topology, s.radio.wireless)
    check_time(s.warmup, "warmup", s)
    check_frame(s)
    check_radio(s)
    check_mobility(s)
    for i, traffic in enumerate(s.traffic):
        check_traffic(traffic, f"traffic.{i}", s)
    for i, change in enumerate(s.subscribe):
        check_time(change.at, f"subscribe.{i}.at", s)
        whole(change.node, f"subscribe.{i}.node", 0, topology.size(s.topology) - 1, "a node")
    for i, fault in enumerate(s.fault):
        check_fault(fault, f"fault.{i}", s)


def check_time(time: float, key: str, s: Scenario) -> None:
    """Refuse a time after the end of the run."""
    if time > s.duration:
        raise BadInput(f"{key}: must be at most {s.duration:.10g}, the duration of the run, not {time:.10g}")


def check_frame(s: Scenario) -> None:
    """Check that ids and positions fit their fields, and that a HELLO with one child fits a frame."""
    w, p = defaults.id_bytes(s), defaults.position_bytes(s)
    for key, width, largest in (
        ("id_bytes", w, defaults.largest_id(s.topology)),
        ("position_bytes", p, defaults.largest_position(s.topology)),
    ):
        if not defaults.fits(largest, width):
            raise BadInput(f"protocol.{key}: must be wide enough for {largest}, not {width}")
    least = hello_fixed(w, p) + (w + 1) + (p + 4)
    if s.protocol.frame < least:
        raise BadInput(f"protocol.frame: must be at least {least} bytes, so that a HELLO fits, not {s.protocol.frame}")


def check_traffic(t: Traffic, key: str, s: Scenario) -> None:
    """Check one [[traffic]]."""
    check_time(t.start, f"{key}.start", s)
    if t.stop is not None:
        check_time(t.stop, f"{key}.stop", s)
        if t.stop <= t.start:
            raise BadInput(f"{key}.stop: must be more than start, {t.start:.10g}, not {t.stop:.10g}")
    check_nodes(t.subscribers, f"{key}.subscribers", s)
    check_nodes(t.publishers, f"{key}.publishers", s)
    room = s.protocol.frame - pub_length(blank(Pub, Capacity()), defaults.id_bytes(s), defaults.position_bytes(s))
    if t.payload > room:
        raise BadInput(
            f"{key}.payload: must be at most {max(room, 0)} bytes, so that a publication fits a frame of "
            f"{s.protocol.frame}, not {t.payload}"
        )
    check_rate(t.churn, (s.duration if t.stop is None else t.stop) - t.start, MAX_CHANGES, f"{key}.churn")


def check_rate(rate: float, seconds: float, limit: int, key: str) -> None:
    """Refuse a rate per minute that makes too many events."""
    if rate * seconds / 60 > limit:
        raise BadInput(f"{key}: must be at most {60 * limit / seconds:.0f} per minute, {limit} in all, not {rate:g}")


def check_nodes(nodes: Nodes | None, key: str, s: Scenario) -> None:
    """Check that there are nodes like these, or as many."""
    n = topology.size(s.topology)
    if isinstance(nodes, tuple):
        for i, node in enumerate(nodes):
            whole(node, f"{key}[{i}]", 0, n - 1, "a node")
    elif isinstance(nodes, int) and nodes > n:
        raise BadInput(f"{key}: must be at most {n}, the number of nodes, not {nodes}")


def check_links(links: Links | None, key: str, s: Scenario) -> None:
    """Check that the nodes of listed links exist; whether the links do is known once the network is drawn."""
    if isinstance(links, tuple):
        for i, pair in enumerate(links):
            for node in pair:
                whole(node, f"{key}[{i}]", 0, topology.size(s.topology) - 1, "nodes")


def check_fault(f: Fault, key: str, s: Scenario) -> None:
    """Check one [[fault]]."""
    check_keys(f, key)
    check_time(f.at, f"{key}.at", s)
    check_nodes(f.nodes, f"{key}.nodes", s)
    check_links(f.links, f"{key}.links", s)
    if f.area is not None and s.topology.kind != "geometric" and not s.radio.wireless:
        raise BadInput(f"{key}.area: must be left out, no node has a place; use nodes, or a geometric topology")
    n = topology.size(s.topology)
    if f.kind == "partition" and (f.nodes in ("all", n) or (isinstance(f.nodes, tuple) and len(f.nodes) == n)):
        raise BadInput(f"{key}.nodes: must leave out some of the {n} nodes, to part them from")
    if f.rate is not None:
        check_rate(f.rate, min(s.duration - f.at, f.duration or s.duration), MAX_FAULTS, f"{key}.rate")


def check_keys(f: Fault, key: str) -> None:
    """Check that the keys are those of the kind, and name the targets exactly once."""
    allowed = (*KEYS[f.kind], *(("duration",) if f.rate is not None and "duration" not in KEYS[f.kind] else ()))
    for name in ("nodes", "links", "area", "duration", "memory"):
        if name not in allowed and getattr(f, name) is not None:
            only = " without a rate" if name == "duration" else ""
            listed = ", ".join((*ALWAYS, *allowed))
            raise BadInput(f'{key}.{name}: does not apply to kind = "{f.kind}"{only}; allowed are {listed}')
    targets = [name for name in ("nodes", "links", "area") if name in allowed]
    given = [name for name in targets if getattr(f, name) is not None]
    if len(given) > 1:
        raise BadInput(f"{key}.{', '.join(given)}: must be one of the two, not both")
    if not given and f.rate is None:
        raise BadInput(
            f'{key}.{targets[0]}: missing; must be a count, a list, or "all"'
            + ("; or give an area" if "area" in targets else "")
        )
