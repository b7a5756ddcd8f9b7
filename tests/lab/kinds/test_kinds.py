"""Kinds of trial: fast counts equal slow ones, results do not depend on where they are computed."""

import subprocess
import sys
from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from psvr.errors import BadInput
from psvr.lab.kinds import settled, simulated
from psvr.lab.kinds.loads import Loads
from psvr.lab.kinds.names import variant_of
from psvr.lab.kinds.template import scenario_of
from psvr.routing.settled import Settled
from psvr.routing.systems import SYSTEMS, route, system
from psvr.routing.tree import bfs_tree, centre
from psvr.sim.network import Network
from psvr.sim.running import run_to_end
from psvr.sim.summary import summarize
from psvr.trace import EVENTS, ROW

ALL = ["psvr/all", "psvr/nontree", "vr2015/all", "vr2015/nontree", "ring", "shen", "td", "ts", "flood"]


def message(parameters: dict[str, Any], kind: Any = settled) -> str:
    with pytest.raises(BadInput) as caught:
        kind.resolve(parameters)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def one_route_at_a_time(parameters: dict[str, Any], seed: int, name: str) -> tuple[int, int]:
    """Messages and deliveries, publication by publication."""
    graph = settled.drawn(parameters, seed)
    root = centre(graph)
    network = Settled(graph, root, bfs_tree(graph, root))
    sent = settled.publications(graph.n, parameters["s"], *settled.shape(parameters), np.random.default_rng([seed, 1]))
    chosen, _, shortcuts = name.partition("/")
    routes = [
        route(network, chosen, int(publisher), wanted, shortcuts or "all")
        for wanted, publishers in zip(sent.subscribers, sent.publishers)
        for publisher in publishers
    ]
    return sum(r.count for r in routes), sum(len(r.hops) for r in routes)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(2, 30), p=st.floats(0.25, 1), s=st.integers(1, 29), seed=st.integers(0, 2**63 - 1))
def test_batches_count_what_single_routes_do(n: int, p: float, s: int, seed: int) -> None:
    parameters = settled.resolve({"n": n, "p": p, "s": 1 + s % (n - 1), "publications": 30})
    assume(parameters is not None)
    assert parameters is not None
    for name, row in zip(ALL, settled.run(parameters, None, seed, ALL)):
        messages, delivered = one_route_at_a_time(parameters, seed, name)
        assert (row["messages"], row["delivered"]) == (messages, delivered), name


def test_publishers_are_no_subscribers_and_sets_are_drawn_evenly() -> None:
    sent = settled.publications(12, 4, 3000, 5, np.random.default_rng(1))
    assert (sent.members.sum(axis=1) == 4).all() and sent.publishers.shape == (3000, 5)
    assert not np.take_along_axis(sent.members, sent.publishers, axis=1).any()
    assert all(len({*wanted, *senders}) == 9 for wanted, senders in zip(sent.subscribers, sent.publishers))
    mean = sent.members.mean(axis=0)
    assert np.abs(mean - 4 / 12).max() < 5 * np.sqrt(4 / 12 * 8 / 12 / 3000)


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        ({"n": 100, "s": 10, "publications": 1000}, (50, 20)),
        ({"n": 100, "s": 99, "publications": 1000}, (1000, 1)),
        ({"n": 100, "s": 10}, (50, 20)),
        ({"n": 20, "s": 10, "publications": 7}, (1, 7)),
        ({"n": 20, "s": 1, "publications": 76, "sets": 4}, (4, 19)),
        ({"n": 20, "s": 1, "publications": 3, "sets": 4}, (4, 1)),
    ],
)
def test_publications_become_sets_and_publishers(given: dict[str, int], shape: tuple[int, int]) -> None:
    assert settled.shape(given) == shape


def test_routes_are_counted_by_their_hops() -> None:
    parameters = settled.resolve({"n": 40, "degree": 8, "s": 1, "sets": 3, "publications": "all", "routes": True})
    assert parameters is not None and parameters["publications"] == 3 * 39
    rows = dict(zip(["td", "psvr/all", "shen"], settled.run(parameters, None, 7, ["td", "psvr/all", "shen"])))
    graph = settled.drawn(parameters, 7)
    far = dict(nx.all_pairs_shortest_path_length(nx.Graph(graph.edges().tolist())))
    sent = settled.publications(40, 1, 3, 39, np.random.default_rng([7, 1]))
    expected = Counter(
        far[int(publisher)][int(wanted)]
        for [wanted], publishers in zip(sent.subscribers, sent.publishers)
        for publisher in publishers
    )
    assert {hops: number for hops, number in enumerate(rows["td"]["hops"]) if number} == expected
    for row in rows.values():
        assert sum(row["hops"]) == row["delivered"] == row["published"] == 117
        assert row["hops_sum"] == sum(h * number for h, number in enumerate(row["hops"])) == row["messages"]


