"""Whatever goes wrong is one clear line, and what was finished stays."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from psvr.trace import TraceError, Writer, dataset, read, runs, schema
from tests.support.trace.trace_samples import rows


def line(action: Callable[[], object]) -> str:
    """The one line that it is refused with."""
    with pytest.raises(TraceError) as caught:
        action()
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text


def write(folder: Path, run: str = "r", count: int = 5, **options: object) -> None:
    with Writer(folder, run, **options) as writer:  # type: ignore[arg-type]
        writer.write(rows(count))


@pytest.mark.parametrize(
    "options, key",
    [
        ({"run": ""}, "run: must be"),
        ({"run": "a\nb"}, "run: must be"),
        ({"run": "\udc80"}, "run: must be"),
        ({"run": 7}, "run: must be"),
        ({"clock": "wall"}, "clock: must be sim or unix, not 'wall'"),
        ({"rows_per_file": 0}, "rows_per_file: must be 1 or more, not 0"),
        ({"channels": ["a", 3]}, "channels: must be Unicode texts, not 3"),
        ({"reasons": ["\udc80"]}, "reasons: must be Unicode texts"),
        ({"provenance": {"seed": 7}}, "provenance.seed: must be Unicode text, not 7"),
        ({"provenance": {"run": "x"}}, "provenance: must not have run,"),
    ],
)
def test_arguments(tmp_path: Path, options: dict[str, object], key: str) -> None:
    assert line(lambda: write(tmp_path / "new", **options)).startswith(key)  # type: ignore[arg-type]
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "fields, text",
    [
        ({"event": 11}, "event: must be from 0 to 10, the numbers of names, not 11"),
        ({"event": -1}, "event: must be from 0 to 10, the numbers of names, not -1"),
        ({"channel": 2}, "channel: must be from -1 to 1, the numbers of names, not 2"),
        ({"channel": -2}, "channel: must be from -1 to 1, the numbers of names, not -2"),
        ({"reason": 1}, "reason: must be from -1 to 0, the numbers of names, not 1"),
        ({"event": 10, "detail": 2**40}, f"detail: must be from -1 to 0, the numbers of names, not {2**40}"),
    ],
)
def test_numbers_without_a_name(tmp_path: Path, fields: dict[str, int], text: str) -> None:
    writer = Writer(tmp_path, "r", channels=["a", "b"], reasons=["x"], details=["y"], rows_per_file=5)
    writer.write(rows(5))
    writer.write(rows(1, **fields))
    assert line(writer.close) == text
    assert read(tmp_path).num_rows == 5
    assert [file.name for file in tmp_path.iterdir()] == ["r-000000.parquet"]


def test_arrays_of_other_rows(tmp_path: Path) -> None:
    with Writer(tmp_path, "r") as writer:
        assert line(lambda: writer.write(np.zeros(3))).startswith("rows: must be an array of psvr.trace.ROW")
        assert line(lambda: writer.write(rows(4).reshape(2, 2))).startswith("rows: must be")
        writer.write(rows(2))
    assert "closed" in line(lambda: writer.write(rows(1)))
    writer.close()
    assert read(tmp_path).num_rows == 2


def test_a_run_that_is_there_already(tmp_path: Path) -> None:
    write(tmp_path, count=5)
    before = (tmp_path / "r-000000.parquet").read_bytes()
    assert line(lambda: write(tmp_path)).startswith("run: must be new to the folder, but ")
    assert [file.name for file in tmp_path.iterdir()] == ["r-000000.parquet"]
    assert (tmp_path / "r-000000.parquet").read_bytes() == before


def test_a_run_that_is_being_written(tmp_path: Path) -> None:
    with Writer(tmp_path, "r") as writer:
        assert "another process is writing" in line(lambda: Writer(tmp_path, "r"))
        writer.write(rows(3))
    assert read(tmp_path).num_rows == 3


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert line(lambda: write(file)) == f"{file}: the trace cannot be written: File exists"
    assert line(lambda: write(file / "below")) == f"{file / 'below'}: the trace cannot be written: Not a directory"
    assert line(lambda: read(file)) == f"{file}: must be a folder with a trace: Not a directory"


def test_a_full_disk(tmp_path: Path) -> None:
    """The second part goes to a device that is always full."""
    (tmp_path / ".r-000001.parquet.part").symlink_to("/dev/full")
    writer = Writer(tmp_path, "r", rows_per_file=10)
    with pytest.raises(TraceError) as caught, writer:
        for _ in range(10):
            writer.write(rows(5))
    assert str(caught.value) == f"{tmp_path}: the trace cannot be written: No space left on device"
    assert [file.name for file in tmp_path.iterdir()] == ["r-000000.parquet"]
    assert read(tmp_path).num_rows == 10


LIMITED = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
import numpy as np
from psvr.trace import ROW, TraceError, Writer, read
from tests.support.trace.trace_samples import rows
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    with Writer(sys.argv[1], "r", rows_per_file=20_000) as writer:
        writer.write(rows(40_000))
        writer.write(rows(20_000, peer=np.random.default_rng(1).integers(0, 1 << 60, 20_000)))
        writer.write(rows(20_000))
except TraceError as error:
    print(error)
"""


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """Two parts of little information fit, the third does not."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path), str(Path(__file__).parents[2])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"{tmp_path}: the trace cannot be written: File too large\n" and done.stderr == ""
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["r-000000.parquet", "r-000001.parquet"]
    assert read(tmp_path).num_rows == 40_000


def test_nothing_to_read(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for reader in (read, dataset, runs):
        assert line(partial(reader, nowhere)).startswith(f"{nowhere}: must be a folder with a trace: No ")
        assert "no finished file" in line(partial(reader, tmp_path))
    with Writer(tmp_path, "r"):
        assert "no finished file" in line(lambda: read(tmp_path))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet at all, but long enough to look for a footer"])
def test_a_file_that_is_no_parquet(tmp_path: Path, content: bytes) -> None:
    write(tmp_path)
    (tmp_path / "s-000000.parquet").write_bytes(content)
    for reader in (read, dataset, runs):
        text = line(partial(reader, tmp_path))
        assert text.startswith(f"{tmp_path / 's-000000.parquet'}: must be a whole Parquet file: ")


def test_a_parquet_file_that_is_no_trace(tmp_path: Path) -> None:
    write(tmp_path)
    other = tmp_path / "table.parquet"
    unmarked = read(tmp_path)
    marked = unmarked.replace_schema_metadata({"psvr.run": "r", "psvr.schema": "1"})
    for table in (pa.table({"run": ["x"]}), unmarked, marked.drop(["to"])):
        pq.write_table(table, other)
        for reader in (read, dataset, runs):
            text = line(partial(reader, tmp_path))
            assert text == f"{other}: must be a trace, but is some other Parquet file"


def test_a_trace_of_the_future(tmp_path: Path) -> None:
    file = tmp_path / "r-000000.parquet"
    pq.write_table(schema().with_metadata({"psvr.run": "r", "psvr.schema": "2"}).empty_table(), file)
    assert line(lambda: read(tmp_path)) == f"{file}: must be a trace of schema 1, not 2"


def test_any_damage_is_found_and_named(tmp_path: Path) -> None:
    """A byte is changed here and there.  In the pages that never gives wrong rows; in the footer, which has no check
    sum, it may, but no other error."""
    rng = np.random.default_rng(5)
    for run in ("a", "b", "c"):
        with Writer(tmp_path, run) as writer:
            writer.write(rows(400, peer=rng.integers(0, 1 << 40, 400), hops=rng.integers(0, 50, 400)))
    whole, file = read(tmp_path), tmp_path / "b-000000.parquet"
    good = file.read_bytes()
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    found = 0
    header = [(place, 7) for place in range(4, 40)]  # of a dictionary, not covered by its check sum
    for place, bit in header + [(place, place % 8) for place in rng.integers(0, len(good), 200).tolist()]:
        file.write_bytes(good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :])
        try:
            assert read(tmp_path).equals(whole) or place >= footer
        except TraceError as error:
            assert str(error).startswith(f"{file}: must be") and len(str(error).splitlines()) == 1
            found += 1
    assert found > 100


def test_questions_that_do_not_fit(tmp_path: Path) -> None:
    write(tmp_path)
    assert line(lambda: read(tmp_path, ["time", "when"])).endswith("not 'when'")
    assert line(lambda: read(tmp_path, filter=pc.field("evnt") == "sent")).startswith("filter: must be an expression")
    assert line(lambda: read(tmp_path, filter="event")).startswith("filter: must be an expression")
