"""The figures of a run, under the names that `psvr sim --json` has, counted by the same rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from psvr.sim.network import PACKED
from psvr.sim.results import SECOND, Deliveries, count, expected_pairs, stability
from psvr.sim.summary import latency, what_came_of_it, what_was_short, window
from psvr.trace import read

if TYPE_CHECKING:
    from .run import Swarm

PUBLICATION = np.dtype([("time", "i8"), ("node", "i4"), ("channel", "i4"), ("messages", "i4")])
DELIVERY = np.dtype([("publication", "i8"), ("node", "i4"), ("time", "i8"), ("hops", "i4")])
SENT = ("hello", "sub", "pub", "ack")
NOT_HERE = dict.fromkeys((
    "missed_by", "max_table_bytes", "node_bytes", "entry_bytes", "channel", "links", "energy", "fingerprint"))

Name = tuple[int, int, int]         # origin, boot, sequence


def traced(swarm: Swarm) -> tuple[NDArray[Any], dict[Name, int]]:
    """The publications, as the nodes noted them, and their places by name."""
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


def delivered(swarm: Swarm, place: dict[Name, int]) -> NDArray[Any]:
    """What applications got."""
    known = [(place[name], d.node, d.time, d.hops) for d in swarm.record.deliveries
             if (name := (d.origin, d.boot, d.sequence)) in place]
    return np.array(known, DELIVERY)


def counted(swarm: Swarm) -> Deliveries:
    publications, place = traced(swarm)
    return count(swarm.record.history, publications, delivered(swarm, place),
                 round(swarm.scenario.warmup * SECOND), window(swarm.plan.n))


def all_arrived(swarm: Swarm) -> bool:
    """Nothing is expected any more."""
    publications, place = traced(swarm)
    pairs = expected_pairs(swarm.record.history, publications, np.arange(len(publications)), window(swarm.plan.n),
                           swarm.plan.n)
    got = delivered(swarm, place)
    return bool(np.isin(pairs, got["publication"] * swarm.plan.n + got["node"]).all())


def summary(swarm: Swarm, wall: float) -> dict[str, Any]:
    """All figures; those that only a simulator has are None."""
    d, record = counted(swarm), swarm.record
    stable_at, recoveries = stability(record.history)
    sent, length, counters = (record.total(name) for name in ("transmissions", "bytes", "counters"))
    events = sum(sent[name] for name in SENT) + counters["taken"]
    passed = record.now / SECOND
    return {
        "published": d.published, "expected": d.expected, "delivered": d.delivered,
        "missed": d.expected - d.delivered, "duplicates": d.duplicates,
        "delivery_ratio": d.delivered / d.expected if d.expected else None, "messages": d.messages,
        "transmissions": {name: sent[name] for name in SENT}, "bytes": {name: length[name] for name in SENT[:3]},
        "hops": {str(hops): number for hops, number in d.hops.items()}, "latency": latency(d.latencies),
        "stable_at": stable_at, "recoveries": recoveries,
        "max_table_bytes_packed": swarm.watch.max_table_bytes_packed, "entry_bytes_packed": PACKED,
        "overflow": record.total("tables")["no_room"], "left_out": swarm.watch.left_out(),
        "parent_changes": counters["parent_changes"], "ring_changes": counters["ring_changes"],
        "dropped": dict(record.total("dropped") + record.total("losing")),
        "simulated_s": passed, "events": events, "wall_s": round(wall, 6),
        "events_per_s": round(events / wall) if wall > 0 else 0, **NOT_HERE,
    }


def in_words(s: dict[str, Any], title: str) -> str:
    """The same for people."""
    return "\n".join([
        *what_came_of_it(s, title),
        f"  changes          {s['parent_changes']:,} of a parent, {s['ring_changes']:,} of a node's ring",
        *(f"  dropped          {number:,}: {reason}" for reason, number in s["dropped"].items()),
        *what_was_short(s)])
