"""What the lab computes from traces, against the simulator's own figures and against counting row by row."""

import itertools
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from psvr.errors import BadInput
from psvr.lab.measure import traces
from psvr.protocol.constants import REASONS
from psvr.results.figures import window
from psvr.sim.network import FAULTS, Network
from psvr.sim.scenario import parse
from psvr.sim.summary import summarize
from psvr.trace import Writer, json_line, read

SECOND = 1_000_000
BASE: dict[str, Any] = {
    "duration": 90,
    "warmup": 35,
    "topology": {"kind": "geometric", "n": 16, "degree": 6},
    "host": {"profile": "paper"},
}
NEWS = {"channel": "news", "subscribers": 5, "every": 4, "churn": 20}
WEATHER = {"channel": "weather", "subscribers": "all", "publishers": [3, 4], "every": 3, "start": 30}
SCENARIOS: dict[str, dict[str, Any]] = {
    "lossy": {**BASE, "seed": 3, "radio": {"model": "lossy", "loss": 0.3, "retries": 1}, "traffic": [NEWS, WEATHER]},
    "flood": {**BASE, "seed": 4, "protocol": {"system": "flood"}, "traffic": [WEATHER]},
    "silent": {**BASE, "seed": 5, "duration": 40},
    "struck": {**BASE, "seed": 6, "duration": 50, "fault": [{"at": 40, "kind": "crash", "nodes": [2, 5]}]},
}


def simulate(name: str, folder: Path) -> Network:
    scenario = parse(SCENARIOS[name])
    channels = [t["channel"] for t in SCENARIOS[name].get("traffic", [])]
    with Writer(
        folder,
        name,
        channels=channels,
        reasons=[*REASONS, "all tries on the link failed"],
        details=list(FAULTS),
        rows_per_file=5000,
    ) as writer:
        net = Network(scenario, level="control", take_rows=writer.write)
        net.run(scenario.duration)
        net.machine.advance(net.now + window(net.plan.n))
        net.machine.flush()
    return net


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Network]]:
    folder = tmp_path_factory.mktemp("a [trace] {of} several*runs?")
    return folder, {name: simulate(name, folder) for name in SCENARIOS}


