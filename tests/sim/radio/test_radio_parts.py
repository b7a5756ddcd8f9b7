"""Energy, quality of links and devices, from numbers made by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.protocol.constants import NOBODY, QUALITY_ONE
from psvr.sim.radio.air import RADIO, WAY, no_air
from psvr.sim.radio.devices import Device, built_in, from_file, known
from psvr.sim.radio.energy import energy, joules
from psvr.sim.radio.loss import MODELS, reach
from psvr.sim.radio.quality import quality

DEVICE = Device(
    name="d",
    sensitivity=-95,
    clear=-77,
    carrier=True,
    turnaround=192,
    volts=3.0,
    receive=20.0,
    listen=10.0,
    power=(-10.0, 0.0),
    send=(8.0, 16.0),
)
S = 1_000_000


def radios(*them: dict[str, int]) -> Any:
    made = np.zeros(len(them), RADIO)
    made["locked"] = -1
    for radio, values in zip(made, them):
        for name, value in values.items():
            radio[name] = value
    return no_air()._replace(radios=made)


def test_energy_of_sending_receiving_and_listening() -> None:
    """mA · V · s is mJ."""
    air = radios(
        {"on": 1, "sent_us": 2 * S, "received_us": 3 * S},
        {"on_us": 4 * S, "sent_us": S},
        {"on": 1, "on_at": 6 * S, "on_us": S, "locked": 0, "locked_at": 8 * S},
        {"on": 1, "sent_us": 99 * S},
    )
    found = joules(air, DEVICE, 0.0, 3, 10 * S)
    assert found["transmit"] == pytest.approx([0.016 * 3 * 2, 0.016 * 3, 0])
    assert found["receive"] == pytest.approx([0.020 * 3 * 3, 0, 0.020 * 3 * 2]), "also of a frame that is under way"
    assert found["listen"] == pytest.approx([0.010 * 3 * 5, 0.010 * 3 * 3, 0.010 * 3 * 3])


def test_a_radio_cannot_send_longer_than_it_was_on() -> None:
    """The end of a frame that breaks off is counted when it begins."""
    found = joules(radios({"on_us": S, "sent_us": 2 * S}), DEVICE, 0.0, 1, 10 * S)
    assert (found["transmit"][0], found["listen"][0]) == (pytest.approx(0.048), 0)


def test_energy_of_a_network() -> None:
    air = radios({"on": 1}, {"on_us": 0}, {"on": 1})
    found = energy(air, DEVICE, 0.0, 2, 10 * S, 4)
    assert found == {
        "transmit": 0,
        "receive": 0,
        "listen": pytest.approx(0.15),
        "node_mean": pytest.approx(0.15),
        "node_max": pytest.approx(0.3),
        "per_delivery": pytest.approx(0.3 / 4),
    }
    assert energy(air, DEVICE, 0.0, 2, 10 * S, 0)["per_delivery"] is None


@pytest.mark.parametrize("power, current", [(-10, 8), (-5, 12), (-2.5, 14), (0, 16), (5, 16)])
def test_current_between_the_levels_of_a_data_sheet(power: float, current: float) -> None:
    assert DEVICE.current(power) == pytest.approx(current)


def test_every_device_that_comes_along() -> None:
    assert "cc2420" in known()
    for name in known():
        device = built_in(name)
        assert device.current(device.power[0]) == device.send[0] and device.current(device.power[-1]) == device.send[-1]


SHEET = """name = "mine"\nsensitivity = -95\nclear = -77\ncarrier = true\nturnaround = 192\nvolts = 3\nreceive = 20
listen = 20\npower = [-10, 0]\nsend = [8, 16]\n"""


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("[-10, 0]", "[0, -10]", "power: must be ascending"),
        ("[-10, 0]", "[0, 0]", "power: must be ascending"),
        ("[-10, 0]", "[0]", "power: must be ascending, with one current in send for each"),
        ("[-10, 0]\nsend = [8, 16]", "[]\nsend = []", "power: must"),
        ("turnaround = 192", "turnaround = 208", "turnaround: must be a whole number from 1 to 207"),
        ("name", "=", "not TOML"),
    ],
)
def test_a_sheet_of_one_s_own(old: str, new: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    file.write_text(SHEET)
    assert from_file(file).send == (8.0, 16.0)
    file.write_text(SHEET.replace(old, new, 1))
    with pytest.raises(BadInput, match=said):
        from_file(file)


@pytest.mark.parametrize(
    "model, metres, decibels",
    [
        ("dual-slope", 1, 40.2),
        ("dual-slope", 8, 58.262),
        ("dual-slope", 80, 91.5),
        ("dual-slope", 8.0001, 58.5),
        ("castalia", 1, 55),
        ("castalia", 10, 79),
        ("free-space", 10, 60.2),
        ("free-space", 0.01, 20.2),
    ],
)
def test_path_loss(model: str, metres: float, decibels: float) -> None:
    assert float(MODELS[model](metres)) == pytest.approx(decibels, abs=1e-3)
    if metres >= 0.1:
        assert reach(model, decibels) == pytest.approx(metres, rel=1e-3)


LINK = np.dtype([("id", "i8"), ("q_in", "i4")])


def test_quality_of_kept_links_and_of_all_others() -> None:
    """Three nodes that all hear each other: 10 → 11 came through 9 times of 10, and so on."""
    ways = np.zeros(6, WAY)
    ways["heard"] = [9, 4, 8, 0, 20, 10]  # 10→11, 10→12, 11→10, 11→12, 12→10, 12→11
    air = no_air()._replace(ways=ways, first=np.array([0, 2, 4, 6]), near=np.array([1, 2, 0, 2, 0, 1], np.int32))
    nodes = np.zeros(3, [("link", LINK, (2,))])
    nodes["link"]["id"] = [[11, NOBODY], [10, 99], [NOBODY, 10]]  # 99: a fault wrote into the memory
    nodes["link"]["q_in"] = np.array([[0.75, 1], [0.5, 1], [1, 0.25]]) * QUALITY_ONE
    found = quality(air, nodes, np.array([10, 11, 12]), np.array([10, 10, 20]))
    assert found["kept"] == 3 and found["claimed"] == pytest.approx(0.5, abs=1e-4)
    assert found["measured"] == pytest.approx((0.8 + 0.9 + 0.4) / 3)
    assert found["measured_p5"] == pytest.approx(0.44) and found["others"] == pytest.approx((1.0 + 0.5) / 2)


def test_quality_where_nothing_is_kept() -> None:
    air = no_air()._replace(ways=np.zeros(0, WAY), first=np.array([0, 0]))
    nodes = np.zeros(1, [("link", LINK, (1,))])
    nodes["link"]["id"] = NOBODY
    assert quality(air, nodes, np.array([1]), np.array([0])) == {
        "kept": 0,
        "claimed": None,
        "measured": None,
        "measured_p5": None,
        "others": None,
    }
