"""Results: the vectors, the paper's examples, every system, and the text output."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from psvr.routing.cases.case import parse_case
from psvr.routing.cases.report import make_report
from psvr.routing.systems import SYSTEMS
from tests.support.route_running import GOLDEN, SMALL, VECTORS, changed, psvr, route

CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())
BY_NAME = {case["name"]: case for case in CASES}


@pytest.mark.parametrize("name", BY_NAME)
def test_vector(name: str) -> None:
    printed = psvr("route", str(VECTORS), "--case", name, "--json")
    assert (printed.status, printed.err) == (0, "")
    for field in ("ring", "next_subscriber", "messages", "hops"):
        assert printed.json[field] == BY_NAME[name][field]


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case["name"])
def test_every_message_travels_one_hop_after_the_one_before(case: dict[str, Any]) -> None:
    for name, system in SYSTEMS.items():
        if name == "steiner" and len(case["subscribers"]) > 10:
            continue
        report = make_report(parse_case(case), name)
        first: dict[int, int] = {}
        for step in report.steps:
            first[step.receiver] = min(step.hop, first.get(step.receiver, step.hop))
            before = report.steps[step.cause] if step.cause is not None else None
            assert step.hop == (before.hop + 1 if before else 1)
            assert (before.receiver if before else case["publisher"]) == step.sender
            assert len(step.message) == (3 if system.positions else 2)
        assert {v: first[v] for v in report.hops} == report.hops


@pytest.mark.parametrize("name", ["small", "large", "line"])
def test_example_reads_as_before(name: str) -> None:
    printed = psvr("route", "--example", name)
    assert (printed.status, printed.err) == (0, "")
    assert printed.out == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert max(map(len, printed.out.splitlines())) <= 100


def test_large_example_of_the_paper() -> None:
    nontree, every = (
        psvr("route", "--example", "large", "--json").json,
        psvr("route", "--example", "large", "--json", "--shortcuts", "all").json,
    )
    assert nontree["messages"] == [[1, 2, 3], [3, 4, 7], [4, 5, 6], [7, 13, 1], [13, 14, 1], [14, 15, 0], [15, 16, 19]]
    assert nontree["counts"]["vr2015"] == 12 and nontree["counts"]["psvr"] == 7
    assert every["counts"]["psvr"] == 6 and [7, 14, 1] in every["messages"]
    around = psvr("route", "--example", "large", "--json", "--system", "vr2015").json["messages"]
    assert {to for _, to, _ in around} == {13, 14, 15, 16, 17, 18, 19, 2, 3, 4, 5, 6}
    assert psvr("route", "--example", "small", "--json").json["messages"] == [[2, 3, 4], [6, 7, 8], [8, 2, 6]]


def test_the_second_publisher_of_the_large_example(tmp_path: Path) -> None:
    example = resources.files("psvr.routing") / "examples" / "large.json"
    case = json.loads(example.read_text(encoding="utf-8"))
    case = {name: value for name, value in case.items() if name not in ("messages", "hops")} | {"publisher": 8}
    found = route(tmp_path, case, "--json").json["messages"]
    assert found == [[2, 3, 15], [3, 4, 7], [4, 5, 6], [15, 16, 19], [19, 2, 15]]


def test_start_is_where_vr2015_starts(tmp_path: Path) -> None:
    for start in (6, 8):
        printed = route(tmp_path, changed(start=start), "--system", "vr2015", "--json")
        assert printed.status == 0 and {ep for _, _, ep in printed.json["messages"]} == {start}
    assert route(tmp_path, changed(start=6), "--json").json["messages"] == [[2, 3, 4], [6, 7, 8], [8, 2, 6]]


@pytest.mark.parametrize("system", SYSTEMS)
def test_system_as_json(tmp_path: Path, system: str) -> None:
    found = route(tmp_path, SMALL, "--json", "--system", system).json
    assert found["messages"] == sorted(found["messages"]) and set(found["hops"]) == {"2", "3", "5"}
    assert set(found["counts"]) == set(SYSTEMS)
    assert found["counts"][system] == (6 if system == "flood" else len(found["messages"]))
    assert {len(message) for message in found["messages"]} == {3 if SYSTEMS[system].positions else 2}
    assert system in psvr("route", "--help").out


def test_what_is_left_out_is_chosen(tmp_path: Path) -> None:
    star = {"n": 5, "edges": [[3, 0], [3, 1], [3, 2], [3, 4]], "publisher": 0, "subscribers": [4]}
    assert route(tmp_path, star, "--json").json["ring"] == [3, 0, 3, 1, 3, 2, 3, 4]  # from the centre
    assert route(tmp_path, {**star, "root": 1}, "--json").json["ring"] == [1, 3, 0, 3, 2, 3, 4, 3]
    assert route(tmp_path, {**star, "parent": [3, 3, -1, 2, 3]}, "--json").json["ring"] == [2, 3, 0, 3, 1, 3, 4, 3]
    assert route(tmp_path, changed(shortcuts=None), "--json").json["shortcuts"] == "all"
    assert route(tmp_path, changed(), "--json", "--shortcuts", "all").json["shortcuts"] == "all"


def test_nobody_and_a_single_node(tmp_path: Path) -> None:
    printed = route(tmp_path, changed(subscribers=[]), "--json").json
    assert printed["messages"] == [] and printed["hops"] == {} and printed["next_subscriber"] == [None] * 10
    assert "nobody" in route(tmp_path, changed(subscribers=[])).out
    alone = {"n": 1, "edges": [], "publisher": 0, "subscribers": [0]}
    found = route(tmp_path, alone, "--json").json
    assert found["ring"] == [] and found["counts"] == {name: int(name == "flood") for name in SYSTEMS}
    assert "locally" in route(tmp_path, alone).out


def test_a_publisher_may_subscribe(tmp_path: Path) -> None:
    printed = route(tmp_path, changed(subscribers=[4, 5]))
    assert "hop 0     4 itself, locally" in printed.out and "received by 1 subscriber\n" in printed.out


def test_steiner_only_where_it_is_quick(tmp_path: Path) -> None:
    case = {"n": 14, "edges": [[0, v] for v in range(1, 14)], "publisher": 0, "subscribers": list(range(1, 12))}
    assert route(tmp_path, case, "--json").json["counts"]["steiner"] is None
    assert route(tmp_path, case).status == 0
    case["subscribers"] = list(range(11))  # the publisher does not count
    assert route(tmp_path, case, "--json").json["counts"]["steiner"] == 10
    case = {"n": 201, "edges": [[0, v] for v in range(1, 201)], "publisher": 0, "subscribers": [1]}
    assert route(tmp_path, case, "--json").json["counts"]["steiner"] is None