def test_systems_without_a_batch_are_routed_one_by_one() -> None:
    parameters = settled.resolve({"n": 25, "p": 0.3, "s": 3, "publications": 20})
    assert parameters is not None
    [steiner, td] = settled.run(parameters, None, 5, ["steiner", "td"])
    assert (steiner["messages"], steiner["delivered"]) == one_route_at_a_time(parameters, 5, "steiner")
    assert steiner["messages"] <= td["messages"] and steiner["hops"] is None and steiner["hops_sum"] is None


def test_a_custom_system_is_run_by_its_name() -> None:
    @system("twice", positions=False, text="T_D, every message twice")
    def twice(network: Settled, publication: Any) -> Any:
        return [m for m in SYSTEMS["td"].messages(network, publication) for _ in range(2)]

    try:
        parameters = settled.resolve({"n": 25, "p": 0.3, "s": 3, "publications": 20})
        assert parameters is not None
        [ours, td] = settled.run(parameters, None, 5, ["twice", "td"])
        assert ours["messages"] == 2 * td["messages"]
    finally:
        del SYSTEMS["twice"]


def test_results_depend_on_nothing_but_the_seed() -> None:
    parameters = {"n": 30, "p": 0.2, "s": 5, "publications": 100}
    together = settled.run(parameters, None, 3, ALL)
    assert settled.run(parameters, None, 3, ALL) == together
    assert [settled.run(parameters, None, 3, [name])[0] for name in ALL] == together
    assert settled.run(parameters, None, 4, ALL) != together
    code = f"from psvr.lab.kinds import settled; print(settled.run({parameters!r}, None, 3, {ALL!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(together)


@pytest.mark.parametrize("kind", [settled, simulated])
def test_results_have_the_declared_types(kind: Any) -> None:
    [row] = (
        settled.run({"n": 10, "p": 0.5, "s": 2, "routes": True}, None, 3, ["psvr/all"])
        if kind is settled
        else simulated.run({"n": 8}, SCENARIO, 3, ["psvr/all"])
    )
    table = pa.Table.from_pylist([row], schema=kind.RESULTS)
    assert set(row) == set(table.column_names) and table.to_pylist() == [row]
    whole = [v for v in row.values() if not isinstance(v, str | list)]
    assert {type(v) for v in whole} <= {int, type(None)}


def test_words_become_numbers_and_the_impossible_is_left_out() -> None:
    assert settled.resolve({"n": 20, "p": 1, "s": "all"}) == {"n": 20, "p": 1.0, "s": 19}
    assert settled.resolve({"n": 20, "p": 0.5, "s": 20}) is None
    assert settled.resolve({"n": 100, "p": 0.01, "s": 1}) is None
    assert settled.resolve({"n": 100, "p": 0.03, "s": 1}) is None  # connected once in 130 draws
    assert settled.resolve({"n": 20, "degree": 20, "s": 1}) is None
    assert settled.resolve({"n": 200, "degree": 4, "s": 1}) is None


@pytest.mark.parametrize(
    ("n", "p"), [(2, 1.0), (3, 0.67), (5, 0.4), (20, 0.1), (50, 0.05), (200, 0.02), (1000, 0.0055)]
)
def test_what_is_not_left_out_can_be_drawn(n: int, p: float) -> None:
    """These are the thinnest that are let through; a draw that fails would lose a trial."""
    parameters = settled.resolve({"n": n, "p": p, "s": 1})
    assert parameters is not None
    assert all(settled.drawn(parameters, seed).n == n for seed in range(20))


