"""`psvr sim SCENARIO`: simulate a network."""

import argparse
import json
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from psvr import __version__
from psvr.errors import BadInput
from psvr.files import MAX_TOML_MEGABYTES, decoded, parse_toml, read_stdin
from psvr.protocol.constants import REASONS
from psvr.protocol.systems import CUSTOM
from psvr.results.deliveries import SECOND
from psvr.sim.engine.world import capacity_for
from psvr.sim.network import FAULTS, Network, is_compiled
from psvr.sim.plan import Plan, plan
from psvr.sim.running import run_to_end
from psvr.sim.scenario import Scenario, load, parse, to_toml
from psvr.sim.summary import in_words, summarize
from psvr.trace import TraceError, Writer
from psvr.trace.columns import FRAMES, LEVELS

from .options import add_run_options, add_systems, last_system, run_name
from .output import show

USUAL = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}  # the handlers that a process starts with


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file; - reads standard input")
    parser.add_argument("--trace", metavar="DIR", help="write the trace to this folder, as Parquet")
    levels = "publications only (default); also HELLO and SUB sent, and changes; also all received"
    parser.add_argument("--trace-level", choices=LEVELS[1:], default=LEVELS[1], help=levels)
    add_run_options(parser, "topology.n=200")
    add_systems(parser, "the system that nodes run, instead of the scenario's protocol.system")


def run(options: argparse.Namespace) -> int:
    scenario = scenario_of(options)
    name = run_name(options, scenario.seed)
    try:
        with ExitStack() as stack:
            net = build(options, scenario, name, stack)
            finished = simulate(net, quiet=options.quiet)
            net.machine.flush()
    except TraceError as error:
        raise BadInput(f"--trace: {error}") from error
    except OverflowError as error:
        raise BadInput(str(error)) from error
    figures = summarize(net)
    show((json.dumps(figures) if options.json else in_words(figures, title(scenario, name, net))) + "\n")
    return 0 if finished else 130


def scenario_of(options: argparse.Namespace) -> Scenario:
    system = last_system(options.system, CUSTOM, "no rules in it; without @custom_rule(…) it cannot be simulated")
    overrides = [*([f'protocol.system="{system}"'] if system else []), *options.set]
    if options.scenario != "-":
        return load(options.scenario, overrides)
    text = decoded(read_stdin(MAX_TOML_MEGABYTES), "standard input")
    return parse(parse_toml(text, "standard input"), overrides=overrides)


def build(options: argparse.Namespace, scenario: Scenario, name: str, stack: ExitStack) -> Network:
    """Build the network; whatever can be refused is refused before anything is compiled."""
    drawn = plan(scenario)
    writer = stack.enter_context(trace_writer(options.trace, scenario, drawn, name)) if options.trace else None
    if not options.quiet and not is_compiled(scenario):
        size = capacity_for(scenario.protocol.links, scenario.protocol.channels)
        print(
            f"compiling the rules for nodes of up to {size.links} links and {size.channels} channels, once; it takes "
            "a minute or two …",
            file=sys.stderr,
            flush=True,
        )
    if writer is None:
        return Network(scenario, drawn)
    return Network(scenario, drawn, options.trace_level, writer.write)


def trace_writer(folder: str, scenario: Scenario, drawn: Plan, name: str) -> Writer:
    provenance = {
        "psvr": __version__,
        "scenario": to_toml(scenario),
        "seed": str(scenario.seed),
        "host": platform.node(),
        "python": platform.python_version(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **custom_file(scenario.protocol.system),
    }
    return Writer(
        folder,
        name,
        clock="sim",
        channels=drawn.channels,
        reasons=list(REASONS),
        details=list(FAULTS),
        frames=FRAMES,
        provenance=provenance,
    )


def custom_file(system: str) -> dict[str, str]:
    """The file that a custom system comes from, and a digest of the source that was run."""
    if system not in CUSTOM:
        return {}
    from psvr.routing.custom import source_of

    source = source_of(system)
    return {"system_file": source.file.name, "system_digest": source.digest} if source else {}


def simulate(net: Network, quiet: bool) -> bool:
    """Run to the end, with a progress bar on a terminal; return False if the user stopped it."""
    bar = sys.stderr.isatty() and not quiet
    shown = 0.0

    def look() -> None:
        nonlocal shown
        if bar and time.monotonic() - shown > 0.2:
            shown = time.monotonic()
            progress(net, net.scenario.duration)

    try:
        with asked_to_stop() as stop:
            return run_to_end(net, stop, look)
    finally:
        if bar:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """A function that tells whether Ctrl-C was pressed, or the process was asked to end.

    An exception could fall between two steps that belong together; only a second signal raises one.
    """
    asked: list[int] = []
    here = threading.current_thread() is threading.main_thread()
    mine = {number: usual for number, usual in USUAL.items() if here and signal.getsignal(number) is usual}

    def note(number: int, frame: object) -> None:
        asked.append(number)
        restore()

    def restore() -> None:
        for number, usual in mine.items():
            signal.signal(number, usual)

    for number in mine:  # others have handlers already
        signal.signal(number, note)
    try:
        yield lambda: bool(asked)
    finally:
        restore()


def progress(net: Network, end: float) -> None:
    done = net.now / SECOND / end
    rate = int(net.world.tally["receptions"][0]) / net.machine.wall if net.machine.wall else 0.0
    bar = "█" * round(30 * done) + "░" * (30 - round(30 * done))
    print(
        f"\r{bar} {net.now / SECOND:,.0f} of {end:,.0f} s simulated, {rate:,.0f} events/s ",
        end="",
        file=sys.stderr,
        flush=True,
    )


def title(scenario: Scenario, name: str, net: Network) -> str:
    p = scenario.protocol
    links = len(net.plan.near) // 2
    return (
        f"{name}: {p.system}, {net.plan.n:,} nodes, {links:,} links in reach, {scenario.radio.model} channel, "
        f"{net.now / SECOND:,.0f} s"
    )
