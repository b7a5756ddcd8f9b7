"""Looks at all nodes periodically: is the network correct, by the same rules as in the simulator?"""

import asyncio
from typing import Any

from psvr.node.core.snapshot import from_plain
from psvr.protocol.invariants import Problem, problems
from psvr.results.figures import PACKED

from .applications import Applications
from .record import Record

EVERY = 0.5  # seconds between two looks
HASH = 8  # bytes of a channel's hash in a row


class Watch:
    def __init__(self, record: Record, applications: list[Applications], links: int) -> None:
        self.record, self.applications, self.links = record, applications, links
        self.memories: dict[int, dict[str, Any]] = {}  # the memory of each node
        self.nodes: dict[int, Any] = {}  # the same, as records of the protocol
        self.problems: list[Problem] = []
        self.turned_away: dict[int, int] = {}
        self.changes = -1  # those of the record when the network was last checked
        self.waiting = 0  # publications that wait for a ring
        self.max_table_bytes_packed = 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            await self.look()

    async def look(self) -> None:
        """Ask all living nodes; the answers count only if no node or link changed in the meantime."""
        before = self.record.changes
        living, _ = self.record.ground_truth()
        answers = await asyncio.gather(*(self.applications[v].status() for v in living))
        for v, status in zip(living, answers):
            if status is not None:
                self.record.count(v, status)
        self.waiting = sum(status["outbox"]["waiting"] for status in answers if status is not None)
        if self.record.changes == before and None not in answers:
            self.evaluate({v: status for v, status in zip(living, answers) if status is not None})

    def evaluate(self, answers: dict[int, dict[str, Any]]) -> None:
        """Record whether the network is correct, checking it only if anything has changed."""
        changed = self.changes != self.record.changes
        for v, status in answers.items():
            if self.memories.get(v) != status["memory"]:
                self.memories[v], changed = status["memory"], True
                self.nodes[v] = from_plain(status["memory"], self.links)
                self.max_table_bytes_packed = max(self.max_table_bytes_packed, packed_bytes(status["memory"]))
        self.turned_away = {v: status["tables"]["turned_away"] for v, status in answers.items()}
        if changed:
            living, ground = self.record.ground_truth()
            self.problems = problems([self.nodes[v] for v in living], ground, [0] * len(living))
            self.changes = self.record.changes
        self.record.history.checks.append((self.record.now, not self.problems))

    def left_out(self) -> list[int]:
        """Ids of living nodes whose root is not the lowest id of their component, for want of room in its tree."""
        living, ground = self.record.ground_truth()
        if not set(living) <= set(self.nodes):
            return []
        lowest = {v: self.nodes[living[ground.part[i]]].id for i, v in enumerate(living)}
        others = [v for v in living if self.nodes[v].root != lowest[v]]
        if not any(self.turned_away.get(v) for v in set(living) - set(others)):
            return []
        return [self.nodes[v].id for v in others]


def packed_bytes(memory: dict[str, Any]) -> int:
    return sum(HASH + PACKED * len(entries) for _, entries in memory["row"])
