"""What became of the publications of a run, and when the network was stable."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

SECOND = 1_000_000
OPEN = 1 << 62  # the end time of what has not ended


@dataclass
class Epoch:
    """A stretch of time in which no node stops or starts, and no link changes."""

    start: int
    part: NDArray[np.int64]  # the component of each node; −1: the node is down


@dataclass
class Subscription:
    """A node's subscription to a channel, from its start to its end in µs."""

    node: int
    channel: int
    start: int
    end: int


@dataclass
class History:
    """What a run records for its summary, besides publications and deliveries."""

    epochs: list[Epoch] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)
    checks: list[tuple[int, bool]] = field(default_factory=list)  # time, and whether all invariants held
    faults: list[int] = field(default_factory=list)  # times


def settled_since(checks: list[tuple[int, bool]]) -> int | None:
    """The time of the first check from which all were good; None if the last one was not."""
    since = None
    for time, good in reversed(checks):
        if not good:
            break
        since = time
    return since


def stability(history: History) -> tuple[float | None, list[float | None]]:
    """When the network became stable before the first fault, and how long after each fault it was stable again."""
    bounds = [-1, *history.faults, OPEN]
    spans = []
    for begin, end in itertools.pairwise(bounds):
        since = settled_since([c for c in history.checks if begin < c[0] <= end])
        spans.append(None if since is None else (since - max(begin, 0)) / SECOND)
    return spans[0], spans[1:]


@dataclass
class Deliveries:
    """The publications that count, compared with who should have received them."""

    published: int
    expected: int
    delivered: int
    duplicates: int
    messages: int
    hops: dict[int, int]
    latencies: NDArray[np.float64]  # seconds, of the expected pairs that were delivered
    due: NDArray[np.int64]  # µs at which each expected pair was published …
    met: NDArray[np.bool_]  # … and whether it was delivered
    missed: NDArray[np.int64]  # the publication of each expected pair that was not


def count(
    history: History, publications: NDArray[Any], deliveries: NDArray[Any], warmup: int, window: int
) -> Deliveries:
    """Compare what was delivered to applications with what should have been.

    An expected pair is a publication and a node other than its publisher that had subscribed before it and, until the
    end of the delivery window, stays subscribed, alive and connected to the publisher.
    """
    counted = np.flatnonzero(publications["time"] >= warmup)
    n = len(history.epochs[0].part)
    mine = deliveries[np.isin(deliveries["publication"], counted)] if len(counted) < len(publications) else deliveries
    pair = mine["publication"].astype(np.int64) * n + mine["node"]
    unique, first = np.unique(pair, return_index=True)
    expected = expected_pairs(history, publications, counted, window, n)
    hit = np.isin(unique, expected, assume_unique=True)
    got = mine[first[hit]]
    latency = (got["time"] - publications["time"][got["publication"]]) / SECOND
    values, numbers = np.unique(got["hops"], return_counts=True)
    met = np.isin(expected, unique, assume_unique=True)
    return Deliveries(
        published=len(counted),
        expected=len(expected),
        delivered=int(hit.sum()),
        duplicates=len(pair) - len(unique),
        messages=int(publications["messages"][counted].sum()),
        hops=dict(zip(values.tolist(), numbers.tolist())),
        latencies=latency,
        due=publications["time"][expected // n].astype(np.int64),
        met=met,
        missed=expected[~met] // n,
    )


def expected_pairs(
    history: History, publications: NDArray[Any], counted: NDArray[np.int64], window: int, n: int
) -> NDArray[np.int64]:
    """The expected pairs as publication · n + node, ascending."""
    starts = np.array([e.start for e in history.epochs])
    table = subscription_table(history)
    found = []
    for p in counted.tolist():
        time, node, channel = (int(publications[p][name]) for name in ("time", "node", "channel"))
        nodes, begin, end = table.get(channel, EMPTY)
        good = (begin < time) & (end > time + window) & (nodes != node)
        first, last = np.searchsorted(starts, [time, time + window], side="right") - 1
        for epoch in history.epochs[first : last + 1]:
            good &= (epoch.part[nodes] == epoch.part[node]) & (epoch.part[node] >= 0)
        found.append(p * n + np.unique(nodes[good]))
    return np.concatenate(found) if found else np.zeros(0, np.int64)


EMPTY = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))


def subscription_table(history: History) -> dict[int, tuple[NDArray[np.int64], ...]]:
    """For each channel, the nodes, starts and ends of its subscriptions."""
    by_channel: dict[int, list[Subscription]] = {}
    for s in history.subscriptions:
        by_channel.setdefault(s.channel, []).append(s)
    return {
        channel: (np.array([s.node for s in them]), np.array([s.start for s in them]), np.array([s.end for s in them]))
        for channel, them in by_channel.items()
    }
