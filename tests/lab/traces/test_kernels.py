"""Measures of odd traces, in whole and in parts, against reading them row by row."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.lab.traces.kernels.changes import Changes
from psvr.lab.traces.kernels.copies import Deliveries
from psvr.lab.traces.kernels.delivery import Delivery
from psvr.lab.traces.kernels.loads import LinkLoad, NodeLoad
from psvr.lab.traces.kernels.measure import Measure
from psvr.lab.traces.kernels.publications import Publications
from psvr.lab.traces.kernels.subscriptions import Expected, Subscriptions
from tests.support.lab import naive_traces as naive
from tests.support.lab.odd_traces import SECOND, Row, answer, dense, rows, write_lines, write_parquet

WARMUP, WINDOW = 10 * SECOND, 15 * SECOND
MEASURES: dict[str, tuple[Measure, Callable[[Sequence[Row]], list[Row]]]] = {
    "publications": (Publications(), naive.publications),
    "deliveries": (Deliveries(), naive.deliveries),
    "subscriptions": (Subscriptions(), naive.subscriptions),
    "expected": (Expected(WINDOW), lambda rows: naive.expected(rows, WINDOW)),
    "delivery": (Delivery(WARMUP, WINDOW), lambda rows: naive.delivery(rows, WARMUP, WINDOW)),
    "node_load": (NodeLoad(), naive.node_load),
    "link_load": (LinkLoad(), naive.link_load),
    "changes": (Changes(), naive.changes),
}
PARTS = {"whole": 0, "least": 1, "part": 4}


def comparable(found: Sequence[Row], name: str) -> list[str]:
    """Rows in an order of their own.  Which of two that happened at once has which channel or root, nobody knows."""
    unknown = {"deliveries": ("channel",), "changes": ("root", "clock")}.get(name, ())
    return sorted(repr(sorted((k, v) for k, v in row.items() if k not in unknown)) for row in found)


def write(folder: Path, some: Sequence[Row], files: int, lines: bool, groups: int) -> list[Path]:
    """Rows dealt out to some files, so that a file has several runs and a run several files."""
    written = []
    for number in range(files):
        mine = some[number::files]
        written.append(folder / f"part-{number}{'.jsonl' if lines and number % 2 else '.parquet'}")
        if lines and number % 2:
            write_lines(written[-1], mine)
        else:
            write_parquet(written[-1], mine, groups)
    return written


@pytest.mark.parametrize("name", MEASURES)
@given(some=rows(), files=st.integers(1, 4), lines=st.booleans(), groups=st.integers(1, 30))
def test_odd_traces(name: str, some: list[Row], files: int, lines: bool, groups: int) -> None:
    measure, read_slowly = MEASURES[name]
    wanted = comparable(read_slowly(some), name)
    with tempfile.TemporaryDirectory() as folder:
        written = write(Path(folder), some, files, lines, groups)
        assert comparable(answer(measure, written), name) == wanted
        assert comparable(answer(measure, written, **PARTS), name) == wanted


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_dense_traces(name: str, seed: int, tmp_path: Path) -> None:
    """Without subscriptions in one of them: whatever arrives then counts."""
    some = [row for row in dense(seed) if seed or "subscribed" not in row["event"]]
    measure, read_slowly = MEASURES[name]
    wanted = comparable(read_slowly(some), name)
    written = write(tmp_path, some, 3, True, 50)
    assert comparable(answer(measure, written), name) == wanted
    assert comparable(answer(measure, written, **PARTS), name) == wanted


def test_the_order_of_rows_does_not_matter() -> None:
    """A copy that is written later may have come earlier."""
    base: dict[str, Any] = {"run": "r", "clock": "sim", "origin": 1, "boot": 0, "sequence": 1, "channel": "c"}
    some = [
        {**base, "time": 5, "node": 2, "event": "delivered", "hops": 3},
        {**base, "time": 4, "node": 2, "event": "delivered", "hops": 4},
        {**base, "time": 4, "node": 2, "event": "delivered", "hops": 2},
        {**base, "time": 1, "node": 1, "event": "published"},
    ]
    with tempfile.TemporaryDirectory() as folder:
        write_lines(Path(folder, "a.jsonl"), some)
        [found] = answer(Delivery(), [Path(folder, "a.jsonl")])
    assert (found["hops"], found["latency_us_sum"], found["duplicates"]) == ([0, 0, 1], 3, 2)
