"""The cheapest tree of all: the fewest links that connect a publisher with its subscribers (Dreyfus and Wagner)."""

import numpy as np
import numpy.typing as npt

from psvr.errors import BadInput
from psvr.graphs.csr import Ints, Longs
from psvr.graphs.graph import Graph, from_edges
from psvr.jit import jit

MAX_SUBSCRIBERS = 10  # each one more triples the work and doubles the table
MAX_ENTRIES = 1 << 28  # of the table, at four bytes each
FAR = 1 << 29  # farther than any node, and two of them still fit int32


@jit
def grow(start: Longs, near: Ints, cost: Ints, queue: Ints, due: Ints) -> None:
    """Lower each node's cost to its neighbours' plus one.

    Nodes are taken by ascending cost: those whose cost was there at the start from `due`, which is sorted, and those
    whose cost was lowered since from `queue`, which ascends by itself.
    """
    n = cost.size
    largest = 0
    for v in range(n):
        if cost[v] < FAR and cost[v] > largest:
            largest = int(cost[v])
    count = np.zeros(largest + 2, dtype=np.int32)
    for v in range(n):
        if cost[v] < FAR:
            count[cost[v] + 1] += 1
    for c in range(largest + 1):
        count[c + 1] += count[c]
    total = count[largest + 1]
    for v in range(n):
        if cost[v] < FAR:
            due[count[cost[v]]] = v
            count[cost[v]] += 1
    given = cost.copy()
    i, done, found = 0, 0, 0
    while i < total or done < found:
        if i < total and (done == found or given[due[i]] <= cost[queue[done]]):
            v = due[i]
            i += 1
            if cost[v] < given[v]:
                continue
        else:
            v = queue[done]
            done += 1
        for k in range(start[v], start[v + 1]):
            if cost[v] + 1 < cost[near[k]]:
                cost[near[k]] = cost[v] + 1
                queue[found] = near[k]
                found += 1


@jit
def costs(start: Longs, near: Ints, terminals: Ints) -> npt.NDArray[np.int32]:
    """cost[A, v]: how many links the cheapest tree has that connects v with the terminals whose bits are set in A."""
    n = start.size - 1
    sets = 1 << terminals.size
    cost = np.full((sets, n), FAR, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    due = np.empty(n, dtype=np.int32)
    for k in range(terminals.size):
        cost[1 << k, terminals[k]] = 0
    for a in range(1, sets):
        b = (a - 1) & a
        while b > a ^ b:  # each split once: the half with the highest bit first
            for v in range(n):
                joined = cost[b, v] + cost[a ^ b, v]
                if joined < cost[a, v]:
                    cost[a, v] = joined
            b = (b - 1) & a
        grow(start, near, cost[a], queue, due)
    return cost


@jit
def collect(start: Longs, near: Ints, cost: npt.NDArray[np.int32], publisher: int) -> Longs:
    """The links of a cheapest tree, reconstructed from the costs."""
    full = cost.shape[0] - 1
    edges = np.empty((cost[full, publisher], 2), dtype=np.int64)
    found = 0
    todo = [(full, publisher)]
    while len(todo) > 0:
        a, v = todo.pop()
        if cost[a, v] == 0:
            continue
        step = -1
        for k in range(start[v], start[v + 1]):
            if cost[a, near[k]] + 1 == cost[a, v]:
                step = int(near[k])
                break
        if step >= 0:
            edges[found, 0], edges[found, 1] = v, step
            found += 1
            todo.append((a, step))
            continue
        b = (a - 1) & a
        while cost[b, v] + cost[a ^ b, v] != cost[a, v]:
            b = (b - 1) & a
        todo.append((b, v))
        todo.append((a ^ b, v))
    return edges


def steiner_tree(graph: Graph, publisher: int, subscribers: Ints) -> Graph:
    """A graph with the same nodes and the links of a cheapest tree that connects publisher and subscribers."""
    terminals = subscribers[subscribers != publisher]
    if terminals.size > MAX_SUBSCRIBERS:
        raise BadInput(f"subscribers: at most {MAX_SUBSCRIBERS} for steiner, not {terminals.size}")
    if graph.n << terminals.size > MAX_ENTRIES:
        raise BadInput(
            f"subscribers: at most {(MAX_ENTRIES // graph.n).bit_length() - 1} for steiner in a network of "
            f"{graph.n} nodes, not {terminals.size}"
        )
    if not terminals.size:
        return from_edges(graph.n, [])
    cost = costs(graph.start, graph.near, terminals)
    return from_edges(graph.n, collect(graph.start, graph.near, cost, publisher))
