"""Mobility: where nodes are, and that the channel follows them."""

from typing import Any

import numpy as np
import pytest

from psvr.sim.network import Network
from psvr.sim.plan import Plan, plan
from psvr.sim.radio.field import Field
from psvr.sim.radio.moving import Movement
from psvr.sim.scenario import parse
from psvr.sim.summary import fingerprint
from tests.support.sim.channels import STILL, mapping, network, way

SECOND = 1_000_000


def movement(**tables: Any) -> Movement:
    s = parse(
        {"topology": {"kind": "geometric", "n": 12, "area": [60, 40]}, "radio": {"model": "ieee802154"}, **tables}
    )
    return Movement(s, np.random.default_rng(1).random((12, 2)) * (60, 40))


@pytest.mark.parametrize("pause", [0, 5])
def test_waypoints_stay_inside_and_keep_to_their_speeds(pause: float) -> None:
    moves = movement(duration=2000, mobility={"model": "waypoint", "speed": [0.5, 2], "pause": pause})
    times = np.arange(0, 2000, 0.25)
    tracks = np.array([moves.at(t) for t in times])
    assert (tracks >= 0).all() and (tracks <= (60, 40)).all()
    assert (tracks[0] == moves.places).all()
    speeds = np.hypot(*np.moveaxis(np.diff(tracks, axis=0), 2, 0)) / 0.25
    assert speeds.max() <= 2 + 1e-9
    still = (speeds < 1e-9).mean()
    assert (still > 0.02) == (pause > 0)
    for knots in moves.knots.values():
        time, x, y = np.array(knots).T
        length, took = np.hypot(np.diff(x), np.diff(y)), np.diff(time)
        assert (took[length > 0] > 0).all()
        found = length[length > 0] / took[length > 0]
        assert found.min() >= 0.5 - 1e-9 and found.max() <= 2 + 1e-9 and np.ptp(found) > 1
        assert took[1::2] == pytest.approx(pause)


def test_waypoints_fill_the_whole_area() -> None:
    moves = movement(duration=5000, mobility={"model": "waypoint", "speed": [1, 2]})
    places = np.concatenate([np.array(knots)[:, 1:] for knots in moves.knots.values()])
    cells = np.histogram2d(places[:, 0], places[:, 1], (3, 2), ((0, 60), (0, 40)))[0]
    assert cells.min() > 0.5 * cells.mean()


def test_where_there_is_but_one_place_nobody_moves() -> None:
    s = parse(mapping([[0, 0], [0, 0]], mobility={"model": "waypoint", "speed": [1, 2]}))
    assert Movement(s, np.zeros((2, 2))).at(100.0).tolist() == [[0, 0], [0, 0]]


def test_a_trace_is_straight_between_its_knots() -> None:
    knots = [[10, 1, 0, 0], [20, 1, 10, 20], [40, 1, 10, 0], [0, 2, 7, 7]]
    moves = movement(mobility={"model": "trace", "knots": knots})
    assert [moves.at(t)[1].tolist() for t in (0, 10, 15, 20, 35, 40, 99)] == [
        [0, 0],
        [0, 0],
        [5, 10],
        [10, 20],
        [10, 5],
        [10, 0],
        [10, 0],
    ]
    assert moves.at(50)[2].tolist() == [7, 7]
    assert (moves.at(50)[3:] == moves.places[3:]).all()


def field_of(net: Network) -> Field:
    assert net.plan.field is not None
    return net.plan.field


def movement_of(p: Plan) -> Movement:
    assert p.field is not None and p.field.movement is not None
    return p.field.movement


def away_and_back() -> Network:
    """The third node leaves after 40 s and is back at 140 s."""
    knots = [[0, 2, 20, 10], [40, 2, 20, 10], [50, 2, 1000, 10], [130, 2, 1000, 10], [140, 2, 20, 10]]
    return network([[0, 0], [20, 0], [20, 10]], duration=200, mobility={"model": "trace", "knots": knots})


def test_a_node_that_walks_away_is_lost_and_found_again() -> None:
    net = away_and_back()
    net.subscribe(2, "a")
    roots, got = list[list[int]](), list[int]()
    for _ in range(3):
        net.run(38 if not roots else 50)
        roots.append(net.world.nodes["root"].tolist())
        before = int(net.world.tally["delivered"][0])
        net.publish(0, "a")
        net.run(2)
        got.append(int(net.world.tally["delivered"][0]) - before)
        if len(roots) == 2:
            net.run(60)
    assert roots == [[0, 0, 0], [0, 0, 2], [0, 0, 0]]
    assert got == [1, 0, 1]
    parts = {tuple(epoch.part.tolist()) for epoch in net.history.epochs}
    assert parts == {(0, 0, 0), (0, 0, 2)}


