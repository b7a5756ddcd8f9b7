"""Masters of Spark by their texts, without starting any."""

import pytest

from psvr.lab.spark.master import is_loopback, parse


@pytest.mark.parametrize(
    "text, here",
    [
        ("local[2]", True),
        ("yarn", False),
        ("spark://localhost:7077", True),
        ("spark://[::1]:7077", True),
        ("spark://127.0.0.1:1,127.9.9.9:2", True),
        ("spark://127.0.0.1:1,10.0.0.1:2", False),
        ("spark://10.0.0.1:1,localhost:2", False),
        ("k8s://https://127.0.0.1:6443", True),
        ("k8s://https://far", False),
    ],
)
def test_closed_to_others_only_where_all_of_it_is_here(text: str, here: bool) -> None:
    assert parse(text).here == here


def test_addresses_that_stay_here() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "10.0.0.1", "localhost.example", "")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
