"""The wireless channel against theory: errors of bits and frames, fading, medium access, energy."""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from channels import KEEN, SURE, bare, binomial_bounds, metres, network, way

from psvr.sim.network import Network
from psvr.sim.notes import LINK_FAILED
from psvr.sim.radio.access import airtime
from psvr.sim.radio.air import NOBODY, Air
from psvr.sim.radio.energy import energy, joules
from psvr.sim.radio.errors import LOG_OK, LOWEST, NORMAL, STEP, STEPS, bit_error, frame_ok, least_ratio, log_bit_ok
from psvr.sim.radio.signal import begin, end, level
from psvr.sim.summary import summary

RATIOS = [-12.0, -9.0, -6.0, -3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 6.0]     # dB


def exact(decibels: float) -> Decimal:
    """The standard's formula with fifty digits."""
    with localcontext() as context:
        context.prec = 50
        ratio = Decimal(10) ** (Decimal(decibels) / 10)
        terms = [(-1) ** k * math.comb(16, k) * (20 * ratio * (Decimal(1) / k - 1)).exp() for k in range(2, 17)]
        return Decimal(8) / 15 / 16 * sum(terms)


def exact_log_ok(decibels: float) -> float:
    with localcontext() as context:
        context.prec = 50
        return float((1 - exact(decibels)).ln())


@pytest.mark.parametrize("decibels", RATIOS)
def test_bit_errors_are_those_of_the_standard(decibels: float) -> None:
    assert bit_error(10.0 ** (decibels / 10.0)) == pytest.approx(float(exact(decibels)), rel=1e-11)


@pytest.mark.parametrize("decibels", [*RATIOS, -11.993, 0.013, 7.979])
def test_the_table_errs_by_less_than_a_step(decibels: float) -> None:
    """It holds the value of the step's lower end: never better than the formula, never worse than a step before."""
    found = log_bit_ok(LOG_OK, 10.0 ** (decibels / 10.0))
    rounding = 1e-12 * abs(found) + 1e-18       # a sum of 15 terms of either sign, up to ten thousand times as large
    assert exact_log_ok(decibels - STEP) - rounding <= found <= exact_log_ok(decibels) + rounding


def test_ends_of_the_table() -> None:
    assert log_bit_ok(LOG_OK, 0.0) == log_bit_ok(LOG_OK, -1.0) == log_bit_ok(LOG_OK, 1e-9) == LOG_OK[0]
    top = LOWEST + STEP * STEPS
    assert log_bit_ok(LOG_OK, 10.0 ** ((top + 0.01) / 10.0)) == 0.0
    assert 8 * 127 * exact_log_ok(top) > -1e-15          # no frame is lost up there


@pytest.mark.parametrize("length", [5, 30, 127])
@pytest.mark.parametrize("chance", [0.1, 0.5, 0.99])
def test_least_ratio_is_where_the_chance_is(length: int, chance: float) -> None:
    assert frame_ok(least_ratio(length, chance), length) == pytest.approx(chance, rel=1e-9)


def received(air: Air, cut: Any, e: int, v: int, count: int, airtime: int) -> int:
    """How many of so many frames of v arrive over a way when nothing else happens."""
    found = 0
    for i in range(count):
        now = 10_000 * i
        begin(air, cut, v, now)
        air.setting["serial"] += 1
        air.radios["sending"][v] = 0
        found += end(air, e, v, now + airtime)
    return found


@pytest.mark.parametrize("length", [20, 60, 127])
@pytest.mark.parametrize("decibels", [-2.0, -1.0, -0.5, 0.0, 0.5, 1.5])
def test_lost_frames_are_as_many_as_the_formula_says(decibels: float, length: int) -> None:
    air, cut = bare([[0, 0], [metres(100.0 - decibels), 0]], pathloss="free-space", device=KEEN)
    assert 10 * math.log10(air.ways["level"][0]) == pytest.approx(decibels - 100.0, abs=1e-9)
    chance = math.exp(8 * length * exact_log_ok(decibels))
    least, most = binomial_bounds(2000, chance)
    assert least <= received(air, cut, way(air, 0, 1), 0, 2000, 32 * length) <= most


def test_below_its_sensitivity_a_receiver_hears_nothing() -> None:
    for sensitivity, arrives in ((-90.1, True), (-89.9, False)):
        air, cut = bare([[0, 0], [metres(90.0), 0]], pathloss="free-space", device={**KEEN, "sensitivity": sensitivity})
        assert received(air, cut, way(air, 0, 1), 0, 50, 2000) == (50 if arrives else 0)