def test_ways_follow_the_places() -> None:
    """After a move the channel is the same as in a run that starts with these places."""
    net = away_and_back()
    net.run(45.5)
    there = movement_of(net.plan).at(45.0)
    assert there[2] == pytest.approx([510, 10])
    fresh = Field(parse(mapping(there.tolist())), there).air()
    assert net.world.air.first.tolist() == fresh.first.tolist() and net.world.air.near.tolist() == fresh.near.tolist()
    assert net.world.air.ways["mean"] == pytest.approx(fresh.ways["mean"])
    assert net.world.air.ways["level"] == pytest.approx(fresh.ways["level"])


def test_cuts_stay_where_nodes_still_hear_each_other() -> None:
    net = network(
        [[0, 0], [20, 0], [10, 10]],
        duration=50,
        mobility={"model": "trace", "knots": [[0, 2, 10, 10], [20, 2, 10, 12]]},
    )
    net.run(5)
    net.cut([(0, 2)])
    net.run(10)
    cut = [
        (v, int(u))
        for v in range(3)
        for e in range(net.world.first[v], net.world.first[v + 1])
        for u in [net.world.near[e]]
        if net.world.cut[e]
    ]
    assert cut == [(0, 2), (2, 0)]


def test_the_fading_of_a_pair_survives() -> None:
    net = network(
        [[0, 0], [20, 0], [10, 10]],
        radio={"fading": 3},
        duration=50,
        mobility={"model": "trace", "knots": [[0, 2, 10, 10], [20, 2, 30, 12]]},
    )
    net.run(9.9)
    before, pairs = net.world.air.fades.copy(), field_of(net).pairs.copy()
    assert (before["step"] > 0).all()
    net.machine.world, _ = field_of(net).moved(net.world, net.now, ())
    assert field_of(net).pairs.tolist() == pairs.tolist() and (net.world.air.fades == before).all()
    e = way(net.world.air, 0, 1)
    assert net.world.air.ways["until"][e] == 0  # its strength will be computed again


SLOW, QUICK = {"fading": 3, "fading_time": 2}, {"fading": 3, "fading_time": 0.05}  # slower, quicker than a frame
MIXED = {**SLOW, "interference": [{"rate": 300, "length": 0.05, "power": 3, "sources": 2}]}


@pytest.mark.parametrize("radio", [STILL, SLOW, QUICK, MIXED], ids=["still", "slow", "quick", "mixed"])
@pytest.mark.parametrize("step", [1.0, 0.05])
def test_to_make_the_channel_anew_changes_nothing(radio: dict[str, Any], step: float) -> None:
    """Nodes that "move" to where they are: every event of the run is the same, although the channel is often
    remade, even while frames are on the air."""
    places = [[0.0, 0.0], [25.0, 0.0], [0.0, 25.0], [25.0, 25.0], [50.0, 12.0], [12.0, 50.0]]
    stay = [[0, v, x, y] for v, (x, y) in enumerate(places)]
    prints, busy = [], 0
    for mobility in ({}, {"model": "trace", "knots": stay, "step": step}):
        net = Network(
            parse(mapping(places, radio=radio, mobility=mobility, duration=60, seed=3, protocol={"hello": 0.1}))
        )
        for v in range(6):
            net.subscribe(v, "a")
        for i in range(30):
            net.run(0.5)
            net.publish(i % 6, "a")
            net.run(0.005)
            busy += int(net.world.air.radios["sending"].any())
        net.run(1)
        prints.append((fingerprint(net), net.world.air.radios["received_us"].tolist()))
    assert prints[0] == prints[1] and busy > 3


def test_a_plan_knows_where_nodes_start() -> None:
    found = plan(
        parse(
            {
                "topology": {"kind": "geometric", "n": 8, "degree": 5},
                "radio": {"model": "ieee802154"},
                "mobility": {"model": "waypoint", "speed": [1, 2]},
            }
        )
    )
    assert (movement_of(found).at(0.0) == found.places).all()


def test_a_trace_is_written_also_where_nodes_have_gathered() -> None:
    """More nodes in reach than when the run began may need more rows at once than there was room for."""
    net = Network(parse(mapping([[0, 0], [10, 0]])), level="all")
    net.world.tally["room"] = len(net.world.rows)
    net.run(2)
    assert len(net.world.rows) >= 8 * int(net.world.tally["room"][0])
