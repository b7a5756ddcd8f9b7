"""Kernels, DataFrame functions and reading row by row: the same, by Spark, for odd traces and for simulated ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from psvr.lab import traces
from psvr.lab.measure import traces as frames
from psvr.lab.traces.jobs import measured
from psvr.lab.traces.kernels.delivery import Delivery
from psvr.lab.traces.kernels.loads import LinkLoad
from psvr.lab.traces.units import units
from psvr.results.deliveries import SECOND
from psvr.results.figures import window
from psvr.sim.network import Network
from psvr.sim.scenario import load
from psvr.sim.summary import summarize
from psvr.trace import Writer, read
from tests.lab.traces.test_kernels import MEASURES, WARMUP, WINDOW, comparable, write
from tests.support.lab.odd_traces import Row, rows

EXAMPLES = Path(__file__).parents[3] / "examples"
ARGUMENTS: dict[str, tuple[int, ...]] = {"delivery": (WARMUP, WINDOW), "expected": (WINDOW,)}


def many_runs(some: Sequence[list[Row]]) -> list[Row]:
    """Many small traces as runs of one: Spark takes long for each question, however small."""
    return [{**row, "run": f"{row['run']} {number}"} for number, each in enumerate(some) for row in each]


def of(found: DataFrame, name: str) -> list[str]:
    return comparable([row.asDict(recursive=True) for row in found.collect()], name)


@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=list(HealthCheck))  # to shrink takes hours
@given(some=st.lists(rows(most=25), min_size=20, max_size=40), files=st.integers(1, 4), groups=st.integers(1, 30))
def test_odd_traces(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, some: list[list[Row]], files: int, groups: int
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    every = many_runs(some)
    write(folder, every, files, True, groups)
    trace, found = frames.read_trace(spark, folder).cache(), traces.index(spark, folder)
    assert found.rows == len(every) and set(found.runs) == {row["run"] for row in every}
    for name, (_, read_slowly) in MEASURES.items():
        wanted = comparable(read_slowly(every), name)
        arguments = ARGUMENTS.get(name, ())
        frame, kernel = getattr(frames, name)(trace, *arguments), getattr(traces, name)(found, *arguments)
        assert dict(kernel.dtypes) == dict(frame.dtypes)
        assert of(frame, name) == wanted, f"{name}, DataFrame function"
        assert of(kernel, name) == wanted, f"{name}, kernel"


@pytest.mark.parametrize("example", ["faults", "lossy", "quiet", "paper", "wireless"])
def test_examples(spark: SparkSession, tmp_path: Path, example: str) -> None:
    """What the simulator says of its own run, as far as a trace knows it, however the files are read."""
    scenario = load(EXAMPLES / f"{example}.toml")
    net = traced(scenario, tmp_path)
    found = traces.index(spark, tmp_path)
    arguments = round(scenario.warmup * SECOND), window(net.plan.n)
    [kernel] = traces.delivery(found, *arguments).collect()
    [frame] = frames.read_trace(spark, tmp_path).transform(frames.delivery, *arguments).collect()
    work = units(found.files, 2, whole=0, least=1, part=900)
    assert len(work.parts) > 1
    [parts] = measured(found, Delivery(*arguments), work).collect()
    assert kernel.asDict() == frame.asDict() == parts.asDict()
    again = published_again(tmp_path, arguments[0])
    assert (again > 0) is (example == "faults")
    check_summary(kernel.asDict(), summarize(net), again, always_connected=example in ("lossy", "quiet"))
    whole = sorted(map(tuple, traces.link_load(found).collect()))
    assert whole == sorted(map(tuple, measured(found, LinkLoad(), work).collect()))


def traced(scenario: Any, folder: Path) -> Network:
    with Writer(folder, "example", channels=[each.channel for each in scenario.traffic], rows_per_file=500) as writer:
        net = Network(scenario, level="control", take_rows=writer.write)
        net.run(scenario.duration)
        net.machine.flush()
    return net


def published_again(folder: Path, warmup: int) -> int:
    """Publications with the name of an earlier one: a node whose memory was corrupted does not know its numbers."""
    names, again = set(), 0
    for row in read(folder, ["time", "event", "origin", "boot", "sequence"]).to_pylist():
        if row["event"] == "published":
            name = row["origin"], row["boot"], row["sequence"]
            again += name in names and row["time"] >= warmup
            names.add(name)
    return again


def check_summary(row: dict[str, Any], figures: dict[str, Any], again: int, always_connected: bool) -> None:
    """A trace does not say who was cut off: then more is expected than the simulator counts."""
    assert row["published"] == figures["published"] - again
    if again:  # a trace cannot tell such publications apart
        return
    assert (row["duplicates"], row["messages"]) == (figures["duplicates"], figures["messages"])
    if always_connected:
        assert (row["expected"], row["delivered"]) == (figures["expected"], figures["delivered"])
        assert {str(h): number for h, number in enumerate(row["hops"]) if number} == figures["hops"]
        assert row["latency_us_p50"] == pytest.approx(figures["latency"]["p50"] * SECOND, abs=1e-6)
    else:
        assert row["expected"] >= figures["expected"] and row["delivered"] >= figures["delivered"]
