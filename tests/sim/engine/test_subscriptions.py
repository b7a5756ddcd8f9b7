"""How fast subscriptions become known, and unsubscribed entries disappear."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.sim.engine.medium import MAX_REACTION, airtime
from psvr.sim.network import Network
from psvr.sim.scenario import parse

FRAME_MOST = airtime(k.FRAME, 250_000)


def settled(topology: dict[str, Any], subscribers: list[int], seed: int = 1) -> Network:
    net = Network(parse({"seed": seed, "topology": topology, "protocol": {"lease": 6.0}}))
    for v in subscribers:
        net.subscribe(v, "c")
    net.run_until_stable(200)
    net.run(8)  # the bursts on the new ring are over
    assert not net.problems()
    return net


@pytest.mark.parametrize(
    "topology",
    [
        {"kind": "line", "n": 30},
        {"kind": "line", "n": 120},
        {"kind": "line", "n": 200},
        {"kind": "grid", "n": 100},
        {"kind": "geometric", "n": 60, "degree": 8},
        {"kind": "geometric", "n": 200, "degree": 8},
        {"kind": "gnp", "n": 150, "degree": 7},
    ],
    ids=lambda t: f"{t['kind']}-{t['n']}",
)
def test_a_new_subscription_is_served_within_depth_times_the_worst_delay(topology: dict[str, Any]) -> None:
    """A SUB crosses at most twice the depth; each hop is work, the frame before it, and the frame itself."""
    for seed in range(3):
        net = settled(topology, [topology["n"] // 2], seed)
        depth = int(net.world.nodes["dist"].max())
        new = topology["n"] - 1
        net.subscribe(new, "c")
        net.run((2 * depth + 1) * (MAX_REACTION + 2 * FRAME_MOST) / 1e6)
        assert not net.problems()
        publication = net.publish(0, "c")
        net.run(3)
        d = net.world.deliveries[: net.world.tally["delivered"][0]]
        assert new in d["node"][d["publication"] == publication]


@pytest.mark.parametrize("seed", range(4))
def test_an_unsubscription_is_forgotten_in_time_and_nobody_is_skipped(seed: int) -> None:
    """T_w/back + T_clean after the last SUB; until then publications go to all who stay, each once."""
    net = settled({"kind": "geometric", "n": 40, "degree": 8}, [3, 11, 25, 39], seed)
    left, lease = net.now, 6 * k.SECOND
    net.unsubscribe(11, "c")
    deadline = left + k.WRITE_BACK * lease + lease // k.CLEANS
    while net.now < deadline:
        publication = net.publish(seed, "c")
        net.run(1)
        d = net.world.deliveries[: net.world.tally["delivered"][0]]
        got = sorted(d["node"][d["publication"] == publication].tolist())
        assert got == sorted({3, 25, 39}), got
    net.run(lease / k.CLEANS / k.SECOND)
    assert not net.problems()


def test_the_last_unsubscription_empties_all_tables() -> None:
    net = settled({"kind": "geometric", "n": 40, "degree": 8}, [5])
    net.unsubscribe(5, "c")
    net.run((k.WRITE_BACK + 2 / k.CLEANS) * 6.0)
    assert (net.world.nodes["channel"] == k.NO_CHANNEL).all()


def test_many_channels_overflow_is_counted_and_named() -> None:
    from psvr.sim.summary import in_words, summarize

    traffic = [{"channel": f"c{i}", "subscribers": [i % 5], "publishers": [0], "every": 100} for i in range(24)]
    net = Network(parse({"topology": {"kind": "line", "n": 5}, "traffic": traffic}))
    net.run(20)
    figures = summarize(net)
    assert figures["overflow"] > 0 and "raise protocol.channels" in in_words(figures, "")
