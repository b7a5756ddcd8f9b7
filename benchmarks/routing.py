"""How fast exact routing is, against the targets it was built for."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from functools import partial

import numpy as np

from psvr.graphs.drawn import gnp
from psvr.routing.counts import COLUMNS, count_messages
from psvr.routing.settled import Settled
from psvr.routing.systems import route
from psvr.routing.tree import bfs_tree, centre

from . import trees
from .timing import best_of, one_core, table

N, P, SUBSCRIBERS, SETS = 100, 0.1, 10, 1000
NODES, LINKS = 1_000_000, 5_000_000


def report_trees() -> str:
    others, mine = trees.measure()
    rows = [[name, f"{1e6 * seconds:,.0f} µs", f"{seconds / mine:.0f}×"] for name, seconds in others.items()]
    rows.append(["psvr", f"{1e6 * mine:,.1f} µs", ""])
    met = min(others.values()) / mine
    return f"Trees of all roots, pruned (target: 40× faster than the best other): {met:.0f}×\n\n" + table(
        ["G(100, 0.1), 10 subscribers, 100 publishers", "best time", "slower by"], rows
    )


def drawn_sets(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sets of subscribers as masks, and for each set all other nodes as publishers, in random order."""
    order = rng.permuted(np.tile(np.arange(N, dtype=np.int32), (SETS, 1)), axis=1)
    members = np.zeros((SETS, N), dtype=np.uint8)
    np.put_along_axis(members, order[:, :SUBSCRIBERS], 1, axis=1)
    return members, np.ascontiguousarray(order[:, SUBSCRIBERS:])


def settled_network(seed: int) -> Settled:
    graph = gnp(N, P, seed)
    root = centre(graph)
    return Settled(graph, root, bfs_tree(graph, root))


def report_publications() -> str:
    """A new set for each publication; and all 90 publishers of a set, where its table costs next to nothing."""
    settled = settled_network(1)
    members, publishers = drawn_sets(np.random.default_rng(1))
    alone = np.ascontiguousarray(publishers[:, :1])
    rows = []
    for name in COLUMNS:
        ready = best_of(partial(count_messages, settled, members, publishers, [name]), 5) / publishers.size
        fresh = best_of(partial(count_messages, settled, members, alone, [name]), 20) / SETS
        rows.append([name, f"{1e6 * ready:.2f} µs", f"{1e6 * fresh:.2f} µs"])
    return "One publication (targets for psvr: 1 µs with tables ready, 6 µs with a new set of subscribers)\n\n" + table(
        ["n = 100, p = 0.1, s = 10", "tables ready", "new set"], rows
    )


def report_single() -> str:
    """What one call from Python costs, including the list of messages and hops; the optimum too."""
    settled = settled_network(1)
    rows = []
    for name in ("psvr", "vr2015", "shen", "td", "steiner"):
        seconds = best_of(partial(route, settled, name, 50, range(SUBSCRIBERS)), 30)
        rows.append([name, f"{1e6 * seconds:,.0f} µs"])
    return "One call of `route`, with messages and hops\n\n" + table(["n = 100, p = 0.1, s = 10", "best time"], rows)


def fresh_process(*arguments: str, cache: str | None = None) -> tuple[float, str]:
    """Seconds and output of a module run in its own process."""
    environment = dict(os.environ) | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    begin = time.perf_counter()
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return time.perf_counter() - begin, done.stdout


def report_large() -> str:
    _, output = fresh_process("benchmarks.large", str(NODES), str(LINKS))
    result = json.loads(output)
    rows = [[step, f"{seconds:.2f} s"] for step, seconds in result["seconds"].items()]
    total = sum(result["seconds"].values())
    title = f"{NODES:,} nodes, {LINKS:,} links (targets: 10 s, 3 GB): {total:.1f} s, peak {result['peak']:.2f} GB"
    return f"{title}\n\n" + table(["step", "time"], rows)


def report_start() -> str:
    with tempfile.TemporaryDirectory() as cache:
        cold, _ = fresh_process("benchmarks.cold", "everything", cache=cache)
        fresh_process("benchmarks.cold", cache=cache)
        warm = min(fresh_process("benchmarks.cold", cache=cache)[0] for _ in range(5))
    rows = [
        ["everything compiled and run once", f"{cold:.1f} s", "60 s"],
        ["from the cache: import, load, route one publication", f"{warm:.2f} s", "1 s"],
    ]
    return "A fresh process\n\n" + table(["", "time", "target"], rows)


def run() -> None:
    one_core()
    print(f"Python {platform.python_version()}, {platform.machine()}, one core\n")
    for report in (report_trees, report_publications, report_single, report_large, report_start):
        print(report() + "\n", flush=True)
