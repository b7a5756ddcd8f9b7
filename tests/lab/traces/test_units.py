"""How the work on a trace is cut: every row is read once, and what belongs together meets."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.lab.traces.looking import File
from psvr.lab.traces.units import units

MILLION = 1_000_000


def file(name: str, rows: int, *runs: str, groups: int = 8) -> File:
    return File(f"{name}.parquet", 0, groups, rows, runs=dict.fromkeys(runs, rows // max(1, len(runs))))


FILES = st.lists(
    st.tuples(
        st.integers(1, 9 * MILLION), st.sets(st.sampled_from("abcdef"), min_size=1, max_size=2), st.integers(1, 9)
    ),
    max_size=20,
).map(lambda some: [file(str(i), rows, *runs, groups=groups) for i, (rows, runs, groups) in enumerate(some)])


@given(FILES, st.integers(1, 8))
def test_every_row_group_is_read_once(files: list[File], slots: int) -> None:
    work = units(files, slots)
    groups = {file.file: file.groups for file in files}
    read = Counter(
        (piece.file, group)
        for task in [*work.whole, *work.parts]
        for piece in task
        for group in range(groups[piece.file])[piece.begin : piece.end]
    )
    assert read == Counter({(name, group): 1 for name, number in groups.items() for group in range(number)})


@given(FILES, st.integers(1, 8))
def test_whole_runs_are_in_one_task(files: list[File], slots: int) -> None:
    work = units(files, slots)
    runs = {file.file: set(file.runs) for file in files}
    tasks = [set().union(*(runs[piece.file] for piece in task)) for task in work.whole]
    assert all(count == 1 for count in Counter(run for task in tasks for run in task).values())
    assert not set().union(*tasks) & set(work.buckets)
    assert set(work.buckets) == {run for task in work.parts for piece in task for run in runs[piece.file]}


@pytest.mark.parametrize("slots, rows, parts", [(2, 5 * MILLION, 0), (1, 30 * MILLION, 60), (8, 5 * MILLION, 10)])
def test_large_runs_are_read_in_parts(slots: int, rows: int, parts: int) -> None:
    """Those above twenty million rows, and those that would keep the other slots waiting."""
    work = units([file(name, rows, name) for name in "ab"], slots)
    assert (len(work.parts) > 0) is (parts > 0) and (len(work.whole) > 0) is (parts == 0)


def test_empty_files_are_no_work() -> None:
    assert not units([file("a", 0)], 2).whole
