"""A summary in figures and words, from figures made by hand: no run needed."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psvr.protocol.constants import LINK_FAILED, REASONS
from psvr.results import figures, words
from psvr.results.deliveries import Epoch, History
from psvr.sim import summary

FIGURES: dict[str, Any] = {
    "published": 1200,
    "expected": 3000,
    "delivered": 2991,
    "missed": 9,
    "missed_by": {},
    "duplicates": 1,
    "delivery_ratio": 0.997,
    "messages": 6000,
    "transmissions": {"hello": 12345, "sub": 7, "pub": 8, "ack": 9},
    "hops": {"1": 2000, "2": 991},
    "latency": {"mean": 0.0123, "p50": 0.01, "p99": 0.5},
    "stable_at": 12.34,
    "recoveries": [5.06, None],
    "max_table_bytes": 2048,
    "max_table_bytes_packed": 1024,
    "node_bytes": 4096,
    "entry_bytes": 32,
    "entry_bytes_packed": 10,
    "overflow": 0,
    "left_out": [],
    "parent_changes": 90,
    "ring_changes": 45,
    "channel": None,
    "links": None,
    "energy": None,
    "simulated_s": 1800.0,
    "events": 1_000_000,
    "wall_s": 2.5,
    "events_per_s": 400_000,
    "fingerprint": "0123456789abcdef",
}


def lines(**changed: Any) -> list[str]:
    return summary.in_words({**FIGURES, **changed}, "a title").splitlines()


def test_all_figures_in_words() -> None:
    assert lines() == [
        "a title",
        "",
        "  stable           at 12.3 s",
        "  fault 1          recovered after 5.1 s",
        "  fault 2          not recovered before the next fault, or the end",
        "  published        1,200",
        "  delivered        99.70 % (2,991 of 3,000; 9 missed, 1 delivered twice)",
        "  messages         6,000, 5.00 per publication",
        "  hops              1 ████████████████████████████████████████ 2,000",
        "                    2 ████████████████████ 991",
        "  latency          mean 12.3 ms, p50 10.0 ms, p99 500.0 ms",
        "  transmissions    12,345 HELLO, 7 SUB, 8 PUB, 9 ACK",
        "  routing table    at most 2,048 bytes in memory, 1,024 packed as on a mote",
        "  memory           4,096 bytes per node; 32 per entry of the table, 10 packed; the paper: 8",
        "  events           1,000,000 in 2.50 s: 400,000 per second",
        "  fingerprint      0123456789abcdef",
    ]


def test_what_never_came_is_said() -> None:
    found = lines(
        delivery_ratio=None,
        stable_at=None,
        recoveries=[],
        published=0,
        messages=0,
        hops={},
        latency={"mean": None, "p50": None, "p99": None},
    )
    assert found[2:7] == [
        "  stable           never",
        "  published        0",
        "  delivered        no publication was expected anywhere",
        "  messages         0",
        "  latency          none",
    ]


def test_what_was_short_is_said() -> None:
    assert lines(overflow=1500)[-1] == "  overflow         1,500 SUBs found a table full: raise protocol.channels"
    assert lines(left_out=[3, 4])[-1] == "  left out         2 nodes for which no link was free: 3, 4"
    many = lines(left_out=list(range(30)), overflow=1)[-2]
    assert many.startswith("  left out         30 nodes") and many.endswith(" 18, 19, …")
    assert lines(left_out=list(range(20)))[-1].endswith(" 18, 19")


def test_what_only_a_wireless_channel_has() -> None:
    air = {"frames": 5000, "no_access": 4, "no_ack": 30, "queue_full": 2}
    energy = {
        "node_mean": 120.5,
        "transmit": 1.25,
        "receive": 2.5,
        "listen": 116.75,
        "node_max": 130.0,
        "per_delivery": 0.0456,
    }
    links = {"kept": 1200, "measured": 0.876, "claimed": 0.912}
    assert lines(channel=air, energy=energy, links=links)[16:] == [
        "  channel          5,000 frames; 4 times never clear, 30 times not acknowledged, 2 dropped at a full queue",
        "  changes          180 of a parent and 90 of a node's ring, per hour",
        "  links            1,200 kept; 87.6% of HELLOs came through on them, 91.2% claimed",
        "  energy           120 J per node (1.25 sending, 2.5 receiving, 117 listening), at most 130, "
        "0.0456 J per delivery",
    ]
    found = lines(channel=air, energy={**energy, "per_delivery": None}, links={**links, "kept": 0})
    assert len(found) == 19 and found[-1].endswith("at most 130")
    found = lines(channel=air, energy=energy, parent_changes=0, ring_changes=0, simulated_s=0.0)
    assert found[17] == "  changes          0 of a parent and 0 of a node's ring, per hour", "stopped before it began"


@pytest.mark.parametrize(
    "hops, bars",
    [
        ({}, []),
        ({"3": 5}, [(1, 0, 0), (2, 0, 0), (3, 40, 5)]),
        ({"0": 5}, [(0, 40, 5)]),
        ({"1": 4, "2": 1}, [(1, 40, 4), (2, 10, 1)]),
        ({str(h): 1 for h in range(1, 13)}, [(h, 40, 1) for h in range(1, 13)]),
        ({"12": 8, "13": 1, "20": 3}, [*((h, 0, 0) for h in range(1, 12)), (12, 40, 8), ("more", 20, 4)]),
    ],
)
def test_hops_as_bars(hops: dict[str, int], bars: list[tuple[Any, int, int]]) -> None:
    shown = [line.split() for line in words.histogram(hops)]
    assert [(row[0] if i else row[1], *row[2 if i == 0 else 1 :]) for i, row in enumerate(shown)] == [
        (str(h), *(["█" * width] if width else []), str(number)) for h, width, number in bars
    ]


def test_latency() -> None:
    assert figures.latency(np.array([0.2, 0.1, 0.4, 0.3])) == {"mean": 0.25, "p50": 0.25, "p99": pytest.approx(0.397)}
    assert figures.latency(np.array([])) == {"mean": None, "p50": None, "p99": None}


def test_a_publication_has_longer_in_a_larger_network() -> None:
    assert [figures.window(n) for n in (1, 100)] == [25_040_000, 29_000_000]


def test_drops_by_reason() -> None:
    drops = np.zeros(len(REASONS), np.int64)
    drops[2], drops[LINK_FAILED] = 7, 3
    net: Any = SimpleNamespace(world=SimpleNamespace(drops=drops))
    assert summary.dropped(net) == {REASONS[2]: 7, REASONS[LINK_FAILED]: 3}


def network(roots: list[int], turned_away: list[int], part: list[int]) -> Any:
    nodes = np.array(list(zip(roots, turned_away)), [("root", "i8"), ("turned_away", "i4")])
    history = History()
    history.epochs = [Epoch(0, np.zeros(len(part), np.int64)), Epoch(5, np.array(part))]
    return SimpleNamespace(history=history, world=SimpleNamespace(nodes=nodes, ids=np.arange(10, 10 + len(part))))


@pytest.mark.parametrize(
    "roots, turned_away, part, found",
    [
        ([10, 10, 10, 10], [0, 5, 0, 0], [0, 0, 0, 0], []),  # all have joined
        ([10, 10, 12, 13], [0, 5, 0, 0], [0, 0, 0, 0], [12, 13]),
        ([10, 10, 12, 13], [0, 0, 0, 0], [0, 0, 0, 0], []),  # nobody was turned away: not settled yet
        ([10, 10, 12, 13], [0, 0, 5, 0], [0, 0, 0, 0], []),  # … but by one who has not joined
        ([10, 10, 12, 12], [0, 5, 0, 0], [0, 0, 2, 2], []),  # another component has another root
        ([10, 10, 12, 10], [0, 5, 0, 0], [0, 0, 2, 2], [13]),
        ([10, 10, 12, 13], [0, 5, 0, 0], [0, 0, -1, 0], [13]),  # the dead are not left out
        ([10, 10, 12, 13], [0, 5, 0, 0], [-1, -1, -1, -1], []),
    ],
)
def test_who_was_left_out(roots: list[int], turned_away: list[int], part: list[int], found: list[int]) -> None:
    assert summary.left_out(network(roots, turned_away, part)) == found
