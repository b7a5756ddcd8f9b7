"""The wireless channel against ns-3's lr-wpan: error ratio by distance, contention, speed; and the full stack on it.

Writes docs/validation.svg and prints the tables of docs/validation.md and docs/performance.md.
"""

import math
import resource
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from psvr.graphs.csr import Floats
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.sim.summary import summarize

from .compiling import Missing
from .radio import ns3, ours
from .timing import table

ON_REQUEST = True  # minutes, and it needs ns-3
PICTURE = Path(__file__).parent.parent / "docs" / "validation.svg"
LENGTHS = (20, 60, 127)
DISTANCES = [float(d) for d in range(120, 200, 5)]
SENDERS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
RANGE = 101.7  # metres at 0 dBm and −95 dBm, with dual-slope path loss
DENSITY = 10.0  # nodes within this range
TIMES = 5


def places(n: int) -> Floats:
    side = RANGE * math.sqrt(math.pi * n / DENSITY)
    return np.random.default_rng(1).random((n, 2)) * side


def error_ratios(axes: Any) -> str:
    rows = []
    for colour, length in zip(("#2563a8", "#b3541e", "#3a7d44"), LENGTHS):
        mine = ours.per([length], DISTANCES, 5000)
        theirs = ns3.per([length], DISTANCES, 5000)
        a, b = ([1 - r["received"] / r["sent"] for r in found] for found in (mine, theirs))
        axes.plot(DISTANCES, a, color=colour, label=f"{length} bytes, psvr")
        axes.plot(DISTANCES, b, "o", mfc="none", color=colour, label=f"{length} bytes, ns-3")
        apart = max(abs(x - y) for x, y in zip(a, b))
        rows.append([str(length), f"{100 * apart:.1f} points"])
    axes.set(xlabel="distance, m", ylabel="frames lost", title="One link without fading")
    axes.legend(frameon=False, fontsize=8)
    return table(["bytes", "largest difference of the error ratio"], rows)


def contention(axes: Any, seconds: float = 60.0) -> str:
    rows = []
    for marker, acknowledged in (("o", False), ("s", True)):
        for colour, length in (("#b3541e", 60), ("#3a7d44", 127)):
            mine = {int(r["senders"]): r for r in ours.contend(SENDERS, length, acknowledged, seconds)}
            theirs = {int(r["senders"]): r for r in ns3.contend(SENDERS, length, acknowledged, seconds)}
            kind = "acknowledged" if acknowledged else "broadcast"
            axes.plot(
                SENDERS,
                [mine[n]["delivered_per_s"] for n in SENDERS],
                "--" if acknowledged else "-",
                color=colour,
                label=f"{length} bytes, {kind}, psvr",
            )
            axes.plot(
                SENDERS,
                [theirs[n]["delivered_per_s"] for n in SENDERS],
                marker,
                mfc="none",
                color=colour,
                label=f"{length} bytes, {kind}, ns-3",
            )
            for n in (2, 5, 10, 20):
                a, b = mine[n]["delivered_per_s"], theirs[n]["delivered_per_s"]
                rows.append([kind, str(length), str(n), f"{a:.1f}", f"{b:.1f}", f"{100 * (a / b - 1):+.1f} %"])
    axes.set(
        xlabel="senders that always have a frame",
        ylabel="delivered frames per second",
        ylim=(0, None),
        title="Contention around one receiver",
    )
    axes.legend(frameon=False, fontsize=7)
    return table(["mode", "bytes", "senders", "psvr, frames/s", "ns-3, frames/s", "difference"], rows)


def speed() -> str:
    """The best of several runs on each side."""
    rows = []
    for n, seconds in ((100, 60.0), (1000, 10.0)):
        at = places(n)
        ours.beacons(at, 0.1)
        mine = min((ours.beacons(at, seconds) for _ in range(TIMES)), key=lambda r: r["wall"])
        for channel in ("single", "near"):
            runs = [ns3.beacons(at.tolist(), seconds, channel=channel) for _ in range(2)]
            theirs = min(runs, key=lambda r: r["wall"])
            rate = [(r["sent"] + r["receptions"]) / r["wall"] for r in (mine, theirs)]
            rows.append(
                [
                    str(n),
                    channel,
                    f"{mine['receptions']:,}",
                    f"{theirs['receptions']:,}",
                    f"{rate[0] / 1e6:.2f} M/s",
                    f"{rate[1] / 1e6:.3f} M/s",
                    f"{rate[0] / rate[1]:.1f}",
                ]
            )
    return table(["nodes", "ns-3's channel", "receptions, psvr", "receptions, ns-3", "psvr", "ns-3", "ratio"], rows)


def full_stack() -> str:
    """Frames and receptions per second of whole networks, and memory."""
    rows = []
    for n, seconds in ((100, 120.0), (1000, 60.0), (10_000, 30.0)):
        begin = time.perf_counter()
        net = Network(
            parse(
                {
                    "duration": seconds,
                    "topology": {"kind": "geometric", "n": n, "degree": 16 if n < 10_000 else 20},
                    "radio": {"model": "ieee802154"},
                    "traffic": [{"channel": "news", "subscribers": 10, "publishers": min(n, 100), "every": 20}],
                }
            )
        )
        drawn = time.perf_counter() - begin
        net.run(seconds)
        s = summarize(net)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        rows.append(
            [f"{n:,}", f"{s['events']:,}", f"{s['events_per_s'] / 1e6:.2f} M/s", f"{drawn:.1f} s", f"{peak:.2f} GB"]
        )
    return table(["nodes", "frames and receptions", "per second", "to draw the network", "memory of the process"], rows)


def run() -> None:
    try:
        ns3.build("per")
    except Missing as missing:
        print(f"wireless: {missing}", file=sys.stderr)
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
    print("## Error ratio\n\n" + error_ratios(left), flush=True)
    print("\n## Contention\n\n" + contention(right), flush=True)
    figure.savefig(PICTURE)
    print("\n## Speed\n\n" + speed(), flush=True)
    print("\n## Full stack\n\n" + full_stack(), flush=True)
