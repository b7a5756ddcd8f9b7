"""Trials in a settled network: a graph is drawn, publications are routed on it exactly, and messages are counted.

By default the tree is breadth first from a centre of the graph, and publishers are not among the subscribers; `trees`
has the parameters that ask for other trees.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.checks import real, whole
from psvr.graphs.csr import Ints, Marks
from psvr.graphs.drawn import geometric, gnp
from psvr.graphs.graph import Graph
from psvr.lab.columns import columns
from psvr.routing.counts import COLUMNS, count_messages, count_td_messages
from psvr.routing.settled import Settled
from psvr.routing.systems import route

from . import Values, trees
from .names import settled_name

RESULTS = columns("nodes", "links", "published", "delivered", "messages", "hops", "hops_sum")

COMPILED_AS = "settled"  # the kind that compiles what these trials run
PARAMETERS = ("n", "p", "degree", "s", "publications", "sets", "routes", "publisher", *trees.PARAMETERS)
PUBLISHERS = ("other", "subscriber")  # than the subscribers, or one of them
DEFAULT_PUBLICATIONS = 1000  # of a trial that does not say how many
PUBLISHERS_PER_SET = 20  # that publish to each set of subscribers, unless `sets` is given
MAX_NODES = 100_000
MAX_PUBLICATIONS = 10_000_000
MAX_ISOLATED = 4.2  # expected nodes without a link: more than one draw in a hundred is then connected
MIN_DEGREE = 5  # in the plane; with less, hardly any network is connected


def resolve(parameters: Values) -> Values | None:
    """`s = "all"` is every node but the publisher, `publications = "all"` one by every node that may publish."""
    for name in parameters:
        if name not in PARAMETERS:
            raise BadInput(
                f"{name}: unknown parameter{did_you_mean(name, PARAMETERS)}; allowed are {', '.join(PARAMETERS)}"
            )
    for name in ("n", "s"):
        if name not in parameters:
            raise BadInput(f"{name}: missing; trials in a settled network need n, s, and p or degree")
    if ("p" in parameters) == ("degree" in parameters):
        raise BadInput("p, degree: exactly one of the two must be given")
    found = dict(parameters)
    n = found["n"] = whole(found["n"], "n", 2, MAX_NODES)
    s = found["s"] = n - 1 if found["s"] == "all" else whole(found["s"], "s", 1, MAX_NODES, 'a number, or "all":')
    if s >= n or not can_be_connected(found, n) or not trees.fitting(found):
        return None
    return with_publications(found)


def with_publications(found: dict[str, Any]) -> dict[str, Any] | None:
    if found.get("publisher", "other") not in PUBLISHERS:
        raise BadInput(f"publisher: must be one of {', '.join(PUBLISHERS)}, not {shown(found['publisher'])}")
    if "routes" in found and not isinstance(found["routes"], bool):
        raise BadInput(f"routes: must be true or false, not {shown(found['routes'])}")
    if found.get("routes") and trees.chosen(found, "td_ties") != "first":
        raise BadInput("td_ties: must be first where routes are followed one by one (routes = true)")
    if "sets" in found:
        found["sets"] = whole(found["sets"], "sets", 1, MAX_PUBLICATIONS)
    if found.get("publications") == "all":
        found["publications"] = found.get("sets", 1) * possible_publishers(found)
    if "publications" in found:
        found["publications"] = whole(found["publications"], "publications", 1, MAX_PUBLICATIONS, 'a number, or "all":')
    return None if is_alone(found) else found


def is_alone(found: dict[str, Any]) -> bool:
    """Return whether the publisher is the only subscriber, and has nothing to send."""
    return bool(found.get("publisher") == "subscriber" and found["s"] == 1)


def possible_publishers(parameters: dict[str, Any]) -> int:
    """Return how many nodes may publish to a set of subscribers."""
    s: int = parameters["s"]
    return s if parameters.get("publisher") == "subscriber" else parameters["n"] - s


def can_be_connected(found: dict[str, Any], n: int) -> bool:
    """Return whether a network of this density exists, and is drawn connected often enough."""
    if "degree" in found:
        degree = found["degree"] = real(found["degree"], "degree", 0, MAX_NODES, above=True)
        return MIN_DEGREE <= degree <= n - 1
    p = found["p"] = real(found["p"], "p", 0, 1, above=True)
    return n * p >= 2 and n * (1 - p) ** (n - 1) <= MAX_ISOLATED


def shape(parameters: dict[str, Any]) -> tuple[int, int]:
    """Return the number of sets of subscribers, and of publishers to each."""
    wanted, free = parameters.get("publications", DEFAULT_PUBLICATIONS), possible_publishers(parameters)
    if "sets" in parameters:
        return parameters["sets"], max(1, min(free, wanted // parameters["sets"]))
    publishers = min(free, PUBLISHERS_PER_SET, wanted)
    return max(1, wanted // publishers), publishers


def cost(parameters: Values, scenario: Values | None) -> float:
    """Return seconds on one core.  Routes are followed one by one, everything else is counted in compiled batches."""
    n, s = parameters["n"], parameters["s"]
    sets, publishers = shape(parameters)
    draw = 1e-4 + 1e-9 * n * n + (2e-3 if "degree" in parameters else 1e-10 * n**3 * parameters["p"])
    each = 2.5e-5 if parameters.get("routes") else 2e-7 + 1e-8 * s
    tree = trees.stack_seconds(parameters) if parameters.get("tree") == "stack" else 0.0
    return float(draw + tree + sets * (1e-8 * n + publishers * each))


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    graph = drawn(parameters, seed)
    settled = trees.settled_network(graph, parameters, seed)
    sent = publications(
        graph.n,
        parameters["s"],
        *shape(parameters),
        np.random.default_rng([seed, 1]),
        parameters.get("publisher") == "subscriber",
    )
    same = {"nodes": graph.n, "links": graph.m, "published": sent.publishers.size}

    def results(system: str, shortcuts: str) -> dict[str, Any]:
        ties = trees.chosen(parameters, "td_ties")
        if system == "td" and ties != "first":
            seeds = trees.salt(seed, trees.TD_TIE)
            return counted(sent, count_td_messages(graph, sent.members, sent.publishers, ties, seeds))
        found = one_by_one if parameters.get("routes") else at_once
        return found(settled, system, shortcuts, sent)

    return [{**same, **results(*settled_name(system))} for system in systems]


def drawn(parameters: dict[str, Any], seed: int) -> Graph:
    if "degree" in parameters:
        return geometric(parameters["n"], seed, degree=parameters["degree"])[0]
    return gnp(parameters["n"], parameters["p"], seed)


@dataclass(frozen=True)
class Publications:
    """All that is published in a trial: a row for each set of subscribers."""

    members: Marks  # 1 for every subscriber
    subscribers: Ints
    publishers: Ints

    @property
    def due(self) -> int:
        """The number of deliveries to nodes other than the publisher."""
        own = np.take_along_axis(self.members, self.publishers, axis=1)
        return int(self.publishers.size * self.subscribers.shape[1] - own.sum())


def publications(
    n: int, s: int, sets: int, publishers: int, rng: np.random.Generator, subscribed: bool = False
) -> Publications:
    """Return random sets of s subscribers, and for each some publishers that are not among them, or that all are."""
    order = rng.permuted(np.tile(np.arange(n, dtype=np.int32), (sets, 1)), axis=1)
    members = np.zeros((sets, n), dtype=np.uint8)
    np.put_along_axis(members, order[:, :s], 1, axis=1)
    first = 0 if subscribed else s
    return Publications(members, order[:, :s], order[:, first : first + publishers])


def at_once(settled: Settled, system: str, shortcuts: str, sent: Publications) -> dict[str, Any]:
    """Return message counts only, from a compiled batch where the system has one."""
    column = next((c for c in (f"{system}/{shortcuts}", system) if c in COLUMNS), None)
    if column is None:
        return {**one_by_one(settled, system, shortcuts, sent), "hops": None, "hops_sum": None}
    return counted(sent, count_messages(settled, sent.members, sent.publishers, [column])[column])


def counted(sent: Publications, counts: Ints) -> dict[str, Any]:
    return {"delivered": sent.due, "messages": int(counts.sum()), "hops": None, "hops_sum": None}


def one_by_one(settled: Settled, system: str, shortcuts: str, sent: Publications) -> dict[str, Any]:
    """Return messages, and the hops of every delivery."""
    messages, taken = 0, list[int]()
    for subscribers, publishers in zip(sent.subscribers, sent.publishers):
        for publisher in publishers.tolist():
            found = route(settled, system, publisher, subscribers, shortcuts)
            messages += found.count
            taken += found.hops.values()
    hops = np.bincount(taken).tolist() if taken else []
    return {"delivered": len(taken), "messages": messages, "hops": hops, "hops_sum": sum(taken)}


def variant(parameters: Values, scenario: Values | None) -> tuple[int, ...]:
    """Return what compiled code depends on: nothing, but where nodes build the tree, the simulator is needed, too."""
    return (trees.stack_links(parameters),) if trees.chosen(parameters, "tree") == "stack" else ()


def compile(variant: tuple[int, ...]) -> None:
    """Run a little of everything, so that all of it is compiled."""
    for links in variant:
        run({"n": 12, "p": 0.8, "s": 4, "tree": "stack", "root": "least", "c_n": links}, None, 1, ["td"])
    for density in ({"p": 0.8}, {"degree": 6.0}):
        for routes in (False, True):
            parameters = {"n": 12, "s": 4, "publications": 4, "routes": routes, **density}
            run(parameters, None, 1, [name for name in (*COLUMNS, "steiner") if name in COLUMNS or routes])
    for unusual in ({"ties": "random", "td_ties": "random"}, {"children": "largest"}):
        run({"n": 12, "p": 0.8, "s": 4, "publications": 4, **unusual}, None, 1, ["td"])
