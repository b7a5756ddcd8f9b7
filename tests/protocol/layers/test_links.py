"""Link quality, and the handshake by which two nodes take each other in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.links import forget_candidate, hear_quality, link_quality, sample, two_way
from psvr.protocol.records import Candidate, Hello
from tests.support.network import Network


def fresh() -> Any:
    c = blank(Candidate, Capacity())
    forget_candidate(c)
    return c


def test_first_samples_weigh_most() -> None:
    c, shares = fresh(), []
    for _ in range(3):
        sample(c, True)
        shares.append(round(c.q_in / k.QUALITY_ONE, 2))
    assert shares == [0.75, 0.83, 0.88]


@pytest.mark.parametrize("start", [0, 1, 32768, 65534, 65535])
@pytest.mark.parametrize("got, end", [(True, k.QUALITY_ONE), (False, 0)])
def test_averages_do_not_stall(start: int, got: bool, end: int) -> None:
    c = fresh()
    c.q_in, c.samples = start, k.SAMPLES
    for _ in range(500):
        before = c.q_in
        sample(c, got)
        assert c.q_in != before or before == end
    assert c.q_in == end


@given(st.lists(st.booleans(), min_size=400, max_size=400), st.integers(0, 65535))
def test_quality_is_the_share_received(heard: list[bool], start: int) -> None:
    """After 400 samples what was there before is forgotten, and half a per cent is rounding."""
    c, exact = fresh(), start / k.QUALITY_ONE
    c.q_in, c.samples = start, k.SAMPLES
    for got in heard:
        sample(c, got)
        exact += (got - exact) / 33
    assert abs(c.q_in / k.QUALITY_ONE - exact) < 0.005


def number(n: int) -> Any:
    hello = blank(Hello, Capacity())
    hello.number = n
    return hello


def test_gaps_count_as_losses_and_restarts_do_not() -> None:
    even, gap, restart, copy = fresh(), fresh(), fresh(), fresh()
    for n in (5, 6, 7):
        hear_quality(even, 0, number(n))
    for n in (5, 7):
        hear_quality(gap, 0, number(n))
    for n in (900, 1, 2):
        hear_quality(restart, 0, number(n))
    for n in (5, 5, 5, 6, 7):
        hear_quality(copy, 0, number(n))
    assert gap.q_in < even.q_in == restart.q_in == copy.q_in
    assert gap.samples == 3


@pytest.mark.parametrize(
    "numbers, samples",
    [
        ([0], 1),
        ([0, 2], 3),
        ([5], 1),
        ([5, 5], 1),
        ([5, 6], 2),
        ([5, 9], 5),
        ([5, 4], 2),
        ([5, 21], 1 + 15 + 1),
        ([5, 22], 1 + 16 + 1),
        ([5, 1000], 1 + 16 + 1),  # a long gap is a restart, or a fault
    ],
)
def test_every_number_heard_or_missed_is_a_sample(numbers: list[int], samples: int) -> None:
    c = fresh()
    for i, n in enumerate(numbers):
        hear_quality(c, i, number(n))
    assert (c.samples, c.number, c.heard) == (samples, numbers[-1], len(numbers) - 1)


def test_the_first_hello_of_a_node_has_no_gap_before_it() -> None:
    first, late = fresh(), fresh()
    hear_quality(first, 0, number(1))
    hear_quality(late, 0, number(900))
    assert first.q_in == late.q_in > k.QUALITY_START


@pytest.mark.parametrize("said, kept", [(-3, 0), (k.SEQ_LIMIT, k.SEQ_LIMIT), (2**31 - 1, k.SEQ_LIMIT)])
def test_a_number_beyond_all_is_kept_as_the_last(said: int, kept: int) -> None:
    c = fresh()
    hear_quality(c, 0, number(said))
    assert c.number == kept


def test_a_number_that_a_fault_has_written_is_no_gap() -> None:
    fault, good = fresh(), fresh()
    for c in (fault, good):
        hear_quality(c, 0, number(5))
    fault.number = -5
    for c in (fault, good):
        hear_quality(c, 0, number(6))
    assert fault.q_in == good.q_in


@pytest.mark.parametrize(
    "before, samples, got, after",
    [
        (32_768, 0, True, 49_152),
        (32_768, 0, False, 16_384),
        (40_000, 1, True, 48_512),
        (40_000, 1, False, 26_666),
        (0, 31, True, 1_986),
        (65_535, 31, False, 63_549),
        (-50, 0, True, 32_768),
        (1 << 30, 0, False, 32_767),
    ],
)
def test_one_sample(before: int, samples: int, got: bool, after: int) -> None:
    """A 2nd, 3rd … 33rd of the way, rounded up."""
    c = fresh()
    c.q_in, c.samples = before, samples
    sample(c, got)
    assert (c.q_in, c.samples) == (after, min(samples + 1, 31))


def test_a_sample_never_weighs_less_than_a_33rd() -> None:
    c = fresh()
    c.q_in = k.QUALITY_ONE
    c.samples = 1000
    sample(c, False)
    assert c.samples == k.SAMPLES and k.QUALITY_ONE - c.q_in == -(-k.QUALITY_ONE // 33)


@pytest.mark.parametrize(
    "q_in, q_out, quality",
    [(50_000, 20_000, 20_000), (20_000, 50_000, 20_000), (-5, 9, 0), (9, -5, 0), (1 << 30, 1 << 30, k.QUALITY_ONE)],
)
def test_quality_is_the_worse_direction(q_in: int, q_out: int, quality: int) -> None:
    c = fresh()
    c.q_in, c.q_out = q_in, q_out
    assert link_quality(c) == quality


def keeps(net: Network, u: int, v: int) -> bool:
    return any(two_way(link) and link.id == net.ids[v] for link in net.node[u].link)


def test_two_nodes_take_each_other_in() -> None:
    net = Network([(0, 1)], 2)
    net.run(5)
    assert keeps(net, 0, 1) and keeps(net, 1, 0)


def test_a_one_way_link_is_never_kept() -> None:
    net = Network([(0, 1)], 2)
    net.near[1].clear()  # 1 hears 0, but not the other way
    net.run(30)
    assert not keeps(net, 0, 1) and not keeps(net, 1, 0)
    assert net.node[1].root == net.ids[1]


def test_silence_ends_a_link() -> None:
    net = Network([(0, 1)], 2)
    net.run(6)
    net.alive[1] = False
    net.run(k.SILENCE + 1.5)
    assert not keeps(net, 0, 1)


def test_a_bad_link_is_dropped_and_a_good_one_survives_loss() -> None:
    net = Network([(0, 1)], 2, loss=0.2, seed=5)
    net.run(60)
    assert keeps(net, 0, 1)
    net.loss = 0.8
    net.run(100)  # from 0.8 to below 0.3, two time constants of the average: 66 periods
    assert not keeps(net, 0, 1)


def test_frames_of_strangers_stop_at_layer_one() -> None:
    from psvr.protocol.node import hear_pub, hear_sub
    from psvr.protocol.records import Outcome, Pub, Sub

    net = Network([(0, 1)], 2)
    net.subscribe(0)
    net.run(6)
    sub, pub, out = blank(Sub, net.capacity), blank(Pub, net.capacity), blank(Outcome, net.capacity)
    sub.src = pub.src = 77
    sub.back, pub.hops, sub.ring, pub.ring = k.NOBODY, 1, net.node[0].ring, net.node[0].ring
    assert hear_sub(net.node[0], net.now, sub, blank(Sub, net.capacity)) == k.NOT_A_LINK
    hear_pub(net.node[0], net.now, pub, out)
    assert (out.reason, out.deliver, out.sends) == (k.NOT_A_LINK, 0, 0)


@pytest.mark.parametrize("leaves", [6, 12])
def test_a_hub_counts_the_nodes_that_it_turns_away(leaves: int) -> None:
    net = Network([(0, v) for v in range(1, leaves + 1)], leaves + 1)
    net.run(30)
    assert net.node[0].turned_away == max(0, leaves - 8)
