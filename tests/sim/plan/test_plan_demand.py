"""Who publishes and who subscribes, and when."""

import hashlib
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.protocol.wire.names import channel_hash
from psvr.sim.plan import Plan, plan
from psvr.sim.scenario import parse

S = 1_000_000
LINE: dict[str, Any] = {"kind": "line", "n": 50}


def planned(topology: dict[str, Any] | None = None, **keys: Any) -> Plan:
    return plan(parse({"topology": topology or LINE, **keys}))


def traffic(**keys: Any) -> dict[str, Any]:
    return {"channel": "a", **keys}


def test_channels_in_the_order_of_the_scenario() -> None:
    p = planned(
        traffic=[traffic(channel="b"), traffic(), traffic(channel="b")],
        subscribe=[{"at": 1, "node": 0, "channel": "c"}],
    )
    assert p.channels == ["b", "a", "c"]
    assert p.hashes.tolist() == [channel_hash(name) for name in "bac"]
    assert p.hashes.dtype == np.int64


def test_hashes_are_signed_and_never_change() -> None:
    digest = hashlib.blake2b("wärme".encode(), digest_size=8).digest()
    assert channel_hash("wärme") == int.from_bytes(digest, "big", signed=True)
    hashes = [channel_hash(f"über {i}") for i in range(1000)]
    assert len(set(hashes)) == 1000 and 0 not in hashes and min(hashes) < 0 < max(hashes)
    assert all(-(1 << 63) <= x < 1 << 63 for x in hashes)


