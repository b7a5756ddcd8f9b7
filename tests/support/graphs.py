"""Small random networks for tests, in plain Python."""

import random

Edges = list[tuple[int, int]]


def connected(n: int, degree: float, rng: random.Random) -> Edges:
    """A random tree and random further links up to the mean degree."""
    edges = {(rng.randrange(v), v) for v in range(1, n)}
    wanted = min(int(n * degree / 2), n * (n - 1) // 2)
    while len(edges) < wanted:
        u, v = sorted(rng.sample(range(n), 2))
        edges.add((u, v))
    return sorted(edges)


def cliques(number: int, size: int) -> Edges:
    """A chain of cliques, each joined to the next by a single link."""
    edges = []
    for base in range(0, number * size, size):
        edges += [(base + j, base + i) for i in range(size) for j in range(i)]
        if base:
            edges.append((base - 1, base))
    return edges
