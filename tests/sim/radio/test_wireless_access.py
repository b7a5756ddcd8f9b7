"""Several senders and one receiver; CSMA-CA, acknowledgements and the queue of a node."""

import math
from typing import Any

import numpy as np
import pytest

from psvr.protocol.constants import LINK_FAILED
from psvr.sim.missing import under_way
from psvr.sim.network import Network
from psvr.sim.radio.access import airtime
from psvr.sim.radio.air import NOBODY
from psvr.sim.radio.signal import begin, end
from tests.support.sim.channels import SURE, bare, binomial_bounds, network, way


def test_a_node_that_sends_hears_nothing() -> None:
    air, cut = bare([[0, 0], [5, 0]])
    begin(air, cut, 1, 0)
    begin(air, cut, 0, 100)
    assert air.radios["locked"][1] == NOBODY
    assert not end(air, way(air, 0, 1), 0, 900)


def test_who_starts_to_send_loses_what_it_receives() -> None:
    air, cut = bare([[0, 0], [5, 0]])
    begin(air, cut, 0, 0)
    assert air.radios["locked"][1] == 0
    begin(air, cut, 1, 500)
    assert air.radios["locked"][1] == NOBODY and air.radios["received_us"][1] == 500
    assert not end(air, way(air, 0, 1), 0, 900)


@pytest.mark.parametrize("second", [5.0, 20.0])
def test_the_first_frame_keeps_the_receiver(second: float) -> None:
    """Even if the second is much stronger: then both are lost."""
    air, cut = bare([[0, 0], [10, 0], [10, second]])
    begin(air, cut, 0, 0)
    begin(air, cut, 2, 100)
    assert air.radios["locked"][1] == 0
    first_arrives = end(air, way(air, 0, 1), 0, 2000)
    assert not end(air, way(air, 2, 1), 2, 2100)
    assert first_arrives == (second > 10)


def test_what_comes_in_is_forgotten_exactly() -> None:
    """However many frames have overlapped: when nothing is on the air, no power is left."""
    air, cut = bare([[0, 0], [7, 1], [3, 9], [11, 5]])
    rng, sending = np.random.default_rng(1), set[int]()
    for now in range(0, 60_000, 300):
        v = int(rng.integers(4))
        if v in sending:
            air.radios["sending"][v] = 0
            for e in range(air.first[v], air.first[v + 1]):
                end(air, e, v, now)
        else:
            begin(air, cut, v, now)
        sending ^= {v}
    for v in sending:
        for e in range(air.first[v], air.first[v + 1]):
            end(air, e, v, 60_000)
    assert (air.radios["incident"] == 0.0).all() and (air.radios["in_air"] == 0).all()


LONE = [[0.0, 0.0], [5000.0, 0.0]]  # nobody hears the other


def frames_on_a_free_channel(net: Network, seconds: float) -> tuple[int, float]:
    """Node 0 always has something to send; how many frames it sends, and for how many µs."""
    end = net.now + round(seconds * 1e6)
    before = int(net.world.air.setting["frames"][0]), int(net.world.air.radios["sent_us"][0])
    others = int(net.world.air.radios["sent_us"][1])
    while net.now < end:
        net.publish(0, "a", 80)
        net.machine.advance(net.now + 4_000)
    assert int(net.world.air.radios["queued"][0]) > 1
    assert int(net.world.air.radios["sent_us"][1]) == others
    return int(net.world.air.setting["frames"][0]) - before[0], int(net.world.air.radios["sent_us"][0]) - before[1]


def test_capacity_of_a_free_channel() -> None:
    """A frame takes its airtime, a pause of 640 µs, 0 to 7 units of 320 µs, 128 µs to look, 192 µs to turn around."""
    net = network(LONE, protocol={"system": "flood"})
    net.crash([1])
    frames, sent = frames_on_a_free_channel(net, 30.0)
    waiting, deviation = 640 + 3.5 * 320 + 128 + 192, 320 * math.sqrt(63 / 12 * frames)
    assert frames > 4000
    assert abs(30e6 - sent - frames * waiting) < SURE * deviation + 2 * (waiting + airtime(116))
    assert net.world.air.setting["no_access"][0] == 0