@pytest.fixture(scope="module")
def rows(parquet: tuple[Path, dict[str, Network]]) -> list[dict[str, Any]]:
    return read(parquet[0]).to_pylist()  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def lines(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same trace as live nodes write it: a file each, and one line half written."""
    folder = tmp_path_factory.mktemp("lines")
    texts: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        texts[row["node"]].append(json_line(row))
    for node, texts_of_node in texts.items():
        (folder / f"node-{node}.jsonl").write_text("".join(texts_of_node) + texts_of_node[0][:9])
    return folder


@pytest.fixture(scope="module", params=["parquet", "lines", "both"])
def trace(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    parquet: tuple[Path, dict[str, Network]],
    lines: Path,
    rows: list[dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> DataFrame:
    folder = {"parquet": parquet[0], "lines": lines}.get(request.param)
    if folder is None:
        folder = tmp_path_factory.mktemp("both")
        for file in parquet[0].glob("lossy-*.parquet"):
            shutil.copy(file, folder)
        (folder / "others.jsonl").write_text("".join(json_line(row) for row in rows if row["run"] != "lossy"))
    return traces.read_trace(spark, folder).cache()


def test_delivery_is_the_simulator_s(trace: DataFrame, parquet: tuple[Path, dict[str, Network]]) -> None:
    nets = parquet[1]
    found = {
        row["run"]: row
        for row in trace.transform(traces.delivery, BASE["warmup"] * SECOND, window(nets["lossy"].plan.n)).collect()
    }
    assert set(found) == set(SCENARIOS)
    for run, net in nets.items():
        row, figures = found[run], summarize(net)
        for name in ("published", "delivered", "duplicates", "messages"):
            assert row[name] == figures[name], (run, name)
        assert {str(h): number for h, number in enumerate(row["hops"]) if number} == figures["hops"]
        assert row["hops_sum"] == sum(int(h) * number for h, number in figures["hops"].items())
        latency = figures["latency"]
        if figures["delivered"]:
            assert row["latency_us_sum"] == round(latency["mean"] * SECOND * figures["delivered"])
            assert row["latency_us_p50"] == pytest.approx(latency["p50"] * SECOND, abs=1e-6)
            assert row["latency_us_p99"] == pytest.approx(latency["p99"] * SECOND, abs=1e-6)
        else:
            assert (row["latency_us_sum"], row["latency_us_p50"], row["latency_us_p99"]) == (0, None, None)
    assert {run: row["expected"] for run, row in found.items()} == {
        run: summarize(net)["expected"] if net.history.subscriptions else None for run, net in nets.items()
    }
    assert {run: row["faults"] for run, row in found.items()} == {"lossy": 0, "flood": 0, "silent": 0, "struck": 2}
    lossy = summarize(nets["lossy"])  # else it would be all too easy
    assert 0 < lossy["delivered"] < lossy["expected"] and len(nets["lossy"].history.subscriptions) > 30


def test_all_that_was_written_is_read(trace: DataFrame, rows: list[dict[str, Any]]) -> None:
    def sorted_texts(found: list[dict[str, Any]]) -> list[str]:
        return sorted(repr(sorted(row.items())) for row in found)

    assert sorted_texts([row.asDict() for row in trace.collect()]) == sorted_texts(rows)


def test_publications_and_deliveries(trace: DataFrame, parquet: tuple[Path, dict[str, Network]]) -> None:
    found, handed = trace.transform(traces.publications).collect(), trace.transform(traces.deliveries).collect()
    for run, net in parquet[1].items():
        tally = net.world.tally[0]
        mine = net.world.publications[: tally["published"]]
        assert sorted(
            (r["time"], r["origin"], r["channel"], r["messages"], r["receptions"]) for r in found if r["run"] == run
        ) == sorted(
            (int(p["time"]), int(p["node"]), net.channels[p["channel"]], int(p["messages"]), int(p["receptions"]))
            for p in mine
        )
        got = net.world.deliveries[: tally["delivered"]]
        assert sorted((r["time"], r["node"], r["hops"], r["latency_us"]) for r in handed if r["run"] == run) == sorted(
            (int(d["time"]), int(d["node"]), int(d["hops"]), int(d["time"] - mine["time"][d["publication"]]))
            for d in got
        )
    pairs = Counter((r["run"], r["origin"], r["boot"], r["sequence"], r["node"]) for r in handed)
    assert sum(r["copy"] > 1 for r in handed) == sum(number - 1 for number in pairs.values())
    assert sum(r["deliveries"] for r in found) == len(handed)


def test_load(trace: DataFrame, rows: list[dict[str, Any]], parquet: tuple[Path, dict[str, Network]]) -> None:
    links = {(r["run"], r["node"], r["peer"]): r["messages"] for r in trace.transform(traces.link_load).collect()}
    sent = [r for r in rows if r["event"] == "sent" and r["sequence"] is not None]
    assert links == Counter((r["run"], r["node"], r["peer"]) for r in sent)
    assert {peer for run, _, peer in links if run == "flood"} == {None} and None not in {
        peer for run, _, peer in links if run == "lossy"
    }
    nodes = {(r["run"], r["node"]): r.asDict() for r in trace.transform(traces.node_load).collect()}
    assert set(nodes) == {(r["run"], r["node"]) for r in rows}
    for (run, node), load in nodes.items():
        mine = [r for r in rows if (r["run"], r["node"]) == (run, node)]
        pubs, control = ([r["event"] for r in mine if (r["sequence"] is None) is other] for other in (False, True))
        assert load == {
            "run": run,
            "node": node,
            "published": pubs.count("published"),
            "delivered": pubs.count("delivered"),
            "sent": pubs.count("sent"),
            "received": pubs.count("received"),
            "dropped": pubs.count("dropped"),
            "control_sent": control.count("sent"),
            "control_received": control.count("received"),
        }
    for run, net in parquet[1].items():
        tally = net.world.tally[0]
        assert sum(load["control_sent"] for (name, _), load in nodes.items() if name == run) == (
            tally["hello_sent"] + tally["sub_sent"]
        )


def test_changes_end_where_the_nodes_are(trace: DataFrame, parquet: tuple[Path, dict[str, Network]]) -> None:
    found = trace.transform(traces.changes).collect()
    for run, net in parquet[1].items():
        for v in range(net.plan.n):
            for what, field in (("parent", "parent"), ("ring", "ring")):
                mine = sorted(
                    (r for r in found if (r["run"], r["node"], r["what"]) == (run, v, what)), key=lambda r: r["time"]
                )
                if not mine:
                    continue
                last = net.world.nodes[field][v]
                assert mine[-1]["value"] == (None if last == -1 else last) and mine[-1]["lasted_us"] is None
                assert [r["before"] for r in mine] == [None, *(r["value"] for r in mine[:-1])]
                assert [r["lasted_us"] for r in mine[:-1]] == [
                    b["time"] - a["time"] for a, b in itertools.pairwise(mine)
                ]
    assert {r["what"] for r in found} == {"parent", "ring", "table"}
    roots = {r["root"] for r in found if r["what"] == "parent"}
    assert 0 in roots and {r["root"] for r in found if r["what"] == "ring"} == {None}


def trace_of(spark: SparkSession, folder: Path, *rows: dict[str, Any]) -> DataFrame:
    """A trace by hand, of one run on channel c; node 1 publishes number 1 at second 10."""
    always = {"run": "hand", "clock": "unix", "channel": "c"}
    pub = {"origin": 1, "boot": 0, "sequence": 1}
    first = {"time": 10 * SECOND, "node": 1, "event": "published"}
    (folder / "node.jsonl").write_text(
        "".join(json_line({**always, **({} if "subscribed" in row["event"] else pub), **row}) for row in [first, *rows])
    )
    return traces.read_trace(spark, folder)


def handed(node: int, time: float, hops: int) -> dict[str, Any]:
    return {"time": round(time * SECOND), "node": node, "event": "delivered", "hops": hops}


def subscribed(node: int, time: int, on: bool = True) -> dict[str, Any]:
    return {"time": time * SECOND, "node": node, "event": "subscribed" if on else "unsubscribed"}


def test_who_counts_as_expected(spark: SparkSession, tmp_path: Path) -> None:
    trace = trace_of(
        spark,
        tmp_path,
        subscribed(1, 0),
        handed(1, 10, 0),
        handed(1, 11, 2),  # the publisher itself, and again
        subscribed(2, 0),
        handed(2, 10.5, 2),
        handed(2, 10.25, 3),
        handed(2, 12, 4),  # three times
        subscribed(3, 0),
        subscribed(3, 5),
        subscribed(3, 36, False),  # says it twice, gets nothing
        subscribed(4, 0),
        subscribed(4, 12, False),
        handed(4, 11, 1),  # leaves too early
        subscribed(5, 10),
        handed(5, 11, 1),  # comes too late
        subscribed(6, 0),
        subscribed(6, 2, False),
        subscribed(6, 4),
        handed(6, 10.75, 1),
    )  # leaves and comes back
    assert sorted(r["node"] for r in trace.transform(traces.expected).collect()) == [2, 3, 6]
    found = trace.transform(traces.delivery).first()
    assert found is not None and found.asDict() == {
        "run": "hand",
        "clock": "unix",
        "published": 1,
        "messages": 0,
        "expected": 3,
        "delivered": 2,
        "duplicates": 3,
        "hops": [0, 1, 0, 1],
        "hops_sum": 4,
        "latency_us_sum": SECOND,
        "latency_us_p50": SECOND / 2,
        "latency_us_p99": pytest.approx(0.745 * SECOND),
        "faults": 0,
    }


def test_a_trace_without_subscriptions(spark: SparkSession, tmp_path: Path) -> None:
    trace = trace_of(spark, tmp_path, handed(1, 10, 0), handed(2, 10.5, 2), handed(3, 11, 1))
    found = trace.transform(traces.delivery).first()
    assert found is not None and (found["expected"], found["delivered"], found["hops"]) == (None, 2, [0, 1, 1])


def damage(folder: Path, name: str) -> Path:
    """A file that is no trace, or no longer."""
    part = next(folder.glob("lossy-*0.parquet"))
    whole = part.read_bytes()
    if name == "page":
        part.write_bytes(whole[:200] + bytes(b ^ 0xFF for b in whole[200:260]) + whole[260:])
    elif name == "cut":
        part.write_bytes(whole[: len(whole) // 2])
    elif name == "empty":
        part.write_bytes(b"")
    elif name == "other":
        pq.write_table(pa.table({"x": [1]}), part)
    else:
        part = folder / "node.jsonl"
        part.write_text(
            {
                "text": "no JSON\n",
                "column": '{"run":"r","colour":"red"}\n',
                "event": json_line({"run": "r", "time": 1, "clock": "sim", "node": 1, "event": "sent"}).replace(
                    "sent", "send"
                ),
            }[name]
        )
    return part


@pytest.mark.parametrize("name", ["page", "cut", "empty", "other", "text", "column", "event"])
def test_damaged_files_are_named(
    spark: SparkSession, parquet: tuple[Path, dict[str, Network]], tmp_path: Path, name: str
) -> None:
    for file in parquet[0].glob("lossy-*.parquet"):
        shutil.copy(file, tmp_path)
    file = damage(tmp_path, name)
    with pytest.raises(BadInput) as caught:
        traces.read_trace(spark, tmp_path)
    assert str(file) in str(caught.value) and len(str(caught.value).splitlines()) == 1


def test_folders_without_a_trace(spark: SparkSession, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BadInput, match="must be a folder with a trace"):
            traces.read_trace(spark, folder)
