"""This version against another: events per second of the simulator, messages per second of the live node.

    git worktree add ../before v0.1.0
    python -m benchmarks beside ../before               everything, a quarter of an hour
    python -m benchmarks beside ../before 1000 live     the simulator with 1,000 nodes, and the live node

The versions take turns, each run in its own process, which simulates twice because the first time compiles.  For the
simulator the best run counts, in processor time; for the live node the median, which needs an otherwise idle machine.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ON_REQUEST = True  # it needs another version
HERE = Path(__file__).parent.parent
SIMULATED = {"100": 300.0, "1000": 120.0, "10000": 60.0, "100-wireless": 120.0, "1000-wireless": 60.0}  # seconds
LIVE = {"live": 1, "live-3": 3}  # hops
ROUNDS = {"10000": 2, "live": 5, "live-3": 5}
OTHER_ROUNDS = 4  # of everything else
SENT = ("hello_sent", "sub_sent", "pub_sent", "ack_sent")


def scenario(what: str) -> dict[str, Any]:
    """The scenarios of `scaling` and `wireless`, repeated here because another version may have different ones."""
    n, seconds = int(what.split("-")[0]), SIMULATED[what]
    if what.endswith("wireless"):
        return {
            "duration": seconds,
            "topology": {"kind": "geometric", "n": n, "degree": 16},
            "radio": {"model": "ieee802154"},
            "traffic": [{"channel": "news", "subscribers": 10, "publishers": min(n, 100), "every": 20}],
        }
    return {
        "seed": 1,
        "duration": seconds,
        "topology": {"kind": "geometric", "n": n, "degree": 8},
        "traffic": [{"channel": "temperature", "subscribers": 10, "publishers": 10, "every": 1.0}],
    }


def simulate(what: str) -> dict[str, float]:
    from psvr.sim.machine import Machine
    from psvr.sim.network import Network
    from psvr.sim.scenario import parse

    used, advance = 0.0, Machine.advance

    def timed(machine: Any, *given: Any) -> Any:
        nonlocal used
        begin = time.process_time()
        try:
            return advance(machine, *given)
        finally:
            used += time.process_time() - begin

    Machine.advance = timed  # type: ignore[method-assign, assignment]
    for _ in range(2):
        net, used = Network(parse(scenario(what))), 0.0
        net.run(SIMULATED[what])
    tally = net.world.tally[0]
    events = sum(int(tally[name]) for name in (*SENT, "receptions"))
    return {"rate": events / used, "seconds": SIMULATED[what] / used}


def live(what: str) -> dict[str, float]:
    from benchmarks.live_systems.form import Variant
    from benchmarks.live_systems.line import line

    with line(Variant("psvr", "node", {"key": True}), LIVE[what]) as made:
        burst = made.run("burst", seconds=3.0)
    return {"rate": burst["arrived"] / (burst["last"] - burst["begin"]) * 1e9}


def measured(tree: Path, what: str) -> dict[str, float]:
    """A measurement in a process that imports everything from that tree, except this file."""
    path = os.pathsep.join((str(tree / "src"), str(tree)))
    done = subprocess.run(
        [sys.executable, __file__, what],
        env={**os.environ, "PYTHONPATH": path},
        cwd=tree,
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def row(what: str, before: list[dict[str, float]], now: list[dict[str, float]]) -> list[str]:
    best = statistics.median if what in LIVE else max
    rates = [best(run["rate"] for run in runs) for runs in (before, now)]
    cells = [what, f"{rates[0]:,.0f}", f"{rates[1]:,.0f}", f"{rates[1] / rates[0]:.2f}"]
    if what in LIVE:
        return [*cells, "–"]
    seconds = [max(run["seconds"] for run in runs) for runs in (before, now)]
    return [*cells, f"{seconds[1] / seconds[0]:.2f}"]


def compare(other: Path, wanted: list[str]) -> None:
    from benchmarks.timing import table

    rows = []
    for what in wanted or [*SIMULATED, *LIVE]:
        before, now = [], []
        for _ in range(ROUNDS.get(what, OTHER_ROUNDS)):
            before.append(measured(other, what))
            now.append(measured(HERE, what))
        rows.append(row(what, before, now))
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(["", "events or messages per second, before", "now", "ratio", "ratio of simulated seconds"], rows))


def with_options(arguments: list[str]) -> None:
    known = [*SIMULATED, *LIVE]
    if not arguments or not (Path(arguments[0]) / "src" / "psvr").is_dir() or not set(arguments[1:]) <= set(known):
        print(
            f"benchmarks: beside FOLDER [{' | '.join(known)}] …: FOLDER must be a checkout of the version to compare "
            "with",
            file=sys.stderr,
        )
        sys.exit(2)
    compare(Path(arguments[0]).resolve(), arguments[1:])


def run() -> None:
    """Print the usage: without options there is no version to compare with."""
    with_options([])


if __name__ == "__main__":  # in a process of `measured`
    print(json.dumps(live(sys.argv[1]) if sys.argv[1] in LIVE else simulate(sys.argv[1])))
