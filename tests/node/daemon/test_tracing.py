"""The trace of a live node: written line by line, bounded on the disk, and never in the node's way."""

import asyncio
import contextlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.core.inbox import TOO_SLOW
from psvr.node.daemon.removed import KEPT
from psvr.node.daemon.tracing import Tracing
from psvr.node.node import Node
from psvr.trace import json_line, read
from tests.support.node.two_nodes import HELLO, knows
from tests.support.ports import free_ports

ROW = {"time": 1_700_000_000_000_000, "clock": "unix", "node": 17, "event": "sent", "peer": 4, "channel": "näme"}


class Said(list[str]):
    def __call__(self, text: str) -> None:
        self.append(text)


def tracing(folder: Path, said: Said, **bounds: Any) -> Tracing:
    trace = Tracing(folder, "field", said, **bounds)
    trace(ROW)  # too early: the name of the file is not known yet
    trace.begin("node-17")
    return trace


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_rows_can_be_read_as_they_are_written(tmp_path: Path) -> None:
    trace = tracing(tmp_path / "a" / "b", Said())
    for i in range(3):
        trace({**ROW, "time": i})
        assert read(tmp_path / "a" / "b", ["time"]).to_pydict() == {"time": list(range(i + 1))}
    trace.close()
    (row,) = {tuple(r.items()) for r in read(tmp_path / "a" / "b", ["run", "node", "event", "channel"]).to_pylist()}
    assert dict(row) == {"run": "field", "node": 17, "event": "sent", "channel": "näme"}


def test_files_are_bounded_in_size_and_number(tmp_path: Path) -> None:
    trace = tracing(tmp_path, Said(), max_bytes=1024, max_files=3)
    for i in range(200):
        trace({**ROW, "time": i})
    trace.close()
    names = [name for name in files(tmp_path) if name != "node-17.removed"]
    assert len(names) == 3 and all(0 < (tmp_path / name).stat().st_size <= 1024 for name in names)
    times = read(tmp_path, ["time"]).to_pydict()["time"]
    assert times == list(range(200 - len(times), 200)) and len(times) >= 15, "the newest stay, in their order"


def test_what_is_removed_is_noted_before_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = []
    unlink = Path.unlink

    def watched(file: Path, missing_ok: bool = False) -> None:
        noted.append((file.name, file.stat().st_size, removed(tmp_path)))
        unlink(file, missing_ok)

    monkeypatch.setattr(Path, "unlink", watched)
    for start in (0, 100):
        trace = tracing(tmp_path, Said(), max_bytes=1024, max_files=3)
        for i in range(start, start + 100):
            trace({**ROW, "time": i})
        trace.close()
    assert len(noted) > 10
    for i, (name, size, said) in enumerate(noted, 1):
        assert name == f"node-17-{i:06d}.jsonl" and said[i] == size and sorted(said) == list(range(1, i + 1))
    there = [file.stat().st_size for file in tmp_path.glob("*.jsonl")]
    lengths = [len(json_line({"run": "field", **dict[str, Any](ROW), "time": i}).encode()) for i in range(200)]
    assert sum(removed(tmp_path).values()) + sum(there) == sum(lengths)


def removed(folder: Path) -> dict[int, int]:
    found = json.loads((folder / "node-17.removed").read_text())
    return {int(number): size for number, size in found["files"].items()}


def test_the_note_of_what_is_removed_is_bounded_and_never_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "node-17.removed").write_text(json.dumps({"files": {str(i): 1 for i in range(1, KEPT + 50)}}))
    (tmp_path / f"node-17-{KEPT + 50:06d}.jsonl").write_text("")
    tracing(tmp_path, Said(), max_files=1)
    assert sorted(removed(tmp_path)) == list(range(51, KEPT + 51))
    for damage in ("", "[]", '{"files": {"a": 1}}', '{"files": 3}'):
        (tmp_path / "node-17.removed").write_text(damage)
        tracing(tmp_path, Said(), max_files=1)(ROW)
        assert len(removed(tmp_path)) == 1
    (tmp_path / "node-17.removed").unlink()
    (tmp_path / "node-17.removed").mkdir()
    tracing(tmp_path, Said(), max_files=1)(ROW)
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


def test_a_row_longer_than_a_file_is_written_all_the_same(tmp_path: Path) -> None:
    trace = tracing(tmp_path, Said(), max_bytes=1024)
    for _ in range(2):
        trace({**ROW, "channel": "x" * 5000})
    assert read(tmp_path, ["node"]).num_rows == 2


def test_every_start_begins_a_file_and_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "node-171-000009.jsonl").write_text("")
    (tmp_path / "notes.txt").write_text("mine")
    first = tracing(tmp_path, Said(), max_files=2)
    first(ROW)
    with open(tmp_path / "node-17-000001.jsonl", "a") as torn:
        torn.write('{"run": "fi')  # it crashed there
    for _ in range(2):
        tracing(tmp_path, Said(), max_files=2)(ROW)
    assert files(tmp_path) == [
        "node-17-000002.jsonl",
        "node-17-000003.jsonl",
        "node-17.removed",
        "node-171-000009.jsonl",
        "notes.txt",
    ]
    assert read(tmp_path, ["node"]).num_rows == 2