def test_sources() -> None:
    first = traffic(publishers=[7, 3], every=20, start=10, stop=90, payload=5)
    p = planned(duration=100, traffic=[first, traffic(channel="b", publishers=1, every=0.5)])
    assert p.sources.dtype.names == ("node", "channel", "first", "period", "stop", "load")
    assert [p.sources.dtype[name].str for name in p.sources.dtype.names] == ["<i4", "<i4", "<i8", "<i8", "<i8", "<i4"]
    a, b = p.sources[p.sources["channel"] == 0], p.sources[p.sources["channel"] == 1]
    assert sorted(a["node"].tolist()) == [3, 7] and len(b) == 1
    assert set(a[["period", "stop", "load"]].tolist()) == {(20 * S, 90 * S, 5)}
    assert b[["period", "stop", "load"]].tolist() == [(S // 2, 100 * S, 16)]
    assert (a["first"] >= 10 * S).all() and (a["first"] < 30 * S).all() and b["first"][0] < S // 2


def test_sources_are_sorted_and_phases_spread_evenly() -> None:
    p = planned({"kind": "ring", "n": 4000}, traffic=[traffic(every=20), traffic(every=20, channel="b")])
    keys = p.sources[["first", "node"]].tolist()
    assert keys == sorted(keys) and len(keys) == 8000
    phase = p.sources["first"] / (20 * S)
    assert np.histogram(phase, 10, (0, 1))[0] == pytest.approx(800, abs=5 * math.sqrt(800))


def test_sources_of_one_time_are_sorted_by_node() -> None:
    p = planned(traffic=[traffic(every=1e-6), traffic(every=1e-6, channel="b")])
    assert p.sources[["first", "node", "channel"]].tolist() == [(0, v, c) for v in range(50) for c in range(2)]


def test_those_that_would_begin_too_late_are_left_out() -> None:
    p = planned({"kind": "ring", "n": 4000}, duration=10, traffic=[traffic(every=20)])
    assert len(p.sources) == pytest.approx(2000, abs=5 * math.sqrt(1000)) and (p.sources["first"] < 10 * S).all()


def test_a_larger_count_keeps_those_of_a_smaller_and_their_phases() -> None:
    few = planned(traffic=[traffic(publishers=5, subscribers=7)])
    many = planned(traffic=[traffic(publishers=20, subscribers=30)])
    assert set(few.sources.tolist()) < set(many.sources.tolist())
    assert set(few.changes["node"].tolist()) < set(many.changes["node"].tolist())


def test_counts_are_drawn_alike() -> None:
    hits = Counter(
        v
        for seed in range(400)
        for v in planned({"kind": "line", "n": 10}, seed=seed, traffic=[traffic(subscribers=3)])
        .changes["node"]
        .tolist()
    )
    assert sum(hits.values()) == 1200
    assert [hits[v] for v in range(10)] == pytest.approx([120] * 10, abs=5 * math.sqrt(120 * 0.7))


def test_first_subscriptions() -> None:
    p = planned(traffic=[traffic(subscribers=[9, 4]), traffic(channel="b", subscribers=2), traffic(subscribers=[4, 5])])
    assert p.changes.dtype.names == ("time", "node", "channel", "on")
    assert p.changes[p.changes["channel"] == 0].tolist() == [(0, 4, 0, 1), (0, 5, 0, 1), (0, 9, 0, 1)]
    assert (p.changes["channel"] == 1).sum() == 2 and (p.changes["time"] == 0).all()


def test_single_changes_in_their_time() -> None:
    changes = [
        {"at": 9, "node": 1, "channel": "a"},
        {"at": 3.5, "node": 2, "channel": "a", "on": False},
        {"at": 4, "node": 2, "channel": "a", "on": False},
        {"at": 9, "node": 1, "channel": "a", "on": False},
        {"at": 0, "node": 8, "channel": "b"},
        {"at": 5, "node": 2, "channel": "a", "on": True},
    ]
    p = planned(traffic=[traffic(subscribers=[2])], subscribe=changes)
    assert p.changes.tolist() == [
        (0, 2, 0, 1),
        (0, 8, 1, 1),
        (3_500_000, 2, 0, 0),
        (5 * S, 2, 0, 1),
        (9 * S, 1, 0, 1),
        (9 * S, 1, 0, 0),
    ]


def follow(p: Plan, channel: int = 0) -> list[int]:
    """The number of subscribers after each change; every change changes something."""
    members: set[int] = set()
    counts = []
    for row in p.changes[p.changes["channel"] == channel]:
        assert (int(row["node"]) in members) != bool(row["on"])
        members ^= {int(row["node"])}
        counts.append(len(members))
    return counts


@pytest.mark.parametrize(("subscribers", "low", "high"), [(10, 9, 10), (0, 0, 1), ("all", 49, 50), (1, 0, 1)])
def test_churn_keeps_the_number_of_subscribers(subscribers: Any, low: int, high: int) -> None:
    p = planned(duration=3000, traffic=[traffic(subscribers=subscribers, churn=60)])
    later = p.changes[p.changes["time"] > 0]
    assert len(later) == pytest.approx(3000, abs=5 * math.sqrt(3000))
    counts = follow(p)[-len(later) :]
    assert (min(counts), max(counts)) == (low, high)
    assert (np.diff(later["time"]) >= 0).all()
    gaps = np.diff(later["time"]) / S
    assert gaps.mean() == pytest.approx(1, rel=0.1) and gaps.std() == pytest.approx(1, rel=0.15)  # exponential


def test_churn_reaches_everyone() -> None:
    p = planned(duration=3000, traffic=[traffic(subscribers=10, churn=60)])
    hits = np.bincount(p.changes["node"][p.changes["time"] > 0], minlength=50)
    assert hits.min() > 20 and hits.max() < 120


def test_churn_from_start_to_stop() -> None:
    p = planned(traffic=[traffic(subscribers=10, churn=600, start=100, stop=200)])
    times = p.changes["time"][p.changes["time"] > 0]
    assert 100 * S <= times.min() < 102 * S and 198 * S < times.max() < 200 * S


def test_churn_of_two_entries_and_single_changes_on_one_channel() -> None:
    single = [{"at": at, "node": 3, "channel": "a", "on": bool(at % 2)} for at in range(10, 500)]
    p = planned(traffic=[traffic(subscribers=10, churn=30), traffic(subscribers=[1, 2], churn=30)], subscribe=single)
    assert follow(p)[-1] > 5


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_any_plan_is_sorted_and_consistent(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    some = st.just("all") | st.integers(0, n)
    entries = st.lists(
        st.fixed_dictionaries(
            {
                "channel": st.sampled_from("ab"),
                "subscribers": some,
                "publishers": some,
                "every": st.floats(0.1, 50),
                "start": st.floats(0, 40),
                "churn": st.floats(0, 60),
            }
        ),
        max_size=3,
    )
    singles = st.lists(
        st.fixed_dictionaries(
            {
                "at": st.floats(0, 100),
                "node": st.integers(0, n - 1),
                "channel": st.sampled_from("abc"),
                "on": st.booleans(),
            }
        )
    )
    p = planned(
        {"kind": "line", "n": n},
        duration=100,
        seed=data.draw(st.integers(0, 99)),
        traffic=data.draw(entries),
        subscribe=data.draw(singles),
    )
    assert (np.diff(p.changes["time"]) >= 0).all() and (np.diff(p.sources["first"]) >= 0).all()
    assert (p.sources["first"] < p.sources["stop"]).all() and (p.sources["stop"] <= 100 * S).all()
    assert ((p.changes["time"] >= 0) & (p.changes["time"] <= 100 * S)).all()
    for channel in range(len(p.channels)):
        follow(p, channel)
