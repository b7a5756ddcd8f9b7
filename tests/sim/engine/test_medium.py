"""The functions of the medium: how long a frame takes, when it may start, whether it arrives."""

import pytest

from psvr.protocol import numbers
from psvr.sim.engine.medium import access, airtime, chance, lost, reaction_time

ONE = 1 << 31


@pytest.mark.parametrize(
    "length, bitrate, us", [(0, 250_000, 192), (127, 250_000, 4256), (10, 1_000_000, 128), (1, 3, 18_666_666)]
)
def test_a_frame_takes_as_long_as_its_bytes_and_a_preamble_of_six(length: int, bitrate: int, us: int) -> None:
    assert airtime(length, bitrate) == us


def test_a_node_sends_one_frame_at_a_time() -> None:
    assert access(500, 100) == 500 and access(100, 500) == 500


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.95])
def test_as_many_receptions_fail_as_are_to(share: float) -> None:
    tries = [(serial, node) for serial in range(400) for node in range(50)]
    failed = [lost(7, serial, node, round(share * ONE)) for serial, node in tries]
    assert sum(failed) == pytest.approx(share * len(tries), abs=5 * (len(tries) * share * (1 - share)) ** 0.5)
    assert failed == [chance(7, serial, node) < share * ONE for serial, node in tries]


def test_each_reception_has_a_chance_of_its_own() -> None:
    drawn = [chance(key, serial, node) for key in (1, 2) for serial in range(50) for node in range(50)]
    assert len(set(drawn)) > 0.999 * len(drawn) and min(drawn) >= 0 and max(drawn) < ONE
    assert chance(1, 2, 3) == numbers.mix(numbers.mix(1, 2), 3) & (ONE - 1), "and the reference knows it"


def test_a_node_needs_a_moment() -> None:
    taken = {reaction_time(id, now) for id in range(50) for now in range(0, 5000, 100)}
    assert min(taken) >= 1_000 and max(taken) <= 5_000 and len(taken) > 1000
