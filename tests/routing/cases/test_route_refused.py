"""Every error in the input is one line that names the field."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from psvr.errors import BadInput
from psvr.routing.cases.case import FIELDS, parse_case
from psvr.routing.cases.report import compare, make_report
from tests.support.route_running import SMALL, VECTORS, changed, psvr, refused, route

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"n": "6"}, "n: must be a whole number from 1 to"),
    ({"n": True}, "n: "),
    ({"n": 6.0}, "n: "),
    ({"n": 1e30}, "n: "),
    ({"n": 0}, "n: "),
    ({"n": -3}, "n: "),
    ({"n": 10**12}, "n: "),
    ({"n": 10**30}, "n: "),
    ({"n": [6]}, "n: "),
    ({"n": 5}, "edges[4]: "),
    ({"edges": {"0": 1}}, "edges: must be a list"),
    ({"edges": "01"}, "edges: "),
    ({"edges": [3]}, "edges[0]: "),
    ({"edges": [[0, 1], [1, 2, 3]]}, "edges[1]: "),
    ({"edges": [[0, 1], [1]]}, "edges[1]: "),
    ({"edges": [[0, 1], [1, 2.0]]}, "edges[1]: "),
    ({"edges": [[0, True]]}, "edges[0]: "),
    ({"edges": [[0, 1], [1, 6]]}, "edges[1]: "),
    ({"edges": [[0, -1]]}, "edges[0]: "),
    ({"edges": [[0, 10**30]]}, "edges[0]: "),
    ({"edges": [*SMALL["edges"], [3, 3]]}, "edges[7]: "),
    ({"edges": [*SMALL["edges"], [2, 1]]}, "edges[7]: "),
    ({"edges": [*SMALL["edges"], None]}, "edges[7]: "),
    ({"edges": SMALL["edges"][:4]}, "edges: nodes 0 and 5 are not connected"),
    ({"edges": []}, "edges: nodes 0 and 1 "),
    ({"publisher": 6}, "publisher: must be a node from 0 to 5, not 6"),
    ({"publisher": -1}, "publisher: "),
    ({"publisher": "4"}, "publisher: "),
    ({"publisher": 4.0}, "publisher: "),
    ({"publisher": False}, "publisher: "),
    ({"publisher": 10**30}, "publisher: "),
    ({"subscribers": 3}, "subscribers: must be a list of nodes, not 3"),
    ({"subscribers": [1, 6]}, "subscribers[1]: "),
    ({"subscribers": [1, 2, 1]}, "subscribers[2]: "),
    ({"subscribers": [1.0]}, "subscribers[0]: "),
    ({"subscribers": [True]}, "subscribers[0]: "),
    ({"subscribers": [None]}, "subscribers[0]: "),
    ({"subscribers": [-(10**30)]}, "subscribers[0]: "),
    ({"root": 6}, "root: must be a node from 0 to 5"),
    ({"root": -1}, "root: "),
    ({"root": 0.0}, "root: "),
    ({"root": 1}, "parent[0]: "),
    ({"parent": 3}, "parent: "),
    ({"parent": [-1, 0, 1, 2, 1]}, "parent: "),
    ({"parent": [-1, 0, 1, 2, 1, 4, 4]}, "parent: "),
    ({"parent": [-1, 0, 1, 2, 1, 9]}, "parent[5]: "),
    ({"parent": [-1, 0, 1, 2, 1, "4"]}, "parent[5]: "),
    ({"parent": [-1, 0, 1, 2, 1, True]}, "parent[5]: "),
    ({"parent": [-1, 0, 1, 2, 1, 0]}, "parent[5]: "),
    ({"parent": [-1, 0, 4, 2, 2, 4]}, "parent[2]: "),
    ({"parent": [-1, 0, 1, -1, 1, 4]}, "parent[3]: "),
    ({"parent": [1, 0, 1, 2, 1, 4]}, "parent[0]: "),
    ({"root": None, "parent": [-1, 0, 1, -1, 1, 4]}, "parent: exactly one"),
    ({"root": None, "parent": [1, 0, 1, 2, 1, 4]}, "parent: exactly one"),
    ({"root": None, "parent": [-1, 0, 4, 2, 2, 4]}, "parent[2]: "),
    ({"shortcuts": "some"}, 'shortcuts: must be "all" or "nontree", not "some"'),
    ({"shortcuts": 1}, "shortcuts: "),
    ({"shortcuts": ["all"]}, "shortcuts: "),
    ({"start": 5}, "start: must be one of the publisher's positions, 6, 8"),
    ({"start": -1}, "start: "),
    ({"start": 10**30}, "start: "),
    ({"start": 6.0}, "start: "),
    ({"name": 3}, "name: "),
    ({"name": "a\nb"}, "name: "),
    ({"names": "recadb"}, "names: "),
    ({"names": ["r"]}, "names: must be a list of 6"),
    ({"names": ["r", "e", "c", "a", "d", "d"]}, "names[5]: "),
    ({"names": ["r", "e", "c", "a", "d", ""]}, "names[5]: "),
    ({"names": ["r", "e", "c", "a", "d", 7]}, "names[5]: "),
    ({"names": ["r", "e", "c", "a", "d", "\ud800"]}, "names[5]: "),
    ({"names": ["r", "e", "c", "a", "d", "x" * 99]}, "names[5]: "),
    ({"ring": 3}, "ring: "),
    ({"ring": ["r"]}, "ring[0]: "),
    ({"next_subscriber": [1.5]}, "next_subscriber[0]: "),
    ({"messages": [[1, 2]]}, "messages[0]: "),
    ({"messages": [[1, 2, None]]}, "messages[0]: "),
    ({"messages": {}}, "messages: "),
    ({"hops": [1]}, "hops: "),
    ({"hops": {"1": "2"}}, 'hops."1": '),
    ({"subscriber": [1]}, "subscriber: unknown field; allowed are name, names, n, edges"),
    ({"\n\x00": [1]}, "unknown field"),
]


@pytest.mark.parametrize(("fields", "text"), WRONG, ids=[text.strip() + str(i) for i, (_, text) in enumerate(WRONG)])
def test_wrong_field(tmp_path: Path, fields: dict[str, Any], text: str) -> None:
    refused(route(tmp_path, changed(**fields)), text)


@pytest.mark.parametrize("field", ["n", "edges", "publisher", "subscribers"])
def test_missing_or_null_field(tmp_path: Path, field: str) -> None:
    refused(route(tmp_path, changed(**{field: None})), f"psvr: {field}: missing")
    refused(route(tmp_path, {**SMALL, field: None}), f"psvr: {field}: must be ", "not null")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"", ["empty"]),
        (b" \n ", ["empty"]),
        (b"{", ["line 1, column 2"]),
        (b'{"n": 3,\n "edges" [}', ["line 2, column 10"]),
        (b"\xff\xfe{", ["not UTF-8"]),
        (b"7", ["case: must be an object"]),
        (b'"n"', ["case: "]),
        (b"null", ["case: "]),
        (b"[]", ["list of 0 cases", "--case NAME"]),
        (b"[1]", ["case: "]),
        (b'{"n": NaN}', ["NaN"]),
        (b'{"n": -Infinity}', ["-Infinity"]),
        (b"[" * 100_000, ["nested too deeply"]),
        (b'{"edges":' + b"[" * 900 + b"]" * 900 + b"}", ["n: missing"]),
        (b'{"n": ' + b"9" * 5000 + b"}", ["too many digits"]),
        (b'{"n": 3, "n": 4}', ["n: given twice"]),
        (b"{} {}", ["line 1, column 4"]),
    ],
)
def test_not_a_case(tmp_path: Path, text: bytes, parts: list[str]) -> None:
    file = tmp_path / "case.json"
    file.write_bytes(text)
    refused(psvr("route", str(file)), *parts)


def test_deep_values_are_not_repeated(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    for field in FIELDS:
        refused(route(tmp_path, changed(**{field: deep})), f"{field}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    refused(psvr("route", str(tmp_path / "none.json")), "none.json: No such file")
    refused(psvr("route", str(tmp_path)), "directory")
    refused(psvr("route", "a\0b"), "not the name of a file")
    refused(psvr("route", str(VECTORS / "x")), "x: ")


def test_options(tmp_path: Path) -> None:
    file = str(VECTORS)
    refused(psvr("route"), "CASE.json: missing")
    refused(psvr("route", file, "--example", "small"), "give only one of them")
    refused(psvr("route", "--example", "medium"), "--example: must be one of small, large, line")
    refused(psvr("route", "--example", "small", "--case", "g0"), "--case: ")
    refused(psvr("route", file), "a list of 40 cases: choose one with --case NAME")
    refused(psvr("route", file, "--case", "g99"), '--case: none of the 40 cases is called "g99"')
    refused(psvr("route", "--example", "small", "--system", "best"), "--system: must be one of psvr, vr2015, ")
    refused(psvr("route", "--example", "small", "--shortcuts", "few"), "--shortcuts: must be all or nontree, not few")
    refused(psvr("route", "--example", "small", "--colour"), "--colour")
    refused(route(tmp_path, SMALL, "--case", "g0"), "--case: the file holds one case")
    refused(route(tmp_path, [SMALL, SMALL], "--case", "g0"), "--case: none of the 2")
    named = changed(name="g0")
    refused(route(tmp_path, [named, named, SMALL], "--case", "g0"), "--case: 2 of the 3 cases are called")
    assert route(tmp_path, [SMALL]).status == route(tmp_path, named, "--case", "g0").status == 0
    assert route(tmp_path, [SMALL, 7, named], "--case", "g0").status == 0


def test_steiner_asked_for_where_it_is_not_computed(tmp_path: Path) -> None:
    case = {"n": 14, "edges": [[0, v] for v in range(1, 14)], "publisher": 0, "subscribers": list(range(1, 12))}
    refused(route(tmp_path, case, "--system", "steiner"), "--system: steiner is computed for at most 200 nodes and 10")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(text: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    feed(b"\xef\xbb\xbf" + json.dumps(SMALL).encode())  # with a byte order mark
    assert psvr("route", "-", "--json").json["counts"]["psvr"] == 3
    feed(b"{")
    refused(psvr("route", "-"), "standard input: not JSON: line 1, column 2")


def test_path_through_a_file(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.touch()
    refused(psvr("route", str(file / "case.json")), "Not a directory")


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
nodes = st.integers(-1, 6)
OPTIONAL = [name for name in FIELDS if name not in ("n", "edges", "publisher", "subscribers")]
near_cases = st.fixed_dictionaries(
    {
        "n": st.integers(0, 6) | scalars,
        "edges": st.lists(st.tuples(nodes, nodes).map(list) | values, max_size=8) | st.just(SMALL["edges"]) | values,
        "publisher": nodes | values,
        "subscribers": st.lists(nodes, max_size=5) | values,
    },
    optional={name: values | nodes | st.lists(nodes | values, max_size=8) for name in (*OPTIONAL, "what")},
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values | near_cases | st.fixed_dictionaries({name: st.just(value) | values for name, value in SMALL.items()}))
def test_any_value_is_routed_or_refused(value: Any) -> None:
    try:
        report = make_report(parse_case(value))
    except BadInput as error:
        assert str(error) and "\n" not in str(error)
        return
    compare(report)
    assert report.counts["psvr"] == len(report.steps)
