"""The compiled host, the plain one and the live node's driver behave identically in the same networks."""

from typing import Any

import numpy as np
import pytest

from psvr.node.core import growing
from psvr.protocol.constants import SYSTEMS
from tests.support.sim.triplets import Triplets


@pytest.fixture(autouse=True)
def tables_that_do_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a simulation."""
    monkeypatch.setattr(growing, "PLACES", 1)


def scenario(n: int, seed: int, loss: float, system: str, profile: str) -> dict[str, Any]:
    radio = {"model": "lossy", "loss": loss} if loss else {"model": "ideal"}
    return {
        "seed": seed,
        "topology": {"kind": "gnp", "n": n, "degree": 3.5},
        "radio": radio,
        "protocol": {"system": system, "lease": 4.0},
        "host": {"profile": profile},
    }


@pytest.mark.parametrize("profile", ["full", "paper"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_equal_from_nothing(system: str, profile: str) -> None:
    for loss in (0, 0.2):
        trio = Triplets(scenario(9, 1, loss, system, profile))
        for v, channel in ((2, "a"), (7, "a"), (7, "b")):
            trio.subscribe(v, channel)
        trio.publish(3, "a")  # before there is a ring
        trio.advance(9)
        for v in range(9):
            trio.publish(v, "a")
            trio.publish(v, "b")
            trio.advance(0.3)
        trio.advance(2)
        trio.compare()
        assert len(trio.live.deliveries) >= 10


@pytest.mark.parametrize("profile", ["full", "paper"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_equal_through_faults(system: str, profile: str) -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        trio = Triplets(scenario(8, seed, 0.1, system, profile))
        trio.subscribe(1, "a")
        trio.subscribe(5, "a")
        trio.advance(8)
        for v in range(8):
            trio.publish(v, "a")
        trio.crash(int(trio.net.world.near[0]))  # with publications on their way
        trio.advance(1)
        for v, kind in zip(rng.permutation(8), ("bytes", "plausible", "plausible", "swapped", "foreign", "blended")):
            trio.corrupt(int(v), rng, kind)
        trio.advance(3)
        trio.publish(3, "a")
        trio.advance(12)
        trio.restart(int(trio.net.world.near[0]))
        trio.cut(int(trio.net.world.near[0]), 0)
        trio.advance(8)
        for v in range(8):
            trio.publish(v, "a")
        trio.advance(4)
        trio.compare()
