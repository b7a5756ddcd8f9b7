"""`psvr sim SCENARIO`: simulate a network."""

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from psvr import __version__
from psvr.errors import BadInput
from psvr.jit import cache_folder
from psvr.protocol.constants import REASONS
from psvr.sim.network import FAULTS, Network
from psvr.sim.scenario import Scenario, load, to_toml
from psvr.sim.summary import in_words, summary, window
from psvr.trace import TraceError, Writer

STEP = 1.0              # simulated seconds between two looks at the clock


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file; - reads standard input")
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    parser.add_argument("--trace", metavar="DIR", help="write the trace into this folder, as Parquet")
    parser.add_argument("--trace-level", choices=("pub", "control", "all"), default="pub",
                        help="publications only (default); also HELLO and SUB sent, and changes; also all received")
    parser.add_argument("--run", metavar="NAME", help="the name of the run in the trace (default: file name and seed)")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[],
                        help="override a key of the scenario, for example topology.n=200")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    scenario = load(options.scenario, options.set)
    name = options.run or f"{Path(options.scenario).stem or 'scenario'}-{scenario.seed}"
    try:
        with ExitStack() as stack:
            if not engine_is_compiled() and not options.quiet:
                print("compiling the rules, once, for about a minute …", file=sys.stderr, flush=True)
            net = build(options, scenario, name, stack)
            finished = simulate(net, quiet=options.quiet)
            net.machine.flush()
    except TraceError as error:
        raise BadInput(f"--trace: {error}") from error
    except OverflowError as error:
        raise BadInput(str(error)) from error
    figures = summary(net)
    print(json.dumps(figures) if options.json else in_words(figures, title(scenario, name, net)))
    return 0 if finished else 130


def engine_is_compiled() -> bool:
    """Compiled code is kept between runs; only the first one has to wait."""
    folder = cache_folder()
    return folder is not None and any(folder.glob("engine.run-*.nbi"))


def build(options: argparse.Namespace, scenario: Scenario, name: str, stack: ExitStack) -> Network:
    if not options.trace:
        return Network(scenario)
    take: list[Callable[[Any], None]] = []
    net = Network(scenario, level=options.trace_level, take_rows=lambda rows: take[0](rows))
    provenance = {"psvr": __version__, "scenario": to_toml(scenario), "seed": str(scenario.seed),
                  "host": platform.node(), "python": platform.python_version(),
                  "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    writer = stack.enter_context(Writer(
        options.trace, name, clock="sim", channels=net.channels,
        reasons=[*REASONS, "all tries on the link failed"], details=list(FAULTS), provenance=provenance))
    take.append(writer.write)
    return net


def simulate(net: Network, quiet: bool) -> bool:
    """Run to the end, and on until what is on its way has arrived; False if the user stopped it."""
    show = sys.stderr.isatty() and not quiet
    end, shown = net.scenario.duration, 0.0
    try:
        while net.now < end * 1_000_000:
            net.run(min(STEP, end - net.now / 1_000_000))
            if show and time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                progress(net, end)
        net.machine.advance(net.now + window(net))
    except KeyboardInterrupt:
        return False
    finally:
        if show:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    return True


def progress(net: Network, end: float) -> None:
    done = net.now / 1_000_000 / end
    rate = int(net.world.tally["receptions"][0]) / net.machine.wall if net.machine.wall else 0.0
    bar = "█" * round(30 * done) + "░" * (30 - round(30 * done))
    print(f"\r{bar} {net.now / 1_000_000:,.0f} of {end:,.0f} s simulated, {rate:,.0f} events/s ", end="",
          file=sys.stderr, flush=True)


def title(scenario: Scenario, name: str, net: Network) -> str:
    p = scenario.protocol
    links = len(net.plan.near) // 2
    return (f"{name}: {p.system}, {net.plan.n:,} nodes, {links:,} links in reach, {scenario.radio.model} channel, "
            f"{net.now / 1_000_000:,.0f} s")
