"""What PSVR promises, on any connected network with any spanning tree and any set of subscribers."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.routing.kernels.shortcuts import shortcut_table
from psvr.routing.settled import Settled
from psvr.routing.systems import route
from tests.support.routing import naive
from tests.support.routing.networks import Case, cases, drawn

SHORTCUTS = st.sampled_from(["all", "nontree"])


def check(case: Case, shortcuts: str, settled: Settled | None = None) -> None:
    """Same messages as the definition, and everything the paper promises about them."""
    found = route(settled or case.settled, "psvr", case.publisher, case.subscribers, shortcuts)
    messages, received = naive.psvr(case.g, case.root, case.parent, case.publisher, case.subscribers, shortcuts)
    others = set(case.subscribers) - {case.publisher}
    assert found.messages == messages
    assert found.count == len(messages) <= 2 * (case.n - 1)
    assert max(map(len, received.values())) <= 1
    assert received[case.publisher] == []
    assert {v: [hops] for v, hops in found.hops.items()} == {v: received[v] for v in others}


@settings(deadline=None, max_examples=300)
@given(cases(), SHORTCUTS)
def test_every_subscriber_once_and_no_node_twice(case: Case, shortcuts: str) -> None:
    check(case, shortcuts)


@pytest.mark.parametrize("shortcuts", ["all", "nontree"])
@pytest.mark.parametrize("seed", range(8))
def test_larger_networks(seed: int, shortcuts: str) -> None:
    check(drawn(seed, 40 + seed, 60 + 20 * seed, 1 + 4 * seed), shortcuts)


@settings(deadline=None, max_examples=150)
@given(cases(), SHORTCUTS, st.integers(0, 3))
def test_hubs_make_no_difference(case: Case, shortcuts: str, light: int) -> None:
    settled = case.settled
    graph = settled.graph
    settled._shortcuts[shortcuts] = shortcut_table(
        graph.start, graph.near, settled.parent, settled.ring, settled.first_own, shortcuts == "all", light
    )
    check(case, shortcuts, settled)


@settings(deadline=None, max_examples=100)
@given(cases(), SHORTCUTS)
def test_all_subscribed_costs_one_message_per_node(case: Case, shortcuts: str) -> None:
    settled = case.settled
    everyone = range(case.n)
    assert route(settled, "psvr", case.publisher, everyone, shortcuts).count == case.n - 1
    assert route(settled, "shen", case.publisher, everyone).count == case.n - 1


@settings(deadline=None, max_examples=100)
@given(cases(), SHORTCUTS)
def test_nobody_subscribed_costs_nothing(case: Case, shortcuts: str) -> None:
    settled = case.settled
    assert route(settled, "psvr", case.publisher, [], shortcuts).messages == []
    assert route(settled, "psvr", case.publisher, [case.publisher], shortcuts).messages == []


@settings(deadline=None, max_examples=100)
@given(cases(), SHORTCUTS)
def test_own_subscription_changes_nothing(case: Case, shortcuts: str) -> None:
    """A publisher that subscribes gets its message locally; the others must not notice."""
    settled = case.settled
    others = set(case.subscribers) - {case.publisher}
    alone = route(settled, "psvr", case.publisher, others, shortcuts)
    assert route(settled, "psvr", case.publisher, others | {case.publisher}, shortcuts) == alone


@settings(deadline=None, max_examples=100)
@given(cases(), SHORTCUTS)
def test_intervals_do_not_overlap(case: Case, shortcuts: str) -> None:
    """Positions at which messages arrive are all different, and so are those they are sent from."""
    messages = route(case.settled, "psvr", case.publisher, case.subscribers, shortcuts).messages
    for column in range(2):
        assert max(Counter(message[column] for message in messages).values(), default=0) <= 1


@pytest.mark.parametrize("shortcuts", ["all", "nontree"])
def test_two_nodes(shortcuts: str) -> None:
    case = drawn(1, 2, 1, 0)
    for publisher in range(2):
        first = int(case.settled.positions(publisher)[0])
        found = route(case.settled, "psvr", publisher, [0, 1], shortcuts)
        assert found.messages == [(first, 1 - first, first)]
        assert found.hops == {1 - publisher: 1}
