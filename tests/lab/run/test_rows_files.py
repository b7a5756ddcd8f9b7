"""Files of finished trials without Spark: nothing that was finished is lost, and each says where it comes from."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from psvr.errors import BadInput
from psvr.lab.run import store


def rows(*pairs: tuple[str, str], n: int = 1) -> pa.Table:
    return pa.table({"trial": [t for t, _ in pairs], "system": [s for _, s in pairs], "n": [n] * len(pairs)})


def finished(where: Path) -> list[tuple[str, str, str]]:
    return sorted((row["trial"], row["system"], row["code"]) for row in store.finished(where).to_pylist())


def test_the_same_trials_under_another_system_are_other_rows(tmp_path: Path) -> None:
    store.write(rows(("a", "x"), ("b", "x")), tmp_path, {"code": "1"})
    store.write(rows(("a", "y"), ("b", "y")), tmp_path, {"code": "2"})
    store.write(rows(("a", "z"), ("b", "x")), tmp_path, {"code": "3"})
    assert len(store.parts(tmp_path)) == 3
    assert finished(tmp_path) == [
        ("a", "x", "1"),
        ("a", "y", "2"),
        ("a", "z", "3"),
        ("b", "x", "1"),
        ("b", "x", "3"),
        ("b", "y", "2"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        rows(("a", "x")),
        rows(("a", "x"), ("b", "y")),
        rows(("a", "y"), ("b", "x")),
        rows(("b", "x"), ("c", "x")),
        rows(("ax", ""), ("b", "x")),
    ],
)
def test_other_rows_never_take_the_place_of_finished_ones(other: pa.Table, tmp_path: Path) -> None:
    first = store.write(rows(("a", "x"), ("b", "x")), tmp_path, {})
    assert store.write(other, tmp_path, {}) != first and pq.read_table(first).num_rows == 2


def test_what_is_run_again_takes_its_own_place(tmp_path: Path) -> None:
    """A task that was given up for dead may finish all the same: that is one file, not two."""
    store.write(rows(("a", "x"), ("b", "y")), tmp_path, {})
    store.write(rows(("b", "y"), ("a", "x"), n=7), tmp_path, {})
    (file,) = store.parts(tmp_path)
    assert pq.read_table(file).column("n").to_pylist() == [7, 7]


def test_what_is_not_of_ours_is_not_taken_for_notes(tmp_path: Path) -> None:
    table = rows(("a", "x")).replace_schema_metadata({"psvr.study": "forged", "pandas": "{}"})
    file = store.write(table, tmp_path / "deep" / "er", {"code": "c", "study": "gain"})
    assert store.notes_of(pq.read_schema(file)) == {"code": "c", "study": "gain"}
    pq.write_table(table, tmp_path / "foreign.parquet")
    assert store.notes_of(pq.read_schema(tmp_path / "foreign.parquet")) == {"study": "forged"}
    pq.write_table(rows(("q", "x")), tmp_path / "bare.parquet")
    assert store.notes_of(pq.read_schema(tmp_path / "bare.parquet")) == {}
    assert finished(tmp_path) == [("a", "x", ""), ("q", "x", "")], "without notes, of code that nobody knows"


def test_trials_of_other_code(tmp_path: Path) -> None:
    store.write(rows(("a", "x"), ("a", "y"), ("b", "x")), tmp_path, {"code": "old"})
    store.write(rows(("c", "x")), tmp_path, {"code": "older"})
    store.write(rows(("d", "x")), tmp_path, {"code": "new"})
    done = store.finished(tmp_path)
    assert store.other_code(done, "new") == {"old": 2, "older": 1} and store.other_code(done, "old") == {
        "older": 1,
        "new": 1,
    }


def test_the_file_that_cannot_be_read_is_found_among_others(tmp_path: Path) -> None:
    for name in "abc":
        store.write(rows((name, "x")), tmp_path, {})
    assert store.find_damage(tmp_path) is None
    bad = store.parts(tmp_path)[1]
    bad.write_bytes(bad.read_bytes()[:-20])
    found = store.find_damage(tmp_path)
    assert found is not None and str(found).startswith(f"{bad}: is not a whole Parquet file; remove it")


def test_a_changed_bit_inside_a_file_is_found(tmp_path: Path) -> None:
    many = rows(*((f"{i:05}", "x") for i in range(5000)))
    file = store.write(many, tmp_path, {})
    good = file.read_bytes()
    file.write_bytes(good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1 :])
    found = store.find_damage(tmp_path)
    assert found is not None and str(found).startswith(f"{file}: is not a whole Parquet file")
    with pytest.raises(BadInput, match="is not a whole Parquet file"):
        store.finished(tmp_path)
