"""Files of results: only what a manifest names exists, in whatever form the study had when it was written."""

import dataclasses
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from psvr.errors import BadInput
from psvr.lab.run import manifest, parts, store
from psvr.lab.run.compacting import compact
from psvr.lab.run.manifest import State
from psvr.lab.run.tasks import Piece, remaining
from psvr.lab.run.work import Work, run_all, run_in_process, work_of
from psvr.lab.study import Study, load
from psvr.lab.study.trials import cells
from tests.support.lab.lab_process import KEYS
from tests.support.lab.small_study import STUDY, TRIAL, small_study

NOTES = {"code": "c1", "study": "small"}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    [found] = load([str(small_study(tmp_path_factory.mktemp("study")))], "paper")
    return found


@pytest.fixture(scope="module")
def work(study: Study) -> Work:
    return work_of(study, cells(study))


def commit(folder: Path, work: Work, pieces: list[Piece], code: str = "c1", state: State | None = None) -> State:
    """Run these pieces, and store them as a batch."""
    notes = {**NOTES, "code": code}
    made = list(parts.parts_of(work, pieces, *run_all(work, pieces), notes))
    for part, content in made:
        parts.write(folder, part, content)
    return manifest.commit(folder, state or manifest.read(folder), [part for part, _ in made], [notes])


def pieces_of(work: Work) -> list[Piece]:
    return remaining(work.cells, {})


def rows(spark: SparkSession, folder: Path, work: Work) -> pa.Table:
    state = store.opened(folder, work.cells)
    return store.read(spark, folder, state, work.cells, work.schema).toArrow().cast(work.schema).sort_by(KEYS)


def test_rows_come_back_with_their_notes(spark: SparkSession, tmp_path: Path, study: Study, work: Work) -> None:
    for piece in pieces_of(work):
        state = commit(tmp_path, work, [piece])
    assert rows(spark, tmp_path, work).equals(run_in_process(study).sort_by(KEYS))
    assert state.number == 5 and manifest.read(tmp_path) == state
    file = next(tmp_path.glob("*.parquet"))
    assert parts.notes_of(pq.read_schema(file)) == NOTES
    assert store.origin_of(state).code == ("c1",) and remaining(work.cells, state.done) == []


def test_the_same_trials_make_the_same_file_and_others_another(tmp_path: Path, work: Work) -> None:
    [first, *others] = pieces_of(work)
    commit(tmp_path / "a", work, [first])
    commit(tmp_path / "b", work, [first])
    assert sorted(os.listdir(tmp_path / "a")) == sorted(os.listdir(tmp_path / "b"))
    commit(tmp_path / "b", work, others)
    commit(tmp_path / "b", work, [dataclasses.replace(first, systems=("td",))])
    assert len(list((tmp_path / "b").glob("*.parquet"))) == 3


def test_only_what_a_manifest_names_exists(spark: SparkSession, tmp_path: Path, work: Work) -> None:
    [first, second, *_] = pieces_of(work)
    state = commit(tmp_path, work, [first])
    [(part, content)] = parts.parts_of(work, [second], *run_all(work, [second]), NOTES)
    parts.write(tmp_path, part, content)
    (tmp_path / ".half-1").write_bytes(content[:100])
    assert store.opened(tmp_path, work.cells) == state and rows(spark, tmp_path, work).num_rows == 8
    assert manifest.sweep(tmp_path, state) == sorted([".half-1", part.file])
    assert {file.name for file in tmp_path.glob("*.parquet")} == set(state.parts)


def test_an_empty_folder_has_no_rows(spark: SparkSession, tmp_path: Path, work: Work) -> None:
    assert store.opened(tmp_path / "none", work.cells) == State() and not (tmp_path / "none").exists()
    assert rows(spark, tmp_path / "none", work).num_rows == 0


def test_a_manifest_never_takes_the_place_of_another(tmp_path: Path, work: Work) -> None:
    [first, second, *_] = pieces_of(work)
    state = commit(tmp_path, work, [first])
    commit(tmp_path, work, [second], state=state)
    with pytest.raises(BadInput, match=r"00000002\.json: another run has written it; let only one"):
        commit(tmp_path, work, [second], state=state)
    assert [file.name for file in (tmp_path / "manifest").iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"whole": false}', '{"parts": [{"file": 1}], "notes": []}'])
def test_a_damaged_manifest_is_named(tmp_path: Path, work: Work, damage: str) -> None:
    commit(tmp_path, work, pieces_of(work))
    (tmp_path / "manifest" / "00000001.json").write_text(damage)
    with pytest.raises(BadInput, match=r"00000001\.json: is damaged"):
        store.opened(tmp_path, work.cells)


