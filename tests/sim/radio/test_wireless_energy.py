"""Energy by hand, and time on the air."""

import pytest

from psvr.graphs.csr import Floats
from psvr.sim.network import Network
from psvr.sim.radio.devices import Device
from psvr.sim.radio.energy import energy, joules
from psvr.sim.summary import summarize
from tests.support.sim.channels import network


def device(net: Network) -> Device:
    assert net.plan.field is not None
    return net.plan.field.device


def total(net: Network) -> Floats:
    parts = joules(net.world.air, device(net), 0.0, 1, net.now)
    return parts["transmit"] + parts["receive"] + parts["listen"]


def test_energy_of_a_node_that_only_listens() -> None:
    """18.8 mA at 3 V."""
    net = network([[0.0, 0.0]], duration=1000)
    net.world.stations["alive"][0] = 0  # nothing wakes it; its radio is on
    net.run(100)
    parts = joules(net.world.air, device(net), 0.0, 1, net.now)
    assert {name: part.tolist() for name, part in parts.items()} == {
        "transmit": [0.0],
        "receive": [0.0],
        "listen": [pytest.approx(18.8e-3 * 3 * 100)],
    }


def test_a_node_that_is_off_uses_nothing() -> None:
    net = network([[0.0, 0.0]], duration=1000)
    net.run(10)
    net.crash([0])
    before = total(net)
    net.run(50)
    assert total(net) == pytest.approx(before)
    net.restart([0])
    net.run(10)
    after = joules(net.world.air, device(net), 0.0, 1, net.now)
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
    found = summarize(net)
    sent = {name: found["transmissions"][name] for name in ("hello", "sub", "pub")}
    assert min(sent.values()) > 0 and found["transmissions"]["ack"] > 0
    busy = 32 * ((6 + 11) * sum(sent.values()) + sum(found["bytes"].values())) + 352 * found["transmissions"]["ack"]
    radios = net.world.air.radios
    assert int(radios["sent_us"].sum()) == busy
    e = energy(net.world.air, device(net), 0.0, 4, net.now, found["delivered"])
    assert e == found["energy"]
    assert e["node_mean"] == pytest.approx(e["transmit"] + e["receive"] + e["listen"])
    assert e["transmit"] == pytest.approx(busy / 1e6 / 4 * 17.4e-3 * 3)
    assert e["node_mean"] <= 18.8e-3 * 3 * 14 and e["per_delivery"] == pytest.approx(4 * e["node_mean"] / 12)
    assert (radios["received_us"] > 0).all()
