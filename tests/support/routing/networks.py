"""Random connected networks with random spanning trees, for Hypothesis and for seeds."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import networkx as nx
from hypothesis import strategies as st

from psvr.graphs.graph import from_edges
from psvr.routing.settled import Settled

from . import naive


@dataclass
class Case:
    """One network, in the package's form and in networkx's, and one publication in it."""

    n: int
    edges: list[tuple[int, ...]]
    root: int
    parent: list[int]
    publisher: int
    subscribers: list[int]

    @property
    def settled(self) -> Settled:
        return Settled(from_edges(self.n, self.edges), self.root, self.parent)

    @property
    def g(self) -> nx.Graph:
        return naive.network(self.n, self.edges)


def rooted(n: int, edges: Sequence[tuple[int, ...]], root: int) -> list[int]:
    """The parents of the tree with these links."""
    parent = naive.bfs_parents(naive.network(n, edges), root)
    return [parent[v] for v in range(n)]


@st.composite
def cases(draw: st.DrawFn, most: int = 12, most_subscribers: int | None = None) -> Case:
    """Any labelled tree with any further links: the tree need not be breadth first."""
    n = draw(st.integers(1, most))
    label = draw(st.permutations(range(n)))
    tree: list[tuple[int, ...]] = [(label[v], label[draw(st.integers(0, v - 1))]) for v in range(1, n)]
    linked = {frozenset(edge) for edge in tree}
    spare: list[tuple[int, ...]] = [(u, v) for u in range(n) for v in range(u) if frozenset((u, v)) not in linked]
    extra = draw(st.lists(st.sampled_from(spare), unique=True, max_size=2 * n)) if spare else []
    root, publisher = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
    subscribers = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=most_subscribers))
    return Case(n, tree + extra, root, rooted(n, tree, root), publisher, subscribers)


def drawn(seed: int, n: int, links: int, subscribers: int) -> Case:
    """A larger network from a seed; half of them have long thin trees, half have hubs."""
    rng = random.Random(seed)
    label = rng.sample(range(n), n)
    near: Callable[[int], int]
    near = (lambda v: rng.randrange(v)) if seed % 2 else (lambda v: rng.choice([0, 1, v - 1]) % v)
    tree: list[tuple[int, ...]] = [(label[v], label[near(v)]) for v in range(1, n)]
    linked = {frozenset(edge) for edge in tree}
    while len(linked) < min(links, n * (n - 1) // 2):
        linked.add(frozenset(rng.sample(range(n), 2)))
    edges = [tuple(edge) for edge in linked]
    root = rng.randrange(n)
    return Case(n, edges, root, rooted(n, tree, root), rng.randrange(n), rng.sample(range(n), subscribers))
