"""Delivery over a radio, with loss and after faults: PSVR and Shen in both profiles, on the same networks.

    python -m benchmarks delivery

Each cell is delivered / messages per delivery / 99th percentile of the latency (mean over seeds), from four seeds.
"""

from typing import Any

from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.sim.summary import summarize

from .timing import table

ON_REQUEST = True  # minutes
SEEDS = (1, 2, 3, 4)
COLUMNS = (("psvr", "full"), ("psvr", "paper"), ("shen", "full"), ("shen", "paper"))
INTERFERENCE = [{"sources": 4, "rate": 600, "length": 0.04, "power": 5}]  # active 40 % of the time


def over_a_radio(degree: int, **radio: Any) -> dict[str, Any]:
    """Every node publishes once a minute for an hour, to one subscriber."""
    return {
        "duration": 4200,
        "warmup": 600,
        "topology": {"kind": "geometric", "n": 50, "degree": degree},
        "radio": {"model": "ieee802154", **radio},
        "traffic": [{"channel": "t", "subscribers": 1, "every": 60, "start": 600, "stop": 4140}],
    }


def with_loss(loss: float, **topology: Any) -> dict[str, Any]:
    """Every node publishes every 20 s for five minutes, to five subscribers."""
    return {
        "duration": 460,
        "warmup": 120,
        "topology": topology,
        "radio": {"model": "lossy", "loss": loss},
        "traffic": [{"channel": "t", "subscribers": 5, "every": 20, "start": 120, "stop": 420}],
    }


def after_faults() -> dict[str, Any]:
    """A node, then the root, then half of all nodes are killed for 10 s; then 20 nodes are cut off for a minute."""
    crashes = [
        {"at": at, "kind": "crash", "nodes": nodes, "duration": 10} for at, nodes in ((120, 1), (240, [0]), (360, 25))
    ]
    return {
        "duration": 720,
        "warmup": 60,
        "topology": {"kind": "geometric", "n": 50, "degree": 8},
        "radio": {"model": "lossy", "loss": 0.1},
        "traffic": [{"channel": "t", "subscribers": 10, "every": 10, "start": 30, "stop": 690}],
        "fault": [*crashes, {"at": 500, "kind": "partition", "nodes": 20, "duration": 60}],
    }


def scenarios() -> dict[str, dict[str, Any]]:
    near = {"kind": "geometric", "degree": 8}
    return {
        "interference": over_a_radio(16, interference=INTERFERENCE),
        "sparse": over_a_radio(10),
        "dense": over_a_radio(16),
        "line of 80, 20 %": with_loss(0.2, kind="line", n=80),
        "grid of 100, 20 %": with_loss(0.2, kind="grid", n=100),
        "30 nodes, 20 %": with_loss(0.2, n=30, **near),
        "30 nodes, 30 %": with_loss(0.3, n=30, **near),
        "100 nodes, 20 %": with_loss(0.2, n=100, **near),
        "100 nodes, 30 %": with_loss(0.3, n=100, **near),
        "after faults": after_faults(),
    }


def one_run(scenario: dict[str, Any], seed: int, system: str, profile: str) -> dict[str, Any]:
    net = Network(parse({**scenario, "seed": seed, "protocol": {"system": system}, "host": {"profile": profile}}))
    net.run(scenario["duration"])
    return summarize(net)


def cell(scenario: dict[str, Any], system: str, profile: str) -> str:
    runs = [one_run(scenario, seed, system, profile) for seed in SEEDS]
    expected, delivered, messages = (sum(r[name] for r in runs) for name in ("expected", "delivered", "messages"))
    late = sum(r["latency"]["p99"] or 0 for r in runs) / len(runs)
    share = "100 %" if delivered == expected else f"{100 * delivered / expected:.2f} %"
    return f"{share} / {messages / max(delivered, 1):.1f} / {late:.1f} s"


def run() -> None:
    rows = ([name, *(cell(scenario, *column) for column in COLUMNS)] for name, scenario in scenarios().items())
    print(table(["", *(f"{system}, `{profile}`" for system, profile in COLUMNS)], rows), flush=True)
