"""Compiled engine == small reference over plain objects: states and traces, event by event."""

from typing import Any

import numpy as np
import pytest

from psvr.protocol.constants import SYSTEMS
from tests.support.sim.twins import Twins


def scenario(n: int, degree: float, seed: int, loss: float, system: str, shortcuts: str = "all") -> dict[str, Any]:
    radio = {"model": "lossy", "loss": loss} if loss else {"model": "ideal"}
    return {
        "seed": seed,
        "topology": {"kind": "gnp", "n": n, "degree": degree},
        "radio": radio,
        "protocol": {"system": system, "shortcuts": shortcuts, "lease": 4.0},
    }


@pytest.mark.parametrize("loss", [0, 0.15])
@pytest.mark.parametrize("system", SYSTEMS)
def test_equal_from_nothing(system: str, loss: float) -> None:
    for seed in range(3):
        twins = Twins(scenario(9, 3.5, seed, loss, system, ("all", "nontree")[seed % 2]))
        twins.subscribe(2, "a")
        twins.subscribe(7, "a")
        twins.subscribe(7, "b")
        twins.advance(9)
        for v in range(9):
            twins.publish(v, "a")
            twins.publish(v, "b")
            twins.advance(0.3)
        twins.compare()
        assert len(twins.reference.deliveries) >= 20


@pytest.mark.parametrize("system", SYSTEMS)
def test_equal_through_faults(system: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        twins = Twins(scenario(8, 3.5, seed, 0.05, system))
        twins.subscribe(1, "a")
        twins.subscribe(5, "a")
        twins.advance(8)
        for v, kind in zip(rng.permutation(8), ("bytes", "plausible", "plausible", "swapped", "foreign", "blended")):
            twins.corrupt(int(v), rng, kind)
        twins.advance(3)
        twins.publish(3, "a")
        twins.crash_and_cut()
        for v in range(8):
            twins.publish(v, "a")
        twins.advance(1)
        twins.compare()


def test_order_of_equal_times_is_that_of_scheduling() -> None:
    """Many nodes publish at the same moment."""
    twins = Twins(scenario(10, 4, 5, 0, "psvr"))
    for v in range(10):
        twins.subscribe(v, "a")
    twins.advance(10)
    for v in range(10):
        twins.publish(v, "a")
    twins.advance(2)
    twins.compare()
    assert len(twins.reference.deliveries) == 100
