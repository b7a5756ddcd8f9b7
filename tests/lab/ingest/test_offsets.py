"""Whatever happens to files between two looks, every whole line is read once, or counted as lost."""

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from psvr.lab.ingest.contents import opened
from psvr.lab.ingest.folders import find, look_around
from psvr.lab.ingest.offsets import REWRITTEN, Gap, Plan, State, plan
from psvr.lab.ingest.pieces import cut, lines_of

KEPT = 3  # files of the node
FEW = st.integers(1, 6)
LIMITS = st.sampled_from([1, 30, 100, 1 << 40])


class Files(RuleBasedStateMachine):
    """A node that rotates its files, a program that rotates by renaming, copies, and files that arrive late."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.folder = self.root / "trace"
        self.folder.mkdir()
        self.lines = 0
        self.number = 1
        self.half, self.half_at = b"", 0
        self.removed = dict[int, int]()
        self.state = State()
        self.gaps = list[Gap]()
        self.got = list[bytes]()
        self.written = set[bytes]()
        self.unknown = set[bytes]()  # cut away by something that says nothing of it
        self.torn = self.copies = self.copied = 0

    def line(self) -> bytes:
        self.lines += 1
        return b'{"n": %d}\n' % self.lines

    def some(self, count: int) -> bytes:
        lines = [self.line() for _ in range(count)]
        self.written.update(lines)
        return b"".join(lines)

    def node_file(self) -> Path:
        return self.folder / f"node-1-{self.number:06d}.jsonl"

    def put(self, file: Path, text: bytes) -> None:
        with file.open("ab") as handle:
            handle.write(text)

    @rule(count=FEW)
    def node_writes(self, count: int) -> None:
        if self.half:
            first, self.half = self.half, b""
            self.written.add(first)
            self.put(self.node_file(), first[self.half_at :])
        self.put(self.node_file(), self.some(count))

    @rule(at=st.integers(1, 5))
    def node_writes_half_a_line(self, at: int) -> None:
        if not self.half:
            self.half, self.half_at = self.line(), at
            self.put(self.node_file(), self.half[:at])

    @rule(dies=st.booleans())
    def node_begins_the_next_file(self, dies: bool) -> None:
        """Half a line, if there is one, stays as a crash leaves it; so does a file that was noted as removed."""
        if self.half:
            self.half = b""
            self.torn += 5
        self.node_file().touch()
        self.number += 1
        self.node_file().touch()
        for number in range(max(1, self.number - KEPT - 5), self.number - KEPT + 1):
            old = self.folder / f"node-1-{number:06d}.jsonl"
            if old.exists():
                self.removed[number] = old.stat().st_size
                (self.folder / "node-1.removed").write_text(json.dumps({"files": self.removed}))
                if dies and number > self.number - KEPT - 3:
                    break
                old.unlink()

    @rule(count=FEW)
    def program_writes(self, count: int) -> None:
        self.put(self.folder / "other.jsonl", self.some(count))

    @precondition(lambda self: (self.folder / "other.jsonl").exists())
    @rule()
    def program_renames(self) -> None:
        for number in range(60, 0, -1):
            old = self.folder / f"other.jsonl.{number}"
            if old.exists():
                old.rename(self.folder / f"other.jsonl.{number + 1}")
        (self.folder / "other.jsonl").rename(self.folder / "other.jsonl.1")

    @precondition(lambda self: (self.folder / "other.jsonl").exists())
    @rule(copied=st.booleans())
    def program_cuts_to_nothing(self, copied: bool) -> None:
        file = self.folder / "other.jsonl"
        if copied:
            self.copies += 1
            shutil.copy(file, self.folder / f"copy-{self.copies}.jsonl")
        else:
            self.unknown |= set(file.read_bytes().splitlines(keepends=True))
        file.write_bytes(b"")

    @rule(which=st.integers(0, 20))
    def somebody_copies(self, which: int) -> None:
        files = sorted(self.folder.glob("*.jsonl*"))
        if files:
            self.copies += 1
            shutil.copy(files[which % len(files)], self.folder / f"copy-{self.copies}.jsonl")
            self.copied += files[which % len(files)].stat().st_size

    @rule(count=FEW, torn=st.booleans())
    def file_arrives(self, count: int, torn: bool) -> None:
        self.copies += 1
        outside = self.root / "outside"
        outside.write_bytes(self.some(count) + b'{"n": ' * torn)
        outside.rename(self.folder / f"field-{self.copies}.jsonl")

    def look(self, limit: int) -> Plan:
        found = look_around(self.folder, self.state.at, limit)
        return plan(self.state, found.looks, found.removed, limit)

    @rule(limit=LIMITS)
    def is_killed_before_it_commits(self, limit: int) -> None:
        self.look(limit)

    @rule(limit=LIMITS, tasks=st.integers(1, 5))
    def reads(self, limit: int, tasks: int) -> None:
        planned = self.look(limit)
        self.commit(planned)

    def commit(self, planned: Plan) -> None:
        for piece in (piece for bundle in cut(planned.ranges, 3) for piece in bundle):
            file = find(self.folder, piece.name, piece.key)
            assert file is not None
            with opened(file) as content:
                for text in lines_of(content, piece.begin, piece.end):
                    self.got += text.lines.splitlines(keepends=True)
        self.gaps += planned.gaps
        self.state = State.from_json(json.loads(json.dumps(planned.state.to_json())))

    @invariant()
    def nothing_is_read_twice(self) -> None:
        assert len(self.got) == len(set(self.got))

    def whole_lines(self) -> set[bytes]:
        files = self.folder.glob("*.jsonl*")
        return {line for f in files for line in f.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")}

    def teardown(self) -> None:
        before: State | None = None
        while before != self.state:
            before = self.state
            self.commit(self.look(1 << 40))
        got = set(self.got)
        assert len(self.got) == len(got)
        assert self.whole_lines() <= got
        lost = sum(map(len, self.written - got - self.unknown))
        counted = sum(gap.bytes or 0 for gap in self.gaps)
        assert all(gap.bytes is not None for gap in self.gaps)
        # Counted beyond that: halves of lines, what something else cut away after we saw it, and files that a node
        # removed before we ever saw them, though somebody has a copy that we do not know to be one.
        more = 12 * self.torn + sum(map(len, self.unknown - got)) + self.copied
        assert lost - 12 * self.torn <= counted <= lost + more
        shutil.rmtree(self.root)


def read_on(folder: Path, state: State) -> tuple[bytes, Plan]:
    found = look_around(folder, state.at, 1 << 40)
    planned = plan(state, found.looks, found.removed, 1 << 40)
    texts = [(folder / r.name).read_bytes()[r.begin : r.end] for r in planned.ranges]
    return b"".join(texts), planned


def test_a_longer_copy_that_comes_back_is_known(tmp_path: Path) -> None:
    text = b"".join(b"%d\n" % i for i in range(100))
    (tmp_path / "a.jsonl").write_bytes(text)
    (tmp_path / "old.jsonl").write_bytes(text[:50])
    got, planned = read_on(tmp_path, State())
    assert got == text
    (tmp_path / "a.jsonl").unlink()
    got, planned = read_on(tmp_path, planned.state)
    assert got == b"" and not planned.gaps
    (tmp_path / "back.jsonl").write_bytes(text + b"more\n")
    got, planned = read_on(tmp_path, planned.state)
    assert got == b"more\n" and not planned.gaps


def test_a_node_that_dies_between_its_note_and_the_removal(tmp_path: Path) -> None:
    first, second = tmp_path / "node-1-000001.jsonl", tmp_path / "node-1-000002.jsonl"
    first.write_bytes(b"1\n2\n")
    second.write_bytes(b"3\n")
    (tmp_path / "node-1.removed").write_text('{"files": {"1": 4}}')
    got, planned = read_on(tmp_path, State())
    assert got == b"1\n2\n3\n" and not planned.gaps
    first.unlink()
    assert read_on(tmp_path, planned.state)[1].gaps == ()
    assert [gap.bytes for gap in read_on(tmp_path, State())[1].gaps] == [4]


def test_a_file_that_is_renamed_or_locked_while_we_look_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"".join(b"%d\n" % i for i in range(100))
    (tmp_path / "a.jsonl").write_bytes(text)
    found = look_around(tmp_path, State().at, 20)
    planned = plan(State(), found.looks, found.removed, 20)
    assert planned.ranges[0].end == 20
    real = os.open
    hurdles = [PermissionError(13, "Permission denied"), FileNotFoundError(2, "No such file or directory")]

    def hindered(*arguments: Any) -> int:
        if hurdles:
            (tmp_path / "a.jsonl").rename(tmp_path / "b.jsonl") if len(hurdles) == 1 else None
            raise hurdles.pop(0)
        return real(*arguments)

    monkeypatch.setattr(os, "open", hindered)
    for _ in range(2):
        got, after = read_on(tmp_path, planned.state)
        assert got in (b"", text[20:]) and not after.gaps
    assert got == text[20:]


def test_a_file_that_is_cut_short_is_read_on_from_there(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n3\n")
    _, planned = read_on(tmp_path, State())
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n")
    got, planned = read_on(tmp_path, planned.state)
    assert got == b""
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n4\n5\n")
    got, planned = read_on(tmp_path, planned.state)
    assert got == b"4\n5\n" and not planned.gaps


def test_a_file_that_was_cut_and_has_grown_again_between_two_looks_is_a_gap(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n3\n")
    _, planned = read_on(tmp_path, State())
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n4\n5\n")
    got, planned = read_on(tmp_path, planned.state)
    assert got == b"5\n"
    assert [(gap.name, gap.begin, gap.bytes, gap.reason) for gap in planned.gaps] == [("a.jsonl", 6, None, REWRITTEN)]
    assert read_on(tmp_path, planned.state)[1].gaps == ()


Files.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None, derandomize=True)
TestFiles = Files.TestCase
