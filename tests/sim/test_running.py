"""How long a scenario is run: for its duration, and on until everything under way has arrived, but not for ever."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psvr.protocol.host.holding import FREE, IN_FLIGHT, KEPT, STUCK
from psvr.results.deliveries import SECOND
from psvr.results.figures import window
from psvr.sim.missing import under_way
from psvr.sim.running import run_to_end

HELD = np.dtype([("state", "i4"), ("handle", "i8")])


def holding(*held: tuple[int, int]) -> Any:
    """A world whose only host holds these publications: their states and numbers."""
    return SimpleNamespace(
        held=np.array([list(held)], HELD),
        hosts=np.array([(len(held),)], [("top", "i4")]),
        stations=np.array([(1,)], [("alive", "i4")]),
    )


class Net:
    """A clock; a publication is under way until `arrives`, in seconds."""

    def __init__(self, duration: float, arrives: float) -> None:
        self.scenario, self.plan = SimpleNamespace(duration=duration), SimpleNamespace(n=3)
        self.now, self.arrives, self.steps = 0, arrives, list[float]()
        self.machine = SimpleNamespace(advance=self.advance)

    @property
    def world(self) -> Any:
        on_its_way = self.now < self.arrives * SECOND
        return holding((IN_FLIGHT if on_its_way else FREE, 7), (KEPT, 8), (FREE, 9))

    def run(self, seconds: float) -> None:
        self.steps.append(seconds)
        self.now += round(seconds * SECOND)

    def advance(self, until: int) -> None:
        self.now = until


@pytest.mark.parametrize(
    "duration, arrives, end",
    [(2.5, 0, 2.5), (2.5, 2.4, 2.5), (2.5, 4, 4.5), (0.25, 1, 1.25), (1, 1e9, 1 + window(3) / SECOND)],
)
def test_when_a_run_ends(duration: float, arrives: float, end: float) -> None:
    net, looks = Net(duration, arrives), list[int]()
    assert run_to_end(net, look=lambda: looks.append(net.now))  # type: ignore[arg-type]
    assert net.now == round(end * SECOND) and sum(net.steps) == pytest.approx(duration) and max(net.steps) <= 1
    assert len(looks) == len(net.steps)


@pytest.mark.parametrize("stop_at", [0, 1.5, 3.5])
def test_a_run_that_is_stopped_says_so(stop_at: float) -> None:
    net = Net(2.5, 100)
    assert not run_to_end(net, stop=lambda: net.now >= stop_at * SECOND)  # type: ignore[arg-type]
    assert stop_at * SECOND <= net.now < (stop_at + 1) * SECOND


def test_what_is_only_kept_is_not_on_its_way() -> None:
    for held, found in (([(KEPT, 5), (FREE, 6)], []), ([(KEPT, 5), (STUCK, 6)], [6]), ([(FREE, 5)], []), ([], [])):
        assert under_way(holding(*held)).tolist() == found
