"""Scenarios over a wireless channel: what is refused, in one line that names the key, and what is written."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.sim.network import Network
from psvr.sim.plan import plan
from psvr.sim.radio.devices import Device
from psvr.sim.scenario import Scenario, load, parse, to_toml

LINE = {"kind": "line", "n": 5, "spacing": 20}
SHEET = {
    "name": "mine",
    "sensitivity": -94.5,
    "clear": -80.0,
    "carrier": False,
    "turnaround": 150,
    "volts": 3.3,
    "receive": 10.0,
    "listen": 9.5,
    "power": [-20.0, 4.0],
    "send": [5.0, 20.0],
}
BURST = {"rate": 60, "length": 0.01}
WALK = {"model": "trace", "knots": [[0, 1, 0, 0], [10, 1, 5, 5]]}


def refused(mapping: dict[str, Any], text: str, **more: Any) -> None:
    with pytest.raises(BadInput) as caught:
        plan(parse(mapping, **more))
    found = str(caught.value)
    assert found.startswith(text), found
    assert len(found.splitlines()) == 1 and found.isprintable() and len(found) < 300


def named(rows: list[tuple[dict[str, Any], str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("keys", "text"), rows, ids=[f"{i}-{text[:30]}" for i, (_, text) in enumerate(rows)])


OTHER_MODELS: list[tuple[dict[str, Any], str]] = [
    ({key: value}, f'radio.{key}: must be left out for model = "ideal"; it belongs to "ieee802154"')
    for key, value in (
        ("device", "cc2420"),
        ("power", 0),
        ("range", 50),
        ("noise", -100),
        ("pathloss", "castalia"),
        ("shadowing", 4),
        ("asymmetry", 1),
        ("fading", 3),
        ("fading_time", 20),
        ("interference", [BURST]),
    )
]


@named(OTHER_MODELS)
def test_keys_of_the_wireless_channel_alone(keys: dict[str, Any], text: str) -> None:
    refused({"topology": {"kind": "line", "n": 5}, "radio": keys}, text)


RADIO: list[tuple[dict[str, Any], str]] = [
    ({"loss": 0.1}, 'radio.loss: must be 0 for model = "ieee802154", not 0.1'),
    ({"bitrate": 1000}, 'radio.bitrate: must be 250000 for model = "ieee802154", not 1000'),
    ({"power": 0, "range": 50}, "radio.power, range: must be one of the two, not both"),
    ({"power": 1}, "radio.power: CC2420 sends with -25 to 0 dBm"),
    ({"power": -26}, "radio.power: CC2420 sends with -25 to 0 dBm"),
    ({"power": "loud"}, 'radio.power: must be a number from -200 to 100, not "loud"'),
    ({"range": 5000}, "radio.range: CC2420 sends with -25 to 0 dBm; 5000 m would need "),
    ({"range": 0}, "radio.range: must be a number above 0"),
    ({"noise": 200}, "radio.noise: must be a number from -200 to 100, not 200"),
    ({"pathloss": "dual"}, 'radio.pathloss: must be one of dual-slope, castalia, free-space, not "dual"'),
    ({"shadowing": -1}, "radio.shadowing: must be a number from 0 to 60, not -1"),
    ({"asymmetry": 61}, "radio.asymmetry: must be a number from 0 to 60, not 61"),
    ({"fading": True}, "radio.fading: must be a number from 0 to 60, not true"),
    ({"fading_time": 0}, "radio.fading_time: must be a number from 0.001 to 1000000000, not 0"),
    ({"device": "cc2421"}, 'radio.device: must be one of at86rf231, cc2420, or a file *.toml, not "cc2421" (did '),
    ({"device": 7}, "radio.device: must be one of at86rf231, cc2420, or a file *.toml, not 7"),
    ({"device": "nowhere.toml"}, "radio.device: nowhere.toml: No such file"),
    ({"device": {**SHEET, "volts": 0}}, "radio.device.volts: must be a number above 0"),
    ({"device": {**SHEET, "colour": 1}}, "radio.device.colour: unknown key"),
    ({"device": {"name": "x"}}, "radio.device.sensitivity: missing"),
    ({"device": {**SHEET, "turnaround": 208}}, "radio.device.turnaround: must be a whole number from 1 to 207, not "),
    ({"device": {**SHEET, "power": [4.0, -20.0]}}, "radio.device.power: must be ascending, with one current in send"),
    ({"device": {**SHEET, "send": [5.0]}}, "radio.device.power: must be ascending, with one current in send"),
    ({"device": {**SHEET, "power": [], "send": []}}, "radio.device.power: must be ascending"),
    ({"device": {**SHEET, "power": [1.0, 4.0]}}, "radio.power: mine sends with 1 to 4 dBm"),
    ({"interference": BURST}, "radio.interference: must be a list of tables, each under [[radio.interference]]"),
    ({"interference": [{"rate": 60}]}, "radio.interference.0.length: missing"),
    ({"interference": [BURST, {"length": 1}]}, "radio.interference.1.rate: missing"),
    ({"interference": [{**BURST, "rate": 0}]}, "radio.interference.0.rate: must be a number above 0"),
    ({"interference": [{**BURST, "length": 0}]}, "radio.interference.0.length: must be a number from 1e-06"),
    ({"interference": [{**BURST, "length": 1}]}, "radio.interference.0.length: must be less than 1 seconds at this "),
    ({"interference": [{**BURST, "power": 101}]}, "radio.interference.0.power: must be a number from -200 to 100"),
    ({"interference": [{**BURST, "place": [1]}]}, "radio.interference.0.place: must be [x, y], not a list of 1"),
    ({"interference": [{**BURST, "place": [1, -1]}]}, "radio.interference.0.place[1]: must be a number from 0"),
    ({"interference": [{**BURST, "place": [1, 1], "sources": 2}]}, "radio.interference.0.sources: must be 1 where "),
    ({"interference": [{**BURST, "sources": 0}]}, "radio.interference.0.sources: must be a whole number from 1 to "),
    ({"interference": [{**BURST, "start": 5, "stop": 5}]}, "radio.interference.0.stop: must be more than start, 5"),
]


@named(RADIO)
def test_radio(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, "radio": {"model": "ieee802154", **keys}}, text)


TOPOLOGY: list[tuple[dict[str, Any], str]] = [
    *(
        (
            {"kind": kind, "n": 5, **more},
            "topology.kind: must be one of geometric, grid, line, places for radio.model = ",
        )
        for kind, more in (("gnp", {"degree": 2}), ("ring", {}))
    ),
    ({"kind": "edges", "edges": [[0, 1]]}, "topology.kind: must be one of geometric, grid, line, places for "),
    ({"kind": "line", "n": 5}, "topology.spacing: missing; must be the metres between two neighbours"),
    ({"kind": "grid", "n": 9}, "topology.spacing: missing; must be the metres between two neighbours"),
    ({"kind": "grid", "spacing": 9}, 'topology.n, rows, columns: must be rows and columns, or n for kind = "grid", '),
    ({**LINE, "spacing": 0}, "topology.spacing: must be a number above 0"),
    ({**LINE, "spacing": 2000}, "topology.spacing: must connect all nodes over good links, but 0 and 1 are not "),
    (
        {"kind": "geometric", "n": 5, "range": 50, "area": 100},
        'topology.range: must be left out for radio.model = "ieee802154"; use radio.range or power',
    ),
    ({"kind": "geometric", "n": 5}, 'topology.degree, area: must be degree, or area for kind = "geometric", not'),
    ({"kind": "geometric", "n": 5, "area": 9, "degree": 2}, "topology.degree, area: must be degree, or area for kind"),
    ({"kind": "geometric", "n": 50, "degree": 1}, "topology.degree: must be large enough to connect 50 nodes over "),
    ({"kind": "geometric", "n": 9, "area": 1e5}, "topology.area: must be small enough to connect 9 nodes over good"),
    ({"kind": "places"}, "topology.n, places, file: must be places, or file, or n and places, or n and file for "),
    ({"kind": "places", "places": [[0, 0]], "file": "x"}, "topology.n, places, file: must be places, or file"),
    ({"kind": "places", "places": []}, "topology.places: must be a list of [x, y], not a list of 0"),
    ({"kind": "places", "places": [[0, 0], [1]]}, "topology.places[1]: must be [x, y], not a list of 1"),
    ({"kind": "places", "places": [[0, -1]]}, "topology.places[0][1]: must be a number from 0"),
    ({"kind": "places", "n": 3, "places": [[0, 0], [1, 1]]}, "topology.n: must be 2, the number of places, not 3"),
    ({"kind": "places", "places": [[0, 0], [9000, 0]]}, "topology.places: must connect all nodes over good links"),
    ({"kind": "places", "file": "nowhere.txt"}, "topology.file: nowhere.txt: No such file"),
]


@named(TOPOLOGY)
def test_topology(keys: dict[str, Any], text: str) -> None:
    refused({"topology": keys, "radio": {"model": "ieee802154"}}, text)


def test_places_need_a_wireless_channel() -> None:
    refused({"topology": LINE}, 'topology.spacing: needs a wireless channel; use radio.model = "ieee802154"')
    refused({"topology": {"kind": "places", "places": [[0, 0]]}}, "topology.kind: needs a wireless channel")


MOBILITY: list[tuple[dict[str, Any], str]] = [
    ({"model": "fly"}, 'mobility.model: must be one of none, waypoint, trace, not "fly"'),
    *(
        ({key: value}, f'mobility.{key}: does not apply to model = "none"')
        for key, value in (("speed", [1, 2]), ("pause", 1), ("file", "x"), ("knots", [[0, 0, 0, 0]]))
    ),
    ({"model": "waypoint"}, "mobility.speed: missing; must be [least, most], in metres per second"),
    ({"model": "waypoint", "speed": [2, 1]}, "mobility.speed: must be [least, most], not [2"),
    ({"model": "waypoint", "speed": 3}, "mobility.speed: must be [least, most], not 3"),
    ({"model": "waypoint", "speed": [0, 1]}, "mobility.speed[0]: must be a number above 0, at most 1000, not 0"),
    ({"model": "waypoint", "speed": [1, 1001]}, "mobility.speed[1]: must be a number above 0, at most 1000, not 1001"),
    ({"model": "waypoint", "speed": [1, 2], "pause": -1}, "mobility.pause: must be a number from 0"),
    ({"model": "waypoint", "speed": [1, 2], "file": "x"}, 'mobility.file: does not apply to model = "waypoint"'),
    (
        {"model": "waypoint", "speed": [1, 2], "knots": [[0, 0, 0, 0]]},
        'mobility.knots: does not apply to model = "waypoint"',
    ),
    ({"model": "trace"}, "mobility.file: missing; must be the name of a file with lines of time, node, x and y"),
    ({"model": "trace", "file": "nowhere.txt"}, "mobility.file: nowhere.txt: No such file"),
    ({**WALK, "speed": [1, 2]}, 'mobility.speed: does not apply to model = "trace"'),
    ({**WALK, "pause": 2}, 'mobility.pause: does not apply to model = "trace"'),
    ({**WALK, "file": "x"}, "mobility.file, knots: must be one of the two, not both"),
    ({"model": "trace", "knots": []}, "mobility.knots: must be a list of [time, node, x, y], not a list of 0"),
    ({"model": "trace", "knots": [[0, 1, 2]]}, "mobility.knots[0]: must be [time, node, x, y], not a list of 3"),
    ({"model": "trace", "knots": [[0, 5, 0, 0]]}, "mobility.knots[0]: must name a node from 0 to 4, not 5"),
    ({"model": "trace", "knots": [[0, 0.5, 0, 0]]}, "mobility.knots[0]: must name a node from 0 to 4, not 0.5"),
    ({"model": "trace", "knots": [[3, 1, 0, 0], [3, 1, 1, 0]]}, "mobility.knots[1]: must come after 3 s, where node"),
    ({"model": "trace", "knots": [[0, 1, -1, 0]]}, "mobility.knots[0][2]: must be a number from 0"),
    ({**WALK, "step": 0}, "mobility.step: must be a number from 0.01 to 3600, not 0"),
]


@named(MOBILITY)
def test_mobility(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, "radio": {"model": "ieee802154"}, "mobility": keys}, text)


def test_movements_that_are_too_many() -> None:
    radio = {"model": "ieee802154"}
    refused(
        {"duration": 1e8, "topology": LINE, "radio": radio, "mobility": WALK},
        "mobility.step: must be at least 100, 1000000 steps in all, not 1",
    )
    tiny = {"kind": "line", "n": 5, "spacing": 0.001}
    refused(
        {"topology": tiny, "radio": radio, "mobility": {"model": "waypoint", "speed": [1, 1000]}},
        "mobility.speed: must make at most 20000000 turns and stops, not about ",
    )


def test_movement_needs_a_wireless_channel() -> None:
    walk = {"model": "waypoint", "speed": [1, 2]}
    for model in ("ideal", "lossy"):
        refused(
            {"topology": {"kind": "line", "n": 5}, "radio": {"model": model}, "mobility": walk},
            f'mobility.model: must be "none" for radio.model = "{model}"; use "ieee802154"',
        )


def test_frames_of_the_standard_have_an_end() -> None:
    mapping = {"topology": LINE, "radio": {"model": "ieee802154"}}
    refused({**mapping, "protocol": {"frame": 117}}, 'protocol.frame: must be at most 116 bytes for model = "ieee')
    refused({**mapping, "protocol": {"links": 40}}, "protocol.links: must be at most ")


def test_a_fault_cuts_only_good_links() -> None:
    mapping = {"topology": {**LINE, "spacing": 30}, "radio": {"model": "ieee802154", "shadowing": 0}}
    assert plan(parse({**mapping, "fault": [{"at": 1, "kind": "cut", "links": [[0, 1]]}]})).n == 5
    refused(
        {**mapping, "fault": [{"at": 1, "kind": "cut", "links": [[0, 4]]}]},
        "fault.0.links[0]: must be a link of the network, but 0 and 4 are not linked",
    )


# --- what is written can be read

EXAMPLES = {
    "device": 'device = "at86rf231"',
    "power": "power = -3.5",
    "range": "range = 40",
    "noise": "noise = -98.5",
    "pathloss": 'pathloss = "castalia"',
    "shadowing": "shadowing = 2",
    "asymmetry": "asymmetry = 0.5",
    "fading": "fading = 0",
    "fading_time": "fading_time = 45",
    "interference": "[[radio.interference]]\nrate = 120\nlength = 0.02\npower = 10\nsources = 3\nstart = 5\nstop = 50",
}


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_of_every_key(key: str) -> None:
    without = tomllib.loads('[topology]\nkind = "line"\nn = 3\nspacing = 15\n[radio]\nmodel = "ieee802154"\n')
    scenario = parse({**without, "radio": tomllib.loads(f'[radio]\nmodel = "ieee802154"\n{EXAMPLES[key]}')["radio"]})
    assert getattr(scenario.radio, key) != getattr(parse(without).radio, key)
    assert again(scenario) == scenario
    Network(scenario).run(0.1)


def again(scenario: Scenario) -> Scenario:
    return parse(tomllib.loads(to_toml(scenario)))


def test_files_stand_in_the_scenario_that_is_written(tmp_path: Path) -> None:
    """Device, places and movement are read once; what is written needs no file."""
    (tmp_path / "sheet.toml").write_text("\n".join(f"{name} = {json.dumps(value)}" for name, value in SHEET.items()))
    (tmp_path / "places.txt").write_text("# x y\n0 0\n10, 5\n20 0  # the last\n")
    (tmp_path / "walk.csv").write_text("0, 1, 10, 5\n30, 1, 12, 6\n")
    (tmp_path / "all.toml").write_text("""