def test_torn_lines_are_no_hindrance(tmp_path: Path) -> None:
    tracing(tmp_path, Said())(ROW)
    with open(tmp_path / "node-17-000001.jsonl", "a") as torn:
        torn.write('{"run": "fi')
    tracing(tmp_path, Said())(ROW)
    assert read(tmp_path, ["node"]).num_rows == 2


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "event": "thought"},
        {**ROW, "colour": 1},
        {**ROW, "boot": 1 << 40},
        {**ROW, "channel": "\ud800"},
        {"time": 1},
    ],
)
def test_a_row_that_cannot_be_written_is_said_once_and_others_go_on(tmp_path: Path, row: dict[str, Any]) -> None:
    said = Said()
    trace = tracing(tmp_path, said)
    for _ in range(3):
        trace(row)
    trace(ROW)
    assert len(said) == 1 and "\n" not in said[0] and trace.refused == 3
    assert read(tmp_path, ["node"]).num_rows == 1


class Full:
    """A disk that takes some bytes of a line and then none."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, line: bytes) -> int:
        if self.room == 0:
            raise OSError(28, os.strerror(28))
        taken, self.room = min(self.room, len(line)), 0
        return taken

    def close(self) -> None:
        raise OSError(28, os.strerror(28))


@pytest.mark.parametrize("room", [0, 10])
def test_a_full_disk_ends_the_trace_and_is_said_once(tmp_path: Path, room: int) -> None:
    said = Said()
    trace = tracing(tmp_path, said)
    trace.close()
    trace.file = Full(room)  # type: ignore[assignment]
    for _ in range(3):
        trace(ROW)
    assert said == [f"the trace ends: {tmp_path} cannot be written: No space left on device"]


def test_a_folder_that_goes_away_ends_the_trace(tmp_path: Path) -> None:
    said, folder = Said(), tmp_path / "t"
    trace = tracing(folder, said, max_bytes=1024)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    for _ in range(50):
        trace(ROW)
    assert len(said) == 1 and said[0].startswith("the trace ends: ")


def test_a_folder_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "sub"):
        with pytest.raises(BadInput, match=r"^trace: .* cannot be written: "):
            tracing(folder, Said())


def test_bytes_are_those_of_the_payload_at_every_hop(tmp_path: Path) -> None:
    """Of what comes from another node, age and name are not counted."""

    async def run() -> list[dict[str, Any]]:
        rows, ports = list[dict[str, Any]](), free_ports(3)
        async with contextlib.AsyncExitStack() as stack:
            nodes = [
                await stack.enter_async_context(
                    Node(
                        id=i,
                        state=tmp_path / str(i),
                        hello=HELLO,
                        listen=f"127.0.0.1:{port}",
                        note=rows.append,
                        peers=[f"127.0.0.1:{ports[j]}" for j in (i - 1, i + 1) if 0 <= j < 3],
                    )
                )
                for i, port in enumerate(ports)
            ]
            news = nodes[2].subscribe("news", room=1)
            await knows(nodes[0], "news")
            for _ in range(2):
                await nodes[0].publish("news", bytes(100))
            while nodes[2].status()["dropped"] != {TOO_SLOW: 1}:
                await asyncio.sleep(HELLO)
            assert len((await anext(news)).data) == 100
            nodes[2].link.put = lambda datagram, to: None  # type: ignore[attr-defined]    # it does not answer
            sent = nodes[1].reporter.counts["sent"]
            await nodes[0].publish("news", bytes(100))
            while nodes[1].reporter.counts["sent"] == sent:  # what is sent there, until the nodes stop
                await asyncio.sleep(HELLO)
        return rows

    rows = [row for row in asyncio.run(run()) if row.get("channel") == "news" and "sequence" in row]
    assert {(row["event"], row["node"]) for row in rows} >= {
        ("published", 0),
        ("sent", 0),
        ("received", 1),
        ("sent", 1),
        ("received", 2),
        ("delivered", 2),
        ("dropped", 2),
        ("dropped", 1),
    }
    assert {row["bytes"] for row in rows} == {100}


def test_what_an_application_does_not_take_stands_in_the_trace(tmp_path: Path) -> None:
    async def run() -> None:
        trace = tracing(tmp_path / "trace", Said())
        async with Node(id=17, state=tmp_path / "state", listen="127.0.0.1:0", note=trace) as node:
            node.subscribe("a", room=2)
            for _ in range(5):
                await node.publish("a", "x")
            assert node.status()["dropped"] == {TOO_SLOW: 3}

    asyncio.run(run())
    rows = read(tmp_path / "trace").to_pylist()
    dropped = [(row["sequence"], row["reason"], row["channel"]) for row in rows if row["event"] == "dropped"]
    assert dropped == [(sequence, TOO_SLOW, "a") for sequence in (3, 4, 5)]
