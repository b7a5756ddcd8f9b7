"""What is written is what is read."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.trace import COLUMNS, EVENTS, ROW, Writer, dataset, read, runs, schema
from psvr.trace.columns import DELIVERED, FAULT, FRAMES, HELLO, RECEIVED, RING_CHANGED, SENT, SUB
from tests.support.trace.trace_samples import rows, told

CHANNELS, REASONS, DETAILS = ["a", "größe"], ["fine", "no ring yet"], ["crash", "cut"]


def test_every_column_with_and_without_a_value(tmp_path: Path) -> None:
    made = rows(2, event=[EVENTS.index("fault"), EVENTS.index("sent")])
    made[0] = (5, 6, 7, 8, 1, 10, 1, 9, 10, 11, 12, 13, 14, 15, 1)
    with Writer(tmp_path, "r", "unix", CHANNELS, REASONS, DETAILS) as writer:
        writer.write(made)
    full = {
        "run": "r",
        "time": 5,
        "clock": "unix",
        "node": 6,
        "event": "fault",
        "peer": 7,
        "channel": "größe",
        "origin": 8,
        "boot": 9,
        "sequence": 10,
        "from": 11,
        "to": 12,
        "end_point": 13,
        "hops": 14,
        "bytes": 15,
        "reason": "no ring yet",
        "detail": "cut",
    }
    bare = dict.fromkeys(COLUMNS) | {"run": "r", "time": 1, "clock": "unix", "node": 0, "event": "sent"}
    table = read(tmp_path)
    assert table.to_pylist() == [full, bare]
    assert table.schema == schema() and list(table.schema.names) == list(COLUMNS)


def test_details_are_names_for_faults_and_numbers_elsewhere(tmp_path: Path) -> None:
    made = rows(6, event=[10, 1, 10, 1, 10, 9], detail=[0, 0, 1, -1, -1, -77])
    for run, details in ("named", DETAILS), ("bare", []):
        with Writer(tmp_path, run, details=details) as writer:
            writer.write(made)
    found = {run: read(tmp_path, ["detail"], pc.field("run") == run)["detail"].to_pylist() for run in ("named", "bare")}
    assert found["named"] == ["crash", "0", "cut", None, None, "-77"]
    assert found["bare"] == ["0", "0", "1", None, None, "-77"]


def test_frames_that_are_sent_and_received_have_names(tmp_path: Path) -> None:
    made = rows(6, event=[FAULT, SENT, RECEIVED, SENT, DELIVERED, RING_CHANGED], detail=[1, HELLO, SUB, -1, 3, 77])
    with Writer(tmp_path, "r", details=DETAILS, frames=FRAMES) as writer:
        writer.write(made)
        writer.write(made[3:])
    found = read(tmp_path, ["detail"])["detail"].to_pylist()
    assert found == ["cut", "HELLO", "SUB", None, "3", "77", None, "3", "77"]


def test_minus_one_is_a_time_and_a_node(tmp_path: Path) -> None:
    with Writer(tmp_path, "r") as writer:
        writer.write(rows(1, time=-1, node=-1))
    assert read(tmp_path, ["time", "node"]).to_pylist() == [{"time": -1, "node": -1}]


@st.composite
def traces(draw: st.DrawFn) -> tuple[np.ndarray, list[list[str]]]:
    texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    assert ROW.names
    names = [draw(st.lists(texts, max_size=4)) for _ in range(3)]  # the same name may stand there twice
    limit = {"channel": len(names[0]) - 1, "reason": len(names[1]) - 1 if names[1] else 99}

    def value(field: str) -> st.SearchStrategy[int]:
        if field == "event":
            return st.integers(0, len(EVENTS) - 1)
        if field in limit:
            return st.integers(-1, limit[field])
        if field == "detail":
            return st.integers(-1, len(names[2]) - 1) if names[2] else st.integers(-(2**63), 2**63 - 1)
        bits = 8 * ROW[field].itemsize - 1
        return st.just(-1) | st.integers(-(2**bits), 2**bits - 1) | st.integers(0, 3)

    drawn = draw(st.lists(st.tuples(*(value(name) for name in ROW.names)), max_size=25))
    return np.array(drawn, ROW), names


@given(traces(), st.integers(1, 12), st.lists(st.integers(0, 25), max_size=4))
def test_any_rows_in_any_pieces(made: tuple[np.ndarray, list[list[str]]], rows_per_file: int, cuts: list[int]) -> None:
    array, (channels, reasons, details) = made
    with tempfile.TemporaryDirectory() as folder:
        with Writer(folder, "any", "sim", channels, reasons, details, rows_per_file=rows_per_file) as writer:
            for piece in np.split(array, sorted(cuts)):
                writer.write(piece)
        assert read(folder).to_pylist() == [told(row, "any", "sim", channels, reasons, details) for row in array]
        sizes = [pq.read_metadata(file).num_rows for file in sorted(Path(folder).iterdir())]
        full, rest = divmod(len(array), rows_per_file)
        assert sizes == ([rows_per_file] * full + [rest] * (rest > 0) or [0])


def test_groups_larger_than_the_buffer_keep_their_order(tmp_path: Path) -> None:
    made = rows(300_000, detail=np.arange(300_000) % 7)
    with Writer(tmp_path, "r", rows_per_file=140_000) as writer:
        writer.write(made[:1])
        writer.write(made[1:])
    assert np.array_equal(read(tmp_path, ["time"])["time"].to_numpy(), made["time"])
    assert [pq.read_metadata(file).num_rows for file in sorted(tmp_path.iterdir())] == [140_000, 140_000, 20_000]


def test_rows_are_copied(tmp_path: Path) -> None:
    made = rows(10)
    with Writer(tmp_path, "r") as writer:
        writer.write(made)
        made["time"] = 99
    assert read(tmp_path)["time"].to_pylist() == list(range(10))


def test_channels_may_come_later(tmp_path: Path) -> None:
    with Writer(tmp_path, "r", channels=["a"], rows_per_file=2) as writer:
        writer.write(rows(3, channel=0))
        writer.channels.append("b")
        writer.write(rows(2, channel=1))
    assert read(tmp_path)["channel"].to_pylist() == ["a", "a", "a", "b", "b"]


def test_a_folder_of_several_runs_is_one_table(tmp_path: Path) -> None:
    for run, count in ("one", 5), ("two/2", 3), ("a b", 0), ("one-1", 2), (".hidden", 1), ("//", 1):
        with Writer(
            tmp_path / "new" / "folder", run, channels=[run], provenance={"seed": str(count)}, rows_per_file=2
        ) as writer:
            writer.write(rows(count, channel=0))
    table = read(tmp_path / "new" / "folder")
    counts = {entry["values"]: entry["counts"] for entry in table["run"].value_counts().to_pylist()}
    assert counts == {"one": 5, "two/2": 3, "one-1": 2, ".hidden": 1, "//": 1}
    assert table["run"].to_pylist() == table["channel"].to_pylist()
    found = runs(tmp_path / "new" / "folder")
    assert {run: provenance["seed"] for run, provenance in found.items()} == {
        "one": "5",
        "two/2": "3",
        "a b": "0",
        "one-1": "2",
        ".hidden": "1",
        "//": "1",
    }
    assert table.column("run").num_chunks > 1 and len({str(c.dictionary) for c in table["run"].chunks}) == 1


@pytest.mark.parametrize("other", ["a_b", "a:b", "a/c", "A/B", "a/b-0"])
def test_names_that_look_alike_do_not_meet(tmp_path: Path, other: str) -> None:
    for run in ("a/b", other):
        with Writer(tmp_path, run) as writer:
            writer.write(rows(1))
    assert sorted(read(tmp_path)["run"].to_pylist()) == sorted(["a/b", other])


def test_provenance_is_in_every_file(tmp_path: Path) -> None:
    with Writer(tmp_path, "r", "unix", provenance={"seed": "7", "scenario": "größe.toml"}, rows_per_file=2) as writer:
        writer.write(rows(5))
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["r-000000.parquet", "r-000001.parquet", "r-000002.parquet"]
    for file in files:
        metadata = pq.read_metadata(file).metadata
        assert metadata[b"psvr.seed"] == b"7" and metadata[b"psvr.scenario"].decode() == "größe.toml"
        assert metadata[b"psvr.run"] == b"r" and metadata[b"psvr.schema"] == b"1" and metadata[b"psvr.pyarrow"]
    told = runs(tmp_path)["r"]
    assert {key: told[key] for key in ("seed", "scenario", "clock", "schema")} == {
        "seed": "7",
        "scenario": "größe.toml",
        "clock": "unix",
        "schema": "1",
    }


def test_columns_and_filter(tmp_path: Path) -> None:
    with Writer(tmp_path, "r", channels=["a", "b"], rows_per_file=7) as writer:
        writer.write(rows(20, event=np.arange(20) % 3, channel=np.arange(20) % 2))
    wanted = (pc.field("event") == "sent") & (pc.field("channel") == "b") & (pc.field("time") > 5)
    table = read(tmp_path, ["time", "channel"], wanted)
    assert table.to_pydict() == {"time": [7, 13, 19], "channel": ["b", "b", "b"]}
    assert dataset(tmp_path).count_rows(filter=pc.field("event") == "received") == 6
    assert read(tmp_path, []).num_rows == 20
