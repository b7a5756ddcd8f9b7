"""The live node against mosquitto with paho, zenoh and Reticulum, on the loopback interface: messages/s and delay.

Publisher and subscriber are Python programs, each a process, with 1, 3 or 10 hops between them.  Settings are the
defaults, except for queues and TCP in `mqtt.py`.  A line is measured once it has carried messages for some seconds
without loss, so the tables do not include what a new ring costs psvr.  First comes a burst, as fast as the publisher's
API accepts messages, then messages at a low rate: in that order, because what a system remembers of the last seconds is
part of its cost.
"""

import importlib
import signal
import sys
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

from .live_systems.form import BYTES, Variant
from .live_systems.line import Failed, line
from .timing import table

ON_REQUEST = True  # a quarter of an hour, and it needs the other systems
SYSTEMS = ("node", "mqtt", "zeno", "reticulum")
REFERENCE = "mosquitto, paho, QoS 1"
HOPS = (1, 3, 10)
ROUNDS = 3  # systems take turns, so that other load on the machine affects all of them
BURST = 3.0  # seconds
PACED, EVERY = 250, 0.02  # messages per round, seconds between two


@dataclass
class Found:
    """What was measured for one system and one number of hops."""

    hops: str = ""
    rates: list[float] = field(default_factory=list)  # messages/s, by round
    shares: list[float] = field(default_factory=list)  # of the reference's rate at one hop
    sent: int = 0
    arrived: int = 0
    paced: int = 0
    delays: list[int] = field(default_factory=list)  # ns, of all rounds

    @property
    def spread(self) -> str:
        return f"{min(self.rates):,.0f}–{max(self.rates):,.0f}"


Results = dict[tuple[str, int], Found]


def installed() -> list[Variant]:
    variants: list[Variant] = []
    for system in SYSTEMS:
        module = importlib.import_module(f"{__package__}.live_systems.{system}")
        wanted = module.missing()
        if wanted is None:
            variants += module.VARIANTS
        else:
            names = "; ".join(variant.name for variant in module.VARIANTS)
            print(f"live: left out: {names}: {wanted}", file=sys.stderr)
    return variants


def measure(variant: Variant, hops: int, found: Found) -> None:
    with line(variant, hops) as made:
        found.hops = made.hops
        burst = made.run("burst", seconds=BURST)
        paced = made.run("pace", delays=True, count=PACED, every=EVERY)
    if burst["arrived"]:
        found.rates.append(burst["arrived"] / (burst["last"] - burst["begin"]) * 1e9)
    found.sent += burst["sent"]
    found.arrived += burst["arrived"]
    found.paced += paced["sent"]
    found.delays += paced["delays"]


def one_round(variants: list[Variant], results: Results) -> None:
    before = {key: len(found.rates) for key, found in results.items()}
    for hops in HOPS:
        for variant in variants:
            try:
                measure(variant, hops, results.setdefault((variant.name, hops), Found()))
            except Failed as failed:
                print(f"live: {variant.name}, {hops} hops: {failed}", file=sys.stderr)
    reference = results.get((REFERENCE, 1), Found())
    if len(reference.rates) > before.get((REFERENCE, 1), 0):
        for key, found in results.items():
            if len(found.rates) > before.get(key, 0):
                found.shares.append(found.rates[-1] / reference.rates[-1])


def of_reference(found: Found) -> str:
    """Median and range over the rounds: on a busy machine the range says more."""
    shares = found.shares
    return f"{median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})" if shares else "—"


def rates(results: Results) -> str:
    rows = [
        [name, str(hops), f.hops, f"{median(f.rates):,.0f}", f.spread, f"{f.arrived:,} of {f.sent:,}", of_reference(f)]
        for (name, hops), f in ordered(results)
        if f.rates
    ]
    return table(
        ["system", "hops", "a hop is", "messages/s", "of the rounds", "arrived", "ratio to QoS 1 at one hop"], rows
    )


def percentile(delays: list[int], share: int) -> float:
    """A percentile in milliseconds."""
    return quantiles(delays, n=100, method="inclusive")[share - 1] / 1e6


def delays(results: Results) -> str:
    base = results.get((REFERENCE, 1), Found()).delays
    rows = []
    for (name, hops), f in ordered(results):
        if len(f.delays) > 1:
            p50, p99 = percentile(f.delays, 50), percentile(f.delays, 99)
            ratio = f"{p99 / percentile(base, 99):.1f}" if len(base) > 1 else "—"
            rows.append(
                [
                    name,
                    str(hops),
                    f"{p50:.2f} ms",
                    f"{p99:.2f} ms",
                    f"{p99 / hops:.2f} ms",
                    f"{len(f.delays):,} of {f.paced:,}",
                    ratio,
                ]
            )
    return table(["system", "hops", "median", "p99", "p99 per hop", "arrived", "p99, ratio to QoS 1 at one hop"], rows)


def ordered(results: Results) -> list[tuple[tuple[str, int], Found]]:
    """The results by system, then by hops."""
    names = list(dict.fromkeys(name for name, _ in results))
    return sorted(results.items(), key=lambda row: (names.index(row[0][0]), row[0][1]))


def run() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no broker outlives us
    variants, results = installed(), dict[Any, Found]()
    for _ in range(ROUNDS):
        one_round(variants, results)
    print(
        f"## Messages per second\n\nOf {BYTES} bytes, on loopback, as fast as the publisher may, for {BURST:g} s; "
        f"median of {ROUNDS} rounds.\n\n" + rates(results),
        flush=True,
    )
    print(
        f"\n## Delay\n\nFrom publishing to the subscriber's callback, at {1 / EVERY:.0f} messages/s right after the "
        f"burst; all rounds together.\n\n" + delays(results),
        flush=True,
    )
