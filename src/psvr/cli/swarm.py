"""`psvr swarm SCENARIO`: the same as `psvr sim`, with real node processes on this machine."""

import argparse
import asyncio
import importlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from psvr.errors import BadInput
from psvr.results.deliveries import SECOND
from psvr.sim.plan import plan
from psvr.sim.scenario import Scenario
from psvr.swarm.namespaces import Namespaces
from psvr.swarm.record import Places
from psvr.swarm.relay import Impairments, Relay
from psvr.swarm.run import Medium, Swarm
from psvr.swarm.schedule import check, check_plan
from psvr.swarm.summary import in_words, summarize
from psvr.trace import TraceError, runs

from .options import add_run_options, run_name
from .output import show
from .sim import asked_to_stop, scenario_of

PROGRESS = 0.2  # seconds between two looks


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file, as for psvr sim; - reads standard input")
    parser.add_argument("--trace", metavar="DIR", help="keep the trace in this folder, as JSON lines")
    add_run_options(parser, "topology.n=20")
    parser.add_argument(
        "--netns",
        action="store_true",
        help="join the nodes by network namespaces of the kernel instead of an ether; needs root",
    )
    parser.add_argument(
        "--delay",
        metavar=("LEAST", "MOST"),
        nargs=2,
        type=float,
        default=(0.0, 0.0),
        help="seconds that a datagram takes",
    )
    parser.add_argument(
        "--duplicate", metavar="P", type=float, default=0.0, help="share of datagrams that arrive twice"
    )
    parser.add_argument(
        "--reorder", metavar="P", type=float, default=0.0, help="share of datagrams that later ones overtake"
    )
    parser.set_defaults(system=[])


def run(options: argparse.Namespace) -> int:
    """Run a swarm; whatever can be refused is refused before anything starts."""
    importlib.import_module("cryptography")  # the nodes have a key
    scenario = scenario_of(options)
    check(scenario)
    drawn = plan(scenario)
    check_plan(drawn)
    medium = medium_of(options, scenario)
    name = run_name(options, scenario.seed)
    with places(options.trace, name) as found:
        swarm = Swarm(scenario, drawn, medium, found)
        wall = play(swarm, options.quiet)
        figures = summarize(swarm, wall)
    title = (
        f"{name}: {drawn.n:,} nodes, {len(swarm.record.links):,} links in reach, "
        f"{'namespaces' if options.netns else 'ether'}, {swarm.record.now / SECOND:,.0f} s"
    )
    show((json.dumps(figures) if options.json else in_words(figures, title)) + "\n")
    return 130 if swarm.stopped else 0


def medium_of(options: argparse.Namespace, scenario: Scenario) -> Medium:
    loss = scenario.radio.loss if scenario.radio.model == "lossy" else 0.0
    impairments = Impairments(loss, tuple(options.delay), options.duplicate, options.reorder)
    if not options.netns:
        return Relay(scenario.seed, impairments)
    if impairments != Impairments(loss):
        raise BadInput("--netns: must be without --delay, --duplicate and --reorder, which the kernel does not have")
    return Namespaces(loss)


@contextmanager
def places(trace: str | None, name: str) -> Iterator[Places]:
    """A folder for the duration of the run; it is kept if the run fails, because the logs are in it."""
    if not name.isprintable() or not 0 < len(name) <= 100:
        raise BadInput("--run: must be a name of 1 to 100 printable characters")
    if trace is not None and has_run(Path(trace), name):
        raise BadInput(f"--run: must be new to the folder {trace}, but {name} is there already")
    folder = Path(tempfile.mkdtemp(prefix="psvr-swarm-"))
    yield Places(folder, Path(trace).absolute() if trace is not None else folder / "trace", name)
    shutil.rmtree(folder, ignore_errors=True)


def has_run(folder: Path, name: str) -> bool:
    try:
        return name in runs(folder)
    except TraceError:
        return False  # no trace yet; writing one will show whether it can be


def play(swarm: Swarm, quiet: bool) -> float:
    """Run to the end, with a progress bar on a terminal; return the seconds it took."""
    bar, begin = sys.stderr.isatty() and not quiet, time.monotonic()
    try:
        with asked_to_stop() as stop:
            asyncio.run(watched(swarm, stop, bar))
    except BadInput as error:
        raise BadInput(f"{error} (logs are in {swarm.places.folder})") from None
    finally:
        if bar:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    return time.monotonic() - begin


async def watched(swarm: Swarm, stop: Callable[[], bool], bar: bool) -> None:
    looking = asyncio.ensure_future(progress(swarm)) if bar else None
    try:
        await swarm.run(stop)
    finally:
        if looking is not None:
            looking.cancel()


async def progress(swarm: Swarm) -> None:
    end = swarm.scenario.duration
    while True:
        now, up = swarm.record.now / SECOND, sum(member.ready for member in swarm.members)
        done = min(round(30 * now / end), 30)
        print(
            f"\r{'█' * done}{'░' * (30 - done)} {now:,.0f} of {end:,.0f} s, {swarm.phase}, {up} of {swarm.plan.n} "
            f"nodes up, {len(swarm.record.deliveries):,} messages delivered ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        await asyncio.sleep(PROGRESS)