# --- fading

TAU, SAMPLES, EVERY = 1.0, 20_000, 100_000       # s, how many, µs apart
PHI = math.exp(-EVERY / 1e6 / TAU)


@pytest.fixture(scope="module")
def fading() -> Any:
    """dB of fading over time, [way, sample], of all ways between four nodes; and the air."""
    air, _ = bare([[0, 0], [20, 0], [0, 20], [20, 20]], fading=3, fading_time=TAU)
    found = np.empty((len(air.ways), SAMPLES))
    for i in range(SAMPLES):
        for e in range(len(air.ways)):
            found[e, i] = level(air, e, EVERY * (i + 1))
    return air, 10 * np.log10(found) - air.ways["mean"][:, None]


def test_fading_has_its_variance(fading: Any) -> None:
    """The sample variance of an AR(1) process deviates by σ²·√(2/N · (1 + φ²)/(1 − φ²))."""
    _, decibels = fading
    deviation = math.sqrt(2 / SAMPLES * (1 + PHI**2) / (1 - PHI**2))
    assert np.abs((decibels**2).mean(axis=1) / 9 - 1).max() < SURE * deviation
    assert np.abs(decibels.mean(axis=1)).max() < SURE * 3 * math.sqrt((1 + PHI) / (1 - PHI) / SAMPLES)


@pytest.mark.parametrize("lag", [1, 3, 10, 30])
def test_fading_forgets_with_its_time_constant(fading: Any, lag: int) -> None:
    """Bartlett's formula gives the deviation of an autocorrelation."""
    _, decibels = fading
    wanted = math.exp(-lag * EVERY / 1e6 / TAU)
    found = (decibels[:, :-lag] * decibels[:, lag:]).mean(axis=1) / (decibels**2).mean(axis=1)
    variance = ((1 + PHI**2) * (1 - PHI ** (2 * lag)) / (1 - PHI**2) - 2 * lag * PHI ** (2 * lag)) / SAMPLES
    assert np.abs(found - wanted).max() < SURE * math.sqrt(variance)


def test_fading_is_the_same_in_both_directions_and_another_for_each_pair(fading: Any) -> None:
    air, decibels = fading
    pairs = [(v, u) for v in range(4) for u in range(v)]
    for v, u in pairs:
        assert decibels[way(air, v, u)] == pytest.approx(decibels[way(air, u, v)], abs=1e-9)
    rows = decibels[[way(air, v, u) for v, u in pairs]]
    between = np.corrcoef(rows)[np.triu_indices(len(pairs), 1)]
    assert np.abs(between).max() < SURE * math.sqrt((1 + PHI**2) / (1 - PHI**2) / SAMPLES)


def test_fading_is_held_for_a_fiftieth_of_its_time() -> None:
    air, _ = bare([[0, 0], [20, 0]], fading=3, fading_time=TAU)
    first = level(air, 0, 1_000_000)
    assert level(air, 0, 1_019_999) == first != level(air, 0, 1_020_000)


def test_draws_are_normal() -> None:
    assert NORMAL.mean() == pytest.approx(0, abs=1e-12) and (NORMAL**2).mean() == pytest.approx(1, rel=1e-12)
    assert (NORMAL**4).mean() == pytest.approx(3, rel=0.02)      # the ends of the tails are cut


# --- one receiver, several senders

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
    """Also where the second is much stronger: then both are lost."""
    air, cut = bare([[0, 0], [10, 0], [10, second]])
    begin(air, cut, 0, 0)
    begin(air, cut, 2, 100)
    assert air.radios["locked"][1] == 0
    first_arrives = end(air, way(air, 0, 1), 0, 2000)
    assert not end(air, way(air, 2, 1), 2, 2100)
    assert first_arrives == (second > 10)


def test_what_comes_in_is_forgotten_exactly() -> None:
    """However many frames have overlapped: when the air is quiet, nothing is left of them."""
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


# --- medium access

LONE = [[0.0, 0.0], [5000.0, 0.0]]              # nobody hears the other


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
    net.world.hosts["alive"][1] = 0              # its radio stays on
    net.run(100)
    sent, heard = int(net.world.hosts["hellos"][0]), int(net.world.air.ways["heard"][way(net.world.air, 0, 1)])
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
    assert net.world.pools["used"].tolist()[1] == 0


