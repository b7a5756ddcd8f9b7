"""The simulator's queue and medium against ns-3 (C++) and SimPy, with the same workload and the same rules.

    python -m benchmarks engines
    python -m benchmarks.engines docs/engines.svg       the same, with a chart

Every engine sends the same frames at the same microseconds, to be received by the same nodes: counts and final states
are compared before any time is shown.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.compiling import Missing
from benchmarks.timing import one_core, table

from . import ns3, ours, plain, with_simpy
from . import workload as k
from .chart import bars

ROUNDS, SLOW_ROUNDS = 9, 3
OURS, NS3, SIMPY = "psvr", "ns-3, nodes and devices", "SimPy, a process per node"
TARGETS = {NS3: 8, SIMPY: 40}

Job = Callable[[], tuple[float, k.Counts]]


def measured(jobs: dict[str, Job], slow: set[str]) -> tuple[dict[str, float], k.Counts]:
    """The best time of each job, run in turns so that all see the same machine load; and the counts, equal for all."""
    best: dict[str, float] = {}
    common = jobs[OURS]()[1]  # also compiles
    for turn in range(ROUNDS):
        for name, job in jobs.items():
            if name in slow and turn >= SLOW_ROUNDS:
                continue
            seconds, counts = job()
            if counts != common:
                raise AssertionError(f"{name} did something else: {counts}, not {common}")
            best[name] = min(best.get(name, seconds), seconds)
    return best, common


def report(best: dict[str, float], counts: k.Counts) -> str:
    rows = [
        [
            name,
            f"{counts.sends:,}",
            f"{counts.receptions:,}",
            f"{counts.state:08x}",
            f"{1e-6 * counts.events / seconds:.3g}",
            f"{seconds / best[OURS]:.1f}×" if name != OURS else "",
        ]
        for name, seconds in best.items()
    ]
    met = "; ".join(
        f"{name}: {best[name] / best[OURS]:.1f}× (target {target}×)" for name, target in TARGETS.items() if name in best
    )
    title = f"{k.N} nodes, mean degree {k.DEGREE}, {k.SECONDS} simulated seconds.  {met}"
    heads = ["engine", "sends", "receptions", "final state", "million events/s", "psvr is faster"]
    return f"{title}\n\n" + table(heads, rows)


def picture(best: dict[str, float], counts: k.Counts) -> str:
    return bars(
        "The same workload on every engine",
        [(name, 1e-6 * counts.events / seconds) for name, seconds in best.items()],
        "million events per second",
    )


def run(file: Path | None = None) -> None:
    one_core()
    graph = k.network()
    draws = plain.Draws(graph, k.SECONDS)
    jobs: dict[str, Job] = {OURS: lambda: ours.simulate(graph, k.SECONDS)}
    slow: dict[str, Job] = {
        "SimPy, callbacks": lambda: with_simpy.lean(graph, draws, k.SECONDS),
        SIMPY: lambda: with_simpy.idiomatic(graph, draws, k.SECONDS),
    }
    print("## The engine\n")
    with tempfile.TemporaryDirectory() as folder:
        try:
            jobs |= ns3.programs(Path(folder), graph, k.SECONDS)
        except Missing as missing:
            print(f"ns-3 is left out: {missing}\n")
        results = measured(jobs | slow, set(slow))
    print(report(*results) + "\n", flush=True)
    if file is not None:
        file.write_text(picture(*results))