@pytest.mark.parametrize(
    ("parameters", "part"),
    [
        ({"n": 20, "s": 1}, "p, degree: exactly one of the two must be given"),
        ({"n": 20, "s": 1, "p": 0.5, "degree": 3}, "p, degree: exactly one"),
        ({"p": 0.5, "s": 1}, "n: missing"),
        ({"n": 20, "p": 0.5}, "s: missing"),
        ({"n": 20, "s": 1, "p": 0.5, "publication": 3}, "publication: unknown parameter (did you mean publications?)"),
        ({"n": 20, "s": 1, "p": "high"}, "p: must be a number above 0"),
        ({"n": 20, "s": 1, "p": 1.5}, "p: must be"),
        ({"n": 1, "s": 1, "p": 0.5}, "n: must be a whole number from 2"),
        ({"n": 20.5, "s": 1, "p": 0.5}, "n: must be"),
        ({"n": 20, "s": "some", "p": 0.5}, 's: must be a number, or "all"'),
        ({"n": 20, "s": 0, "p": 0.5}, "s: must be"),
        ({"n": 20, "s": 1, "p": 0.5, "publications": 0}, "publications: must be"),
        ({"n": 20, "s": 1, "p": 0.5, "sets": 0}, "sets: must be"),
        ({"n": 20, "s": 1, "p": 0.5, "routes": 1}, "routes: must be true or false"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], part: str) -> None:
    assert part in message(parameters)


@pytest.mark.parametrize("name", ["tree", "psvr/some", "/all", ""])
def test_unknown_systems_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match="system"):
        settled.run({"n": 10, "p": 0.5, "s": 2}, None, 3, [name])
    with pytest.raises(BadInput, match="system"):
        simulated.run({"n": 8}, SCENARIO, 3, [name])


SCENARIO: dict[str, Any] = {
    "duration": 60,
    "warmup": 30,
    "topology": {"kind": "ring", "n": "$n"},
    "traffic": [{"channel": "a", "subscribers": 1, "every": 10}, {"channel": "b", "subscribers": 3, "every": 10}],
}
HARD: dict[str, Any] = {
    "duration": 80,
    "warmup": 20,
    "topology": {"kind": "geometric", "n": "$n", "degree": 7, "ids": "random"},
    "radio": {"model": "lossy", "loss": "$loss"},
    "protocol": {"lease": 8},
    "traffic": [{"channel": "a", "subscribers": "$s", "every": 7}, {"channel": "b", "subscribers": [3], "every": 9}],
    "fault": [{"at": 40, "kind": "corrupt", "nodes": 4}, {"at": 60, "kind": "crash", "nodes": 2}],
}
GIVEN = {"n": 25, "loss": 0.1, "s": 5}


@pytest.mark.parametrize("name", ["psvr/all", "psvr/nontree", "shen", "flood", "vr2015/all", "ring"])
def test_results_are_those_of_the_summary(name: str) -> None:
    [row] = simulated.run(GIVEN, HARD, 11, [name])
    net = Network(scenario_of(HARD, GIVEN, 11, name))
    assert run_to_end(net)
    s = summarize(net)
    same = (
        "published",
        "expected",
        "delivered",
        "duplicates",
        "messages",
        "max_table_bytes",
        "max_table_bytes_packed",
        "overflow",
        "events",
        "fingerprint",
    )
    assert {k: row[k] for k in same} == {k: s[k] for k in same}
    assert {k: row[f"{k}_sent"] for k in s["transmissions"]} == s["transmissions"]
    assert {k: row[f"{k}_bytes"] for k in s["bytes"]} == s["bytes"]
    assert {str(h): number for h, number in enumerate(row["hops"]) if number} == s["hops"]
    assert row["left_out"] == len(s["left_out"]) and row["simulated_us"] == net.now
    assert row["stable_us"] == (None if s["stable_at"] is None else round(s["stable_at"] * 1e6))
    assert row["recovery_us"] == [None if r is None else round(r * 1e6) for r in s["recoveries"]]
    assert row["latency_us_sum"] == pytest.approx(1e6 * s["latency"]["mean"] * s["delivered"], abs=1)
    assert row["nodes"] == 25 and row["links"] == len(net.plan.near) // 2


def naive_loads(rows: list[Any], begin: int) -> tuple[Counter[int], Counter[tuple[int, int]]]:
    sent = [r for r in rows if EVENTS[r["event"]] == "sent" and r["time"] >= begin]
    return (
        Counter(int(r["node"]) for r in sent),
        Counter((int(r["node"]), int(r["peer"])) for r in sent if r["peer"] >= 0),
    )


