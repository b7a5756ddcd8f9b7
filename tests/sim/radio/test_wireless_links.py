"""Links that topology control keeps on a wireless channel: their claimed quality, compared with the measured one."""

from typing import Any

import pytest

from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.sim.summary import summarize


def links_after(seconds: float, **mapping: Any) -> dict[str, Any]:
    net = Network(parse({"duration": seconds, "radio": {"model": "ieee802154"}, **mapping}))
    net.run(seconds)
    found = summarize(net)["links"]
    assert found is not None
    return dict(found)


def test_two_nodes_near_each_other() -> None:
    """Both ends keep the link; of hundreds of HELLOs only those that met on the air were lost."""
    found = links_after(
        300,
        topology={"kind": "line", "n": 2, "spacing": 10},
        radio={"model": "ieee802154", "fading": 0, "shadowing": 0, "asymmetry": 0},
    )
    assert found["kept"] == 2 and found["others"] is None
    assert found["measured"] > 0.97 and found["measured_p5"] > 0.97 and found["claimed"] > 0.9


@pytest.mark.parametrize("seed", [1, 2])
def test_kept_links_are_good_ones(seed: int) -> None:
    """With fading, and more nodes in reach than places: reception on kept links is close to what is claimed."""
    found = links_after(900, seed=seed, topology={"kind": "geometric", "n": 40, "degree": 14})
    assert 40 * 4 <= found["kept"] <= 40 * 8
    assert found["measured"] > 0.85 and abs(found["claimed"] - found["measured"]) < 0.08
    assert found["measured"] > found["others"] + 0.3


def test_not_told_where_it_means_nothing() -> None:
    for more in (
        {"radio": {"model": "ideal"}},
        {"radio": {"model": "ieee802154"}, "mobility": {"model": "waypoint", "speed": [1, 2]}},
    ):
        net = Network(parse({"duration": 5, "topology": {"kind": "geometric", "n": 5, "degree": 4}, **more}))
        net.run(5)
        assert summarize(net)["links"] is None
