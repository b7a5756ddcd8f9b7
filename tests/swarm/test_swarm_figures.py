"""How a swarm checks its nodes and counts its publications: answers and traces made by hand, without processes."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.node.core.snapshot import to_plain
from psvr.results.figures import PACKED
from psvr.swarm import summary
from psvr.swarm.record import Record
from psvr.swarm.watch import Watch, packed_bytes
from psvr.trace import json_line
from tests.support.network import Network
from tests.support.swarm.recorded import record

EDGES = [(0, 1), (1, 2)]


def statuses() -> list[dict[str, Any]]:
    net = Network(EDGES, 3)
    net.subscribe(2)
    net.run(40)
    return [
        {"boot": 1, "memory": to_plain(me), "outbox": {"waiting": v}, "tables": {"turned_away": 0}}
        for v, me in enumerate(net.node)
    ]


class Asked:
    """Applications of a node with these answers."""

    def __init__(self, told: Any, then: Any = lambda: None) -> None:
        self.told, self.then = told, then

    async def status(self) -> Any:
        self.then()
        return self.told


def look(it: Record, asked: list[Asked]) -> Watch:
    watch = Watch(it, asked, 8)  # type: ignore[arg-type]
    asyncio.run(watch.look())
    return watch


def test_a_network_that_is_right_is_found_right(clock: SimpleNamespace) -> None:
    it, told = record(3, EDGES), statuses()
    clock.now += 3
    watch = look(it, [Asked(status) for status in told])
    assert it.history.checks == [(3, True)] and watch.problems == [] and watch.waiting == 0 + 1 + 2
    assert watch.max_table_bytes_packed == max(packed_bytes(status["memory"]) for status in told) > 0
    it.set_cut([(0, 1)], True)
    asyncio.run(watch.look())
    assert [good for _, good in it.history.checks] == [True, False], "the same nodes on other ground"


def test_a_network_that_is_wrong_is_found_wrong(clock: SimpleNamespace) -> None:
    it, told = record(3, EDGES), statuses()
    told[0]["memory"]["row"] = []
    watch = look(it, [Asked(status) for status in told])
    assert it.history.checks == [(0, False)] and {p.property for p in watch.problems} == {"tables"}


def test_answers_count_only_if_all_answer_and_the_ground_stays(clock: SimpleNamespace) -> None:
    it, told = record(3, EDGES), statuses()
    look(it, [Asked(told[0]), Asked(None), Asked(told[2])])
    assert it.history.checks == [] and set(it.counts) == {(0, 1), (2, 1)}
    look(it, [Asked(told[0]), Asked(told[1], lambda: it.set_cut([(0, 1)], True)), Asked(told[2])])
    assert it.history.checks == []
    it.set_cut([(0, 1)], False)
    look(it, [Asked(status) for status in told])
    assert len(it.history.checks) == 1


@pytest.mark.parametrize("turned_away, root, found", [(1, 2, [2]), (0, 2, []), (1, 0, [])])
def test_who_was_left_out(turned_away: int, root: int, found: list[int], clock: SimpleNamespace) -> None:
    it, told = record(3, EDGES), statuses()
    told[1]["tables"]["turned_away"] = turned_away
    told[2]["memory"]["root"] = root
    assert look(it, [Asked(status) for status in told]).left_out() == found


def test_bytes_of_a_table_on_a_mote() -> None:
    assert packed_bytes({"row": []}) == 0
    assert packed_bytes({"row": [[7, [1, 2, 3]], [8, [1]]]}) == 8 + 3 * PACKED + 8 + PACKED


def swarm(folder: Path, clock: SimpleNamespace, rows: list[dict[str, Any]]) -> Any:
    it = record(3, EDGES)
    lines = [json_line({"run": "mine", "clock": "unix", **row, "time": it.started + row["time"]}) for row in rows]
    (folder / "node.jsonl").write_text("".join(lines))
    plan = SimpleNamespace(n=3, ids=[10, 20, 30], channels=["a", "b"])
    return SimpleNamespace(
        places=SimpleNamespace(run="mine", trace=folder), record=it, plan=plan, scenario=SimpleNamespace(warmup=0.0)
    )


def published(time: int, node: int, sequence: int, channel: str = "a") -> dict[str, Any]:
    return {
        "time": time,
        "node": node,
        "event": "published",
        "channel": channel,
        "origin": node,
        "boot": 1,
        "sequence": sequence,
    }


def test_publications_and_their_messages_from_the_trace(tmp_path: Path, clock: SimpleNamespace) -> None:
    rows = [
        published(9, 30, 1, "b"),
        published(5, 10, 1),
        {**published(6, 10, 1), "event": "sent"},
        {**published(7, 20, 1), "origin": 10, "event": "sent"},
        {**published(8, 20, 7), "event": "sent"},
        {**published(5, 10, 2), "run": "another"},
    ]
    publications, place = summary.traced(swarm(tmp_path, clock, rows))
    assert publications.tolist() == [(5, 0, 0, 2), (9, 2, 1, 0)]
    assert place == {(10, 1, 1): 0, (30, 1, 1): 1}


def test_what_was_expected_and_what_came(tmp_path: Path, clock: SimpleNamespace) -> None:
    it = swarm(tmp_path, clock, [published(5_000_000, 10, 1), published(6_000_000, 30, 1)])
    for v in (1, 2):
        it.record.subscribed(v, 0)
    clock.now += 7_000_000
    assert not summary.all_arrived(it)
    for v, origin in ((1, 10), (2, 10), (1, 30), (1, 30), (1, 99)):
        it.record.received(v, {"origin": origin, "boot": 1, "sequence": 1, "hops": 2})
    d = summary.counted(it)
    assert (d.published, d.expected, d.delivered, d.duplicates, d.hops) == (2, 3, 3, 1, {2: 3})
    assert sorted(d.latencies) == [1.0, 2.0, 2.0] and summary.all_arrived(it)
