"""What is left to do and how it is cut: every trial in one task, whatever was finished and however long trials take."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.lab.run.intervals import size, union, without
from psvr.lab.run.tasks import Piece, Tasks, count_done, remaining, seconds_of
from psvr.lab.study import load
from psvr.lab.study.trials import Cell, cells
from tests.support.lab.small_study import small_study

INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6)
COSTS = st.one_of(st.sampled_from([1e-6, 0.1, 1.0, 4.0]), st.floats(1e-6, 20))
SIZES = st.lists(st.tuples(st.integers(1, 60), COSTS), max_size=7)


def numbers(intervals: list[tuple[int, int]]) -> set[int]:
    return {n for first, last in intervals for n in range(first, last)}


@given(INTERVALS)
def test_a_union_has_the_same_numbers_in_as_few_intervals_as_can_be(given: list[tuple[int, int]]) -> None:
    found = union(given)
    assert numbers(found) == numbers(given) and size(found) == len(numbers(given))
    assert all(first < last for first, last in found)
    assert all(a[1] < b[0] for a, b in pairwise(found))


@given(st.tuples(st.integers(0, 30), st.integers(0, 30)), INTERVALS)
def test_what_is_taken_away_is_gone_and_nothing_else(whole: tuple[int, int], taken: list[tuple[int, int]]) -> None:
    assert numbers(without(whole, taken)) == numbers([whole]) - numbers(taken)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> list[Cell]:
    [study] = load([str(small_study(tmp_path_factory.mktemp("study")))], "paper")
    return cells(study)


def left(small: list[Cell], done: dict[tuple[str, str], list[tuple[int, int]]]) -> Counter[tuple[int, int, str]]:
    return Counter(
        (piece.cell, n, system)
        for piece in remaining(small, done)
        for n in range(piece.first, piece.last)
        for system in piece.systems
    )


@given(st.data())
def test_what_remains_is_what_is_not_done(small: list[Cell], data: st.DataObject) -> None:
    keys = [(cell.key, system) for cell in small for system in ("psvr/all", "td", "other")]
    chosen = st.dictionaries(st.sampled_from(keys), INTERVALS, max_size=8)
    done = data.draw(chosen)
    everything = Counter(
        (i, n, system) for i, cell in enumerate(small) for n in range(4) for system in cell.grid.systems
    )
    finished = {
        (i, n, system)
        for i, cell in enumerate(small)
        for system in cell.grid.systems
        for n in numbers(done.get((cell.key, system), []))
    }
    found = left(small, done)
    assert found == Counter({key: 1 for key in everything if key not in finished})
    assert count_done(small, done) == 20 - len({(i, n) for i, n, _ in found})


def test_systems_of_a_trial_are_run_together_in_their_order(small: list[Cell]) -> None:
    key = small[0].key
    pieces = [p for p in remaining(small, {(key, "td"): [(1, 3)]}) if p.cell == 0]
    assert sorted((p.first, p.last, p.systems) for p in pieces) == [
        (0, 1, ("psvr/all", "td")),
        (1, 3, ("psvr/all",)),
        (3, 4, ("psvr/all", "td")),
    ]
    assert [p.cost for p in pieces] == sorted((p.cost for p in pieces), reverse=True), "the costly ones come first"


@given(SIZES, st.sampled_from([0.1, 1.0, 3.7, 10.0]))
def test_every_trial_is_in_one_task(sizes: list[tuple[int, float]], seconds: float) -> None:
    ordered = sorted(sizes, key=lambda size: -size[1])
    pieces = [Piece(i, ("x",), 5, 5 + number, cost) for i, (number, cost) in enumerate(ordered)]
    tasks = Tasks(pieces, seconds)
    found = [(part.cell, n) for task in range(len(tasks)) for part in tasks[task] for n in range(part.first, part.last)]
    assert found == [(i, 5 + n) for i, (number, _) in enumerate(ordered) for n in range(number)]
    most = max((cost for _, cost in ordered), default=0.0)
    for task in range(len(tasks)):
        assert seconds_of(tasks[task]) <= max(most, seconds + min(most, seconds)) * (1 + 1e-9)
    with pytest.raises(IndexError):
        tasks[len(tasks)]


def test_costly_trials_are_tasks_of_their_own_and_cheap_ones_share_one() -> None:
    pieces = [Piece(0, ("x",), 0, 2, 4.0), Piece(1, ("x",), 0, 3, 0.25), Piece(2, ("x",), 0, 4, 0.125)]
    tasks = Tasks(pieces, 1.0)
    assert [[(p.cell, p.first, p.last) for p in tasks[i]] for i in range(len(tasks))] == [
        [(0, 0, 1)],
        [(0, 1, 2)],
        [(1, 0, 3), (2, 0, 2)],
        [(2, 2, 4)],
    ]


def test_ten_million_trials_are_planned_at_once(tmp_path: Path) -> None:
    [study] = load([str(small_study(tmp_path))], "quick", ["repetitions=2000000"])
    found = cells(study)
    tasks = Tasks(remaining(found, {(found[0].key, "td"): [(7, 1_000_000)]}), 1.0)
    assert sum(piece.trials for piece in tasks.pieces) == 10_000_000
    assert sum(part.trials for part in tasks[len(tasks) - 1]) > 0
