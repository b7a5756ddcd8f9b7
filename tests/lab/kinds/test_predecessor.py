"""The study `predecessor`: what it counts, against the paper's figures and against the ring's length."""

from typing import Any

import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.lab.code import imported
from psvr.lab.study import BUILT_IN

trial: Any = imported(BUILT_IN / "predecessor" / "trial.py", "trial.py")
JOINS = {"event": "joins", "n": 20, "s": 3, "channels": 1, "shared": 1.0}
LEAVES = {**JOINS, "event": "leaves", "s": 4}
SCENARIO = {"same_tree": 40, "topology": {"kind": "geometric", "n": "$n", "degree": 7}, "traffic": []}
SYSTEMS = ["psvr/all/paper", "vr2015-ring/all/paper"]


def rows(parameters: dict[str, Any], seed: int = 1, lease: float = 1000.0) -> list[dict[str, Any]]:
    scenario = {**SCENARIO, "protocol": {"lease": lease}}
    return list(trial.run(trial.resolve(parameters), scenario, seed, SYSTEMS))


def test_the_range_of_a_new_subscriber_is_that_of_the_paper() -> None:
    """Figure `subscribtionDist`: with subscribers at 7 and, new, at 9, these are [7, 9); the first concerns all."""
    ring = np.arange(12)
    assert np.flatnonzero(trial.in_range(ring, 9, [7])).tolist() == [7, 8]
    assert np.flatnonzero(~trial.in_range(ring, 9, [])).tolist() == [9]
    line = np.array([0, 1, 2, 3, 2, 1])  # three is new, one subscribes: its own positions are no other subscriber
    assert np.flatnonzero(trial.in_range(line, 3, [1])).tolist() == [1, 2, 5]


def test_around_the_ring_every_channel_takes_as_many_subs_as_it_has_positions() -> None:
    for channels in (1, 3):
        over_tree, around = rows({**JOINS, "channels": channels})
        assert around["length"] == 38 and around["subs"] == around["apart"] == 38 * channels
        assert over_tree["subs"] * channels == over_tree["apart"] < around["subs"]
        assert (over_tree["factor"], around["factor"]) == (channels, 1)
        assert over_tree["failure"] is around["failure"] is None


def test_who_gets_a_subscription_how_often() -> None:
    over_tree, around = rows(JOINS)
    assert (over_tree["heard"], over_tree["heard_most"]) == (1, 1)
    assert 1.5 < around["heard"] < 2.5 and around["heard_most"] > 2 and around["reached_percent"] == 100
    assert over_tree["range_wrong"] == around["range_wrong"] == 0
    assert over_tree["range_percent"] == around["range_percent"] < 100
    assert 0 < over_tree["learnt_ms"] < around["learnt_ms"]


def test_routes_are_longer_when_entries_have_been_removed() -> None:
    found = [rows(LEAVES, seed, lease=4.0) for seed in range(4)]
    assert max(r["longer_percent"] for r in [psvr for psvr, _ in found]) <= 0
    assert max(r["longer_percent"] for r in [vr2015 for _, vr2015 in found]) > 20
    assert all(r["rest"] <= r["before"] <= r["peak"] for pair in found for r in pair)


def test_the_same_trial_has_the_same_rows() -> None:
    mixed = {**JOINS, "channels": 2, "shared": 0.5}
    assert rows(mixed, 3) == rows(mixed, 3) != rows(mixed, 4)


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"event": "moves"}, 'event: must be one of joins, leaves, not "moves"'),
        ({"shared": 0}, "shared: must be"),
        ({"channels": 0}, "channels: must be"),
        ({"event": "leaves", "s": 1}, "s: must be at least 2 where one subscriber leaves"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        trial.resolve({**JOINS, **changes})


def test_more_subscribers_than_there_are_nodes_are_left_out() -> None:
    assert trial.resolve({**JOINS, "s": 17}) is None and trial.resolve({**JOINS, "s": 16}) is not None