def test_without_any_acknowledgement_a_frame_is_given_up_and_that_is_said() -> None:
    net = pair_that_knows_each_other()
    net.world.cut[way(net.world.air, 1, 0)] = 1
    net.publish(0, "a")
    net.run(0.5)
    tally = net.world.tally[0]
    assert tally["pub_sent"] == 4 and net.world.air.setting["no_ack"][0] == 4
    assert tally["delivered"] == 1 and net.world.drops[LINK_FAILED] == 1


def test_too_many_frames_are_given_up_and_that_is_said() -> None:
    net = pair_that_knows_each_other()
    for _ in range(60):
        net.publish(0, "a")
    net.run(2)
    full = int(net.world.air.setting["queue_full"][0])
    assert full > 20
    assert net.world.drops[LINK_FAILED] == full and net.world.tally["delivered"][0] == 60 - full
    assert net.world.pools["used"].tolist()[1] == 0


def test_a_flooded_frame_that_never_finds_the_channel_clear_is_counted() -> None:
    net = network([[0.0, 0.0], [10.0, 0.0]], protocol={"system": "flood"})
    net.subscribe(1, "a")
    net.run(5)
    rows: list[Any] = []
    net.machine.take_rows = lambda taken: rows.extend(taken.copy())
    net.machine.set_trace("pub")
    net.world.air.radios["noise"][0] = 1.0       # nothing is clear here
    net.publish(0, "a")
    net.run(0.5)
    assert net.world.drops[LINK_FAILED] == 1 and net.world.pools["used"].tolist()[1] == 0
    assert [int(row["peer"]) for row in rows if row["reason"] == LINK_FAILED] == [-1]


# --- energy

def test_energy_of_a_node_that_only_listens() -> None:
    """18.8 mA at 3 V."""
    net = network([[0.0, 0.0]], duration=1000)
    net.world.hosts["alive"][0] = 0              # nothing wakes it; its radio is on
    net.run(100)
    parts = joules(net.world.air, net.plan.field.device, 0.0, 1, net.now)
    assert {name: part.tolist() for name, part in parts.items()} == {
        "transmit": [0.0], "receive": [0.0], "listen": [pytest.approx(18.8e-3 * 3 * 100)]}


def test_a_node_that_is_off_uses_nothing() -> None:
    net = network([[0.0, 0.0]], duration=1000)
    net.run(10)
    net.crash([0])
    before = sum(joules(net.world.air, net.plan.field.device, 0.0, 1, net.now).values())
    net.run(50)
    assert sum(joules(net.world.air, net.plan.field.device, 0.0, 1, net.now).values()) == pytest.approx(before)
    net.restart([0])
    net.run(10)
    after = joules(net.world.air, net.plan.field.device, 0.0, 1, net.now)
    sent = int(net.world.air.radios["sent_us"][0]) / 1e6
    assert after["listen"][0] == pytest.approx(18.8e-3 * 3 * (20 - sent))
    assert after["transmit"][0] == pytest.approx(17.4e-3 * 3 * sent)


def test_time_on_the_air_is_that_of_all_frames_and_energy_the_sum_of_its_parts() -> None:
    net = network([[0.0, 0.0], [20.0, 0.0], [40.0, 0.0], [20.0, 20.0]], radio={})
    for v in range(4):
        net.subscribe(v, "a")
    net.run(10)
    for v in range(4):
        net.publish(v, "a")
        net.run(1)
    found = summary(net)
    sent = {name: found["transmissions"][name] for name in ("hello", "sub", "pub")}
    assert min(sent.values()) > 0 and found["transmissions"]["ack"] > 0
    busy = 32 * ((6 + 11) * sum(sent.values()) + sum(found["bytes"].values())) + 352 * found["transmissions"]["ack"]
    radios = net.world.air.radios
    assert int(radios["sent_us"].sum()) == busy
    e = energy(net.world.air, net.plan.field.device, 0.0, 4, net.now, found["delivered"])
    assert e == found["energy"]
    assert e["node_mean"] == pytest.approx(e["transmit"] + e["receive"] + e["listen"])
    assert e["transmit"] == pytest.approx(busy / 1e6 / 4 * 17.4e-3 * 3)
    assert e["node_mean"] <= 18.8e-3 * 3 * 14 and e["per_delivery"] == pytest.approx(4 * e["node_mean"] / 12)
    assert (radios["received_us"] > 0).all()
