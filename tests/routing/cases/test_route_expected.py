"""Expected fields are compared, and a difference is reported."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.route_running import changed, route

RING = [0, 1, 2, 3, 2, 1, 4, 5, 4, 1]
NEXT = [2, 2, 3, 4, 7, 7, 7, 2, 2, 2]
MESSAGES = [[8, 2, 6], [6, 7, 8], [2, 3, 4]]
HOPS = {"2": 1, "3": 2, "5": 1}


def test_agreement(tmp_path: Path) -> None:
    printed = route(tmp_path, changed(ring=RING, next_subscriber=NEXT, messages=MESSAGES, hops=HOPS))
    assert printed.status == 0 and printed.err == ""
    assert "as expected: ring, next_subscriber, messages, hops" in printed.out


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("ring", [*RING[:-1], 4], "ring: at position 9 4 was expected, but it is 1"),
        ("ring", RING[:4], "ring: 4 positions were expected, but the ring has 10"),
        ("next_subscriber", [None, *NEXT[1:]], "next_subscriber: at position 0 null was expected, but it is 2"),
        ("messages", MESSAGES[:2], "messages: not expected: (2, 3, 4)"),
        ("messages", [*MESSAGES, [1, 2, 10**30]], "messages: never sent: (1, 2, 1000"),
        ("messages", [*MESSAGES, MESSAGES[0]], "messages: 4 were expected, 3 were sent"),
        ("hops", {**HOPS, "3": 1}, "hops: node 3: 1 hop expected, but it is 2 hops"),
        ("hops", {"2": 1, "5": 1}, "hops: node 3: none expected, but it is 2 hops"),
    ],
)
def test_difference(tmp_path: Path, field: str, value: Any, text: str) -> None:
    for output in ([], ["--json"]):
        printed = route(tmp_path, changed(**{field: value}), *output)
        assert printed.status == 1 and printed.out
        assert printed.err.startswith(f"psvr: not as expected: {text}") and printed.err.count("\n") == 1
    assert f"NOT as expected: {field}" in route(tmp_path, changed(**{field: value})).out


def test_a_route_is_expected_of_one_system_with_one_set_of_shortcuts(tmp_path: Path) -> None:
    case = changed(ring=RING, messages=[], hops={})
    assert route(tmp_path, case).status == 1
    for other in (["--shortcuts", "all"], ["--system", "td"]):
        printed = route(tmp_path, case, *other)
        assert printed.status == 0 and "not compared, since expected of psvr" in printed.out
    assert route(tmp_path, changed(ring=[], messages=[]), "--system", "td").status == 1
    open_case = changed(shortcuts=None, messages=MESSAGES)
    assert route(tmp_path, open_case, "--shortcuts", "nontree").status == 0
