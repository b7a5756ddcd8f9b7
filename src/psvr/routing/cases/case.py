"""A case: a network in its settled state and one publication, as a JSON object, checked field by field."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.errors import BadInput, shortened, shown
from psvr.fields.checks import whole
from psvr.graphs.csr import components
from psvr.graphs.graph import Graph, from_edges
from psvr.routing.kernels.shortcuts import SETS
from psvr.routing.tree import bfs_tree, centre, check_tree

from .expected import FIELDS as EXPECTED
from .expected import read_expected
from .reading import array, read_json

MAX_NODES = 10_000_000  # more is a typing error that would otherwise be noticed only when memory runs out
MAX_NAME_LENGTH = 20
FIELDS = ("name", "names", "n", "edges", "root", "parent", "publisher", "subscribers", "shortcuts", "start", *EXPECTED)


@dataclass(frozen=True)
class Case:
    """A case whose fields have been checked."""

    graph: Graph
    root: int
    parent: NDArray[np.int32]
    publisher: int
    subscribers: list[int]
    shortcuts: str | None = None  # None: not given
    start: int | None = None  # where vr2015 starts
    name: str = ""
    names: tuple[str, ...] = ()  # of the nodes, for display
    expected: dict[str, Any] = field(default_factory=dict)

    def label(self, node: int) -> str:
        return self.names[node] if self.names else str(node)


def read_case(source: str, name: str | None = None) -> Case:
    """The case in a file (`-`: standard input), or the one called `name` in a list of cases."""
    return parse_case(choose(read_json(source), name))


def choose(value: Any, name: str | None) -> Any:
    """The only case of a file, or the one called `name`; its fields are not checked yet."""
    if not isinstance(value, list):
        if name is not None and (not isinstance(value, dict) or value.get("name") != name):
            raise BadInput(f"--case: the file holds one case, and it is not called {shown(name)}")
        return value
    if name is None and len(value) != 1:
        raise BadInput(f"the file holds a list of {len(value)} cases: choose one with --case NAME")
    found = [case for case in value if name is None or (isinstance(case, dict) and case.get("name") == name)]
    if len(found) != 1:
        these = f"{len(found)} of the {len(value)} cases are" if found else f"none of the {len(value)} cases is"
        raise BadInput(f"--case: {these} called {shown(name)}")
    return found[0]


def parse_case(value: Any) -> Case:
    """The case that a JSON value describes; BadInput names the field that is wrong."""
    if not isinstance(value, dict):
        raise BadInput(f"case: must be an object with the fields n, edges, publisher, subscribers, not {shown(value)}")
    for key in value:
        if key not in FIELDS:
            raise BadInput(f"{shortened(key)}: unknown field; allowed are {', '.join(FIELDS)}")
    for key in ("n", "edges", "publisher", "subscribers"):
        if key not in value:
            raise BadInput(f"{key}: missing")
    n = whole(value["n"], "n", 1, MAX_NODES)
    graph = read_graph(n, value["edges"])
    root, parent = read_tree(graph, value)
    return Case(
        graph,
        root,
        parent,
        publisher=node(value["publisher"], "publisher", n),
        subscribers=read_subscribers(value["subscribers"], n),
        shortcuts=read_shortcuts(value["shortcuts"]) if "shortcuts" in value else None,
        start=whole(value["start"], "start", 0, max(2 * n - 3, 0), "a position") if "start" in value else None,
        name=read_text(value.get("name", ""), "name"),
        names=read_names(value["names"], n) if "names" in value else (),
        expected=read_expected(value),
    )


def node(value: Any, name: str, n: int) -> int:
    return whole(value, name, 0, n - 1, "a node")


def read_graph(n: int, value: Any) -> Graph:
    edges = array(value, "edges", "pairs of nodes")
    for i, pair in enumerate(edges):
        # written out for speed: there may be some hundred thousand links
        if not (
            type(pair) is list
            and len(pair) == 2
            and type(pair[0]) is int
            and type(pair[1]) is int
            and 0 <= pair[0] < n
            and 0 <= pair[1] < n
        ):
            raise BadInput(f"edges[{i}]: must be two nodes from 0 to {n - 1}, not {shown(pair)}")
    graph = from_edges(n, np.array(edges, dtype=np.int64).reshape(-1, 2))
    lost = np.flatnonzero(components(graph.start, graph.near))
    if lost.size:
        raise BadInput(f"edges: nodes 0 and {lost[0]} are not connected; every node must be reachable from every other")
    return graph


def read_tree(graph: Graph, value: dict[str, Any]) -> tuple[int, NDArray[np.int32]]:
    """The root and the parents; where they are not given, those of a breadth-first tree from the centre."""
    root = node(value["root"], "root", graph.n) if "root" in value else None
    if "parent" not in value:
        root = centre(graph) if root is None else root
        return root, bfs_tree(graph, root)
    listed = array(value["parent"], "parent", f"{graph.n} nodes, with -1 for the root")
    if len(listed) != graph.n:
        raise BadInput(f"parent: must be a list of {graph.n}, one for each node, not {shown(listed)}")
    for v, p in enumerate(listed):
        if type(p) is not int or not -1 <= p < graph.n:
            raise BadInput(f"parent[{v}]: must be a node from 0 to {graph.n - 1}, or -1 for the root, not {shown(p)}")
    if root is None:
        if listed.count(-1) != 1:
            raise BadInput(f"parent: exactly one node must have -1, the root, not {listed.count(-1)}")
        root = listed.index(-1)
    parent = np.array(listed, dtype=np.int32)
    check_tree(graph, root, parent)
    return root, parent


def read_subscribers(value: Any, n: int) -> list[int]:
    first: dict[int, int] = {}
    for i, listed in enumerate(array(value, "subscribers", "nodes")):
        subscriber = node(listed, f"subscribers[{i}]", n)
        if first.setdefault(subscriber, i) != i:
            raise BadInput(f"subscribers[{i}]: must list each node once, but {subscriber} is listed before")
    return list(first)


def read_shortcuts(value: Any) -> str:
    if value not in SETS:
        raise BadInput(f'shortcuts: must be "all" or "nontree", not {shown(value)}')
    return str(value)


def read_text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise BadInput(f"{name}: must be one line of text, not {shown(value)}")
    return value


def read_names(value: Any, n: int) -> tuple[str, ...]:
    names = array(value, "names", f"{n} texts")
    if len(names) != n:
        raise BadInput(f"names: must be a list of {n}, one for each node, not {shown(names)}")
    first: dict[str, int] = {}
    for v, name in enumerate(names):
        if not 0 < len(read_text(name, f"names[{v}]").strip()) <= MAX_NAME_LENGTH:
            raise BadInput(f"names[{v}]: must be 1 to {MAX_NAME_LENGTH} characters, not {shown(name)}")
        if first.setdefault(name, v) != v:
            raise BadInput(f"names[{v}]: {shown(name)} is already the name of node {first[name]}")
    return tuple(names)
