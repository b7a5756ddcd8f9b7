"""Publications at a steady rate from one node to another, and how they arrive."""

import statistics
import threading
import time
from typing import NamedTuple

from psvr.errors import BadInput
from psvr.node.daemon.client import Client

from .nodes import Process, until

CHANNEL = "a"
LATE = 5.0  # seconds after which a message counts as lost


class Arrived(NamedTuple):
    published: int
    delivered: int
    median: float  # ms
    p99: float


class Listener:
    """Receives what arrives at a node until closed."""

    def __init__(self, node: Process) -> None:
        self.node, self.delays = node, dict[int, float]()
        self.client = Client(node.socket)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self) -> None:
        try:
            for message in self.client.messages([CHANNEL]):
                number, made = map(int, message["data"].split())
                self.delays.setdefault(number, (time.monotonic_ns() - made) / 1e6)
        except (BadInput, ValueError):
            return  # the node stops, or the connection is closed


def publish(at: Process, to: Listener, rate: float, seconds: float, first: int = 0) -> Arrived:
    """Publish from the node `at`, numbering from `first`."""
    count, begin = max(round(rate * seconds), 1), time.monotonic()
    with Client(at.socket) as client:
        for i in range(count):
            time.sleep(max(begin + i / rate - time.monotonic(), 0))
            client.request({"op": "publish", "channel": CHANNEL, "data": f"{first + i} {time.monotonic_ns()}"})
            client.answer()
    wanted, end = range(first, first + count), time.monotonic() + LATE
    while time.monotonic() < end and not all(i in to.delays for i in wanted):
        time.sleep(0.05)
    delays = sorted(to.delays[i] for i in wanted if i in to.delays) or [float("nan")]
    delivered = sum(i in to.delays for i in wanted)
    return Arrived(count, delivered, statistics.median(delays), delays[len(delays) * 99 // 100])


def wait_for_subscriber(nodes: list[Process]) -> None:
    """Wait until all know that the channel has a subscriber."""
    until(lambda: all(node.status()["tables"]["channels"] > 0 for node in nodes))
