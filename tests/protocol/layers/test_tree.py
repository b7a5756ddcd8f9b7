"""The tree on whole networks: fake roots die, a root that crashes is replaced, numbers survive restarts."""

import pytest

from psvr.protocol import constants as k
from psvr.protocol import tree
from psvr.protocol.layout import Capacity
from tests.support.network import Network


def ring_of(n: int) -> list[tuple[int, int]]:
    return [(v, (v + 1) % n) for v in range(n)]


def roots(net: Network) -> set[int]:
    return {int(me.root) for v, me in enumerate(net.node) if net.alive[v]}


def plant(net: Network, root: int, seq: int) -> None:
    """Everyone believes in a root that does not exist, each taking it from the next around a cycle."""
    for v, me in enumerate(net.node):
        me.root, me.seq, me.fresh, me.dist, me.parent = root, seq, net.now, 3, net.ids[(v + 1) % net.n]
        for link in me.link:
            if link.id >= 0:
                u = net.ids.index(link.id)
                link.root, link.seq, link.dist, link.parent = root, seq, 3, net.ids[(u + 1) % net.n]


@pytest.mark.parametrize("seq", [0, 5, 2**29, 2**30 + 5, k.SEQ_LIMIT - 1])
@pytest.mark.parametrize("n", [3, 4, 9])
def test_no_fake_root_survives(n: int, seq: int) -> None:
    net = Network(ring_of(n), n, ids=list(range(10, 10 + n)))
    net.run(15)
    assert roots(net) == {10}
    plant(net, 4, seq)
    net.run(60)
    assert roots(net) == {10}


def test_numbers_around_a_cycle_do_not_renew_a_fake_root() -> None:
    """Different numbers, handed around a cycle, look newer to each node in turn."""
    net = Network(ring_of(5), 5, ids=list(range(10, 15)))
    net.run(15)
    plant(net, 4, 100)
    for v, me in enumerate(net.node):
        me.seq = 100 + 7 * v
        for link in me.link:
            if link.id >= 0:
                link.seq = 100 + 7 * net.ids.index(link.id)
    net.run(80)
    assert roots(net) == {10}


@pytest.mark.parametrize("old", [10, 2**29, 2**30 + 9])
def test_root_is_believed_again_after_a_restart(old: int) -> None:
    """The root starts again at 0 while everyone has an old, high number of it."""
    net = Network(ring_of(6), 6)
    net.run(12)
    net.node[0].own = old
    net.run(5)
    assert {me.seq > old for me in net.node} == {True}
    net.boot(0)
    net.run(60)
    assert roots(net) == {0} and len({me.ring for me in net.node}) == 1
    assert net.node[3].dist == 3


def test_crash_of_the_root() -> None:
    net = Network([*ring_of(8), (0, 4), (2, 6)], 8)
    net.run(15)
    net.alive[0] = False
    net.run(25)
    assert roots(net) == {1} and len({me.ring for me in net.node[1:]}) == 1 and net.node[1].size == 7


def test_parent_stays_while_it_is_one_step_longer() -> None:
    """Stability before shortest paths: 3 keeps 2 as its parent although 1 is nearer, once the link 1-3 appears."""
    net = Network([(0, 1), (1, 2), (2, 3)], 4)
    net.run(15)
    assert net.node[3].parent == 2
    net.near[1].add(3)
    net.near[3].add(1)
    net.run(15)
    assert tree.tree_degree(net.node[3]) == 1 and net.node[3].parent == 2


def test_depth_limit() -> None:
    """A tree cannot be deeper than D_max: the nodes beyond it stay their own roots, and nothing breaks."""
    net = Network([(v, v + 1) for v in range(7)], 8, settings={"depth": 4}, capacity=Capacity(links=2))
    net.run(30)
    assert [me.root for me in net.node[:5]] == [0] * 5 and net.node[5].root == 5
    assert [me.dist for me in net.node[:5]] == [0, 1, 2, 3, 4]


def test_a_long_line_keeps_its_root() -> None:
    """Triggered HELLOs carry a number to the far end at once; the next ones must not arrive there too late."""
    n = 50
    net = Network([(v, v + 1) for v in range(n - 1)], n, capacity=Capacity(links=2, candidates=2, channels=2))
    net.run(40)
    assert roots(net) == {0} and len({me.ring for me in net.node}) == 1
    for me in net.node:  # what a fast wave leaves behind: everyone is up to date
        me.seq, me.fresh = net.node[0].own, net.now
        for link in me.link:
            link.seq = net.node[0].own
    for _ in range(40):
        net.run(1)
        assert roots(net) == {0}


def test_huge_ids() -> None:
    ids = [2**62, 5, 2**63 - 1, 2**40]
    net = Network(ring_of(4), 4, ids=ids)
    net.run(15)
    assert roots(net) == {5}
