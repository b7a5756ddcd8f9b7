"""Where nodes of a wireless network are, and where they move; no channel is made."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.results.deliveries import SECOND
from psvr.sim.drawing import spots
from psvr.sim.radio import moving
from psvr.sim.radio.choices import channel_of
from psvr.sim.radio.moving import Movement
from psvr.sim.radio.placing import extent, fixed, sides
from psvr.sim.scenario import Scenario, parse


def wireless(topology: dict[str, Any], **keys: Any) -> Scenario:
    return parse({"topology": topology, "radio": {"model": "ieee802154"}, **keys})


def test_a_grid_has_its_columns_side_by_side() -> None:
    s = wireless({"kind": "grid", "rows": 2, "columns": 3, "spacing": 10})
    assert fixed(s).tolist() == [[0, 0], [10, 0], [20, 0], [0, 10], [10, 10], [20, 10]]
    assert extent(s, fixed(s)) == (20, 10)


def test_a_line_and_places_as_they_are_given() -> None:
    line = wireless({"kind": "line", "n": 3, "spacing": 7})
    assert fixed(line).tolist() == [[0, 0], [7, 0], [14, 0]] and extent(line, fixed(line)) == (14, 0)
    given = wireless({"kind": "places", "places": [[5, 1], [2, 9]]})
    assert fixed(given).tolist() == [[5, 1], [2, 9]] and extent(given, fixed(given)) == (5, 9)


def test_the_area_of_drawn_places() -> None:
    drawn = {"kind": "geometric", "n": 50}
    assert sides(wireless({**drawn, "area": 80})) == (80, 80)
    assert sides(wireless({**drawn, "area": [80, 30]})) == (80, 30)
    s = wireless({**drawn, "degree": 8})
    width, height = sides(s)
    places = np.random.default_rng(1).random((2000, 2)) * width
    near = np.hypot(*(places[:1000] - places[1000:]).T) <= channel_of(s).range
    assert width == height and near.mean() == pytest.approx(8 / 49, abs=0.04), "so many are in reach on average"


def moved(knots: list[list[float]], n: int = 3) -> Movement:
    s = wireless({"kind": "line", "n": n, "spacing": 5}, mobility={"model": "trace", "knots": knots})
    return Movement(s, fixed(s))


def test_nodes_go_straight_from_knot_to_knot() -> None:
    it = moved([[10, 1, 0, 0], [20, 1, 10, 20], [30, 2, 1, 1]])
    assert it.at(0).tolist() == [[0, 0], [0, 0], [1, 1]], "before the first knot it is there already"
    assert it.at(15).tolist() == [[0, 0], [5, 10], [1, 1]] and it.at(99).tolist() == [[0, 0], [10, 20], [1, 1]]
    assert it.places.tolist() == [[0, 0], [5, 0], [10, 0]], "where they began is not changed"


def test_nodes_are_drawn_where_they_are_now() -> None:
    it = moved([[0, 2, 10, 0], [10, 2, 10, 10]])
    net: Any = SimpleNamespace(plan=SimpleNamespace(n=3, places=it.places, field=SimpleNamespace(movement=it)), now=0)
    first = spots(net)
    net.now = 10 * SECOND
    assert first[0][1] == first[1][1] == first[2][1], "all in a line"
    assert spots(net)[0][1] == spots(net)[1][1] > spots(net)[2][1], "upwards is less in a picture"


@pytest.mark.parametrize(
    "knots, said",
    [
        (
            [[10, 1, 0, 0], [10, 1, 5, 5]],
            r"^mobility\.knots\[1\]: must come after 10 s, where node 1 was.*, not at 10$",
        ),
        ([[10, 1, 0, 0], [20, 2, 0, 0], [9, 1, 5, 5]], r"^mobility\.knots\[2\]: must come after 10 s"),
        ([[10, 3, 0, 0]], r"^mobility\.knots\[0\]: must name a node from 0 to 2, not 3$"),
        ([[10, 1.5, 0, 0]], r"^mobility\.knots\[0\]: must name a node from 0 to 2, not 1\.5$"),
    ],
)
def test_knots_that_cannot_be(knots: list[list[float]], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        moved(knots)


def test_places_and_movements_from_files(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text("# x, y\n5, 1\n2 9\t# the second\n\n  7,8  \n")
    (tmp_path / "ways.txt").write_text("0 1 2 9\n10, 1, 4, 4\n")
    s = parse(
        {
            "topology": {"kind": "places", "file": "places.csv"},
            "radio": {"model": "ieee802154"},
            "mobility": {"model": "trace", "file": "ways.txt"},
        },
        tmp_path,
    )
    assert s.topology.places == ((5, 1), (2, 9), (7, 8)) and s.topology.n == 3 and s.topology.file is None
    assert s.mobility.knots == ((0, 1, 2, 9), (10, 1, 4, 4))


@pytest.mark.parametrize(
    "line, said",
    [
        ("5", "line 2: must be x y, not"),
        ("5 1 3", "line 2: must be x y, not"),
        ("5 north", "line 2: must be x y, not"),
        ("5 -1", r"\[1\]\[1\]: must be a number from 0 to 1000000000, not -1"),
        ("5 nan", r"\[1\]\[1\]: must be a number"),
    ],
)
def test_lines_that_are_no_places(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "places.txt").write_text(f"1 1\n{line}\n")
    with pytest.raises(BadInput, match=r"^topology\.file(: )?" + said):
        parse({"topology": {"kind": "places", "file": "places.txt"}, "radio": {"model": "ieee802154"}}, tmp_path)


def walking(**mobility: Any) -> Movement:
    s = wireless(
        {"kind": "places", "places": [[0, 0], [50, 30]]},
        duration=300,
        mobility={"model": "waypoint", "speed": [2, 4], **mobility},
    )
    return Movement(s, fixed(s))


@pytest.mark.parametrize("pause", [0, 20])
def test_walkers_keep_to_their_speed_and_pause(pause: float) -> None:
    for knots in walking(pause=pause).knots.values():
        time, x, y = np.array(knots).T
        assert time[0] == 0 and time[-1] >= 300 and (np.diff(time) >= 0).all()
        assert x.min() >= 0 and x.max() <= 50 and y.min() >= 0 and y.max() <= 30
        going, resting = np.diff(time)[::2], np.diff(time)[1::2]
        speed = np.hypot(np.diff(x)[::2], np.diff(y)[::2]) / going
        assert resting == pytest.approx(pause) and speed.min() >= 1.999 and speed.max() <= 4.001
        assert speed.max() - speed.min() > 0.5, "not always the same"


def test_too_many_turns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "MAX_KNOTS", 100)
    with pytest.raises(BadInput, match=r"^mobility\.speed: must make at most 100 turns and stops, not about "):
        walking()
