"""The invariants one by one, on a settled network in which one value is changed: how many are wrong, where, and how."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import invariants, links, ring, systems, table
from psvr.protocol.invariants import find_node, ground_of, problems
from psvr.protocol.positions import NONE
from tests.support.network import CHANNEL, Network
from tests.support.settle import settle, spread_sub

EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)]
GROUND = ground_of(5, EDGES)


def settled(system: int = k.PSVR) -> Network:
    """The tree 0-1, 0-3, 1-2, 3-4; 2 and 4 subscribe, at the positions 2 and 6 of 8."""
    return settle(5, EDGES, [-1, 0, 1, 0, 3], [2, 4], system=k.SYSTEMS[system])


@pytest.fixture
def net() -> Network:
    return settled()


def wrong(net: Network, ground: Any = GROUND) -> dict[str, tuple[int, int, int, int]]:
    """What is broken, as (values, node, has, should)."""
    found = problems(net.node, ground, [net.now] * net.n)
    return {p.property: (p.count, p.node, p.has, p.should) for p in found}


def link(net: Network, v: int, u: int) -> Any:
    return net.node[v].link[links.find(net.node[v], u)]


@pytest.mark.parametrize("system", range(5))
def test_a_settled_network_has_no_problems(system: int) -> None:
    net = settled(system)
    assert wrong(net) == {} and invariants.check(net.node, GROUND, [net.now] * 5) == 0
    assert [me.parent for me in net.node] == [k.NOBODY, 0, 1, 0, 3]


def test_nodes_are_found_by_id(net: Network) -> None:
    nodes: Any = [net.node[v] for v in (0, 2, 3)]
    assert [find_node(nodes, id) for id in (-1, 0, 1, 2, 3, 4)] == [NONE, 0, NONE, 1, 2, NONE]
    assert find_node([], 0) == NONE


def test_links_need_both_ends(net: Network) -> None:
    link(net, 3, 1).keeps_me = 0
    assert wrong(net)["links"] == (1, 1, 3, k.NOBODY)


def test_links_need_living_nodes_in_reach(net: Network) -> None:
    assert wrong(net, ground_of(5, [*EDGES[:4], EDGES[5]]))["links"] == (2, 1, 3, k.NOBODY)
    x = next(x for x in net.node[2].link if x.id == k.NOBODY)
    x.id, x.keeps_me = 88, 1
    assert wrong(net)["links"] == (1, 2, 88, k.NOBODY)
    x.keeps_me = 0  # a proposal is not a link yet
    assert wrong(net) == {}


def test_everyone_follows_the_smallest_id_of_the_component(net: Network) -> None:
    net.node[4].root = net.node[2].root = 1
    assert wrong(net)["one root"] == (2, 2, 1, 0)
    assert "one root" in wrong(settled(), ground_of(5, [e for e in EDGES if e != (3, 4)]))


@pytest.mark.parametrize(
    "v, name, value, verdict",
    [
        (0, "dist", 1, (3, 0, 1, 0)),
        (0, "parent", 2, (1, 0, 2, k.NOBODY)),
        (2, "dist", 3, (1, 2, 3, 2)),
        (2, "parent", 0, (1, 2, k.NOBODY, 2)),
        (2, "parent", 3, (1, 2, NONE, 2)),
    ],
)
def test_distances_grow_by_one_from_a_parent_that_knows_its_child(
    net: Network, v: int, name: str, value: int, verdict: tuple[int, ...]
) -> None:
    setattr(net.node[v], name, value)
    assert wrong(net)["distances"] == verdict


def test_a_parent_that_has_no_link_to_its_child_does_not_know_it(net: Network) -> None:
    net.node[2].parent = 3
    link(net, 3, 2).id = k.NOBODY
    assert wrong(net)["distances"] == (1, 2, NONE, 2)


def test_sizes_and_digests_are_those_that_children_have_now(net: Network) -> None:
    net.node[2].size = 5
    assert wrong(net)["sizes"] == (2, 1, 2, 6)  # of 1, and of 2 itself
    net = settled()
    digest = net.node[4].digest
    net.node[4].digest = 7
    found = wrong(net)["sizes"]
    assert found[:3] == (2, 3, net.node[3].digest) and wrong(net)["sizes"][3] != digest


@pytest.mark.parametrize(
    "v, change, verdict",
    [
        (2, {"length": 10}, (1, 2, 10, 8)),
        (1, {"position": [1, 3, 5, NONE]}, (1, 1, 5, NONE)),
        (1, {"position": [1] + [NONE] * 3}, (1, 1, NONE, 3)),
        (0, {"position": [0, 4, 0, NONE]}, (1, 0, 0, NONE)),  # the root leaves its last one out
        (0, {"position": [0] + [NONE] * 3}, (1, 0, NONE, 4)),
        (2, {"position": [3] + [NONE] * 3}, (1, 2, 3, 2)),
        (2, {"position": [2, 3, NONE, NONE]}, (1, 2, 3, NONE)),
        (2, {"position": [NONE] * 4}, (1, 2, NONE, 2)),
    ],
)
def test_positions_are_those_of_the_walk(
    net: Network, v: int, change: dict[str, Any], verdict: tuple[int, ...]
) -> None:
    assert [me.position[:3] for me in net.node] == [
        [0, 4, NONE],
        [1, 3, NONE],
        [2, NONE, NONE],
        [5, 7, NONE],
        [6, NONE, NONE],
    ]
    for name, value in change.items():
        setattr(net.node[v], name, value)
    assert wrong(net)["positions"] == verdict


def test_a_network_of_nobody_is_settled() -> None:
    assert problems([], ground_of(0, []), []) == [] and invariants.check([], ground_of(0, []), []) == 0


@pytest.mark.parametrize("system", [k.PSVR, k.SHEN])
def test_a_child_that_died_leaves_its_parent_with_a_position_too_many(system: int) -> None:
    """Only living nodes are checked: 4 is gone, and 3 does not know it yet."""
    net = settled(system)
    net.node, net.n = net.node[:4], 4
    found = wrong(net, ground_of(4, EDGES[:5]))
    assert found["links"] == (1, 3, 4, k.NOBODY) and found["positions"] == (1, 3, 7, NONE)
    assert ("tables" in found) == (system == k.PSVR)


def test_positions_without_a_ring_are_seen(net: Network) -> None:
    net.node[1].length = 0
    assert wrong(net)["positions"] == (1, 1, 0, 8)


def test_a_ring_is_named_after_its_root(net: Network) -> None:
    ring_id = net.node[0].ring
    net.node[3].ring += 1
    assert wrong(net)["positions"] == (1, 3, ring_id + 1, ring_id)


def test_a_node_that_is_alone_has_no_ring() -> None:
    net = Network([], 2)
    net.run(3)
    alone = ground_of(2, [])
    assert wrong(net, alone) == {}
    net.node[1].position[0] = 0
    assert wrong(net, alone)["positions"][1:] == (1, 0, NONE)
    net.node[1].position[0], net.node[1].ring = NONE, 3
    assert wrong(net, alone)["positions"] == (1, 1, 3, -1)


def test_links_know_each_other_s_positions_and_ring(net: Network) -> None:
    x = link(net, 2, 3)  # a shortcut
    assert x.position[:2] == [5, 7]
    x.position[1] = 6
    assert wrong(net) == {"shortcuts": (1, 2, 6, 7)}
    x.position[1], ring_id, x.ring = 7, x.ring, 5
    assert wrong(net) == {"shortcuts": (1, 2, 5, ring_id)}
    x.keeps_me = 0
    assert "shortcuts" not in wrong(net)


# Tables: subscribers are 2, at position 2, and 4, at position 6.


@pytest.mark.parametrize(
    "v, j, ns, verdict",
    [
        (1, 0, 6, (1, 1, 6, 2)),
        (1, 1, 2, (1, 1, 2, 6)),
        (0, 0, NONE, (1, 0, NONE, 2)),
        (2, 0, NONE, (1, 2, NONE, 6)),
        (2, 0, 4, (1, 2, 4, 6)),
    ],
)
def test_tables_name_the_next_subscriber_other_than_oneself(
    net: Network, v: int, j: int, ns: int, verdict: tuple[int, ...]
) -> None:
    me = net.node[v]
    me.row[table.find_row(me, CHANNEL)].entry[j].ns = ns
    assert wrong(net) == {"tables": verdict}


def test_channels_that_nobody_wants_or_that_are_missing_are_seen(net: Network) -> None:
    net.node[1].row[table.make_row(net.node[1], 5)].entry[0].ns = 4
    assert wrong(net) == {"tables": (1, 1, 4, NONE)}
    net = settled()
    table.reset(net.node[3])
    assert wrong(net)["tables"][1:] == (3, NONE, 6)


def test_the_only_subscriber_of_a_channel_needs_no_row_for_it() -> None:
    net = settled()
    net.node[1].wants[77 % 2] = 77
    assert wrong(net)["tables"][1:3] == (0, NONE)  # the others must
    assert {p.count for p in problems(net.node, GROUND, [net.now] * 5)} == {6}


def test_subscribers_of_another_component_do_not_count() -> None:
    net = Network([(0, 1), (2, 3)], 4)
    net.subscribe(1)
    net.run(15)
    for me in net.node[2:]:
        table.make_row(me, CHANNEL)
    assert wrong(net, ground_of(4, [(0, 1), (2, 3)])) == {}


def test_a_node_with_all_its_subscriptions_in_use_is_a_subscriber_too(net: Network) -> None:
    net.subscribe(2, channel=CHANNEL + 1)
    spread_sub(net, 2)
    assert k.NO_CHANNEL not in net.node[2].wants and wrong(net) == {}


@pytest.mark.parametrize("system", [k.RING, k.FLOOD])
def test_systems_without_subs_have_no_tables(system: int) -> None:
    net = settled(system)
    net.node[1].row[table.make_row(net.node[1], 5)].entry[0].ns = 4
    assert wrong(net) == {}


def test_tables_of_custom_systems_are_not_checked(net: Network) -> None:
    row = systems.new_row(systems.CustomSystem("mine", "psvr", {"clean": lambda me, now: None}))
    try:
        table.reset(net.node[3])
        for me in net.node:
            me.settings.custom = row
        assert wrong(net) == {}
    finally:
        del systems.ROWS[row:]


def test_shen_knows_what_each_tree_neighbour_wants() -> None:
    net = settled(k.SHEN)
    me = net.node[0]
    entry = me.row[table.find_row(me, CHANNEL)].entry[links.find(me, 1)]
    entry.ns = NONE
    assert wrong(net)["tables"][1:] == (0, 0, 1)
    net = settled(k.SHEN)
    net.node[4].wants[CHANNEL % 2] = k.NO_CHANNEL
    assert wrong(net)["tables"][1:] == (3, 1, 0)
    net = settled(k.SHEN)
    net.node[0].channel[table.find_row(net.node[0], CHANNEL)] = k.NO_CHANNEL
    assert wrong(net)["tables"][1:] == (0, 0, 1)
    net = settled(k.SHEN)
    link(net, 1, 0).id = k.NOBODY  # who does not know me wants nothing of me
    assert wrong(net)["tables"][1:] == (0, 1, 0)


# All in one number.


@pytest.mark.parametrize(
    "v, name, value, bits",
    [(4, "root", 1, 2 | 4 | 8 | 16), (2, "dist", 3, 4), (2, "size", 5, 8 | 16), (4, "length", 9, 16)],
)
def test_violations_are_reported_as_bits(net: Network, v: int, name: str, value: int, bits: int) -> None:
    setattr(net.node[v], name, value)
    broken = invariants.check(net.node, GROUND, [net.now] * 5)
    assert broken & bits and not broken & 64
    named = [name for i, name in enumerate(invariants.NAMES) if broken >> i & 1]
    assert named == [name for name in wrong(net) if name != "tables"]


def test_each_property_has_its_bit(net: Network) -> None:
    link(net, 2, 3).position[1] = 6
    assert invariants.check(net.node, GROUND, [net.now] * 5) == 32
    net = settled()
    table.reset(net.node[3])
    assert invariants.check(net.node, GROUND, [net.now] * 5) == 64
    net = settled()
    net.node[2].link[3].id, net.node[2].link[3].keeps_me = 88, 1
    table.reset(net.node[3])  # tables are looked at when all else is right
    assert invariants.check(net.node, GROUND, [net.now] * 5) == 1


def test_the_ground_says_who_reaches_whom_and_names_the_components() -> None:
    ground = ground_of(5, [(0, 3), (3, 1), (2, 4)])
    assert ground.part == [0, 0, 2, 0, 2]
    assert [sorted(ground.near[a:b]) for a, b in zip(ground.first, ground.first[1:])] == [[3], [3], [4], [0, 1], [2]]
    assert not ring.has_ring(Network([], 1).node[0])
