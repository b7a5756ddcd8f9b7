"""Swarms for tests: real processes, a short HELLO period."""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from psvr.sim.plan import plan
from psvr.sim.scenario import parse
from psvr.swarm.relay import Relay, Weather
from psvr.swarm.run import Places, Swarm
from psvr.swarm.tally import summary

PATIENCE = 60               # seconds, for a machine that is busy with other things


def swarm(folder: Path, tables: dict[str, Any], weather: Weather | None = None) -> tuple[Swarm, dict[str, Any]]:
    """A run to its end, and its figures."""
    scenario = parse(tables)
    short = Path(tempfile.mkdtemp(prefix="psvr-test-"))     # names of sockets may not be long
    made = Swarm(scenario, plan(scenario), Relay(scenario.seed, weather or Weather()), Places(short, folder, "test"))
    asyncio.run(made.run())
    return made, summary(made, 1.0)


def children(pid: int) -> list[int]:
    """Processes that this one started, and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if int(parent) == pid and state != "Z":
                found.append(int(entry.name))
    return found


def runs(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(good: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not good():
        assert time.monotonic() < end
        time.sleep(0.05)


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PSVR_")}