def test_a_manifest_out_of_reach_is_named(tmp_path: Path, work: Work) -> None:
    commit(tmp_path, work, pieces_of(work))
    (tmp_path / "manifest" / "00000002.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match=r"00000002\.json: cannot be read: No such file"):
        store.opened(tmp_path, work.cells)


def test_a_file_that_was_removed_does_not_count(tmp_path: Path, work: Work) -> None:
    pieces = pieces_of(work)
    for piece in pieces:
        state = commit(tmp_path, work, [piece])
    gone = state.holding(parts.ROWS)[1]
    (tmp_path / gone.file).unlink()
    assert remaining(work.cells, store.opened(tmp_path, work.cells).done) == [pieces[1]]


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b + b"0"])
def test_a_file_of_another_size_is_named(tmp_path: Path, work: Work, damage: Any) -> None:
    [part] = commit(tmp_path, work, pieces_of(work)).parts.values()
    file = tmp_path / part.file
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(BadInput, match=rf"{part.file}: is not as it was written; remove it"):
        store.opened(tmp_path, work.cells)


def test_a_file_out_of_reach_is_not_called_damaged(tmp_path: Path, work: Work) -> None:
    """It may be whole, and nobody should be told to remove it."""
    [part] = commit(tmp_path, work, pieces_of(work)).parts.values()
    (tmp_path / part.file).unlink()
    (tmp_path / part.file).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match=r"\.parquet: cannot be read: No such file") as refusal:
        store.opened(tmp_path, work.cells)
    assert "remove" not in str(refusal.value)


