"""How the messages of a run are distributed over nodes and links, counted from the trace while it runs."""

from typing import Any

import numpy as np

from psvr.sim.plan import Plan
from psvr.trace.columns import SENT

BATCH = 1 << 16  # messages counted at a time


class Loads:
    """Counts of the PUB messages that each node sent from `begin` on, and that went over each link in each direction.

    Retries on a link are not counted.  A broadcast goes over no link in particular, and neither does what a node with
    corrupt memory sends to a node out of reach.
    """

    def __init__(self, plan: Plan, begin: int) -> None:
        self.ids, self.begin = plan.ids, begin
        source = np.repeat(np.arange(plan.n), np.diff(plan.first))
        self.keys = source * plan.n + plan.near  # of the links, ascending
        self.nodes = np.zeros(plan.n, dtype=np.int64)
        self.links = np.zeros(self.keys.size, dtype=np.int64)
        self.waiting: list[Any] = []
        self.waiting_count = 0

    def take(self, rows: Any) -> None:
        """Take rows of the trace at level `pub`, in which only PUBs are sent; they come in many small portions."""
        sent = rows[(rows["event"] == SENT) & (rows["time"] >= self.begin)]
        self.waiting.append(np.stack((sent["node"], sent["peer"])))
        self.waiting_count += sent.size
        if self.waiting_count > BATCH:
            self.add()

    def add(self) -> None:
        """Count the messages that are waiting."""
        node, to = np.concatenate([np.empty((2, 0), dtype=np.int64), *self.waiting], axis=1)
        self.waiting, self.waiting_count = [], 0
        sender = np.searchsorted(self.ids, node)
        self.nodes += np.bincount(sender, minlength=self.nodes.size)
        receiver = np.minimum(np.searchsorted(self.ids, to), self.ids.size - 1)
        wanted = np.where(self.ids[receiver] == to, sender * self.nodes.size + receiver, -1)
        place = np.searchsorted(self.keys, wanted[np.isin(wanted, self.keys)])
        self.links += np.bincount(place, minlength=self.links.size)

    def results(self) -> dict[str, int]:
        self.add()
        return {
            "node_load_max": int(self.nodes.max(initial=0)),
            "node_load_sum": int(self.nodes.sum()),
            "link_load_max": int(self.links.max(initial=0)),
            "link_load_sum": int(self.links.sum()),
            "links_used": int(np.count_nonzero(self.links)),
        }
