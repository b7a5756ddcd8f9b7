"""How the full stack scales: events per second and memory of networks from 100 to 100,000 nodes.

    python -m benchmarks scaling
    python -m benchmarks.scaling docs/scaling.svg       the same, and a picture of it

An event is a frame sent or received.  Nodes start with empty memory.  Each size runs in its own process, because peak
memory is measured per process; compiling and drawing the network are not timed.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from psvr.sim.network import Network
from psvr.sim.scenario import parse

from .engines.chart import curves
from .timing import one_core, table

ON_REQUEST = True
SECONDS = {100: 300, 1_000: 120, 10_000: 60, 100_000: 80}  # simulated: until it settles, and a while longer
REPEATED = {100: 5, 1_000: 3, 10_000: 2, 100_000: 1}  # runs, of which the best counts
SENT = ("hello_sent", "sub_sent", "pub_sent", "ack_sent")
MEMORY = 8  # GB that 100,000 nodes may take


def scenario(n: int) -> dict[str, Any]:
    """Ten nodes publish once a second each, ten listen."""
    return {
        "seed": 1,
        "duration": SECONDS[n],
        "topology": {"kind": "geometric", "n": n, "degree": 8},
        "radio": {"model": "ideal"},
        "protocol": {"system": "psvr"},
        "traffic": [{"channel": "temperature", "subscribers": 10, "publishers": 10, "every": 1.0}],
    }


def one_run(n: int) -> dict[str, Any]:
    net = Network(parse(scenario(n)))
    net.run(SECONDS[n])
    tally, world = net.world.tally[0], net.world
    settled = [time for time, good in net.history.checks if good]
    return {
        "sent": {name: int(tally[name]) for name in SENT},
        "receptions": int(tally["receptions"]),
        "wall": net.machine.wall,
        "settled": settled[0] / 1e6 if settled else None,
        "node": world.nodes.dtype.itemsize,
        "bytes": sum(array.nbytes for array in (*world, *world.air) if isinstance(array, np.ndarray)) / n,
    }


def child(n: int) -> None:
    """Print the fastest of several runs, and the peak memory, as JSON."""
    best = min((one_run(n) for _ in range(REPEATED[n])), key=lambda result: result["wall"])
    print(json.dumps({**best, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2}))


def measured(n: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scaling", str(n)]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return result


def rate(result: dict[str, Any]) -> float:
    """Million events per second."""
    events = sum(result["sent"].values()) + result["receptions"]
    return float(1e-6 * events / result["wall"])


def row(n: int, result: dict[str, Any]) -> list[str]:
    settled = result["settled"]
    return [
        f"{n:,}",
        f"{SECONDS[n]} s",
        f"{sum(result['sent'].values()):,}",
        f"{result['sent']['pub_sent']:,}",
        f"{result['receptions']:,}",
        "not yet" if settled is None else f"{settled:.1f} s",
        f"{rate(result):.2f}",
        f"{result['wall']:.2f} s",
        f"{result['bytes']:,.0f}",
        f"{result['peak']:.2f} GB",
    ]


def report(results: dict[int, dict[str, Any]]) -> str:
    heads = [
        "nodes",
        "simulated",
        "sends",
        "of these PUB",
        "receptions",
        "settled after",
        "million events/s",
        "took",
        "bytes per node",
        "peak memory",
    ]
    largest = max(results)
    title = (
        f"psvr in geometric networks of degree 8; {largest:,} nodes take {results[largest]['peak']:.2f} GB "
        f"(target: less than {MEMORY} GB); a node's own memory takes {results[largest]['node']:,} bytes"
    )
    return f"{title}\n\n" + table(heads, [row(n, result) for n, result in results.items()])


def picture(results: dict[int, dict[str, Any]]) -> str:
    return curves(
        "The full stack, psvr in geometric networks of degree 8",
        [
            ("million events per second", [(n, rate(result)) for n, result in results.items()]),
            ("kilobytes per node", [(n, result["bytes"] / 1000) for n, result in results.items()]),
        ],
    )


def run(file: Path | None = None) -> None:
    one_core()
    measured(min(SECONDS))  # compiles, so that no peak is due to the compiler
    results = {n: measured(n) for n in SECONDS}
    print("## The full stack\n\n" + report(results) + "\n", flush=True)
    if file is not None:
        file.write_text(picture(results))


if __name__ == "__main__":
    argument = sys.argv[1] if len(sys.argv) > 1 else ""
    child(int(argument)) if argument.isdigit() else run(Path(argument) if argument else None)
