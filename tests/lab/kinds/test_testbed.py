"""Where the nodes of the study `testbed` stand, and what they publish."""

from typing import Any

import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.graphs.csr import components
from psvr.lab.code import module_of
from psvr.lab.study import BUILT_IN
from psvr.sim.radio.hearing import Channel, good_graph

TRIAL: Any = module_of("trial.py", (BUILT_IN / "testbed" / "trial.py").read_text("utf-8"))
CELL = {"n": 10, "length": 60.0, "width": 20.0, "reading": "network", "power": -17}
SCENARIO = {"duration": 900, "radio": {"power": "$power"}, "traffic": [{"channel": "c", "start": 600}]}


def channel(power: float) -> Channel:
    return Channel(power, -101.0, -100.0, "dual-slope", 4.0, 1.0, 3.0, 7)


def test_sockets_are_along_corridors() -> None:
    found = TRIAL.sockets(6.0, 3.0)
    assert len({tuple(place) for place in found}) == len(found) == 2 * 7 + 3 * 2
    assert all(y in (0, 3) or x in (0, 3, 6) for x, y in found)
    assert found.min(axis=0).tolist() == [0, 0] and found.max(axis=0).tolist() == [6, 3]


def test_both_readings() -> None:
    """One publication of ten nodes together in 20 seconds is one of each in 200."""
    for reading, every in (("network", 200), ("node", 20)):
        parameters, template = TRIAL.as_simulated({**CELL, "reading": reading}, SCENARIO)
        assert parameters == {"power": -17}
        assert template["traffic"] == [{"channel": "c", "start": 600, "every": every}]
        assert len(template["topology"]["places"]) == 10 and template["duration"] == 900


def test_nodes_are_connected() -> None:
    """Also where three draws in four are not, and on other sockets with another seed."""
    every, short = TRIAL.sockets(60.0, 20.0), channel(-30)
    drawn = [TRIAL.drawn(every, 12, short, np.random.default_rng(seed)) for seed in (1, 1, 2, 3, 4, 5)]
    for places in drawn:
        graph = good_graph(short, places)
        assert not components(graph.start, graph.near).any()
        assert len(np.unique(places, axis=0)) == 12 and {tuple(p) for p in places} <= {tuple(p) for p in every}
    assert (drawn[0] == drawn[1]).all() and (drawn[0] != drawn[2]).any()


def test_what_cannot_be_connected_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^length, width: must be small enough to connect 5 nodes \(range 3 m\)$"):
        TRIAL.drawn(TRIAL.sockets(200.0, 100.0), 5, channel(-50), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reading": "nodes"}, 'reading: must be one of network, node, not "nodes" (did you mean node?)'),
        ({"length": 0}, "length: must be"),
        ({"n": "many"}, "n: must be"),
    ],
)
def test_what_a_cell_may_be(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        TRIAL.resolve({**CELL, **change})
    assert str(caught.value).startswith(said)


def test_cells_that_do_not_fit() -> None:
    assert TRIAL.resolve({**CELL, "length": 6, "width": 3, "n": 21}) is None
    assert TRIAL.resolve({**CELL, "length": 6, "width": 3, "n": 20}) == {**CELL, "length": 6, "width": 3, "n": 20}
    with pytest.raises(BadInput, match=r"^width: missing; needed are n, length, width, reading$"):
        TRIAL.resolve({name: value for name, value in CELL.items() if name != "width"})