@pytest.mark.parametrize("name", ["psvr/all", "shen", "flood"])
def test_loads_are_those_of_a_naive_count(name: str) -> None:
    rows: list[Any] = []
    scenario = scenario_of(HARD, GIVEN, 11, name)
    net = Network(scenario, None, "pub", lambda taken: rows.extend(taken.copy()))
    run_to_end(net)
    nodes, links = naive_loads(rows, round(scenario.warmup * 1e6))
    ids = net.world.ids
    near, first = net.plan.near, net.plan.first
    reach = {(int(ids[u]), int(ids[v])) for u in range(25) for v in near[first[u] : first[u + 1]]}
    links = Counter({link: number for link, number in links.items() if link in reach})
    [row] = simulated.run(GIVEN, HARD, 11, [name])
    assert nodes and (row["node_load_max"], row["node_load_sum"]) == (max(nodes.values()), nodes.total())
    assert (row["link_load_max"], row["link_load_sum"], row["links_used"]) == (
        max(links.values(), default=0),
        links.total(),
        len(links),
    )
    assert (name == "flood") == (not links)


def test_loads_do_not_depend_on_the_portions_in_which_rows_come(monkeypatch: pytest.MonkeyPatch) -> None:
    [whole] = simulated.run(GIVEN, HARD, 11, ["psvr/all"])
    monkeypatch.setattr("psvr.lab.kinds.loads.BATCH", 3)
    assert simulated.run(GIVEN, HARD, 11, ["psvr/all"]) == [whole]


def test_what_is_sent_to_somebody_out_of_reach_goes_over_no_link() -> None:
    plan = Network(scenario_of(SCENARIO, {"n": 8}, 3, "psvr")).plan  # a ring of eight
    rows = np.zeros(5, ROW)
    rows["event"], rows["time"] = EVENTS.index("sent"), 7
    rows["node"], rows["peer"] = [0, 0, 0, 3, 7], [1, 4, -1, 99, 0]
    loads = Loads(plan, 7)
    loads.take(rows)
    assert loads.results() == {
        "node_load_max": 3,
        "node_load_sum": 5,
        "link_load_max": 1,
        "link_load_sum": 2,
        "links_used": 2,
    }


def test_loads_of_nobody() -> None:
    loads = Loads(Network(scenario_of(SCENARIO, {"n": 8}, 3, "psvr")).plan, 0)
    assert set(loads.results().values()) == {0}


def test_every_message_counted_is_a_load_where_nothing_is_left_out() -> None:
    template = {**SCENARIO, "warmup": 0}
    [row] = simulated.run({"n": 8}, template, 3, ["psvr/all"])
    assert row["node_load_sum"] == row["link_load_sum"] == row["messages"] == sum(row["messages_by_channel"])


def test_messages_by_channel_are_in_the_order_of_the_scenario() -> None:
    [row] = simulated.run({"n": 8}, SCENARIO, 3, ["psvr/all"])
    net = Network(scenario_of(SCENARIO, {"n": 8}, 3, "psvr/all"))
    run_to_end(net)
    expected: Counter[str] = Counter()
    for p in net.world.publications[: int(net.world.tally["published"][0])]:
        expected[net.channels[p["channel"]]] += int(p["messages"]) if p["time"] >= 30_000_000 else 0
    assert row["messages_by_channel"] == [expected["a"], expected["b"]] and 0 < expected["a"] < expected["b"]


def test_all_systems_of_a_trial_meet_the_same_network_and_traffic() -> None:
    template = {**HARD, "fault": []}
    rows = simulated.run(GIVEN, template, 5, ["psvr/all", "shen", "flood"])
    assert len({(r["links"], r["published"], r["expected"]) for r in rows}) == 1
    assert len({r["fingerprint"] for r in rows}) == 3
    assert simulated.run(GIVEN, template, 5, ["shen"]) == [rows[1]]
    assert simulated.run(GIVEN, template, 6, ["shen"])[0]["links"] != rows[1]["links"]


