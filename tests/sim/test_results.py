"""What counts as expected, delivered, missed, and when a network counts as stable."""

from typing import Any

import numpy as np
import pytest

from psvr.results.deliveries import SECOND, Epoch, History, Subscription, count, stability
from psvr.sim.engine.world import DELIVERY, PUBLICATION

S, OPEN, WINDOW = SECOND, 1 << 62, 2 * SECOND


def publications(*them: tuple[float, int]) -> Any:
    made = np.zeros(len(them), PUBLICATION)
    for p, (time, node) in zip(made, them):
        p["time"], p["node"], p["messages"] = time * S, node, 7
    return made


def deliveries(*them: tuple[int, int, float, int]) -> Any:
    made = np.zeros(len(them), DELIVERY)
    for d, (publication, node, time, hops) in zip(made, them):
        d["publication"], d["node"], d["time"], d["hops"] = publication, node, time * S, hops
    return made


def history(subscriptions: list[tuple[int, float, float]], *epochs: tuple[float, list[int]]) -> History:
    made = History()
    made.subscriptions = [
        Subscription(v, 0, round(a * S), OPEN if b < 0 else round(b * S)) for v, a, b in subscriptions
    ]
    made.epochs = [Epoch(round(t * S), np.array(part)) for t, part in epochs]
    return made


ALL = (0, [0, 0, 0, 0])


@pytest.mark.parametrize(
    "subscriptions, epochs, time, expected",
    [
        ([(1, 0, -1), (2, 0, -1)], [ALL], 5, 2),
        ([(0, 0, -1), (1, 0, -1)], [ALL], 5, 1),  # not the publisher itself
        ([(1, 6, -1)], [ALL], 5, 0),  # subscribed after it
        ([(1, 0, 6)], [ALL], 5, 0),  # left within the window
        ([(1, 0, 8)], [ALL], 5, 1),
        ([(1, 5, -1)], [ALL], 5, 0),  # at the same moment is not before
        ([(1, 0, 7)], [ALL], 5, 0),  # left at the very end of the window
        ([(1, 0, -1)], [ALL, (7, [0, -1, 0, 0])], 5, 0),  # died then
        ([(1, 0, -1)], [(0, [0, 1, 0, 0]), (5, [0, 0, 0, 0])], 5, 1),  # connected from its very beginning
        ([(1, 0, -1)], [(0, [-1, -1, 0, 0])], 5, 0),  # the dead do not hang together
        ([(1, 0, 3), (1, 4, -1)], [ALL], 5, 1),  # left and came back before it
        ([(1, 0, -1)], [ALL, (6, [0, -1, 0, 0])], 5, 0),  # died within the window
        ([(1, 0, -1)], [ALL, (8, [0, -1, 0, 0])], 5, 1),  # … after it
        ([(1, 0, -1)], [(0, [0, 1, 0, 0]), (6, [0, 0, 0, 0])], 5, 0),  # joined only then
        ([(1, 0, -1)], [(0, [0, 1, 0, 0]), (4, [0, 0, 0, 0])], 5, 1),
        ([(1, 0, -1)], [ALL, (6, [0, 1, 1, 1]), (6.5, [0, 0, 0, 0])], 5, 0),  # cut off for half a second
    ],
)
def test_expected(subscriptions: Any, epochs: Any, time: float, expected: int) -> None:
    d = count(history(subscriptions, *epochs), publications((time, 0)), deliveries(), 0, WINDOW)
    assert (d.published, d.expected, d.delivered, d.duplicates) == (1, expected, 0, 0)


def test_delivered_twice_is_a_duplicate_and_counts_once() -> None:
    d = count(
        history([(1, 0, -1), (2, 0, -1)], ALL),
        publications((5, 0), (6, 3)),
        deliveries((0, 1, 5.5, 2), (0, 1, 5.7, 4), (1, 2, 6.25, 1), (0, 0, 5, 0)),
        0,
        WINDOW,
    )
    assert (d.expected, d.delivered, d.duplicates, d.messages) == (4, 2, 1, 14)
    assert d.hops == {1: 1, 2: 1} and sorted(d.latencies) == [0.25, 0.5]


def test_warmup_is_not_counted() -> None:
    d = count(
        history([(1, 0, -1)], ALL),
        publications((5, 0), (15, 0)),
        deliveries((0, 1, 5.5, 1), (0, 1, 5.6, 1), (1, 1, 15.5, 3)),
        10 * S,
        WINDOW,
    )
    assert (d.published, d.expected, d.delivered, d.duplicates, d.messages) == (1, 1, 1, 0, 7)
    assert d.hops == {3: 1}


def test_what_is_published_when_warmup_ends_counts() -> None:
    d = count(history([(1, 0, -1)], ALL), publications((5, 0), (10, 0)), deliveries((1, 1, 10.5, 1)), 10 * S, WINDOW)
    assert (d.published, d.expected, d.delivered) == (1, 1, 1)
    assert d.due.tolist() == [10 * S] and d.met.tolist() == [True]


def test_when_each_was_due_and_whether_it_came() -> None:
    d = count(
        history([(1, 0, -1), (2, 0, -1)], ALL),
        publications((5, 0), (6, 3)),
        deliveries((0, 2, 5.5, 1), (1, 1, 6.5, 1), (1, 0, 6.5, 1)),
        0,
        WINDOW,
    )
    assert list(zip((d.due // S).tolist(), d.met.tolist())) == [(5, False), (5, True), (6, True), (6, False)]


def test_channels_are_told_apart() -> None:
    made = history([(1, 0, -1)], ALL)
    made.subscriptions.append(Subscription(2, 1, 0, OPEN))
    sent = publications((5, 0), (6, 0), (7, 0))
    sent["channel"] = [0, 1, 2]
    d = count(made, sent, deliveries((0, 1, 5.5, 1), (1, 1, 6.5, 1)), 0, WINDOW)
    assert (d.expected, d.delivered, d.duplicates) == (2, 1, 0)


def test_nothing_published() -> None:
    d = count(history([], ALL), publications(), deliveries(), 0, WINDOW)
    assert (d.published, d.expected, d.delivered) == (0, 0, 0) and d.hops == {}


@pytest.mark.parametrize(
    "checks, faults, stable_at, recoveries",
    [
        ("..++++", [], 2, []),
        ("..+.++", [], 4, []),  # it did not keep holding
        ("..+++.", [], None, []),
        ("++++..++", [3.5], 0, [2.5]),
        ("++++..++", [3.5, 5.5], 0, [None, 0.5]),  # the second fault came before it was right again
        ("++++++++", [3.5, 3.6], 0, [None, 0.4]),  # nobody looked in between
        ("+++.", [3], None, [None]),  # what was seen at the moment of a fault was before it
        ("..++", [1], None, [1]),
        ("", [], None, []),
    ],
)
def test_stability(checks: str, faults: list[float], stable_at: float | None, recoveries: list[float | None]) -> None:
    made = History()
    made.checks = [(t * S, c == "+") for t, c in enumerate(checks)]
    made.faults = [round(t * S) for t in faults]
    assert stability(made) == (stable_at, recoveries)