[topology]
kind = "places"
file = "places.txt"
[radio]
model = "ieee802154"
device = "sheet.toml"
power = 4
[[radio.interference]]
rate = 60
length = 0.01
place = [5, 5]
[[radio.interference]]
rate = 6
length = 0.5
sources = 2
[mobility]
model = "trace"
file = "walk.csv"
step = 0.5
""")
    scenario = load(tmp_path / "all.toml")
    assert scenario.topology.places == ((0, 0), (10, 5), (20, 0)) and scenario.topology.n == 3
    assert scenario.mobility.knots == ((0, 1, 10, 5), (30, 1, 12, 6)) and scenario.mobility.file is None
    assert isinstance(scenario.radio.device, Device) and scenario.radio.device.turnaround == 150
    assert len(scenario.radio.interference) == 2
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "written.toml").write_text(to_toml(scenario))
    assert load(tmp_path / "moved" / "written.toml") == scenario


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("sheet.toml", "name = ", "radio.device: "),
        ("sheet.toml", "name = 'x'", "radio.device: "),
        ("places.txt", "0 0\n1 x\n", 'topology.file: line 2: must be x y, not "1 x"'),
        ("places.txt", "", "topology.file: must be a list of [x, y]"),
        ("walk.csv", "0, 1, 2\n", 'mobility.file: line 1: must be time node x y, not "0 1 2"'),
        ("walk.csv", "0 1 nan 3\n", "mobility.file[0][2]: must be a number from 0"),
    ],
)
def test_files_with_mistakes(tmp_path: Path, name: str, text: str, error: str) -> None:
    (tmp_path / name).write_text(text)
    mapping: dict[str, Any] = {"topology": LINE, "radio": {"model": "ieee802154"}}
    if name == "sheet.toml":
        mapping["radio"]["device"] = name
    elif name == "places.txt":
        mapping["topology"] = {"kind": "places", "file": name}
    else:
        mapping["mobility"] = {"model": "trace", "file": name}
    refused(mapping, error, folder=tmp_path)
