"""Simulator and swarm agree: the same tree, ring and tables, and as many messages for every publication."""

import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psvr.node.core.snapshot import to_plain
from psvr.protocol.layout import Capacity, blank, restore
from psvr.protocol.records import Node
from psvr.sim.network import Network
from psvr.sim.plan import plan
from psvr.sim.scenario import parse
from psvr.sim.summary import summarize as simulated
from psvr.swarm.run import Swarm
from psvr.swarm.summary import traced
from psvr.trace import read
from tests.support.swarm.swarming import swarm

Both = tuple[Swarm, dict[str, Any], Network]
HAND_MADE = [[0, 3], [0, 5], [3, 1], [5, 2], [2, 4], [3, 5], [1, 2]]


def drawn(n: int, degree: float, seed: int) -> list[list[int]]:
    net = plan(parse({"seed": seed, "topology": {"kind": "geometric", "n": n, "degree": degree}}))
    return [[u, int(v)] for u in range(n) for v in net.near[net.first[u] : net.first[u + 1]] if u < v]


def shortest_tree(links: list[list[int]]) -> list[list[int]]:
    """Of the shortest ways from node 0, which becomes the root."""
    reached, tree = [0], []
    for u in reached:
        for link in links:
            v = sum(link) - u
            if u in link and v not in reached:
                reached.append(v)
                tree.append(link)
    return tree


def scenario(links: list[list[int]]) -> dict[str, Any]:
    """A node stays with the parent that it met first, if another would save no more than a step: with cycles from the
    start, chance would choose the tree.  All other links come when it stands, and are shortcuts then."""
    tree = shortest_tree(links)
    return {
        "duration": 13,
        "warmup": 10,
        "topology": {"kind": "edges", "edges": links},
        "protocol": {"hello": 0.1},
        "traffic": [{"channel": "news", "subscribers": [1, 2], "every": 1}, {"channel": "all", "every": 1}],
        "fault": [{"at": 0, "kind": "cut", "links": [link for link in links if link not in tree], "duration": 5}],
    }


@pytest.fixture(scope="module", params=[HAND_MADE, drawn(10, 4, 1), drawn(12, 5, 2)], ids=["6", "10", "12"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    given = scenario(request.param)
    made, figures = swarm(tmp_path_factory.mktemp("trace"), given)
    net = Network(parse(given))
    net.run(given["duration"] + 1)  # what was published last is still on its way
    return made, figures, net


def remembered(net: Network, v: int) -> dict[str, Any]:
    """The memory that a simulated node would report."""
    me, shot = blank(Node, Capacity()), net.node(v)
    restore(me, Node, shot)
    return to_plain(me)


def comparable(told: dict[str, Any]) -> dict[str, Any]:
    """Places in tables follow the order in which others were met; what stands there does not."""
    return told | {"link": sorted(told["link"]), "row": sorted(told["row"]), "wants": sorted(told["wants"])}


def test_tree_ring_and_tables_are_the_same(both: Both) -> None:
    made, _, net = both
    assert net.problems() == [] and made.watch.problems == []
    reach = [int(degree) for degree in np.diff(net.plan.first)]
    assert [len(made.watch.memories[v]["link"]) for v in range(net.plan.n)] == reach, "all links are kept"
    for v in range(net.plan.n):
        assert comparable(made.watch.memories[v]) == comparable(remembered(net, v))


def test_every_publication_takes_as_many_messages(both: Both) -> None:
    made, _, net = both
    known = net.world.publications[: net.world.tally["published"][0]]

    def messages(publications: Any) -> dict[tuple[int, int], set[int]]:
        found = collections.defaultdict(set)
        for p in publications[publications["time"] >= 10_000_000]:
            found[int(p["node"]), int(p["channel"])].add(int(p["messages"]))
        return dict(found)

    assert len(messages(known)) == 2 * net.plan.n, "two channels"
    assert messages(traced(made)[0]) == messages(known)


def test_everything_is_delivered_once(both: Both) -> None:
    _, figures, net = both
    assert figures["delivery_ratio"] == 1 and figures["duplicates"] == 0
    assert figures["hops"].keys() == simulated(net)["hops"].keys()


def test_the_summary_has_the_fields_of_the_simulator(both: Both) -> None:
    _, figures, net = both
    assert figures.keys() == simulated(net).keys()
    assert {name for name, value in figures.items() if value is None} == {
        "max_table_bytes",
        "node_bytes",
        "entry_bytes",
        "channel",
        "links",
        "energy",
        "fingerprint",
        "missed_by",
        "stable_at",
    }, "the last only because links are cut from the start"
    assert figures["recoveries"][0] is not None


def test_the_trace_can_be_read(both: Both) -> None:
    made, figures, _ = both
    table = read(Path(made.places.trace))
    events = collections.Counter(table["event"].to_pylist())
    assert set(table["run"].to_pylist()) == {"test"}
    assert events["subscribed"] == 2 + made.plan.n and events["published"] > figures["published"] > 0
