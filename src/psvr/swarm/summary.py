"""The figures of a run, with the names of `psvr sim --json` and counted by the same rules."""

from typing import Any, Protocol

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from psvr.results.deliveries import SECOND, Deliveries, count, expected_pairs, stability
from psvr.results.figures import PACKED, TRANSMISSIONS, latency, window
from psvr.results.words import outcome_lines, shortage_lines
from psvr.sim.plan import Plan
from psvr.sim.scenario import Scenario
from psvr.trace import read

from .record import Places, Record
from .watch import Watch

PUBLICATION = np.dtype([("time", "i8"), ("node", "i4"), ("channel", "i4"), ("messages", "i4")])
DELIVERY = np.dtype([("publication", "i8"), ("node", "i4"), ("time", "i8"), ("hops", "i4")])
SIMULATOR_ONLY = dict.fromkeys(
    ("missed_by", "max_table_bytes", "node_bytes", "entry_bytes", "channel", "links", "energy", "fingerprint")
)

Name = tuple[int, int, int]  # origin, boot, sequence


class SwarmRun(Protocol):
    """What the figures of a swarm are computed from."""

    scenario: Scenario
    plan: Plan
    places: Places
    record: Record
    watch: Watch


def traced(swarm: SwarmRun) -> tuple[NDArray[Any], dict[Name, int]]:
    """The publications, as traced by the nodes, and their indices by name."""
    columns = ["time", "node", "event", "channel", "origin", "boot", "sequence"]
    wanted = (pc.field("run") == swarm.places.run) & pc.field("event").isin(["published", "sent"])
    table = read(swarm.places.trace, columns, wanted)
    rows = list(zip(*(table[name].to_pylist() for name in columns)))
    made = sorted(row for row in rows if row[2] == "published")
    place = {(row[4], row[5], row[6]): i for i, row in enumerate(made)}
    number = {int(id): v for v, id in enumerate(swarm.plan.ids)}
    publications = np.zeros(len(made), PUBLICATION)
    for i, (time, node, _, channel, *_name) in enumerate(made):
        publications[i] = time - swarm.record.started, number[node], swarm.plan.channels.index(channel), 0
    for _, _, event, channel, *name in rows:
        if event == "sent" and channel is not None and tuple(name) in place:
            publications["messages"][place[tuple(name)]] += 1
    return publications, place


def delivered(swarm: SwarmRun, place: dict[Name, int]) -> NDArray[Any]:
    """What applications received."""
    known = [
        (place[name], d.node, d.time, d.hops)
        for d in swarm.record.deliveries
        if (name := (d.origin, d.boot, d.sequence)) in place
    ]
    return np.array(known, DELIVERY)


def counted(swarm: SwarmRun) -> Deliveries:
    publications, place = traced(swarm)
    return count(
        swarm.record.history,
        publications,
        delivered(swarm, place),
        round(swarm.scenario.warmup * SECOND),
        window(swarm.plan.n),
    )


def all_arrived(swarm: SwarmRun) -> bool:
    """Whether everything expected has arrived."""
    publications, place = traced(swarm)
    pairs = expected_pairs(
        swarm.record.history, publications, np.arange(len(publications)), window(swarm.plan.n), swarm.plan.n
    )
    arrived = delivered(swarm, place)
    return bool(np.isin(pairs, arrived["publication"] * swarm.plan.n + arrived["node"]).all())


def summarize(swarm: SwarmRun, wall: float) -> dict[str, Any]:
    """All figures; those that only the simulator has are None."""
    d, record = counted(swarm), swarm.record
    stable_at, recoveries = stability(record.history)
    sent, length, counters = (record.total(name) for name in ("transmissions", "bytes", "counters"))
    events = sum(sent[name] for name in TRANSMISSIONS) + counters["taken"]
    passed = record.now / SECOND
    return {
        "published": d.published,
        "expected": d.expected,
        "delivered": d.delivered,
        "missed": d.expected - d.delivered,
        "duplicates": d.duplicates,
        "delivery_ratio": d.delivered / d.expected if d.expected else None,
        "messages": d.messages,
        "transmissions": {name: sent[name] for name in TRANSMISSIONS},
        "bytes": {name: length[name] for name in TRANSMISSIONS[:3]},
        "hops": {str(hops): number for hops, number in d.hops.items()},
        "latency": latency(d.latencies),
        "stable_at": stable_at,
        "recoveries": recoveries,
        "max_table_bytes_packed": swarm.watch.max_table_bytes_packed,
        "entry_bytes_packed": PACKED,
        "overflow": record.total("tables")["no_room"],
        "left_out": swarm.watch.left_out(),
        "parent_changes": counters["parent_changes"],
        "ring_changes": counters["ring_changes"],
        "dropped": dict(record.total("dropped") + record.total("losing")),
        "simulated_s": passed,
        "events": events,
        "wall_s": round(wall, 6),
        "events_per_s": round(events / wall) if wall > 0 else 0,
        **SIMULATOR_ONLY,
    }


def in_words(s: dict[str, Any], title: str) -> str:
    """The figures as text."""
    return "\n".join(
        [
            *outcome_lines(s, title),
            f"  changes          {s['parent_changes']:,} of a parent, {s['ring_changes']:,} of a node's ring",
            *(f"  dropped          {number:,}: {reason}" for reason, number in s["dropped"].items()),
            *shortage_lines(s),
        ]
    )
