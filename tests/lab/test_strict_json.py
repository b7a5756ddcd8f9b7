"""What the lab writes as JSON can be read by programs that know no NaN and no Infinity."""

import json
import math

import pytest

from psvr.lab.query import as_csv, as_json
from psvr.lab.strict_json import dumps, plain
from tests.lab.test_lab_answers import Row

ODD = [math.nan, math.inf, -math.inf, 1.5, 3, True, None, "NaN"]


def strictly(text: str) -> object:
    """Read as a strict program does."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_numbers_that_json_does_not_have_are_null_wherever_they_are() -> None:
    value = {"a": ODD, "b": {"c": (math.nan, [math.inf])}}
    assert strictly(dumps(value)) == {"a": [None, None, None, 1.5, 3, True, None, "NaN"], "b": {"c": [None, [None]]}}
    assert plain(value) == strictly(dumps(value, indent=1))
    assert "1.5, 3, true" in dumps(ODD) and dumps("größe") == '"größe"'


def test_answers_to_queries_are_strict_too() -> None:
    found = type(
        "Found", (), {"columns": ["name", "n", "value"], "collect": lambda _: [Row(("x", [math.nan], math.inf))]}
    )
    assert strictly(as_json(found())) == {"name": "x", "n": [None], "value": None}
    assert as_csv(found()).splitlines()[1] == "x,[null],inf"
