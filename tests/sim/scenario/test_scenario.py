"""Valid scenarios: defaults, files, overrides, and writing them as TOML."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.protocol import constants as k
from psvr.sim.scenario import Fault, Protocol, Radio, Scenario, Subscribe, Topology, Traffic, load, parse, to_toml

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.toml"))

ISSUE = """
seed = 7
duration = 600            # simulated seconds
warmup = 120              # publications before this are not counted
[topology]
kind = "geometric"        # gnp | geometric | grid | line | ring | edges
n = 50
degree = 8
[radio]
model = "ideal"           # ideal | lossy
loss = 0.0
[protocol]
system = "psvr"           # psvr | vr2015 | shen | ring | flood
shortcuts = "all"
links = 8                 # C_N
hello = 1.0
lease = 30.0              # δ_S; absent: from the ring's length
[[traffic]]
channel = "temperature"
subscribers = 10          # a count drawn by the seed, or a list of nodes, or "all"
publishers = "all"        # likewise
every = 20.0              # per publisher, first one at a random phase
churn = 0.0               # subscription changes per minute on this channel
[[subscribe]]             # a single change
at = 200.0
node = 4
channel = "temperature"
on = true
[[fault]]
at = 300.0
kind = "corrupt"
nodes = "all"
"""


def test_all_keys() -> None:
    assert parse(tomllib.loads(ISSUE)) == Scenario(
        seed=7,
        duration=600.0,
        warmup=120.0,
        topology=Topology(kind="geometric", n=50, degree=8.0),
        radio=Radio(model="ideal", loss=0.0),
        protocol=Protocol(system="psvr", shortcuts="all", links=8, hello=1.0, lease=30.0),
        traffic=(Traffic(channel="temperature", subscribers=10, publishers="all", every=20.0, churn=0.0),),
        subscribe=(Subscribe(at=200.0, node=4, channel="temperature", on=True),),
        fault=(Fault(at=300.0, kind="corrupt", nodes="all"),),
    )


def test_defaults() -> None:
    s = parse({"topology": {"kind": "line", "n": 3}, "traffic": [{"channel": "a"}]})
    assert (s.seed, s.duration, s.warmup) == (1, 600.0, 0.0)
    assert (s.topology.ids, s.topology.connected) == ("index", True)
    assert s.radio == Radio(model="ideal", loss=0.0, retries=3, bitrate=250_000)
    assert s.protocol == Protocol(
        system="psvr",
        shortcuts="all",
        links=8,
        hello=1.0,
        lease=None,
        depth=None,
        frame=116,
        channels=16,
        id_bytes=None,
        position_bytes=None,
    )
    assert s.traffic == (
        Traffic(
            channel="a", subscribers="all", publishers="all", every=20.0, start=0.0, stop=None, payload=16, churn=0.0
        ),
    )
    assert (s.subscribe, s.fault) == ((), ())


def test_defaults_are_those_of_the_protocol() -> None:
    from psvr.protocol.layout import Capacity, blank
    from psvr.protocol.node import default_settings
    from psvr.protocol.records import Settings

    settings, p = blank(Settings, Capacity()), Protocol()
    default_settings(settings)
    assert (p.hello * k.SECOND, p.links, p.frame) == (settings.hello, settings.links, settings.frame)
    assert (k.SYSTEMS.index(p.system), k.SHORTCUTS.index(p.shortcuts)) == (settings.system, settings.shortcuts)
    assert p.channels == Capacity().channels


@pytest.mark.parametrize(
    ("keys", "given"),
    [
        ({"kind": "geometric", "n": 9, "degree": 4, "area": 50}, {"area": 50.0, "degree": 4.0}),
        ({"kind": "geometric", "n": 9, "range": 30, "area": [50, 20.5]}, {"area": (50.0, 20.5), "range": 30.0}),
        ({"kind": "gnp", "n": 9, "p": 1}, {"p": 1.0}),
        ({"kind": "grid", "rows": 2, "columns": 5}, {"rows": 2, "columns": 5, "n": None}),
        ({"kind": "edges", "edges": [[0, 1], [1, 2]]}, {"edges": ((0, 1), (1, 2)), "n": 3}),
        ({"kind": "edges", "edges": [[0, 1]], "n": 5, "connected": False}, {"n": 5}),
        ({"kind": "edges", "edges": [], "n": 1}, {"edges": (), "n": 1}),
        ({"kind": "gnp", "n": 2, "degree": 1}, {"degree": 1.0}),
    ],
)
def test_topologies(keys: dict[str, Any], given: dict[str, Any]) -> None:
    topology = parse({"topology": keys}).topology
    assert {key: getattr(topology, key) for key in given} == given
    assert all(type(getattr(topology, key)) is type(value) for key, value in given.items())


@pytest.mark.parametrize("folder", [".", "sub"])
def test_links_from_a_file_beside_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "links.txt").write_bytes(b"\xef\xbb\xbf# a triangle\r\n0 1\r\n\r\n2\t1 # and\r\n  2 0\r\n")
    (tmp_path / folder / "s.toml").write_text('[topology]\nkind = "edges"\nfile = "links.txt"\n')
    monkeypatch.chdir(tmp_path)
    scenario = load(Path(folder) / "s.toml")
    assert scenario.topology == Topology(kind="edges", n=3, edges=((0, 1), (1, 2), (0, 2)))
    (tmp_path / folder / "links.txt").unlink()
    assert parse(scenario.to_dict()) == scenario  # files no longer matter


def test_overrides() -> None:
    s = parse(
        tomllib.loads(ISSUE),
        overrides=[
            "topology.n=200",
            " seed = 8",
            "fault.0.at=30",
            "protocol.system=shen",
            'traffic.0.channel="a b"',
            "traffic.0.subscribers=[1, 2]",
            "radio.retries=0",
            "topology.degree=",
            "topology.range=300",
            "topology.area=[9e2, 1e3]",
            "fault.0.nodes=3",
            "protocol.lease=",
            "subscribe=[]",
            "topology.connected=false",
        ],
    )
    assert s.topology == Topology(kind="geometric", n=200, range=300.0, area=(900.0, 1000.0), connected=False)
    assert (s.seed, s.protocol.system, s.protocol.lease, s.radio.retries, s.subscribe) == (8, "shen", None, 0, ())
    assert (s.fault[0], s.traffic[0].channel) == (Fault(at=30.0, kind="corrupt", nodes=3), "a b")
    assert s.traffic[0].subscribers == (1, 2)


def test_overrides_of_what_is_not_there_yet() -> None:
    mapping: dict[str, Any] = {"topology": {"kind": "line", "n": 3}}
    s = parse(mapping, overrides=["radio.model=lossy", "radio.loss=0.5", "topology={kind='ring', n=4}"])
    assert (s.radio.model, s.radio.loss, s.topology.kind, s.topology.n) == ("lossy", 0.5, "ring", 4)
    assert mapping == {"topology": {"kind": "line", "n": 3}}
    s = parse(mapping, overrides=["fault=[{at=1, kind='crash', nodes=1}]", "fault.0.duration=5"])
    assert s.fault == (Fault(at=1.0, kind="crash", nodes=1, duration=5.0),)


def test_overrides_leave_what_they_are_made_from() -> None:
    mapping: dict[str, Any] = tomllib.loads(ISSUE)
    parse(mapping, overrides=["topology.n=200", "fault.0.at=30", "traffic.0.subscribers=[1]", "protocol.lease="])
    assert mapping == tomllib.loads(ISSUE)


def test_load_overrides(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(ISSUE)
    assert load(str(tmp_path / "s.toml"), ["seed=9"]) == parse(tomllib.loads(ISSUE), overrides=["seed=9"])


def test_to_dict_leaves_out_what_is_absent() -> None:
    traffic = {"channel": "a", "subscribers": [2, 0]}
    found = parse({"topology": {"kind": "line", "n": 3}, "traffic": [traffic]}).to_dict()
    assert found["topology"] == {"kind": "line", "n": 3, "ids": "index", "connected": True}
    assert found["traffic"][0]["subscribers"] == [2, 0] and "stop" not in found["traffic"][0]
    assert list(found) == [
        "seed",
        "duration",
        "warmup",
        "topology",
        "radio",
        "mobility",
        "protocol",
        "host",
        "traffic",
        "subscribe",
        "fault",
    ]


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples(path: Path) -> None:
    scenario = load(path)
    assert parse(tomllib.loads(to_toml(scenario))) == scenario


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


N = 20
TIMES = st.floats(0, 100)
NODES = st.just("all") | st.integers(1, N) | st.lists(st.integers(0, N - 1), min_size=1, unique=True)
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)


def table(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the keys."""
    return st.fixed_dictionaries({}, optional=keys)


