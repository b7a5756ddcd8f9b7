"""Damaged files: each is named in one line, by the index or by the task that reads it, or left out and counted."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from psvr.errors import BadInput
from psvr.lab import traces
from psvr.lab.measure.traces import read_trace
from psvr.lab.spark.errors import spark_errors
from psvr.lab.traces.looking import look
from psvr.trace import json_line
from tests.support.lab.odd_traces import Row, write_lines, write_parquet

ROWS: list[Row] = [
    {"run": "r", "clock": "sim", "node": i % 7, "event": "sent", "time": i, "peer": i % 3, "sequence": i, "origin": 1}
    for i in range(2000)
]


def change(file: Path, what: Callable[[bytes], bytes]) -> None:
    file.write_bytes(what(file.read_bytes()))


def flip(column: str) -> Callable[[Path], None]:
    """One bit of the last page of a column."""

    def run(file: Path) -> None:
        place = pq.read_metadata(file).row_group(0)
        [chunk] = [place.column(i) for i in range(place.num_columns) if place.column(i).path_in_schema == column]
        begin = chunk.dictionary_page_offset or chunk.data_page_offset
        at = begin + chunk.total_compressed_size - 2  # not in its heading, of which a part has no check sum
        change(file, lambda whole: whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])

    return run


def insert(line: str) -> Callable[[Path], None]:
    """A line after the first thousand."""

    def run(file: Path) -> None:
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join([*lines[:1000], line, *lines[1000:]]))

    return run


def folder_instead(file: Path) -> None:
    file.unlink()
    file.mkdir()


def words(event: str) -> Callable[[Path], None]:
    def run(file: Path) -> None:
        some = [{**ROWS[0], "event": event}]
        write_parquet(file, some)

    return run


GOOD = json_line(ROWS[0])
PARQUET: dict[str, tuple[Callable[[Path], None], str]] = {
    "empty": (lambda file: change(file, lambda whole: b""), "must be a whole Parquet file"),
    "cut": (lambda file: change(file, lambda whole: whole[: len(whole) // 2]), "must be a whole Parquet file"),
    "zeros": (lambda file: change(file, lambda whole: bytes(len(whole))), "must be a whole Parquet file"),
    "page": (flip("time"), "must be a whole trace"),
    "version": (lambda file: write_parquet(file, ROWS, version="2"), "must be a trace of schema 1, not 2"),
    "other": (lambda file: pq.write_table(pa.table({"x": [1]}), file), "must be a trace, but is some other Parquet"),
    "folder": (folder_instead, "must be a whole trace: Is a directory"),
    "event": (words("send"), "event must be one of published"),
}
LINES: dict[str, tuple[Callable[[Path], None], str]] = {
    "half": (insert(GOOD[:40] + "\n"), "line 1001: must be a whole object of JSON"),
    "joined": (insert(GOOD[:40]), "line 1001: must be a whole object of JSON"),
    "zeros": (insert("\0" * 100 + "\n"), "line 1001: must be a whole object of JSON"),
    "column": (insert('{"run":"r","colour":"red"}\n'), "line 1001: "),
    "event": (insert(GOOD.replace("sent", "send")), "line 1001: event: must be one of published"),
    "missing": (insert(GOOD.replace('"node":0,', "")), "line 1001: node: must be a whole number"),
    "huge": (insert(GOOD.replace('"node":0', '"node":99999999999999999999')), "line 1001: node: must be a whole"),
    "list": (insert("[1]\n"), "line 1001: must be an object of JSON"),
    "folder": (folder_instead, "must be a whole trace: Is a directory"),
}
CASES = [*((name, ".parquet") for name in PARQUET), *((name, ".jsonl") for name in LINES)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}{case[1]}")
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A folder with a whole file and one that is not, whose name has brackets; and what is wrong with it."""
    name, ending = request.param
    damage, wanted = (PARQUET if ending == ".parquet" else LINES)[name]
    write_parquet(tmp_path / "whole-000000.parquet", ROWS)
    file = tmp_path / f"b[a]d{{x}}{ending}"
    (write_parquet if ending == ".parquet" else write_lines)(file, ROWS)
    damage(file)
    return file, wanted


def test_looking(damaged: tuple[Path, str]) -> None:
    file, wanted = damaged
    found = look(str(file), deep=True)
    assert found.damage is not None and found.damage.startswith(f"{file}: {wanted}")
    assert found.rows == 0 and len(found.damage.splitlines()) == 1


def test_a_flipped_bit_is_found_in_every_column(tmp_path: Path) -> None:
    for column in ("run", "time", "node", "event", "peer", "sequence", "origin"):
        write_parquet(tmp_path / "a.parquet", ROWS)
        flip(column)(tmp_path / "a.parquet")
        assert look(str(tmp_path / "a.parquet"), deep=True).damage, column


def test_one_line_or_left_out(spark: SparkSession, damaged: tuple[Path, str]) -> None:
    file, wanted = damaged
    for refuse in (lambda: traces.index(spark, file.parent), lambda: read_trace(spark, file.parent)):
        with pytest.raises(BadInput) as caught:
            refuse()
        assert str(caught.value).startswith(f"{file}: {wanted}") and len(str(caught.value).splitlines()) == 1
    rest = traces.index(spark, file.parent, leave_out=True)
    assert [each.file for each in rest.damaged] == [str(file)]
    assert rest.words().splitlines()[0] == f"{file.parent}: 1 of 2 files left out" and str(file) in rest.words()
    assert sum(row["messages"] for row in traces.link_load(rest).collect()) == len(ROWS)
    assert read_trace(spark, file.parent, leave_out=True).count() == len(ROWS)


def test_a_page_that_only_the_measure_reads(spark: SparkSession, tmp_path: Path) -> None:
    """The index has not looked at it: the task that reads it finds the damage, and names the file."""
    file = tmp_path / "a-000000.parquet"
    write_parquet(file, ROWS)
    flip("peer")(file)
    found = traces.index(spark, tmp_path)
    assert traces.node_load(found).count() == 7
    with pytest.raises(BadInput) as caught, spark_errors("trace"), traces.trace_errors():
        traces.link_load(found).collect()
    assert str(caught.value).startswith(f"{file}: must be a whole trace: ")
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """Asked by somebody without rights, in a process of their own."""
    if os.getuid():
        pytest.skip("only root can become somebody else")
    file = tmp_path / "a-000000.parquet"
    write_parquet(file, ROWS)
    file.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o005)
    code = (
        "import os, sys; from psvr.lab.traces.looking import look; os.setgid(65534); os.setuid(65534); "
        "print(look(sys.argv[1], True).damage)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == f"{file}: must be a whole trace: Permission denied\n"


def test_many_damaged_files(spark: SparkSession, tmp_path: Path) -> None:
    write_parquet(tmp_path / "whole.parquet", ROWS)
    for i in range(6):
        (tmp_path / f"bad-{i}.parquet").write_bytes(b"no")
    with pytest.raises(BadInput) as caught:
        traces.index(spark, tmp_path)
    text = str(caught.value)
    assert text.endswith("damaged, too: bad-1.parquet, bad-2.parquet, bad-3.parquet and 2 more")
    found = traces.index(spark, tmp_path, leave_out=True)
    assert len(found.damaged) == 6 and found.words().startswith(f"{tmp_path}: 6 of 7 files left out")
    assert sum(row["damage"] is not None for row in found.frame().collect()) == 6


def test_a_line_that_is_being_written(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", ROWS)
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write(GOOD[:30])
    assert look(str(tmp_path / "a.jsonl"), deep=True).rows == len(ROWS)
