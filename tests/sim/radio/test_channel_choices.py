"""The channel that a scenario leaves open, and the bounds that follow from its frames; nothing is drawn."""

from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.sim.radio.choices import channel_of
from psvr.sim.scenario import Scenario, parse


def parsed(radio: dict[str, Any], **keys: Any) -> Scenario:
    line = {"kind": "line", "n": 5, "spacing": 10}
    return parse({"topology": line, "radio": {"model": "ieee802154", **radio}, **keys})


def test_power_follows_from_the_range_and_the_range_from_power() -> None:
    strong, weak = channel_of(parsed({"power": 0})), channel_of(parsed({"power": -10}))
    assert strong.range > weak.range and (strong.power, weak.power) == (0, -10)
    for metres in (strong.range, weak.range, 40.0):
        assert channel_of(parsed({"range": metres})).range == pytest.approx(metres, rel=1e-6)
    assert channel_of(parsed({"range": weak.range})).power == pytest.approx(-10, abs=1e-6)


def test_beside_the_sensitivity_noise_is_a_limit() -> None:
    plain, noisy = channel_of(parsed({"power": 0})), channel_of(parsed({"power": 0, "noise": -80}))
    assert noisy.range < plain.range and noisy.least > plain.least == plain.sensitivity
    assert channel_of(parsed({"range": 20, "noise": -80})).range == pytest.approx(20, rel=1e-6)


def test_what_is_left_open() -> None:
    found = channel_of(parsed({}))
    assert (found.power, found.noise, found.pathloss) == (0, -100, "dual-slope")
    assert (found.shadowing, found.asymmetry, found.fading) == (4, 1, 3)
    zero = channel_of(parsed({"shadowing": 0, "asymmetry": 0, "fading": 0, "power": 0, "noise": 0 - 90}))
    assert (zero.shadowing, zero.asymmetry, zero.fading, zero.noise) == (0, 0, 0, -90), "0 is said, not left open"


def test_the_longest_hello_fits_a_frame() -> None:
    """With ids and positions of 2 bytes, 36 of its 116 bytes are fixed, and a link takes 9."""
    assert [links for links in range(1, 20) if accepted(protocol={"links": links})] == list(range(1, 9))
    assert not accepted(protocol={"links": 8, "id_bytes": 8}), "wider ids leave room for fewer"
    with pytest.raises(BadInput, match=r"^protocol\.links: must be at most 8 for model"):
        parsed({}, protocol={"links": 9})
    assert accepted(protocol={"frame": 116}) and not accepted(protocol={"frame": 117})


def accepted(**keys: Any) -> bool:
    try:
        parsed({}, **keys)
    except BadInput:
        return False
    return True
