"""The tables that the study `tables` counts: against their definitions, and against those of simulated nodes."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from psvr.errors import BadInput
from psvr.lab.code import imported
from psvr.lab.study import BUILT_IN
from psvr.results.figures import PACKED
from psvr.routing.settled import Settled
from psvr.routing.tree import bfs_tree
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from tests.support.routing import naive
from tests.support.routing.networks import Case, drawn

trial: Any = imported(BUILT_IN / "tables" / "trial.py", "trial.py")
GIVEN = {"n": 40, "degree": 8, "s": 5, "sets": 3, "publishers": 4}
CASES = [drawn(seed, 30, 70, subscribers) for seed, subscribers in ((1, 1), (2, 4), (3, 12), (4, 30))]


def bytes_of(system: str, case: Case) -> tuple[list[int], list[int]]:
    entries, sizes = trial.TABLES[system](case.settled, np.array(case.subscribers, dtype=np.int32))
    return entries.tolist(), sizes.tolist()


@pytest.mark.parametrize("case", CASES)
def test_psvr_has_an_entry_per_position(case: Case) -> None:
    ring = naive.ring(case.root, case.parent)
    known = [v for v, ns in zip(ring, naive.next_subscriber(ring, case.subscribers)) if ns is not None]
    entries, sizes = bytes_of("psvr", case)
    assert entries == [known.count(v) for v in range(case.n)]
    assert sizes == [8 + 12 * e if e else 0 for e in entries]


@pytest.mark.parametrize("case", CASES)
def test_one_tree_has_an_entry_per_side_with_subscribers(case: Case) -> None:
    tree = naive.tree_network(case.parent)
    expected = [0] * case.n
    for u, v in tree.edges:
        apart = tree.copy()
        apart.remove_edge(u, v)
        expected[u] += bool(nx.node_connected_component(apart, v) & {*case.subscribers})
        expected[v] += bool(nx.node_connected_component(apart, u) & {*case.subscribers})
    entries, sizes = bytes_of("shen", case)
    assert entries == expected and sizes == [8 + 6 * e if e else 0 for e in entries]


@pytest.mark.parametrize("case", CASES)
def test_t_d_has_an_entry_per_publisher_and_child(case: Case) -> None:
    entries, trees = [0] * case.n, [0] * case.n
    for publisher in range(case.n):
        senders = [sender for sender, _ in naive.branches(case.g, publisher, case.subscribers)]
        for v in range(case.n):
            entries[v] += senders.count(v)
            trees[v] += v in senders
    assert bytes_of("td", case) == (entries, [8 + 2 * t + 6 * e if e else 0 for e, t in zip(entries, trees)])


def test_t_s_is_shen_on_the_central_tree() -> None:
    case = CASES[1]
    central = Settled(case.settled.graph, naive.centre(case.g), bfs_tree(case.settled.graph, naive.centre(case.g)))
    wanted = np.array(case.subscribers, dtype=np.int32)
    assert bytes_of("ts", case)[1] == trial.TABLES["shen"](central, wanted)[1].tolist() != bytes_of("shen", case)[1]


def test_what_is_kept_whatever_the_channels() -> None:
    case = CASES[0]
    ring, g = naive.ring(case.root, case.parent), case.g
    positions = [ring.count(v) for v in range(case.n)]
    expected = [10 + 2 * (positions[v] + sum(positions[w] for w in g[v])) for v in range(case.n)]
    assert trial.structure(case.settled, "psvr").tolist() == expected
    assert trial.structure(case.settled, "ts").tolist() == [10] * case.n
    assert trial.structure(case.settled, "td").tolist() == [10 * case.n] * case.n


def test_simulated_nodes_have_the_tables_that_are_counted() -> None:
    """The same tree, with the ring that nodes found, in a network at rest."""
    net = Network(
        parse(
            {
                "topology": {"kind": "geometric", "n": 30, "degree": 7},
                "protocol": {"links": 16, "frame": 400},
                "traffic": [{"channel": "c", "subscribers": [3, 11, 12, 25], "every": 1000}],
            }
        )
    )
    net.run_until_stable(300)
    parent = np.searchsorted(net.world.ids, net.world.nodes["parent"]).astype(np.int32)
    root = int(np.argmin(net.world.nodes["dist"]))
    parent[root] = -1
    graph = naive.network(30, [(v, int(u)) for v, u in enumerate(parent) if u >= 0])
    case = Case(30, [*graph.edges], root, parent.tolist(), 0, [3, 11, 12, 25])
    _, sizes = bytes_of("psvr", case)
    assert net.machine.table_bytes(PACKED).tolist() == sizes


def test_a_trial_has_means_over_nodes_and_sets() -> None:
    parameters = trial.resolve(GIVEN)
    rows = trial.run(parameters, None, 3, ["psvr/all", "shen", "ts", "td"])
    assert rows == trial.run(parameters, None, 3, ["psvr/all", "shen", "ts", "td"])
    psvr, shen, ts, td = rows
    assert shen == ts and {*psvr} == {*trial.RESULTS.names}
    assert psvr["entries"] == pytest.approx(2 * 39 / 40, rel=0.1)  # all but those of a subscriber of its own
    assert shen["table"] < psvr["table"] < td["table"] < td["table_most"]
    assert psvr["published"] == 12
    assert [row["hello_more"] for row in rows] == [0, 0, 0, 390]
    one = trial.run(trial.resolve({**GIVEN, "s": 1}), None, 3, ["td", "psvr/all", "ts"])
    assert one[0]["messages"] < one[1]["messages"] < one[2]["messages"]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"n": 1}, "n: must be a whole number from 2"),
        ({"s": 0}, "s: must be"),
        ({"degree": 3}, "degree: must be"),
        ({"sets": "many"}, "sets: must be"),
        ({"publishers": 0}, "publishers: must be"),
    ],
)
def test_wrong_parameters_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        trial.resolve({**GIVEN, **changes})


def test_what_is_missing_or_does_not_fit() -> None:
    with pytest.raises(BadInput, match="sets: missing"):
        trial.resolve({"n": 40, "degree": 8, "s": 5})
    assert trial.resolve({**GIVEN, "s": 37}) is None and trial.resolve({**GIVEN, "degree": 40}) is None
    with pytest.raises(BadInput, match="system flood: tables are known of"):
        trial.run(trial.resolve(GIVEN), None, 3, ["flood"])
    assert trial.cost(trial.resolve(GIVEN), None) < trial.cost(trial.resolve({**GIVEN, "n": 400}), None)
