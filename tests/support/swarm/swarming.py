"""Swarms for tests: real processes, a short HELLO period."""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from psvr.sim.plan import plan
from psvr.sim.scenario import parse
from psvr.swarm.record import Places
from psvr.swarm.relay import Impairments, Relay
from psvr.swarm.run import Swarm
from psvr.swarm.summary import summarize

PATIENCE = 60  # seconds, for a busy machine


def swarm(folder: Path, tables: dict[str, Any], impairments: Impairments | None = None) -> tuple[Swarm, dict[str, Any]]:
    """A complete run, and its figures."""
    scenario = parse(tables)
    short = Path(tempfile.mkdtemp(prefix="psvr-test-"))  # names of sockets must be short
    made = Swarm(
        scenario, plan(scenario), Relay(scenario.seed, impairments or Impairments()), Places(short, folder, "test")
    )
    asyncio.run(made.run())
    return made, summarize(made, 1.0)


def children(pid: int) -> list[int]:
    """Child processes of this one that are still running."""
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
