"""The results of a simulated trial about its deliveries, from deliveries made by hand."""

from typing import Any

import numpy as np
import pytest

from psvr.lab.kinds.simulated import BIN, by_time, latency, micros, node_count
from psvr.results.deliveries import Deliveries

MINUTE = 60_000_000


def deliveries(latencies: Any = (), due: Any = (), met: Any = ()) -> Deliveries:
    return Deliveries(
        0,
        0,
        0,
        0,
        0,
        {},
        np.array(latencies, float),
        np.array(due, np.int64),
        np.array(met, bool),
        np.empty(0, np.int64),
    )


@pytest.mark.parametrize(
    "count, p50, p99",
    [(1, 1, 1), (2, 1, 2), (3, 2, 3), (99, 50, 99), (100, 50, 99), (101, 51, 100), (200, 100, 198), (1000, 500, 990)],
)
def test_latency_of_a_share_is_that_of_the_first_by_which_it_is_reached(count: int, p50: int, p99: int) -> None:
    """Of 1, 2, 3 … ms, in any order."""
    times = np.random.default_rng(1).permutation(np.arange(1, count + 1)) / 1000
    assert latency(deliveries(times)) == {
        "latency_us_sum": 500 * count * (count + 1),
        "latency_us_p50": 1000 * p50,
        "latency_us_p99": 1000 * p99,
    }


def test_no_latency_without_a_delivery() -> None:
    assert latency(deliveries()) == {"latency_us_sum": 0, "latency_us_p50": None, "latency_us_p99": None}


def test_what_was_due_in_each_ten_minutes() -> None:
    due = [0, 10 * MINUTE - 1, 10 * MINUTE, 35 * MINUTE, 39 * MINUTE]
    assert BIN == 10 * MINUTE
    assert by_time(deliveries(due=due, met=[True, False, True, False, False])) == {
        "expected_by_time": [2, 1, 0, 2],
        "delivered_by_time": [1, 1, 0, 0],
    }
    assert by_time(deliveries()) == {"expected_by_time": [], "delivered_by_time": []}


def test_small_things() -> None:
    assert [node_count(nodes, 9) for nodes in ("all", 4, (1, 2, 7), 0, ())] == [9, 4, 3, 0, 0]
    assert micros(None) is None and micros(0.0) == 0 and micros(1.2345678) == 1_234_568
