"""The routing vectors, and the paper's worked examples."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from psvr.graphs.graph import from_edges
from psvr.routing.settled import Settled
from psvr.routing.systems import SYSTEMS, Route, route

VECTORS = json.loads((Path(__file__).parent.parent / "vectors" / "routing.json").read_text())


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_vector(case: dict[str, Any]) -> None:
    settled = Settled(from_edges(case["n"], case["edges"]), case["root"], case["parent"])
    assert settled.ring.tolist() == case["ring"]
    assert [None if p < 0 else p for p in settled.next_subscriber(case["subscribers"])] == case["next_subscriber"]
    found = route(settled, "psvr", case["publisher"], case["subscribers"], case["shortcuts"])
    assert sorted(map(list, found.messages)) == case["messages"]
    assert found.hops == {int(v): hops for v, hops in case["hops"].items()}
    assert found.count == len(case["messages"])


def example(names: str, tree: list[str], extra: list[str]) -> tuple[dict[str, int], Settled]:
    """A network in the paper's letters, whose order is that of its figures."""
    number = {name: v for v, name in enumerate(names)}
    parent = [-1] * len(names)
    for link in tree:
        parent[number[link[1]]] = number[link[0]]
    edges = [(number[link[0]], number[link[1]]) for link in [*tree, *extra]]
    return number, Settled(from_edges(len(names), edges), 0, parent)


def small() -> tuple[dict[str, int], Settled]:
    return example("recdab", ["re", "ec", "ed", "ca", "db"], ["cd", "ab"])


def large() -> tuple[dict[str, int], Settled]:
    """Letters in the order in which the figure visits them, so that ascending ids are the figure's ring."""
    tree = ["ra", "re", "rj", "rb", "ac", "ad", "dg", "eh", "bi", "if"]
    return example("racdgehjbif", tree, ["cb", "de", "gf", "aj"])


def ids(number: dict[str, int], names: Iterable[str]) -> list[int]:
    return [number[name] for name in names]


def walk(found: Route) -> list[int]:
    """The positions that a single message passes, the first in front."""
    return [found.messages[0][0], *(goal for _, goal, _ in found.messages)]


def test_small_rings_and_next_subscribers() -> None:
    number, settled = small()
    assert settled.ring.tolist() == ids(number, "recacedbde")
    assert settled.next_subscriber(ids(number, "abc")).tolist() == [2, 2, 3, 4, 7, 7, 7, 2, 2, 2]


@pytest.mark.parametrize("shortcuts", ["all", "nontree"])
def test_small_publication_of_d(shortcuts: str) -> None:
    number, settled = small()
    found = route(settled, "psvr", number["d"], ids(number, "abc"), shortcuts)
    assert found.messages == [(6, 7, 8), (8, 2, 6), (2, 3, 4)]
    assert found.hops == {number["b"]: 1, number["c"]: 1, number["a"]: 2}


def test_small_in_2015() -> None:
    number, settled = small()
    found = route(settled, "vr2015", number["d"], ids(number, "abc"), "nontree", start=6)
    assert walk(found) == [6, 7, 8, 2, 3, 4]
    assert {ep for _, _, ep in found.messages} == {6}


def test_large_publication_of_a() -> None:
    number, settled = large()
    assert settled.ring.tolist() == ids(number, "racadgdareherjrbifib")
    wanted = ids(number, "cgi")
    assert route(settled, "psvr", number["a"], wanted, "nontree").messages == [
        (1, 2, 3),
        (3, 4, 7),
        (7, 13, 1),
        (4, 5, 6),
        (13, 14, 1),
        (14, 15, 0),
        (15, 16, 19),
    ]
    assert route(settled, "psvr", number["a"], wanted, "all").messages == [
        (1, 2, 3),
        (3, 4, 7),
        (7, 14, 1),
        (4, 5, 6),
        (14, 15, 0),
        (15, 16, 19),
    ]


@pytest.mark.parametrize("start", [None, 7])
def test_large_in_2015(start: int | None) -> None:
    number, settled = large()
    found = route(settled, "vr2015", number["a"], ids(number, "cgi"), "nontree", start=start)
    assert walk(found) == [7, 13, 14, 15, 16, 17, 18, 19, 2, 3, 4, 5, 6]
    assert found.count == 12


def test_large_publication_of_b() -> None:
    number, settled = large()
    found = route(settled, "psvr", number["b"], ids(number, "cgi"), "nontree")
    assert found.messages == [(15, 16, 19), (19, 2, 15), (2, 3, 15), (3, 4, 7), (4, 5, 6)]


def test_line_when_a_subscribes_after_c() -> None:
    number, settled = example("recadbf", ["re", "ec", "ca", "ad", "db", "bf"], [])

    def entries(subscribers: str, name: str) -> list[int]:
        ns = settled.next_subscriber(ids(number, subscribers))
        found: list[int] = ns[settled.positions(number[name])].tolist()
        return found

    assert [entries("c", name) for name in "dbf"] == [[10, 10], [10, 10], [10]]
    assert [entries("ca", name) for name in "dbf"] == [[9, 9], [9, 9], [9]]
    assert entries("ca", "c") == [3, 3]
    assert entries("c", "a") == entries("ca", "a") == [10, 10]


def test_systems_stand_in_order() -> None:
    assert list(SYSTEMS)[:8] == ["psvr", "vr2015", "ring", "shen", "td", "ts", "steiner", "flood"]