def test_latency_of_a_share_is_that_of_a_delivery() -> None:
    [row] = simulated.run({"n": 8}, SCENARIO, 3, ["psvr/all"])
    net = Network(scenario_of(SCENARIO, {"n": 8}, 3, "psvr/all"))
    run_to_end(net)
    published = net.world.publications["time"]
    taken = sorted(
        int(d["time"] - published[d["publication"]])
        for d in net.world.deliveries[: int(net.world.tally["delivered"][0])]
        if published[d["publication"]] >= 30_000_000 and net.world.publications["node"][d["publication"]] != d["node"]
    )
    assert row["latency_us_p50"] == taken[(len(taken) + 1) // 2 - 1] and row["latency_us_sum"] == sum(taken)
    assert row["latency_us_p50"] < row["latency_us_p99"] <= taken[-1]


def test_nothing_delivered_has_no_latency() -> None:
    [row] = simulated.run({"n": 8}, {**SCENARIO, "traffic": []}, 3, ["psvr/all"])
    assert (row["latency_us_sum"], row["latency_us_p50"], row["latency_us_p99"]) == (0, None, None)
    assert row["hops"] == [] and row["messages_by_channel"] == []


@pytest.mark.parametrize(
    ("name", "protocol"),
    [
        ("psvr", ("psvr", "all")),
        ("psvr/all", ("psvr", "all")),
        ("psvr/nontree", ("psvr", "nontree")),
        ("vr2015/nontree", ("vr2015", "nontree")),
        ("shen", ("shen", "all")),
    ],
)
def test_a_name_is_a_system_and_its_shortcuts(name: str, protocol: tuple[str, str]) -> None:
    scenario = scenario_of({**SCENARIO, "protocol": {"links": 5}}, {"n": 8}, 77, name)
    assert (scenario.protocol.system, scenario.protocol.shortcuts) == protocol
    assert (scenario.seed, scenario.protocol.links, scenario.topology.n) == (77, 5, 8)


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("psvr", "full"),
        ("psvr/all", "full"),
        ("psvr/paper", "paper"),
        ("psvr/nontree/paper", "paper"),
        ("shen/paper", "paper"),
        ("shen/full", "full"),
    ],
)
def test_a_name_may_have_a_profile_of_hosts(name: str, profile: str) -> None:
    scenario = scenario_of({**SCENARIO, "host": {"rounds": 1}}, {"n": 8}, 77, name)
    assert (scenario.host.profile, scenario.host.rounds) == (profile, 1)
    assert scenario.protocol.shortcuts == ("nontree" if "nontree" in name else "all")


@pytest.mark.parametrize("name", ["psvr/paper/paper", "psvr/all/nontree", "psvr/all/paper/x", "shen/", "psvr/Paper"])
def test_names_with_parts_that_do_not_fit_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match="after / may come one of all, nontree, then one of full, paper"):
        variant_of(name)


def test_a_profile_has_one_source() -> None:
    template = {**SCENARIO, "host": {"profile": "full"}}
    assert scenario_of(template, {"n": 8}, 77, "shen").host.profile == "full"
    with pytest.raises(BadInput, match=r"scenario\.host\.profile: must be left out, because it comes from the system"):
        scenario_of(template, {"n": 8}, 77, "shen/paper")
    with pytest.raises(BadInput, match="no hosts"):
        settled.run({"n": 10, "p": 0.5, "s": 2}, None, 3, ["shen/paper"])


SAME_TREE: dict[str, Any] = {
    "duration": 70,
    "warmup": 60,
    "same_tree": 30,
    "topology": {"kind": "geometric", "n": "$n", "degree": 7, "ids": "random"},
    "traffic": [{"channel": "a", "subscribers": 4, "every": 10, "start": 60}],
}
PAIRED = ["psvr/all", "psvr/all/paper", "psvr/nontree", "shen", "shen/paper", "vr2015/all"]


def trees(monkeypatch: pytest.MonkeyPatch, template: dict[str, Any], seed: int) -> list[list[int]]:
    """The parents of all nodes at the end of each run of a trial."""
    found: list[list[int]] = []

    def watched(net: Network) -> bool:
        done = run_to_end(net)
        found.append(net.world.nodes["parent"].tolist())
        return done

    monkeypatch.setattr(simulated, "run_to_end", watched)
    rows = simulated.run({"n": 30}, template, seed, PAIRED)
    assert all(row["delivered"] == row["expected"] > 0 for row in rows)
    return found


def test_all_systems_of_a_trial_can_have_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = 0
    for seed in range(4):
        same = trees(monkeypatch, SAME_TREE, seed)
        assert len({tuple(tree) for tree in same}) == 1 and len(same) == len(PAIRED)
        own = trees(monkeypatch, {**SAME_TREE, "same_tree": 0}, seed)
        apart += len({tuple(tree) for tree in own}) > 1
    assert apart > 0  # otherwise this test would not notice if trees were not shared


