"""Runs a scenario from beginning to end."""

from collections.abc import Callable

from psvr.results.deliveries import SECOND
from psvr.results.figures import window

from .missing import under_way
from .network import Network

STEP = 1.0  # simulated seconds between two calls of `stop`


def run_to_end(net: Network, stop: Callable[[], bool] = lambda: False, look: Callable[[], None] = lambda: None) -> bool:
    """Run for the scenario's duration, and on until everything under way has arrived; returns False if `stop` ended it.

    `look` is called after every step of the duration.
    """
    end = round(net.scenario.duration * SECOND)
    while net.now < end and not stop():
        net.run(min(STEP, (end - net.now) / SECOND))
        look()
    last = net.now + window(net.plan.n)
    while under_way(net.world).size and net.now < last and not stop():
        net.machine.advance(min(net.now + round(STEP * SECOND), last))
    return not stop()
