"""A swarm of real nodes against 20 simulated runs of the same network: delivery while nodes are killed, and healing."""

import json
import statistics
import subprocess
import sys
from typing import Any

from psvr.sim.network import Network
from psvr.sim.plan import plan
from psvr.sim.running import run_to_end
from psvr.sim.scenario import parse, to_toml
from psvr.sim.summary import summarize

from .timing import table

ON_REQUEST = True  # minutes
RUNS = 20
WIDE = 1.96  # standard deviations to either side that contain 95 % of runs
N = 20


def scenario(seed: int, killed: int) -> dict[str, Any]:
    """The network is always the same; the seed determines what is lost, and when."""
    drawn = plan(parse({"seed": 3, "topology": {"kind": "geometric", "n": N, "degree": 6}}))
    links = [[u, int(v)] for u in range(N) for v in drawn.near[drawn.first[u] : drawn.first[u + 1]] if u < v]
    return {
        "seed": seed,
        "duration": 110,
        "warmup": 30,
        "topology": {"kind": "edges", "edges": links},
        "radio": {"model": "lossy", "loss": 0.1},
        "traffic": [{"channel": "news", "subscribers": list(range(0, N, 2)), "every": 5}],
        "fault": [{"at": 40, "kind": "crash", "nodes": list(range(1, 1 + killed)), "duration": 10}] if killed else [],
    }


def simulated(killed: int) -> list[dict[str, Any]]:
    found = []
    for seed in range(1, RUNS + 1):
        net = Network(parse(scenario(seed, killed)))
        run_to_end(net)
        found.append(summarize(net))
    return found


def real(killed: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "psvr", "swarm", "-", "--json", "--quiet"],
        text=True,
        check=True,
        input=to_toml(parse(scenario(1, killed))),
        stdout=subprocess.PIPE,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def interval(values: list[float]) -> tuple[float, float]:
    middle, spread = statistics.mean(values), WIDE * statistics.stdev(values)
    return middle - spread, middle + spread


def row(killed: int) -> list[str]:
    runs, swarm = simulated(killed), real(killed)
    low, high = interval([r["delivery_ratio"] for r in runs])
    ratio = swarm["delivery_ratio"]
    heals = "–" if not killed else f"{swarm['recoveries'][0]:.1f} s"
    simulated_heals = (
        "–"
        if not killed
        else " to ".join(f"{pick(r['recoveries'][0] for r in runs):.1f}" for pick in (min, max)) + " s"
    )
    return [
        str(killed),
        f"{100 * low:.2f} to {100 * min(high, 1.0):.2f} %",
        f"{100 * ratio:.2f} %",
        "yes" if low <= ratio <= high else "no",
        simulated_heals,
        heals,
        str(sum(r["duplicates"] for r in runs)),
        str(swarm["duplicates"]),
    ]


def run() -> None:
    print(
        table(
            [
                "killed",
                f"delivered, 95 % of {RUNS} simulated runs",
                "delivered, swarm",
                "inside",
                "healed, simulated",
                "healed, swarm",
                "twice, simulated",
                "twice, swarm",
            ],
            [row(killed) for killed in (0, 1, 5, 10)],
        ),
        flush=True,
    )