TOPOLOGIES = st.sampled_from(
    [
        {"kind": "line", "n": N},
        {"kind": "ring", "n": N},
        {"kind": "grid", "rows": 4, "columns": 5},
        {"kind": "gnp", "n": N, "degree": 6.25},
        {"kind": "gnp", "n": N, "p": 1 / 3},
        {"kind": "geometric", "n": N, "degree": 8, "ids": "random"},
        {"kind": "geometric", "n": N, "range": 70.1, "area": [100, 0.1], "connected": False},
        {"kind": "edges", "edges": [[v, v + 1] for v in range(N - 1)]},
    ]
)
RADIOS = table(model=st.just("lossy"), retries=st.integers(0, 9), bitrate=st.integers(1, 10**9)).flatmap(
    lambda t: st.floats(0, 1, exclude_max=True).map(lambda loss: {**t, "loss": loss} if "model" in t else t)
)
PROTOCOLS = table(
    system=st.sampled_from(k.SYSTEMS),
    shortcuts=st.sampled_from(k.SHORTCUTS),
    links=st.integers(1, 255),
    hello=st.floats(0.01, 99),
    lease=st.floats(0.01, 99),
    depth=st.integers(1, 999),
    frame=st.integers(116, 999),
    channels=st.integers(1, 99),
    id_bytes=st.sampled_from([4, 8]),
    position_bytes=st.sampled_from([2, 4, 8]),
)
TRAFFICS = st.lists(
    st.tuples(
        NAMES,
        table(
            subscribers=NODES,
            publishers=NODES,
            every=st.floats(1e-6, 1e9),
            start=TIMES,
            stop=st.floats(101, 200),
            payload=st.integers(0, 40),
            churn=st.floats(0, 99),
        ),
    ).map(lambda pair: {"channel": pair[0], **pair[1]}),
    max_size=3,
)
SUBSCRIBES = st.lists(
    st.fixed_dictionaries(
        {"at": TIMES, "node": st.integers(0, N - 1), "channel": NAMES}, optional={"on": st.booleans()}
    ),
    max_size=3,
)
FAULTS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"at": TIMES, "kind": st.just("crash"), "nodes": NODES},
            optional={"duration": st.floats(1e-6, 1e9), "rate": st.floats(1e-3, 59)},
        ),
        st.fixed_dictionaries({"at": TIMES, "kind": st.sampled_from(["corrupt", "restart", "jam"]), "nodes": NODES}),
        st.fixed_dictionaries(
            {
                "at": TIMES,
                "kind": st.sampled_from(["cut", "heal"]),
                "links": st.sampled_from(["all", 3, [[0, 1], [5, 3]]]),
            }
        ),
    ),
    max_size=3,
)
SCENARIOS = st.fixed_dictionaries(
    {"topology": TOPOLOGIES},
    optional={
        "seed": st.integers(0, 2**63 - 1),
        "duration": st.floats(200, 1e5),
        "warmup": TIMES,
        "radio": RADIOS,
        "protocol": PROTOCOLS,
        "traffic": TRAFFICS,
        "subscribe": SUBSCRIBES,
        "fault": FAULTS,
    },
)


@settings(deadline=None, max_examples=300)
@given(SCENARIOS)
def test_round_trips(mapping: dict[str, Any]) -> None:
    scenario = parse(mapping)
    assert parse(scenario.to_dict()) == scenario
    assert parse(tomllib.loads(to_toml(scenario))) == scenario
    assert (
        parse(
            {"topology": {"kind": "line", "n": 2}},
            overrides=[f"{name}={inline(value)}" for name, value in scenario.to_dict().items()],
        )
        == scenario
    )


def inline(value: Any) -> str:
    """A value as TOML on one line, written by other means than the package's."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {inline(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08X}" for c in value) + '"'
    return repr(value).lower()
