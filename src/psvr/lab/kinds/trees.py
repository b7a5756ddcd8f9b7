"""The tree and the ring of a trial in a settled network, for parameters that ask for others than the usual ones."""

from typing import Any

import numpy as np

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.checks import whole
from psvr.graphs.csr import Ints
from psvr.graphs.graph import Graph
from psvr.protocol.constants import LINKS
from psvr.routing.kernels.ties import TIES
from psvr.routing.settled import Settled
from psvr.routing.spanning import ROOTS, depth_first_tree, random_tree, shortest_tree, subtree_sizes
from psvr.routing.tree import bfs_tree

# The values of each parameter; the first is the default.
CHOICES = {
    "tree": ("breadth", "depth", "random", "stack"),
    "root": tuple(ROOTS),
    "ties": TIES,
    "td_ties": (*TIES, "same"),
    "children": ("id", "random", "largest", "smallest"),
}
PARAMETERS = (*CHOICES, "c_n")
MAX_LINKS = 255
TREE, TIE, TD_TIE, TURN = 2, 3, 4, 5  # streams of random numbers; 1 is that of publications


def chosen(parameters: dict[str, Any], name: str) -> str:
    """Return what a trial chooses."""
    return str(parameters.get(name, CHOICES[name][0]))


def fitting(found: dict[str, Any]) -> bool:
    """Return whether the choices go together; `td_ties = "same"` becomes that of PSVR's tree.

    Only a breadth-first tree has ties to break, and the stack itself decides who becomes root.
    """
    for name, allowed in CHOICES.items():
        if chosen(found, name) not in allowed:
            wrong = found[name]
            hint = did_you_mean(wrong, allowed) if isinstance(wrong, str) else ""
            raise BadInput(f"{name}: must be one of {', '.join(allowed)}, not {shown(wrong)}{hint}")
    if found.get("td_ties") == "same":
        found["td_ties"] = chosen(found, "ties")
    if "c_n" in found and chosen(found, "tree") != "stack":
        raise BadInput('c_n: would change nothing; only tree = "stack" is built by nodes')
    if "c_n" in found:
        found["c_n"] = whole(found["c_n"], "c_n", 1, MAX_LINKS)
    if chosen(found, "tree") == "stack" and chosen(found, "root") != "least":
        return False
    return chosen(found, "tree") == "breadth" or chosen(found, "ties") == "first"


def settled_network(graph: Graph, parameters: dict[str, Any], seed: int) -> Settled:
    """Return the network with its tree and ring."""
    root = ROOTS[chosen(parameters, "root")](graph)
    parent = parents(graph, root, parameters, seed)
    return Settled(graph, root, parent, turn(root, parent, chosen(parameters, "children"), seed))


def parents(graph: Graph, root: int, parameters: dict[str, Any], seed: int) -> Ints:
    tree, ties = chosen(parameters, "tree"), chosen(parameters, "ties")
    if tree == "depth":
        return depth_first_tree(graph, root)
    if tree == "random":
        return random_tree(graph, root, np.random.default_rng([seed, TREE]))
    if tree == "stack":
        from .stack import stack_tree  # the simulator takes seconds to load, and no other tree needs it

        return stack_tree(graph, parameters.get("c_n", LINKS), seed)
    return bfs_tree(graph, root) if ties == "first" else shortest_tree(graph, root, ties, salt(seed, TIE))


def stack_links(parameters: dict[str, Any]) -> int:
    """Return how many links the nodes of a compiled simulator have room for that builds this tree."""
    from psvr.sim.engine.world import capacity_for

    return int(capacity_for(parameters.get("c_n", LINKS), 1).links)


def turn(root: int, parent: Ints, children: str, seed: int) -> Ints | None:
    """Return in which order children of the same node come on the ring; None is the usual one."""
    if children == "id":
        return None
    if children == "random":
        return np.random.default_rng([seed, TURN]).permutation(parent.size).astype(np.int32)
    size = subtree_sizes(root, parent)
    return np.argsort(-size if children == "largest" else size, kind="stable").astype(np.int32)


def salt(seed: int, stream: int) -> int:
    """Return 32 random bits of a stream."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1)[0])


def stack_seconds(parameters: dict[str, Any]) -> float:
    """Return roughly the seconds that the simulator takes for a tree, spread over the systems of a trial."""
    n = parameters["n"]
    degree = parameters.get("degree", n * parameters.get("p", 0))
    return float(1e-4 * n + 1e-5 * n * degree)
