"""Files of results: whole or not there, and read whatever form the study had when they were written."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from psvr.errors import BadInput
from psvr.lab.run import store

ROWS = pa.table({"trial": ["a", "a", "b"], "system": ["x", "y", "x"], "n": [1, 1, 2], "hops": [[1, 2], [], None]})


def test_rows_come_back_with_their_notes(spark: SparkSession, tmp_path: Path) -> None:
    file = store.write(ROWS, tmp_path, {"code": "c1", "study": "small"})
    assert store.notes_of(pq.read_schema(file)) == {"code": "c1", "study": "small"}
    assert (
        store.read(spark, tmp_path, ROWS.schema)
        .toArrow()
        .cast(ROWS.schema)
        .sort_by([("trial", "ascending"), ("system", "ascending")])
        .equals(ROWS)
    )
    assert store.finished(tmp_path).to_pylist() == [
        {"trial": "a", "system": "x", "code": "c1"},
        {"trial": "a", "system": "y", "code": "c1"},
        {"trial": "b", "system": "x", "code": "c1"},
    ]


def test_the_same_rows_go_to_the_same_file(tmp_path: Path) -> None:
    turned = ROWS.take([2, 0, 1])
    assert store.write(ROWS, tmp_path, {}) == store.write(turned, tmp_path, {})
    assert store.write(ROWS.slice(1), tmp_path, {}) != store.write(ROWS, tmp_path, {})


def test_rows_that_are_in_two_files_count_once(spark: SparkSession, tmp_path: Path) -> None:
    store.write(ROWS, tmp_path, {})
    store.write(ROWS.slice(1), tmp_path, {})
    assert store.read(spark, tmp_path, ROWS.schema).count() == 3


def test_an_empty_folder_has_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    assert store.read(spark, tmp_path / "none", ROWS.schema).count() == 0
    assert store.finished(tmp_path / "none").num_rows == 0


def test_files_of_an_earlier_form_are_read_in_the_present_one(spark: SparkSession, tmp_path: Path) -> None:
    store.write(ROWS, tmp_path, {})
    store.write(pa.table({"trial": ["q"], "system": ["x"], "n": [2.5], "loss": [0.5]}), tmp_path, {})
    now = pa.schema([("trial", pa.string()), ("system", pa.string()), ("n", pa.float64()), ("p", pa.int64())])
    rows = store.read(spark, tmp_path, now).orderBy("trial", "system").collect()
    assert [tuple(row) for row in rows] == [
        ("a", "x", 1.0, None),
        ("a", "y", 1.0, None),
        ("b", "x", 2.0, None),
        ("q", "x", 2.5, None),
    ]


def test_halves_are_neither_read_nor_kept(spark: SparkSession, tmp_path: Path) -> None:
    file = store.write(ROWS, tmp_path, {})
    (tmp_path / ".half-1").write_bytes(file.read_bytes()[:100])
    assert store.finished(tmp_path).num_rows == 3 and store.read(spark, tmp_path, ROWS.schema).count() == 3
    store.remove_partial(tmp_path)
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b"PAR1" + b[4:-9] + b"xxxxxPAR1"]
)
def test_a_corrupt_file_is_named(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    file = store.write(ROWS, tmp_path, {})
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(BadInput, match=file.name):
        store.finished(tmp_path)


def test_a_file_out_of_reach_is_not_called_damaged(tmp_path: Path) -> None:
    """It may be whole, and nobody should be told to remove it."""
    away = tmp_path / "part-1.parquet"
    away.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match=r"part-1\.parquet: cannot be read: No such file") as refusal:
        store.finished(tmp_path)
    assert "remove" not in str(refusal.value) and str(store.find_damage(tmp_path)) == str(refusal.value)


def test_damage_inside_a_file_is_found(spark: SparkSession, tmp_path: Path) -> None:
    big = pa.table({"trial": [f"{i:05}" for i in range(5000)], "system": ["x"] * 5000, "n": list(range(5000))})
    file = store.write(big, tmp_path, {})
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    file.write_bytes(whole)
    with pytest.raises(Py4JError, match="checksum"):
        store.read(spark, tmp_path, big.schema).agg(F.sum("n")).collect()
    found = store.find_damage(tmp_path)
    assert found is not None and file.name in str(found)


def test_a_full_disk_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", no_space)
    with pytest.raises(OSError, match="No space"):
        store.write(ROWS, tmp_path, {})
    assert os.listdir(tmp_path) == []


def test_trials_of_other_code_are_counted_once(tmp_path: Path) -> None:
    store.write(ROWS, tmp_path, {"code": "old"})
    store.write(ROWS.slice(2).set_column(0, "trial", pa.array(["z"])), tmp_path, {"code": "new"})
    assert store.other_code(store.finished(tmp_path), "new") == {"old": 2}
