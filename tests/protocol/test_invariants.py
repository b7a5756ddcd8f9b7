"""Every invariant sees what it is there to see, in words, in both forms."""

from collections.abc import Callable
from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import invariants
from psvr.protocol.invariants import NAMES, Ground, Problem, components, ground_of, problems
from tests.support.network import CHANNEL, Network

EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)]


def settled(form: str = "protocol", system: int = k.PSVR) -> Network:
    net = Network(EDGES, 5, form=form, settings={"lease": 5 * k.SECOND, "system": system})
    net.subscribe(2, 4)
    net.run(20)
    assert not problems(net.node, ground_of(5, EDGES), [net.now] * net.n) or form == "compiled"
    return net


def names(net: Network, edges: list[tuple[int, int]] = EDGES) -> set[str]:
    return {p.property for p in problems(net.node, ground_of(net.n, edges), [net.now] * net.n)}


def set_field(path: str, value: int) -> Callable[[Any], None]:
    """Change one value of a node."""

    def change(me: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            me = me[int(step)] if step.isdigit() else getattr(me, step)
        if last.isdigit():
            me[int(last)] = value
        else:
            setattr(me, last, value)

    return change


@pytest.mark.parametrize(
    "node, path, value, expected",
    [
        (2, "root", 1, "one root"),
        (0, "root", 7, "one root"),
        (3, "dist", 9, "distances"),
        (4, "parent", 1, "distances"),
        (0, "parent", 1, "distances"),
        (3, "size", 7, "sizes"),
        (4, "digest", 5, "sizes"),
        (4, "position.0", 1, "positions"),
        (0, "position.7", 3, "positions"),
        (2, "length", 10, "positions"),
        (2, "ring", 5, "positions"),
    ],
)
def test_a_wrong_value_is_seen(node: int, path: str, value: int, expected: str) -> None:
    net = settled()
    set_field(path, value)(net.node[node])
    assert expected in names(net)


def test_one_sided_link() -> None:
    net = settled()
    net.node[1].link[0].keeps_me = 0
    assert "links" in names(net)


def test_link_to_a_stranger() -> None:
    net = settled()
    net.node[1].link[7].id, net.node[1].link[7].keeps_me = 99, 1
    assert "links" in names(net)


def test_link_that_is_cut() -> None:
    """Both sides still believe in it."""
    net = settled()
    assert "links" in names(net, [e for e in EDGES if e != (1, 3)])


def test_wrong_shortcut() -> None:
    net = settled()
    net.node[1].link[0].position[0] ^= 1
    assert names(net) >= {"shortcuts"}


@pytest.mark.parametrize("system", [k.PSVR, k.VR2015, k.SHEN])
def test_tables(system: int) -> None:
    net = settled(system=system)
    assert names(net) == set()
    row = net.node[0].channel.index(CHANNEL)
    net.node[0].channel[row] = 999  # one channel is forgotten and another one made up
    assert names(net) == {"tables"}


def test_phantom_subscriber() -> None:
    net = settled()
    row = net.node[0].channel.index(CHANNEL)
    net.node[0].row[row].entry[0].ns = 1
    assert names(net) == {"tables"}


def test_a_part_that_should_be_one() -> None:
    """Two components in the links that nodes keep, one in the network: that is an error, not a partition."""
    net = Network([(0, 1), (2, 3)], 4)
    net.run(15)
    assert names(net, [(0, 1), (2, 3)]) == set()
    assert "one root" in names(net, [(0, 1), (1, 2), (2, 3)])


def test_words() -> None:
    assert str(Problem("sizes", 3, 7, 4, 5)) == "sizes: node 7 has 4 instead of 5 (and 2 more)"
    assert str(Problem("sizes", 1, 7, 4, 5)) == "sizes: node 7 has 4 instead of 5"


def test_parts() -> None:
    assert components(6, [(4, 5), (1, 2), (2, 5)]) == [0, 1, 1, 3, 1, 1]
    assert components(0, []) == []


@pytest.mark.parametrize("system", range(5), ids=k.SYSTEMS)
def test_compiled_invariants_agree(system: int) -> None:
    import numpy as np
    import psvr.compiled.invariants as compiled

    from psvr.protocol.layout import dtype, restore, snapshot
    from psvr.protocol.records import Node

    net = settled(system=system)
    lists = ground_of(5, EDGES)
    arrays, clock = Ground(*(np.array(x) for x in lists)), np.full(5, net.now)
    records = np.zeros(5, dtype(Node, net.capacity))
    for spoil in (None, (3, "size", 7), (2, "root", 1), (1, "dist", 3)):
        if spoil:
            set_field(*spoil[1:])(net.node[spoil[0]])
        for v in range(5):
            restore(records[v], Node, snapshot(net.node[v], Node))
        plain = [p(net.node, lists, [net.now] * net.n) for p in invariants.PROPERTIES]
        assert [p(records, arrays, clock) for p in compiled.PROPERTIES] == plain
        assert compiled.check(records, arrays, clock) == invariants.check(net.node, lists, [net.now] * net.n)
        assert bool(compiled.check(records, arrays, clock)) == bool(spoil)
    assert len(NAMES) == len(invariants.PROPERTIES)
