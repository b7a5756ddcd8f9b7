"""Loads of nodes and links from rows made by hand: a line of three nodes with the ids 10, 20 and 30."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from psvr.lab.kinds import loads
from psvr.lab.kinds.loads import Loads
from psvr.trace import EVENTS, ROW

LINE: Any = SimpleNamespace(n=3, ids=np.array([10, 20, 30]), first=np.array([0, 1, 3, 4]), near=np.array([1, 0, 2, 1]))


def rows(*them: tuple[int, str, int, int]) -> Any:
    made = np.zeros(len(them), ROW)
    for row, (time, event, node, peer) in zip(made, them):
        row["time"], row["event"], row["node"], row["peer"] = time, EVENTS.index(event), node, peer
    return made


def counted(begin: int, *portions: Any) -> dict[str, int]:
    found = Loads(LINE, begin)
    for portion in portions:
        found.take(portion)
    return found.results()


def test_only_what_is_sent_from_the_beginning_on_counts() -> None:
    them = rows((4, "sent", 10, 20), (5, "sent", 10, 20), (6, "received", 20, 10), (7, "sent", 20, 30))
    assert counted(5, them) == {
        "node_load_max": 1,
        "node_load_sum": 2,
        "link_load_max": 1,
        "link_load_sum": 2,
        "links_used": 2,
    }
    assert counted(0, them)["node_load_sum"] == 3 and counted(8, them)["links_used"] == 0


def test_a_link_is_two_one_for_each_direction() -> None:
    both = rows((1, "sent", 20, 30), (2, "sent", 30, 20), (3, "sent", 30, 20))
    assert counted(0, both) == {
        "node_load_max": 2,
        "node_load_sum": 3,
        "link_load_max": 2,
        "link_load_sum": 3,
        "links_used": 2,
    }
    found = Loads(LINE, 0)
    found.take(both)
    found.add()
    assert found.nodes.tolist() == [0, 1, 2] and found.links.tolist() == [0, 0, 1, 2]


def test_broadcasts_and_those_out_of_reach_have_no_link() -> None:
    odd = rows((1, "sent", 10, -1), (1, "sent", 10, 30), (1, "sent", 10, 15), (1, "sent", 30, 99), (1, "sent", 10, 20))
    assert counted(0, odd) == {
        "node_load_max": 4,
        "node_load_sum": 5,
        "link_load_max": 1,
        "link_load_sum": 1,
        "links_used": 1,
    }


def test_portions_make_no_difference(monkeypatch: Any) -> None:
    them = rows(*((t, "sent", 10 + 10 * (t % 3), 20) for t in range(50)))
    whole = counted(0, them)
    assert counted(0, *np.array_split(them, 7), rows()) == whole
    monkeypatch.setattr(loads, "BATCH", 3)
    assert counted(0, *np.array_split(them, 20)) == whole and counted(0)["node_load_max"] == 0
