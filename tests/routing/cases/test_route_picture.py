"""The picture: well-formed, with every node, position, link and message, and nothing outside its bounds."""

import json
import re
from collections import Counter
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from psvr.routing.cases.case import parse_case
from psvr.routing.cases.report import Report, make_report
from psvr.routing.picture import MAX_NODES, picture
from psvr.routing.picture.circle import shortcut_pairs
from psvr.routing.picture.intervals import interval_lanes
from psvr.routing.picture.layout import tidy_tree
from psvr.routing.systems import SYSTEMS
from tests.support.route_running import SMALL, VECTORS, psvr, refused, route

SVG = "{http://www.w3.org/2000/svg}"
CASES: dict[str, dict[str, Any]] = {case["name"]: case for case in json.loads(VECTORS.read_text())}
ALONE = {"n": 1, "edges": [], "publisher": 0, "subscribers": [0]}


def drawn(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(picture(report))


def groups(within: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [group for group in within.iter(f"{SVG}g") if group.get("class") == kind]


def half(root: ElementTree.Element, kind: str) -> ElementTree.Element:
    [found] = groups(root, kind)
    return found


def hops_drawn(within: ElementTree.Element) -> list[int]:
    return sorted(int(hop) for group in groups(within, "message") for hop in (group.get("data-hops") or "").split())


SPARSE = [(name, system) for name in ("g2", "g12", "g38") for system in SYSTEMS]
DENSE = [("g0", "psvr"), ("g26", "psvr"), ("g26", "vr2015"), ("g26", "flood")]


@pytest.mark.parametrize(("name", "system"), SPARSE + DENSE)
def test_everything_is_drawn(name: str, system: str) -> None:
    report = make_report(parse_case(CASES[name]), system)
    root = drawn(report)
    topology, ring = half(root, "topology"), half(root, "ring")
    assert sorted(int(g.get("data-node") or -1) for g in groups(topology, "node")) == list(range(report.case.graph.n))
    assert [int(g.get("data-node") or -1) for g in groups(ring, "position")] == report.settled.ring.tolist()
    assert len(half(topology, "tree")) == report.case.graph.n - 1
    assert len(half(topology, "links")) == report.case.graph.m - report.case.graph.n + 1
    hops = sorted(step.hop for step in report.steps)
    assert hops_drawn(topology) == hops and hops_drawn(ring) == (hops if report.on_ring else [])


@pytest.mark.parametrize("case", [SMALL, ALONE, CASES["g12"], CASES["g26"]])
def test_nothing_lies_outside(case: dict[str, Any]) -> None:
    root = drawn(make_report(parse_case(case)))
    width, height = float(root.get("width") or 0), float(root.get("height") or 0)
    for kind in ("topology", "ring"):
        for circle in half(root, kind).iter(f"{SVG}circle"):
            assert 0 < float(circle.get("cx") or 0) < width and 0 < float(circle.get("cy") or 0) < height
        for path in half(root, kind).iter(f"{SVG}path"):
            start = [float(x) for x in re.findall(r"-?[\d.]+", path.get("d") or "")[:2]]
            assert 0 < start[0] < width and 0 < start[1] < height


@pytest.mark.parametrize("example", ["small", "large", "line"])
def test_labels_of_the_examples_keep_apart(tmp_path: Path, example: str) -> None:
    file = tmp_path / "new" / "folder" / "picture.svg"
    assert psvr("route", "--example", example, "--svg", str(file)).status == 0
    root = ElementTree.parse(file).getroot()
    places = []
    for kind in ("topology", "ring"):
        for text in half(root, kind).iter(f"{SVG}text"):
            size = float(text.get("font-size") or 0)
            at = float(text.get("x") or 0), float(text.get("y") or 0)
            places.append((*at, size * 0.55 * len(text.text or ""), size))
    for i, (x, y, width, size) in enumerate(places):
        for u, v, other, height in places[:i]:
            assert abs(x - u) >= (width + other) / 2 or abs(y - v) >= 0.75 * (size + height) / 2


def test_roles_are_filled_differently() -> None:
    root = drawn(make_report(parse_case(SMALL)))
    fills = {int(g.get("data-node") or -1): g[0].get("fill") for g in groups(half(root, "topology"), "node")}
    assert fills[2] == fills[3] == fills[5] and fills[0] == fills[1] and len({fills[4], fills[2], fills[0]}) == 3


def test_names_are_escaped(tmp_path: Path) -> None:
    names = ["<r>", "&", '"', "'", "é", "⊥"]
    file = tmp_path / "picture.svg"
    assert route(tmp_path, {**SMALL, "name": "<&>", "names": names}, "--svg", str(file)).status == 0
    root = ElementTree.parse(file).getroot()
    assert set(names) <= {text.text for text in root.iter(f"{SVG}text")}


def test_intervals_of_the_paper() -> None:
    example = resources.files("psvr.routing") / "examples" / "large.json"
    report = make_report(parse_case(json.loads(example.read_text(encoding="utf-8"))))
    lanes = {(step.message[0], step.message[2]): lane for step, lane in interval_lanes(report.steps)}
    assert lanes == {(1, 3): 0, (3, 7): 0, (7, 1): 0, (4, 6): 1, (14, 0): 1, (15, 19): 2}
    assert Counter(shortcut_pairs(report)) == Counter(
        [(1, 13), (3, 13), (7, 13), (2, 15), (2, 19), (4, 9), (4, 11), (6, 9), (6, 11), (5, 17)]
    )


def test_a_tidy_tree_has_parents_over_children_and_no_overlap() -> None:
    children = [[1, 2, 3], [4, 5], [], [6], [], [7], [8], [], []]
    column, layer = tidy_tree(children, 0)
    assert layer == [0, 1, 1, 1, 2, 2, 2, 3, 3]
    for v, below in enumerate(children):
        if below:
            assert column[v] == pytest.approx((column[below[0]] + column[below[-1]]) / 2)
    for depth in range(4):
        row = sorted(column[v] for v in range(9) if layer[v] == depth)
        assert all(b - a >= 1 - 1e-9 for a, b in pairwise(row))


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for file in (tmp_path, tmp_path / "file" / "x.svg", Path("/dev/null/x.svg")):
        refused(psvr("route", "--example", "small", "--svg", str(file)), "--svg: ", str(file), "cannot be written")
    refused(psvr("route", "--example", "small", "--svg", "-"), "--svg: must be the name of a file")
    refused(psvr("route", "--example", "small", "--svg", "a\0b"), "--svg: ")


def test_a_large_network_is_not_drawn(tmp_path: Path) -> None:
    case: dict[str, Any] = {"publisher": 0, "subscribers": [3]}
    for n in (MAX_NODES, MAX_NODES + 1):
        case |= {"n": n, "edges": [[0, v] for v in range(1, n)]}
        printed = route(tmp_path, case, "--svg", str(tmp_path / "large.svg"))
        if n == MAX_NODES:
            assert printed.status == 0
    refused(printed, "--svg: draws at most 1,000 nodes, this network has 1,001")