def lost_beside_another(apart: float) -> tuple[int, int, float]:
    """Frames that 0 sends every 20 ms to the silent node 1, those lost while 2 sends as many, and µs of a frame."""
    net = network([[0.0, 0.0], [0.65 * apart, 0.0], [apart, 0.0]], protocol={"hello": 0.02}, duration=200)
    net.world.stations["alive"][1] = 0  # its radio stays on
    net.run(100)
    sent, heard = int(net.world.stations["hellos"][0]), int(net.world.air.ways["heard"][way(net.world.air, 0, 1)])
    return sent, sent - heard, int(net.world.air.radios["sent_us"][0]) / sent


def test_senders_that_hear_each_other_hardly_collide() -> None:
    """Two frames overlap only if one node turns around within 192 µs before or after the other."""
    sent, lost, _ = lost_beside_another(60.0)
    assert sent > 4000 and 0 < lost <= binomial_bounds(sent, 2 * 192 / 20_000)[1]


def test_hidden_senders_collide() -> None:
    """Of what 0 sends, all that overlaps with a frame of 2 is lost: two airtimes of 20 ms."""
    sent, lost, microseconds = lost_beside_another(130.0)
    assert sent > 4000 and 0.5 < lost / sent / (2 * microseconds / 20_000) < 1.5


def pair_that_knows_each_other(**tables: Any) -> Network:
    net = network([[0.0, 0.0], [10.0, 0.0]], **tables)
    net.subscribe(1, "a")
    net.run(15)
    assert net.world.nodes["root"].tolist() == [0, 0]
    return net


def test_a_lost_acknowledgement_is_answered_by_another_try_and_one_delivery() -> None:
    net = pair_that_knows_each_other()
    back = way(net.world.air, 1, 0)
    net.world.cut[back] = 1
    net.publish(0, "a")
    while net.world.air.setting["no_ack"][0] == 0:
        net.machine.advance(net.now + 100)
    net.world.cut[back] = 0
    net.run(0.5)
    tally = net.world.tally[0]
    assert tally["pub_sent"] == 2 and tally["ack_sent"] == 2
    assert tally["delivered"] == 1 and net.world.drops.sum() == 0
    assert not under_way(net.world).size


def test_without_any_acknowledgement_a_frame_is_given_up_and_that_is_said() -> None:
    net = pair_that_knows_each_other(host={"custody": 0})
    net.world.cut[way(net.world.air, 1, 0)] = 1
    net.publish(0, "a")
    net.run(0.5)
    tally = net.world.tally[0]
    assert tally["pub_sent"] == 4 and net.world.air.setting["no_ack"][0] == 4
    assert tally["delivered"] == 1 and net.world.drops[LINK_FAILED] == 0  # two more rounds of four tries
    net.run(3)
    assert tally["pub_sent"] == 12 and net.world.air.setting["no_ack"][0] == 12
    assert tally["delivered"] == 1 and net.world.drops[LINK_FAILED] == 1


def test_too_many_frames_are_taken_care_of() -> None:
    net = pair_that_knows_each_other()
    for _ in range(120):
        net.publish(0, "a")
    net.run(5)
    assert net.world.drops[LINK_FAILED] == 0 and net.world.tally["delivered"][0] == 120
    assert net.world.air.setting["queue_full"][0] > 20


def test_without_custody_too_many_frames_are_given_up_and_that_is_said() -> None:
    net = pair_that_knows_each_other(host={"custody": 0})
    for _ in range(120):
        net.publish(0, "a")
    net.run(5)
    lost = int(net.world.drops[LINK_FAILED])
    assert lost > 20 and net.world.tally["delivered"][0] == 120 - lost
    assert net.world.air.setting["queue_full"][0] >= 3 * lost  # each in three rounds
    assert not under_way(net.world).size


def test_a_flooded_frame_that_never_finds_the_channel_clear_is_counted() -> None:
    net = network([[0.0, 0.0], [10.0, 0.0]], protocol={"system": "flood"})
    net.subscribe(1, "a")
    net.run(5)
    rows: list[Any] = []
    net.machine.take_rows = lambda taken: rows.extend(taken.copy())
    net.machine.set_trace("pub")
    net.world.air.radios["noise"][0] = 1.0  # nothing is clear here
    net.publish(0, "a")
    net.run(0.5)
    assert net.world.drops[LINK_FAILED] == 1 and net.world.pool["used"][0] == 0
    assert [int(row["peer"]) for row in rows if row["reason"] == LINK_FAILED] == [-1]