def test_damage_inside_a_file_is_found(spark: SparkSession, tmp_path: Path, study: Study) -> None:
    [large] = load([str(study.folder)], "paper", ["repetitions=500"])
    work = work_of(large, cells(large))
    state = commit(tmp_path, work, pieces_of(work))
    [part] = state.parts.values()
    whole = bytearray((tmp_path / part.file).read_bytes())
    whole[len(whole) // 3] ^= 1
    assert store.find_damage(tmp_path, state) is None
    (tmp_path / part.file).write_bytes(whole)
    with pytest.raises(Py4JError, match="checksum"):
        store.read(spark, tmp_path, state, work.cells, work.schema).agg(F.sum("seed"), F.max("trial")).collect()
    assert part.file in str(store.find_damage(tmp_path, state))


def test_rows_of_a_changed_study_are_those_that_belong_to_it(spark: SparkSession, tmp_path: Path, work: Work) -> None:
    """Fewer repetitions, other cells, another system; files of other columns."""
    state = commit(tmp_path / "out", work, pieces_of(work))
    changed = STUDY.replace("repetitions = 4", "repetitions = 3").replace("[5, 10, 20]", "[5, 20, 30.5]")
    [study] = load([str(small_study(tmp_path, changed.replace('["psvr/all", "td"]', '["td", "ts"]')))], "paper")
    found = cells(study)
    now = work_of(study, found)
    assert store.count_finished(state, found) == (9, 11)
    expected = [row for row in run_in_process(study).to_pylist() if row["system"] == "td" and row["n"] != 30.5]
    assert rows(spark, tmp_path / "out", now).to_pylist() == sorted(expected, key=lambda row: row["trial"])
    commit(tmp_path / "out", now, remaining(found, state.done))
    assert rows(spark, tmp_path / "out", now).equals(run_in_process(study).sort_by(KEYS))
    assert store.count_finished(manifest.read(tmp_path / "out"), found) == (15, 11)


def test_a_full_disk_leaves_nothing_half(tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        commit(tmp_path, work, pieces_of(work))
    assert os.listdir(tmp_path) == []


def test_trials_of_other_code_are_counted(tmp_path: Path, work: Work) -> None:
    [first, second, *_] = pieces_of(work)
    commit(tmp_path, work, [first], "old")
    state = commit(tmp_path, work, [second], "new")
    assert store.other_code(state, "new") == {"old": 4} and store.other_code(state, "older") == {"old": 4, "new": 4}


def failing(folder: Path, reason: str) -> Work:
    text = TRIAL.replace("    draw =", f"    if seed % 2:\n        raise ValueError({reason!r})\n    draw =")
    [study] = load([str(small_study(folder, trial=text))], "paper")
    return work_of(study, cells(study))


def test_failures_are_rows_until_their_trials_are_run(spark: SparkSession, tmp_path: Path, work: Work) -> None:
    out = tmp_path / "out"
    for attempt, reason in enumerate(("first", "second"), 1):
        bad = failing(tmp_path / reason, reason)
        state = commit(out, bad, remaining(bad.cells, manifest.read(out).done))
        odd = sorted(row["trial"] for row in run_in_process_of(work) if row["seed"] % 2)[::2]
        found = store.failures(out, state, work.cells).to_pylist()
        assert [row["trial"] for row in found] == odd and len(odd) > 3
        assert {(row["reason"], row["attempts"]) for row in found} == {(f"ValueError: {reason}", attempt)}
    assert rows(spark, out, work).num_rows == 2 * (20 - len(odd))
    state = commit(out, work, remaining(work.cells, state.done))
    assert store.failures(out, state, work.cells).num_rows == 0
    assert rows(spark, out, work).to_pylist() == sorted(
        run_in_process_of(work), key=lambda r: (r["trial"], r["system"])
    )


def run_in_process_of(work: Work) -> list[dict[str, Any]]:
    return run_all(work, pieces_of(work))[0].to_pylist()  # type: ignore[no-any-return]


def test_small_files_become_one_and_nothing_changes(spark: SparkSession, tmp_path: Path, work: Work) -> None:
    for n, piece in enumerate(pieces_of(work)):
        state = commit(tmp_path, work, [piece], "new" if n == 2 else "old")
    before = rows(spark, tmp_path, work)
    after = compact(tmp_path, state)
    assert len(after.parts) == 2 and after.done == state.done, "those of other code stay apart"
    assert {tuple(n["code"] for n in after.notes_of(part)) for part in after.parts.values()} == {("old",), ("new",)}
    assert rows(spark, tmp_path, work).equals(before) and manifest.read(tmp_path) == after
    assert {file.name for file in tmp_path.glob("*.parquet")} == set(after.parts)
    assert len(os.listdir(tmp_path / "manifest")) == 1 and compact(tmp_path, after) == after


@settings(max_examples=30)
@given(st.integers(0, 40), st.data())
def test_a_kill_while_files_are_united_loses_nothing(
    work: Work, tmp_path_factory: pytest.TempPathFactory, moment: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("killed")
    for piece in pieces_of(work):
        state = commit(folder, work, [piece])
    calls = 0

    def killing(real: Any) -> Any:
        def act(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > moment:
                raise KeyboardInterrupt
            return real(*arguments, **options)

        return act

    with pytest.MonkeyPatch.context() as patch:
        for name in ("link", "fsync", "replace"):
            patch.setattr(os, name, killing(getattr(os, name)))
        patch.setattr(Path, "unlink", killing(Path.unlink))
        with suppress(KeyboardInterrupt):
            compact(folder, state)
    found = store.opened(folder, work.cells)
    assert found.done == state.done
    table = pa.concat_tables([pq.read_table(folder / part.file) for part in found.parts.values()])
    assert table.sort_by(KEYS).to_pylist() == sorted(
        run_in_process_of(work), key=lambda row: (row["trial"], row["system"])
    )
    compact(folder, found)
    assert len(list(folder.glob("*.parquet"))) == 1


def test_times_of_many_batches_are_few(tmp_path: Path, work: Work) -> None:
    state = State()
    for minute, piece in enumerate(pieces_of(work)):
        made = list(parts.parts_of(work, [piece], *run_all(work, [piece]), NOTES))
        parts.write(tmp_path, *made[0])
        times = [[f"2026-03-01T10:0{minute}:00Z", f"2026-03-01T10:0{minute + (minute != 2)}:30Z"]]
        state = manifest.commit(tmp_path, state, [made[0][0]], [{**NOTES, "times": times}])
    state = compact(tmp_path, state)
    assert [note["times"] for note in state.notes] == [
        [
            ["2026-03-01T10:00:00Z", "2026-03-01T10:02:30Z"],
            ["2026-03-01T10:03:00Z", "2026-03-01T10:05:30Z"],
        ]
    ]
    assert store.origin_of(state).seconds == 300


def earlier(folder: Path, table: pa.Table, name: str, **notes: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"part-{name}.parquet").write_bytes(parts.encoded(table, notes))


def test_results_of_earlier_versions_are_finished_trials(
    spark: SparkSession, tmp_path: Path, study: Study, work: Work
) -> None:
    """They had no manifests, and a trial could be in two files."""
    every = run_in_process(study)
    strange = every.slice(0, 2).set_column(0, "trial", pa.array(["00", "01"]))
    folder = tmp_path / "trials"
    earlier(folder, every.slice(0, 13), "a", code="c0", began="2026-03-01T10:00:00Z", written="2026-03-01T10:01:00Z")
    earlier(folder, every.slice(10, 20), "b", code="c1")
    earlier(folder, strange, "c")
    state = store.opened(folder, work.cells)
    assert rows(spark, folder, work).equals(every.slice(0, 30).sort_by(KEYS))
    left = sum(piece.trials * len(piece.systems) for piece in remaining(work.cells, state.done))
    assert left == 40 - 30 and len(state.parts) == 3 and store.other_code(state, "c0")["c1"] == 9
    assert store.opened(folder, work.cells) == state == manifest.read(folder)
    assert json.loads(next((folder / "manifest").iterdir()).read_text())["whole"]


def test_a_damaged_file_of_an_earlier_version_is_named(tmp_path: Path, study: Study, work: Work) -> None:
    earlier(tmp_path, run_in_process(study), "a")
    (tmp_path / "part-b.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"part-b\.parquet: is not a whole Parquet file; remove it"):
        store.opened(tmp_path, work.cells)
    assert not (tmp_path / "manifest").exists()
