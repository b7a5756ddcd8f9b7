"""The Python API, and that runs repeat."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest

from psvr.errors import BadInput
from psvr.sim import tables
from psvr.sim.drawing import draw
from psvr.sim.network import Network
from psvr.sim.scenario import load, parse
from psvr.sim.summary import fingerprint, summarize

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.toml"))
GOLDEN = Path(__file__).parent / "fingerprints.json"


def small(**more: Any) -> Network:
    return Network(parse({"topology": {"kind": "geometric", "n": 20, "degree": 6}, **more}))


def test_a_session_in_a_notebook() -> None:
    net = small()
    assert net.run_until_stable() < 60
    net.subscribe(7, "news")
    net.run(1)
    publication = net.publish(3, "news")
    net.run(1)
    d = tables.deliveries(net).to_pylist()
    assert [(r["publication"], r["node"]) for r in d] == [(publication, 7)] and d[0]["latency"] > 0
    assert tables.publications(net).to_pylist()[0]["channel"] == "news"
    frame = tables.nodes(net).to_pandas()
    assert len(frame) == 20 and set(frame["root"]) == {0} and frame["links"].min() >= 1
    assert net.node(0)["root"] == 0
    net.corrupt(range(20))
    assert net.problems()
    net.run_until_stable()
    assert not net.problems()
    before = net.now
    net.step()
    assert net.now > before


def test_faults_by_hand() -> None:
    net = small()
    net.run_until_stable()
    net.crash([0])
    assert net.run_until_stable(100)
    assert set(net.world.nodes["root"][1:]) == {1}
    net.restart([0])
    net.run_until_stable(100)
    assert set(net.world.nodes["root"]) == {0}
    net.partition([5])
    net.run_until_stable(100)
    assert net.world.nodes["root"][5] == 5


def test_not_stable_in_time_says_why() -> None:
    with pytest.raises(TimeoutError, match="one root"):
        small().run_until_stable(1.0)


def test_from_networkx() -> None:
    net = Network.from_networkx(nx.petersen_graph(), protocol={"system": "shen"})
    net.run_until_stable()
    assert net.world.nodes["size"][0] == 10
    with pytest.raises(BadInput, match="topology: must not be given"):
        Network.from_networkx(nx.petersen_graph(), topology={"kind": "ring", "n": 10})


def test_drawing(tmp_path: Path) -> None:
    for net in (small(), Network(parse({"topology": {"kind": "ring", "n": 6}}))):
        net.subscribe(2, "c")
        net.run(15)
        net.crash([4])
        draw(net, tmp_path / "net.svg")
        circles = [e for e in ElementTree.parse(tmp_path / "net.svg").iter() if e.tag.endswith("circle")]
        assert len(circles) == net.plan.n
        assert sum(c.get("class") == "dead" for c in circles) == 1 and any(c.get("class") == "root" for c in circles)


def run(path: Path) -> str:
    net = Network(load(path))
    net.run(130)
    return fingerprint(net)


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_fingerprints(path: Path) -> None:
    """A change here means that behaviour has changed: if that is intended, record the new one."""
    assert run(path) == json.loads(GOLDEN.read_text())[path.stem]


def test_same_seed_same_run_other_seed_other_run() -> None:
    def figures(seed: int) -> dict[str, Any]:
        net = Network(
            parse(
                {
                    "seed": seed,
                    "duration": 40,
                    "topology": {"kind": "geometric", "n": 30, "degree": 7},
                    "radio": {"model": "lossy", "loss": 0.1},
                    "traffic": [{"channel": "c", "subscribers": 5, "every": 5.0, "churn": 6.0}],
                    "fault": [{"at": 20.0, "kind": "corrupt", "nodes": 5}],
                }
            )
        )
        net.run(40)
        return {k: v for k, v in summarize(net).items() if k not in ("wall_s", "events_per_s")}

    assert figures(3) == figures(3)
    assert figures(3)["fingerprint"] != figures(4)["fingerprint"]


def test_pools_and_queue_grow() -> None:
    """Hundreds publish at the same moment: every table of the engine has to grow, and nothing is lost."""
    net = Network(parse({"topology": {"kind": "gnp", "n": 60, "degree": 8}}))
    for v in range(60):
        net.subscribe(v, "c")
    net.run_until_stable()
    net.run(5)  # until nothing is in doubt, and so has to be repeated
    before = len(net.world.heap)
    for _ in range(10):
        for v in range(60):
            net.publish(v, "c")
    net.run(30)
    assert len(net.world.heap) > before
    assert int(net.world.tally["delivered"][0]) == 10 * 60 * 60
    assert net.world.pool["used"][0] == 0
