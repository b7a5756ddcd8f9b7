"""What a swarm records of its run, and the order of its actions: without processes."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from psvr.results.deliveries import OPEN
from psvr.sim.engine.world import SOURCE
from psvr.sim.plan.demand import CHANGE
from psvr.sim.plan.faults import FaultEvent
from psvr.swarm.record import Record
from psvr.swarm.schedule import Change, FaultBegins, FaultEnds, Publish, schedule
from tests.support.swarm.recorded import record


def test_time_runs_from_the_beginning_to_the_end(clock: SimpleNamespace) -> None:
    it = Record(1, [])
    assert it.now == 0
    it.begin()
    clock.now += 5
    assert it.now == 5
    it.received(0, {"origin": 7, "boot": 1, "sequence": 2, "hops": 3, "channel": "c", "data": "x"})
    it.end()
    clock.now += 100
    assert it.now == 5 and it.deliveries == [(5, 0, 7, 1, 2, 3)]


def test_links_are_cut_and_healed_from_either_end(clock: SimpleNamespace) -> None:
    it = record(3, [(0, 1), (1, 2)])
    before = it.changes
    it.set_cut([(2, 1)], True)
    assert it.open_links() == [(0, 1)] and it.changes == before + 1
    it.set_cut([(0, 1), (1, 2)], False)
    assert it.open_links() == [(0, 1), (1, 2)]
    before = len(it.history.epochs)
    it.set_alive(0, True)
    assert len(it.history.epochs) == before, "nothing has changed"


def test_the_dead_connect_nobody(clock: SimpleNamespace) -> None:
    it = record(4, [(0, 1), (1, 2), (2, 3)])
    clock.now += 7
    it.set_alive(1, False)
    epoch = it.history.epochs[-1]
    assert (epoch.start, epoch.part.tolist()) == (7, [0, -1, 2, 2])
    living, ground = it.ground_truth()
    assert living == [0, 2, 3] and list(ground.part) == [0, 1, 1] and list(ground.near) == [2, 1]


def test_subscriptions_begin_and_end_one_by_one(clock: SimpleNamespace) -> None:
    it = record(2, [(0, 1)])
    for v, channel in ((0, 1), (0, 2), (1, 1)):
        it.subscribed(v, channel)
    clock.now += 9
    it.unsubscribed(0, 1)
    clock.now += 9
    it.subscribed(0, 1)
    assert [(s.node, s.channel, s.start, s.end) for s in it.history.subscriptions] == [
        (0, 1, 0, 9),
        (0, 2, 0, OPEN),
        (1, 1, 0, OPEN),
        (0, 1, 18, OPEN),
    ]


def test_what_nodes_counted_is_added_up_over_their_starts() -> None:
    it = Record(2, [])
    for v, boot, sent in ((0, 1, 5), (0, 1, 8), (0, 2, 1), (1, 1, 2)):
        it.count(v, {"boot": boot, "counters": {"sent": sent}, "memory": {"large": True}})
    assert it.total("counters") == {"sent": 11}
    assert all("memory" not in status for status in it.counts.values())


def test_of_one_time_subscriptions_come_first_and_publications_last() -> None:
    fault = FaultEvent(5, "cut", np.zeros(0, np.int32), np.array([[0, 1]]), 9, 0)
    drawn: Any = SimpleNamespace(
        changes=np.array([(5, 1, 0, 1)], CHANGE), faults=(fault,), sources=np.array([(0, 0, 5, 4, 20, 16)], SOURCE)
    )
    told = list(schedule(drawn, 13))
    assert told == [
        (5, Change(1, 0, True)),
        (5, FaultBegins(fault)),
        (5, Publish(0, 0, 16)),
        (9, FaultEnds(fault)),
        (9, Publish(0, 0, 16)),
    ]