def test_results_on_the_same_tree_do_not_depend_on_the_other_systems() -> None:
    together = simulated.run({"n": 12}, SAME_TREE, 3, PAIRED)
    assert [simulated.run({"n": 12}, SAME_TREE, 3, [name])[0] for name in PAIRED] == together


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (-1, "scenario.same_tree: must be a number"),
        ("long", "scenario.same_tree: must be"),
        (60.5, "scenario.same_tree: must not be later than the first publication, at 60 s"),
    ],
)
def test_times_for_a_tree_that_make_no_sense_are_refused(value: Any, part: str) -> None:
    with pytest.raises(BadInput) as caught:
        simulated.cost({"n": 8}, {**SAME_TREE, "same_tree": value})
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_parameters_of_simulated_trials() -> None:
    assert simulated.resolve({"n": 20, "s": "all", "degree": 8}) == {"n": 20, "s": 20, "degree": 8.0}
    assert simulated.resolve({"n": 20, "s": 21}) is None and simulated.resolve({"n": 20, "degree": 20}) is None
    assert simulated.resolve({"loss": 0.1, "word": "x"}) == {"loss": 0.1, "word": "x"}
    assert 's: must be a number, or "all"' in message({"n": 20, "s": "some"}, simulated)
    assert "n: must be" in message({"n": "many"}, simulated)
    assert "loss: must be a number, a text" in message({"loss": [1]}, simulated)


@pytest.mark.parametrize(
    ("template", "parameters", "part"),
    [
        (None, {}, "scenario: missing"),
        (
            {"topology": {"kind": "ring", "n": "$nodes"}},
            {"node": 8},
            '"$nodes": no parameter has this name (did you mean',
        ),
        ({"topology": {"kind": "ring", "n": "$n"}}, {"n": 8, "loss": 0.1}, "loss: would change nothing"),
        ({"topology": {"kind": "ring", "n": "$n"}, "seed": 3}, {"n": 8}, "scenario.seed: must be left out"),
        (
            {"topology": {"kind": "ring", "n": "$n"}, "protocol": {"system": "shen"}},
            {"n": 8},
            "protocol.system: must be left",
        ),
        (
            {"topology": {"kind": "ring", "n": "$n"}, "protocol": {"shortcuts": "all"}},
            {"n": 8},
            "protocol.shortcuts: must be",
        ),
        ({"topology": {"kind": "ring", "n": "$n"}, "protocol": 3}, {"n": 8}, "protocol: must be a table"),
        ({"topology": {"kind": "ring", "n": "$n"}, "radio": {"loss": 2}}, {"n": 8}, "scenario: radio.loss: must be"),
        ({"topology": {"kind": "ring", "n": "$n"}}, {"n": "eight"}, "scenario: topology.n: must be"),
    ],
)
def test_templates_are_refused_when_trials_are_planned(template: Any, parameters: dict[str, Any], part: str) -> None:
    with pytest.raises(BadInput) as caught:
        simulated.cost(parameters, template)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"duration": 30},
        {"traffic": [{"channel": "a", "start": 60}]},
        {"traffic": [{"channel": "a", "stop": 30}]},
        {"traffic": [{"channel": "a", "publishers": 0}]},
    ],
)
def test_a_grid_that_publishes_nothing_that_counts_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(
        BadInput, match=r"nothing is published between the end of the warmup, 30 s, and .* say traffic = \[\]"
    ):
        simulated.cost({"n": 8}, {**SCENARIO, **change})
    simulated.cost({"n": 8}, {**SCENARIO, "traffic": []})
    without = {key: value for key, value in SCENARIO.items() if key != "traffic"}
    with pytest.raises(BadInput, match="nothing is published"):
        simulated.cost({"n": 8}, without)


def test_costs_grow_with_what_is_to_be_done() -> None:
    def of(n: int, s: int = 5, **more: Any) -> float:
        parameters = settled.resolve({"n": n, "p": 0.5, "s": s, **more})
        assert parameters is not None
        return settled.cost(parameters, None)

    assert of(20) < of(200) < of(200, s=100) and of(20, publications=10) < of(20) < of(20, routes=True)
    assert (
        simulated.cost({"n": 8}, SCENARIO)
        < simulated.cost({"n": 80}, SCENARIO)
        < simulated.cost({"n": 80}, {**SCENARIO, "duration": 600})
    )
