"""The same rows as lines of JSON, for live nodes."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import psvr.trace
from psvr.trace import CLOCKS, COLUMNS, EVENTS, TraceError, Writer, dataset, json_line, read, read_json_lines, runs
from tests.support.trace.trace_samples import rows

ROW: dict[str, int | str | None] = {"run": "r", "time": 5, "clock": "unix", "node": 6, "event": "sent"}


def value(column: str) -> st.SearchStrategy[int | str]:
    if column in ("clock", "event"):
        return st.sampled_from(CLOCKS if column == "clock" else EVENTS)
    if COLUMNS[column] == "string":
        return st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    bits = int(COLUMNS[column].removeprefix("int")) - 1
    return st.integers(-(2**bits), 2**bits - 1)


LINES = st.lists(
    st.fixed_dictionaries(
        {name: value(name) for name in ROW},
        optional={name: st.none() | value(name) for name in COLUMNS if name not in ROW},
    ),
    max_size=8,
)


@given(LINES)
def test_any_lines_are_read_as_written(made: list[dict[str, int | str | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "node.jsonl"
        file.write_text("".join(json_line(row) for row in made), encoding="utf-8")
        table = read_json_lines(file)
        assert table.schema == psvr.trace.schema()
        assert table.to_pylist() == [dict.fromkeys(COLUMNS) | row for row in made]
        assert read(folder).equals(table.unify_dictionaries())


def test_a_line_has_the_order_of_the_columns() -> None:
    line = json_line({"hops": 3, "channel": "größe", "peer": None, **ROW})
    assert line == '{"run":"r","time":5,"clock":"unix","node":6,"event":"sent","channel":"größe","hops":3}\n'


@pytest.mark.parametrize(
    "change, text",
    [
        ({"when": 3}, "when: no such column; must be from run, time, "),
        ({"time": None}, "time: must be a whole number of 64 bits, not None"),
        ({"hops": 2**31}, "hops: must be a whole number of 32 bits, not 2147483648"),
        ({"hops": True}, "hops: must be a whole number of 32 bits, not True"),
        ({"node": "a"}, "node: must be a whole number of 64 bits, not 'a'"),
        ({"run": None}, "run: must be Unicode text, not None"),
        ({"detail": 3}, "detail: must be Unicode text, not 3"),
        ({"detail": "\udc80"}, "detail: must be Unicode text, not "),
        ({"event": "lost"}, "event: must be one of published, "),
        ({"clock": None}, "clock: must be one of sim, unix, not None"),
    ],
)
def test_rows_that_are_none(change: dict[str, int | str | None], text: str) -> None:
    with pytest.raises(TraceError) as caught:
        json_line(ROW | change)
    assert str(caught.value).startswith(text) and len(str(caught.value).splitlines()) == 1


def test_a_folder_of_files_and_lines_is_one_table(tmp_path: Path) -> None:
    with Writer(tmp_path, "simulated", provenance={"seed": "7"}) as writer:
        writer.write(rows(3))
    for node in (1, 2):
        lines = [json_line(ROW | {"run": "field", "node": node, "time": time}) for time in range(2)]
        (tmp_path / f"field-{node}.jsonl").write_text("".join(lines))
    table = read(tmp_path, ["run", "node"])
    assert table.to_pydict() == {"run": ["simulated"] * 3 + ["field"] * 4, "node": [0, 0, 0, 1, 1, 2, 2]}
    assert dataset(tmp_path).count_rows() == 7
    assert list(runs(tmp_path)) == ["simulated", "field"] and runs(tmp_path)["field"] == {}


def test_a_line_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    file, line = tmp_path / "node.jsonl", json_line(ROW)
    for end in range(len(line)):
        file.write_text(line + line[:end])
        assert read(tmp_path).num_rows == 1
    file.write_text(line[:-1])
    assert read(tmp_path).num_rows == 0


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        "5",
        '{"run":"r","time":5,"clock":"unix","node":6}',
        json.dumps(ROW | {"event": "lost"}),
        json.dumps(ROW | {"more": 1}),
        json.dumps(ROW | {"hops": 2**31}),
        json.dumps(ROW | {"hops": 1.5}),
        json.dumps(ROW | {"node": "x"}),
        json.dumps(ROW | {"run": 7}),
        json.dumps(ROW | {"clock": None}),
    ],
)
def test_lines_that_are_no_trace(tmp_path: Path, line: str) -> None:
    file = tmp_path / "node.jsonl"
    file.write_text(json_line(ROW) + line + "\n")
    for reader in (read, dataset, runs):
        with pytest.raises(TraceError) as caught:
            reader(tmp_path)
        assert str(caught.value).startswith(f"{file}: must be a trace in JSON lines: ")
        assert len(str(caught.value).splitlines()) == 1


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "node.jsonl"
    file.write_bytes(json_line(ROW | {"detail": "?"}).encode().replace(b"?", b"\xff"))
    with pytest.raises(TraceError, match=r"node\.jsonl: must be a trace in JSON lines: "):
        read(tmp_path)
